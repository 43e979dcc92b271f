/**
 * Evaluates a plan in the plainest way: row by row, value by value, without an index, a bitmap or a range. It is slow but
 * obviously right; tests compare engines with it.
 */
import {
  formatDate,
  formatMinute,
  instantOfDay,
  instantOfMinute,
  parseInstant,
} from '../../kernel/calendar.ts'
import { compareDecimals, formatScaled, parseDecimal } from '../../kernel/decimal.ts'
import { compareCodePoints, compareTexts, fold } from '../../kernel/text.ts'
import type {
  ColumnRef,
  Comparand,
  Comparison,
  Predicate,
  QueryPlan,
  SortKey,
} from '../../query/plan/plan-nodes.ts'
import type { CollectionName } from '../../schema/datasets.ts'
import type { FieldType, FieldValue } from '../../schema/field.ts'

type Values = Readonly<Record<string, FieldValue>>

/** The values of a record by field name and by label. */
export type PlainRow = {
  readonly fields: Values
  readonly custom: Readonly<Record<string, string | null>>
  /** The elements of the record's own collection. */
  readonly elements: readonly Values[]
  /** The elements of the additional collections by name. */
  readonly additional?: { readonly [Name in CollectionName]?: readonly Values[] }
}

export type Collections = (name: CollectionName) => readonly Values[]

export const collectionsOf =
  ({ elements, additional = {} }: PlainRow): Collections =>
  (name) =>
    name === 'segments' || name === 'lineItems' ? elements : (additional[name] ?? [])

const noElements: Collections = () => []

/** Returns the rows of the page, and how many there are without paging. The given rows must be in default order. */
export function evaluatePlan<Row extends PlainRow>(
  rows: readonly Row[],
  { where, orderBy, paging }: Omit<QueryPlan, 'dataset'>,
): { readonly total: number; readonly page: readonly Row[] } {
  const selected = rows
    .filter((row) => where === null || isTrue(where, row.fields, row.custom, collectionsOf(row)))
    .sort((a, b) => compareRows(a, b, orderBy))
  const { offset, limit } = paging ?? { offset: 0, limit: Infinity }
  return { total: selected.length, page: selected.slice(offset, offset + limit) }
}

const cellOf = (values: Values, custom: Values, column: ColumnRef): FieldValue =>
  (column.kind === 'field' ? values[column.name] : custom[column.label]) ?? null

function isTrue(predicate: Predicate, values: Values, custom: Values, elements: Collections): boolean {
  switch (predicate.kind) {
    case 'constant':
      return predicate.value
    case 'and':
      return predicate.operands.every((operand) => isTrue(operand, values, custom, elements))
    case 'or':
      return predicate.operands.some((operand) => isTrue(operand, values, custom, elements))
    case 'not':
      return !isTrue(predicate.operand, values, custom, elements)
    case 'any': {
      const { condition, collection } = predicate
      return elements(collection).some(
        (element) => condition === null || isTrue(condition, element, {}, noElements),
      )
    }
    case 'is-null':
      return cellOf(values, custom, predicate.column) === null
    case 'compare': {
      const value = cellOf(values, custom, predicate.column)
      return compares(value, predicate.column.type, predicate.comparison, predicate.comparand)
    }
    case 'one-of': {
      const value = cellOf(values, custom, predicate.column)
      if (value === null) return predicate.orNull
      return predicate.comparands.some((each) => compares(value, predicate.column.type, 'eq', each))
    }
    case 'match': {
      const value = cellOf(values, custom, predicate.column)
      if (value === null) return false
      const text = fold(textOf(value, predicate.column.type))
      if (predicate.function === 'contains') return text.includes(predicate.folded)
      return predicate.function === 'startswith'
        ? text.startsWith(predicate.folded)
        : text.endsWith(predicate.folded)
    }
  }
}

function compares(value: FieldValue, type: FieldType, comparison: Comparison, comparand: Comparand): boolean {
  if (value === null) return false
  const order = orderOf(value, type, comparand)
  if (order === undefined) return false
  const outcomes = { eq: order === 0, gt: order > 0, ge: order >= 0, lt: order < 0, le: order <= 0 }
  return outcomes[comparison]
}

/** Negative, zero or positive; undefined when the values cannot be compared. */
function orderOf(
  value: string | number | boolean,
  type: FieldType,
  comparand: Comparand,
): number | undefined {
  const byText = (folded: string) => compareCodePoints(fold(textOf(value, type)), folded)
  switch (comparand.as) {
    case 'text': {
      const { folded, text } = comparand
      const isTold = type === 'text' && text !== undefined
      return byText(folded) || (isTold ? compareCodePoints(String(value), text) : 0)
    }
    case 'number':
    case 'number-or-text': {
      const number = ['text', 'integer', 'decimal'].includes(type)
        ? parseDecimal(textOf(value, type))
        : undefined
      if (number !== undefined) return compareDecimals(number, comparand.value)
      return comparand.as === 'number' ? undefined : byText(comparand.folded)
    }
    case 'instant':
    case 'instant-or-text': {
      const instant = instantOf(value, type)
      if (instant !== undefined) return instant - comparand.instant
      return comparand.as === 'instant' ? undefined : byText(comparand.folded)
    }
    case 'boolean': {
      const truth = ['text', 'boolean'].includes(type) ? fold(String(value)) : ''
      if (truth !== 'true' && truth !== 'false') return undefined
      return Number(truth === 'true') - Number(comparand.value)
    }
  }
}

function instantOf(value: string | number | boolean, type: FieldType): number | undefined {
  if (type === 'date') return instantOfDay(Number(value))
  if (type === 'minute') return instantOfMinute(Number(value))
  return type === 'text' ? parseInstant(String(value)) : undefined
}

function textOf(value: string | number | boolean, type: FieldType): string {
  if (type === 'date') return formatDate(Number(value))
  if (type === 'minute') return formatMinute(Number(value))
  return type === 'decimal' ? formatScaled(Number(value)) : String(value)
}

function compareRows(a: PlainRow, b: PlainRow, orderBy: readonly SortKey[]): number {
  for (const { column, descending } of orderBy) {
    const order = compareValues(cellOf(a.fields, a.custom, column), cellOf(b.fields, b.custom, column))
    if (order !== 0) return descending ? -order : order
  }
  return 0
}

function compareValues(a: FieldValue, b: FieldValue): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  return typeof a === 'string' ? compareTexts(a, String(b)) : Number(a) - Number(b)
}
