/**
 * Lists runs in pages, newest first. One index answers one condition in the order of the list; the other conditions are
 * checked along that index in bounded steps, between which the thread does other work. So no filter blocks the thread, even
 * if few of very many runs match.
 */

import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import { parseInstant } from '../../kernel/calendar.ts'
import { fold } from '../../kernel/text.ts'
import type { Database } from '../database.ts'
import { SUMMARY_COLUMNS, type SummaryRow, summaryOf } from './execution-row.ts'
import type { ExecutionFilter, ExecutionPage } from './history.ts'
import { type ExecutionRow, type HistoryTables, USUAL } from './history-tables.ts'
import { badMoment, badPagePosition } from './problems.ts'

/** Rows checked in one step, a few milliseconds of work. */
const STEP = 5000

type Condition = { readonly column: 'endpoint_id' | 'status' | 'type' | 'category'; readonly value: string }

/** Whether the condition has its own index; for status and type only rare values have one. */
const isIndexed = ({ column, value }: Condition): boolean =>
  column === 'endpoint_id' || ((column === 'status' || column === 'type') && value !== USUAL[column])

/** A filter as a search: which index to walk, and what to check there. */
type Search = {
  /** The condition whose index is walked; undefined walks the index of start times. */
  readonly along: Condition | undefined
  readonly besides: readonly Condition[]
  readonly text: string
  readonly from: number | undefined
  readonly to: number | undefined
}

export async function listExecutions(
  database: Pick<Database<HistoryTables>, 'queries' | 'expressions'>,
  filter: ExecutionFilter,
  { limit, after }: { readonly limit: number; readonly after?: string | undefined },
): Promise<ExecutionPage> {
  const search = searchOf(filter)
  const rows: SummaryRow[] = []
  let start = after === undefined ? undefined : readPosition(after)
  for (;;) {
    const end = await endOfStep(database.queries, search, start)
    rows.push(...(await matches(database, search, { start, end }, limit + 1 - rows.length)))
    if (end === undefined || rows.length > limit) break
    start = end
    await nextTurn()
  }
  const last = rows[limit - 1]
  return {
    items: rows.slice(0, limit).map(summaryOf),
    next: rows.length > limit && last !== undefined ? positionOf(last) : null,
  }
}

function searchOf({ status, type, endpointId, category, text = '', from, to }: ExecutionFilter): Search {
  // Rarest value first.
  const given: readonly [Condition['column'], string | undefined][] = [
    ['type', type],
    ['status', status],
    ['endpoint_id', endpointId],
    ['category', category],
  ]
  const conditions = given.flatMap(([column, value]) => (value === undefined ? [] : [{ column, value }]))
  const along = conditions.find(isIndexed)
  const besides = conditions.filter((condition) => condition !== along)
  return { along, besides, text: fold(text), from: readMoment(from), to: readMoment(to) }
}

function readMoment(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const moment = parseInstant(text)
  if (moment === undefined) throw badMoment(text)
  return moment
}

/** The last row of the step that begins after `start`; undefined when fewer rows than a full step are left. */
async function endOfStep(
  db: Kysely<HistoryTables>,
  search: Search,
  start: Position | undefined,
): Promise<Position | undefined> {
  if (search.besides.length === 0 && search.text === '') return undefined
  return walk(db, search, { start, end: undefined })
    .select(['started_at', 'sequence'])
    .limit(1)
    .offset(STEP - 1)
    .executeTakeFirst()
}

function matches(
  { queries, expressions }: Pick<Database<HistoryTables>, 'queries' | 'expressions'>,
  search: Search,
  step: Step,
  limit: number,
): Promise<SummaryRow[]> {
  let query = walk(queries, search, step).select(SUMMARY_COLUMNS).limit(limit)
  // Without this the planner might choose the index of the column and walk all of it.
  for (const { column, value } of search.besides) {
    query = query.where(expressions.withoutIndex(column), '=', value)
  }
  if (search.text !== '') query = query.where(expressions.contains('searched', search.text))
  return query.execute()
}

/** After `start`, up to and including `end`. */
type Step = { readonly start: Position | undefined; readonly end: Position | undefined }

type Walk = SelectQueryBuilder<HistoryTables, 'executions', object>

function walk(db: Kysely<HistoryTables>, { along, from, to }: Search, { start, end }: Step): Walk {
  let query: Walk = db.selectFrom('executions').orderBy('started_at', 'desc').orderBy('sequence', 'desc')
  if (along !== undefined) {
    query = query.where(along.column, '=', along.value as ExecutionRow['status'])
    // Repeats the condition of the partial index, or the database does not use it.
    if (along.column === 'status' || along.column === 'type') {
      query = query.where(sql<boolean>`${sql.ref(along.column)} <> ${sql.lit(USUAL[along.column])}`)
    }
  }
  if (from !== undefined) query = query.where('started_at', '>=', from)
  if (to !== undefined) query = query.where('started_at', '<', to)
  if (start !== undefined) query = query.where(place('<', start))
  if (end !== undefined) query = query.where(place('>=', end))
  return query
}

const place = (comparison: '<' | '>=', { started_at, sequence }: Position) =>
  sql<boolean>`(started_at, sequence) ${sql.raw(comparison)} (${started_at}, ${sequence})`

/** The end of a page, in the order of the list. */
type Position = { readonly started_at: number; readonly sequence: number }

/** An opaque text for callers. */
const positionOf = ({ started_at, sequence }: Position): string =>
  Buffer.from(`${started_at} ${sequence}`).toString('base64url')

/** @throws Problem for every text that `positionOf` did not make */
function readPosition(text: string): Position {
  const match = /^(-?\d{1,16}) (\d{1,16})$/.exec(Buffer.from(text, 'base64url').toString('latin1'))
  const position = { started_at: Number(match?.[1]), sequence: Number(match?.[2]) }
  if (match === null || positionOf(position) !== text) throw badPagePosition(text)
  return position
}
