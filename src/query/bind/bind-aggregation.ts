/**
 * Binds an aggregation to one dataset and the labels of one client: names become columns, and members get their names in the
 * answer. Refuses what has no clear meaning: methods that do not fit a type, fields of two collections, members with one
 * name, and sums of record fields over elements, which would count a record once per element. Planning is the next step.
 */
import type { Dataset } from '../../schema/datasets.ts'
import type {
  Aggregate,
  AggregatedColumn,
  AggregationPlan,
  Dimension,
  ParsedAggregate,
  ParsedAggregation,
  ParsedDimension,
} from '../aggregation.ts'
import {
  recordSumOfElements,
  repeatedMember,
  secondCollection,
  unfitMethod,
  unfitPart,
  unorderedMethod,
} from '../aggregation-problems.ts'
import type { FieldPath } from '../ast.ts'
import type { Predicate } from '../bound-query.ts'
import { bindFilter } from './bind-filter.ts'
import { bindGroupOrder } from './bind-group-order.ts'
import {
  labelPath,
  placeOf,
  resolveField,
  type Scope,
  type Target,
  type UnknownLabels,
} from './resolve-path.ts'

/** The texts of the request, so that a problem can quote them. */
type AggregationTexts = {
  readonly filter?: string | undefined
  readonly orderBy?: string | undefined
  readonly apply?: string | undefined
}

/** @throws QueryProblem QRY2xx, QRY33x or QRY50x at the first name or literal that does not fit */
export function bindAggregation(
  parsed: ParsedAggregation,
  dataset: Dataset,
  labels: readonly string[],
  texts: AggregationTexts = {},
  unknownLabels: UnknownLabels = 'refuse',
): AggregationPlan {
  const names: Omit<Scope, 'parameter' | 'input'> = { dataset, labels, unknownLabels, element: null }
  const inFilter: Scope = { ...names, parameter: '$filter', input: texts.filter }
  const inApply: Scope = { ...names, parameter: '$apply', input: texts.apply }
  const inOrderBy: Scope = { ...names, parameter: '$orderby', input: texts.orderBy }
  const conditions = [
    ...(parsed.filter === null ? [] : [bindFilter(parsed.filter, inFilter)]),
    ...parsed.steps.map((step) => bindFilter(step, inApply)),
  ]
  const paths = pathBinder(inApply)
  const dimensions = membersOf(
    parsed,
    parsed.dimensions.map((each) => bindDimension(each, paths, inApply)),
  )
  const groupsOf = dimensions.some(({ value }) => value?.of === 'element') ? 'elements' : 'records'
  const aggregates = parsed.aggregates.map((each) => bindAggregate(each, paths, inApply))
  const collection = paths.collection()
  if (groupsOf === 'elements') refuseRecordSums(parsed.aggregates, aggregates, collection ?? '', inApply)
  refuseRepeatedMembers(parsed, [...dimensions, ...aggregates], inApply)
  return {
    dataset: dataset.name,
    where: conjunctionOf(conditions),
    collection,
    groupsOf,
    dimensions,
    aggregates,
    orderBy: bindGroupOrder(
      parsed.orderBy,
      { dimensions, aggregates, written: parsed.dimensions },
      inOrderBy,
    ),
    paging: parsed.paging,
  }
}

const conjunctionOf = (conditions: readonly Predicate[]): Predicate | null =>
  conditions.length > 1 ? { kind: 'and', operands: conditions } : (conditions[0] ?? null)

/** Resolves paths, all of which must be of one collection at most. */
type PathBinder = {
  readonly bind: (path: FieldPath) => AggregatedColumn | null
  readonly collection: () => AggregationPlan['collection']
}

function pathBinder(scope: Scope): PathBinder {
  let collection: AggregationPlan['collection'] = null
  return {
    bind: (path) => {
      const target = resolveField(path, scope)
      if (target.kind === 'element') {
        collection ??= target.collection
        if (collection !== target.collection) {
          const found = `${target.collection}.${target.column.name}`
          throw secondCollection(placeOf(path, scope), found, collection)
        }
      }
      return aggregatedColumn(target)
    },
    collection: () => collection,
  }
}

