/**
 * The terms of an aggregation, `$apply`: first as it is written, then as it is bound and planned. An aggregation answers with
 * groups instead of records. Each group has a value per dimension and per aggregate, which are the members of the group.
 */
import type { Span } from '../kernel/span.ts'
import type { CollectionName, DatasetName } from '../schema/datasets.ts'
import type { FieldType } from '../schema/field.ts'
import type { Expr, FieldPath, Paging, PathName } from './ast.ts'
import type { ColumnRef, Predicate } from './bound-query.ts'

/** The part of a date or date-time that a dimension groups by. */
export const dateParts = ['year', 'quarter', 'month', 'week', 'date'] as const
export type DatePart = (typeof dateParts)[number]

export const aggregateMethods = ['sum', 'min', 'max', 'average', 'countdistinct'] as const
export type AggregateMethod = (typeof aggregateMethods)[number]

/** `lineItems.lineType`, `month(bookingDate) as month` */
export type ParsedDimension = {
  readonly part: DatePart | null
  readonly field: FieldPath
  readonly alias: PathName | null
  readonly span: Span
}

export type ParsedAggregate =
  /** `$count as n` */
  | { readonly kind: 'count'; readonly alias: PathName; readonly span: Span }
  /** `lineItems.lineAmountIncGst with sum as spend` */
  | {
      readonly kind: 'value'
      readonly method: AggregateMethod
      readonly field: FieldPath
      readonly alias: PathName
      readonly span: Span
    }

/** `n desc`, `month(bookingDate)` */
export type ParsedGroupOrdering = {
  readonly part: DatePart | null
  readonly field: FieldPath
  readonly descending: boolean
  readonly span: Span
}

export type ParsedAggregation = {
  readonly filter: Expr | null
  /** The conditions of the steps `filter(...)` of `$apply`. */
  readonly steps: readonly Expr[]
  /** Empty for `aggregate(...)` alone. */
  readonly dimensions: readonly ParsedDimension[]
  readonly aggregates: readonly ParsedAggregate[]
  readonly orderBy: readonly ParsedGroupOrdering[]
  readonly paging: Paging | null
}

/** A column of the records, or of the elements of the plan's collection. */
export type AggregatedColumn = { readonly of: 'record' | 'element'; readonly column: ColumnRef }

export type Dimension = {
  /** Name in the answer. */
  readonly member: string
  /** Null for a label that the client does not have, where such labels are null in every record. */
  readonly value: AggregatedColumn | null
  /** Only for dates and minutes. */
  readonly part: DatePart | null
}

export type Aggregate =
  | { readonly member: string; readonly method: 'count' }
  | {
      readonly member: string
      readonly method: AggregateMethod
      /** Null for a label that the client does not have, where such labels are null in every record. */
      readonly value: AggregatedColumn | null
    }

/** `member` is the place among the dimensions followed by the aggregates. */
export type GroupSortKey = { readonly member: number; readonly descending: boolean }

/**
 * An aggregation of which nothing is left to decide. If a dimension is of elements, the groups consist of elements, and else of
 * records; then an aggregate over a field of elements takes all elements of the records of its group.
 */
export type AggregationPlan = {
  readonly dataset: DatasetName
  /** Selects records. Null keeps every record. */
  readonly where: Predicate | null
  /** The collection that dimensions or aggregates name; there is at most one. */
  readonly collection: CollectionName | null
  readonly groupsOf: 'records' | 'elements'
  /** Without dimensions there is one group, which may be empty. */
  readonly dimensions: readonly Dimension[]
  readonly aggregates: readonly Aggregate[]
  /** Complete: it decides between any two groups. Null is the greatest value; texts are in the order of `kernel/text.ts`. */
  readonly orderBy: readonly GroupSortKey[]
  readonly paging: Paging | null
}

/**
 * The type of a member of groups: a field's own type, or a number that may exceed the range of fields. `long` is a whole number,
 * `long-decimal` is scaled by 10^5.
 */
export type GroupType = FieldType | 'long' | 'long-decimal'

export function typeOfDimension({ value, part }: Dimension): GroupType {
  if (value === null) return 'text'
  if (part === null) return value.column.type
  return part === 'year' ? 'integer' : part === 'date' ? 'date' : 'text'
}

export function typeOfAggregate(aggregate: Aggregate): GroupType {
  switch (aggregate.method) {
    case 'count':
    case 'countdistinct':
      return 'long'
    case 'average':
      return 'decimal'
    case 'sum':
      return aggregate.value?.column.type === 'integer' ? 'long' : 'long-decimal'
    case 'min':
    case 'max':
      return aggregate.value?.column.type ?? 'text'
  }
}
