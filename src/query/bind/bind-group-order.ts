/**
 * Binds $orderby beside $apply: each clause is a member of the groups, by its name in the answer or as the dimension was
 * written. Completes the order by the dimensions that it does not name, ascending.
 */
import { closest } from '../../kernel/closest.ts'
import { QueryProblem } from '../../kernel/problem.ts'
import type { AggregationPlan, GroupSortKey, ParsedDimension, ParsedGroupOrdering } from '../aggregation.ts'
import { unknownMember } from '../aggregation-problems.ts'
import type { ColumnRef } from '../bound-query.ts'
import { matchName } from '../match-name.ts'
import { ambiguousName } from '../problems.ts'
import { placeOf, resolveField, type Scope, type Target } from './resolve-path.ts'

type Members = Pick<AggregationPlan, 'dimensions' | 'aggregates'> & {
  /** The dimensions as they were written. */
  readonly written: readonly ParsedDimension[]
}

/** @throws QueryProblem QRY202, QRY2xx or QRY509 for a clause that is no member */
export function bindGroupOrder(
  orderings: readonly ParsedGroupOrdering[],
  members: Members,
  scope: Scope,
): readonly GroupSortKey[] {
  const keys: GroupSortKey[] = []
  const { dimensions } = members
  const isComplete = () => dimensions.every((_, i) => keys.some(({ member }) => member === i))
  for (const ordering of orderings) {
    const member = memberOf(ordering, members, scope)
    // After all dimensions no two groups are left to decide between.
    if (isComplete() || keys.some((key) => key.member === member)) continue
    keys.push({ member, descending: ordering.descending })
  }
  for (const member of dimensions.keys())
    if (!keys.some((key) => key.member === member)) keys.push({ member, descending: false })
  return keys
}

function memberOf(ordering: ParsedGroupOrdering, members: Members, scope: Scope): number {
  const { dimensions, aggregates } = members
  const names = [...dimensions, ...aggregates].map(({ member }) => member)
  const { part, field } = ordering
  const [only, second] = field.names
  if (part === null && only !== undefined && second === undefined) {
    const matches = matchName(only.name, names)
    if (matches.length > 1) throw ambiguousName(placeOf(only, scope), only.name, matches)
    if (matches[0] !== undefined) return names.indexOf(matches[0])
  }
  const found = dimensionOf(ordering, members, scope)
  if (found >= 0) return found
  const written = (scope.input ?? '').slice(ordering.span.start, ordering.span.end)
  throw unknownMember(placeOf(ordering, scope), written, names, closest(written, names))
}

/** The dimension that the clause names as `groupby` does; -1 when there is none. */
function dimensionOf(
  { part, field }: ParsedGroupOrdering,
  { dimensions, written }: Members,
  scope: Scope,
): number {
  const target = resolvedOrNull(field, scope)
  if (target === null) return -1
  if (target.kind === 'null') {
    const label = field.names.at(-1)?.name
    return dimensions.findIndex(
      ({ value }, i) => value === null && part === null && written[i]?.field.names.at(-1)?.name === label,
    )
  }
  const of = target.kind === 'element' ? 'element' : 'record'
  const key = columnKey(target.column)
  return dimensions.findIndex(
    ({ value, part: grouped }) =>
      value !== null && grouped === part && value.of === of && columnKey(value.column) === key,
  )
}

const columnKey = (column: ColumnRef): string =>
  column.kind === 'field' ? `field ${column.name}` : `label ${column.label}`

/** A name that is neither a member nor a field is refused as an unknown member. */
function resolvedOrNull(field: ParsedGroupOrdering['field'], scope: Scope): Target | null {
  try {
    return resolveField(field, scope)
  } catch (cause) {
    if (cause instanceof QueryProblem) return null
    throw cause
  }
}
