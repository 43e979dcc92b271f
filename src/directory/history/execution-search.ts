/**
 * Turns a filter of runs into a search: which index to walk, and what to check along the way. Conditions along the way have a form
 * for which the database cannot choose an index, because its planner would then leave the order of the walk. No I/O;
 * walk-executions.ts reads.
 */
import { type RawBuilder, sql } from 'kysely'
import { parseInstant } from '../../kernel/calendar.ts'
import { fold } from '../../kernel/text.ts'
import type { Expressions } from '../database.ts'
import type { ExecutionFilter } from './history.ts'
import { USUAL } from './history-tables.ts'
import { badBeginningOfId, badMoment, badResponseStatus } from './problems.ts'

export type Search = {
  /** The condition whose index is walked; undefined walks the index of starts. */
  readonly along: RawBuilder<boolean> | undefined
  /** True when `along` leaves so few rows that they are sorted. */
  readonly isNarrow: boolean
  readonly besides: readonly RawBuilder<boolean>[]
  /** True when the index of starts holds all that is checked along it. */
  readonly isCovered: boolean
  /** Milliseconds since 1970: from inclusive, to exclusive. */
  readonly from: number | undefined
  readonly to: number | undefined
  /** A text within the details, which lie in another table; empty for none. */
  readonly content: string
}

type Condition = {
  /** The form that an index answers; undefined when none does. */
  readonly indexed: RawBuilder<boolean> | undefined
  readonly checked: RawBuilder<boolean>
  readonly isNarrow?: boolean
  /** Whether the index of starts holds the column. */
  readonly isCovered?: boolean
}

type Forms = Pick<Expressions, 'withoutIndex' | 'contains'>

export function searchOf(filter: ExecutionFilter, forms: Forms): Search {
  const conditions = conditionsOf(filter, forms)
  const along = conditions.find(({ indexed }) => indexed !== undefined)
  const besides = conditions.filter((condition) => condition !== along)
  const { content = '' } = filter
  return {
    along: along?.indexed,
    isNarrow: along?.isNarrow === true,
    besides: besides.map(({ checked }) => checked),
    isCovered: along === undefined && content === '' && besides.every(({ isCovered }) => isCovered === true),
    from: readMoment(filter.from),
    to: readMoment(filter.to),
    content,
  }
}

/** The value of a numeric column, in a form for which no index can be chosen. */
export const plainNumber = (column: string) => sql<number>`(${sql.ref(column)} + 0)`

/** The rarest first: the first one with an index is walked. */
function conditionsOf(
  { executionId, type, status, responseStatus, principalId, endpointId, ...filter }: ExecutionFilter,
  { withoutIndex, contains }: Forms,
): readonly Condition[] {
  const { requestId, minExecutionTimeMs, maxExecutionTimeMs, category, version, text = '' } = filter
  const is = (column: string, value: string): Condition => ({
    indexed: sql<boolean>`${sql.ref(column)} = ${value}`,
    checked: sql<boolean>`${withoutIndex(column)} = ${value}`,
  })
  const rarely = (column: keyof typeof USUAL, value: string): Condition => ({
    checked: is(column, value).checked,
    // Repeats the condition of the partial index, or the database does not use it.
    indexed:
      value === USUAL[column]
        ? undefined
        : sql<boolean>`${sql.ref(column)} = ${value} and ${sql.ref(column)} <> ${sql.lit(USUAL[column])}`,
  })
  const given = <T>(value: T | undefined, condition: (value: T) => Condition): Condition[] =>
    value === undefined ? [] : [condition(value)]
  const covered = (checked: RawBuilder<boolean>): Condition => ({
    indexed: undefined,
    checked,
    isCovered: true,
  })
  const unindexed = (checked: RawBuilder<boolean>): Condition => ({ indexed: undefined, checked })
  return [
    ...given(executionId, (id) => ofId(id, withoutIndex)),
    ...given(type, (value) => rarely('type', value)),
    ...given(status, (value) => rarely('status', value)),
    ...given(responseStatus, ofResponseStatus),
    ...given(principalId, (id) => is('principal_id', id)),
    ...given(endpointId, (id) => is('endpoint_id', id)),
    ...given(requestId, (id) => covered(sql`request_id = ${id}`)),
    ...given(minExecutionTimeMs, (least) => covered(sql`execution_ms >= ${least}`)),
    ...given(maxExecutionTimeMs, (most) => covered(sql`execution_ms <= ${most}`)),
    ...given(category, (value) => unindexed(is('category', value).checked)),
    ...given(version, (value) => unindexed(sql`version = ${value}`)),
    ...(text === '' ? [] : [unindexed(contains('searched', fold(text)))]),
  ]
}

/** Shorter beginnings would match the runs of many hours, because ids begin with the time. */
const BEGINNING_OF_ID = /^[0-9a-f-]{8,36}$/i

function ofId(given: string, withoutIndex: Forms['withoutIndex']): Condition {
  if (!BEGINNING_OF_ID.test(given)) throw badBeginningOfId(given)
  const id = given.toLowerCase()
  // No character of an id comes after the tilde.
  const end = `${id}~`
  return {
    indexed: sql<boolean>`id >= ${id} and id < ${end}`,
    checked: sql<boolean>`${withoutIndex('id')} >= ${id} and ${withoutIndex('id')} < ${end}`,
    isNarrow: true,
  }
}

/** `404`, or all statuses of a class: `4xx`. */
const RESPONSE_STATUS = /^([1-5])(?:xx|\d\d)$/

function ofResponseStatus(given: string): Condition {
  const match = RESPONSE_STATUS.exec(given)
  if (match === null) throw badResponseStatus(given)
  const hundreds = Number(match[1])
  const isClass = given.endsWith('xx')
  const [least, most] = isClass ? [hundreds * 100, hundreds * 100 + 99] : [Number(given), Number(given)]
  const checked = sql<boolean>`${plainNumber('response_status')} between ${least} and ${most}`
  const ofClass = sql<boolean>`(response_status / 100) = ${sql.lit(hundreds)} and response_status >= 400`
  // Only errors are in the index.
  const indexed = hundreds < 4 ? undefined : isClass ? ofClass : sql<boolean>`${ofClass} and ${checked}`
  return { indexed, checked }
}

function readMoment(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const moment = parseInstant(text)
  if (moment === undefined) throw badMoment(text)
  return moment
}