function aggregatedColumn(target: Target): AggregatedColumn | null {
  if (target.kind === 'null') return null
  return { of: target.kind === 'element' ? 'element' : 'record', column: target.column }
}

/** A dimension that has no alias is named after what it groups by. */
type Unnamed = Omit<Dimension, 'member'> & { readonly member: string | null; readonly field: FieldPath }

function bindDimension({ part, field, alias }: ParsedDimension, paths: PathBinder, scope: Scope): Unnamed {
  const value = paths.bind(field)
  const type = value?.column.type ?? 'text'
  if (part !== null && type !== 'date' && type !== 'minute') {
    throw unfitPart(placeOf(field, scope), part, nameOf(field))
  }
  return {
    value,
    part,
    field,
    member: alias === null ? pathName(value, part, paths.collection()) : alias.name,
  }
}

/** The name of a dimension in the answer; null for a label, whose name depends on the others. */
function pathName(
  value: AggregatedColumn | null,
  part: Dimension['part'],
  collection: string | null,
): string | null {
  if (value === null || value.column.kind === 'custom') return null
  const { name } = value.column
  const path = value.of === 'element' ? `${collection}.${name}` : name
  return part === null ? path : `${part}(${path})`
}

/** A label has its own text as its name, unless another member has that name. */
function membersOf({ aggregates }: ParsedAggregation, unnamed: readonly Unnamed[]): readonly Dimension[] {
  const taken = new Set<string>([
    ...aggregates.map(({ alias }) => alias.name),
    ...unnamed.flatMap(({ member }) => (member === null ? [] : [member])),
  ])
  return unnamed.map(({ value, part, field, member }) => {
    if (member !== null) return { member, value, part }
    const label = value?.column.kind === 'custom' ? value.column.label : (field.names.at(-1)?.name ?? '')
    return { member: taken.has(label) ? labelPath(label) : label, value, part }
  })
}

const nameOf = ({ names }: FieldPath): string => names.map(({ name }) => name).join('.')

function bindAggregate(parsed: ParsedAggregate, paths: PathBinder, scope: Scope): Aggregate {
  const member = parsed.alias.name
  if (parsed.kind === 'count') return { member, method: 'count' }
  const { method, field } = parsed
  const value = paths.bind(field)
  const type = value?.column.type ?? 'text'
  const isNumber = type === 'integer' || type === 'decimal'
  const at = placeOf(field, scope)
  if ((method === 'sum' || method === 'average') && !isNumber)
    throw unfitMethod(at, method, nameOf(field), 'a number field')
  if ((method === 'min' || method === 'max') && type === 'boolean')
    throw unorderedMethod(at, method, nameOf(field))
  return { member, method, value }
}

function refuseRecordSums(
  parsed: readonly ParsedAggregate[],
  aggregates: readonly Aggregate[],
  collection: string,
  scope: Scope,
): void {
  for (const [i, aggregate] of aggregates.entries()) {
    const written = parsed[i]
    if (aggregate.method !== 'sum' && aggregate.method !== 'average') continue
    if (aggregate.value?.of === 'element' || written?.kind !== 'value') continue
    throw recordSumOfElements(
      placeOf(written.field, scope),
      aggregate.method,
      nameOf(written.field),
      collection,
    )
  }
}

function refuseRepeatedMembers(
  parsed: ParsedAggregation,
  members: readonly { readonly member: string }[],
  scope: Scope,
): void {
  const seen = new Set<string>()
  const written = [...parsed.dimensions, ...parsed.aggregates]
  for (const [i, { member }] of members.entries()) {
    const at = written[i]
    if (at !== undefined && seen.has(member)) throw repeatedMember(placeOf(at.alias ?? at, scope), member)
    seen.add(member)
  }
}
