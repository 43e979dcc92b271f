/** Lists runs in pages, by start or by duration, and counts them. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'kysely'
import { SUMMARY_COLUMNS, type SummaryRow, summaryOf } from './execution-row.ts'
import { searchOf } from './execution-search.ts'
import type { ExecutionCount, ExecutionFilter, ExecutionPage, PageRequest } from './history.ts'
import { badPagePosition, contentByDuration } from './problems.ts'
import { type Matches, type Place, type ReadHistory, type Walk, walkOf } from './walk-executions.ts'

export function listExecutions(
  history: ReadHistory,
  filter: ExecutionFilter,
  page: PageRequest,
): Promise<ExecutionPage> {
  const { sort = '-startedAt' } = page
  const isDescending = sort.startsWith('-')
  return sort.endsWith('startedAt')
    ? listByStart(history, filter, page, isDescending)
    : listByDuration(history, filter, page, isDescending)
}

/** A search in details reads this many rows; then the page ends, and the next one goes on from there. */
const MOST_CONTENT_READ = 20_000

async function listByStart(
  history: ReadHistory,
  filter: ExecutionFilter,
  { limit, after }: PageRequest,
  isDescending: boolean,
): Promise<ExecutionPage> {
  const search = searchOf(filter, history.expressions)
  const walk = walkOf(history, search, isDescending)
  const rows: SummaryRow[] = []
  let start = after === undefined ? undefined : startOf(readPosition(after, 's'))
  for (let read = 0; ; read += walk.stepRows) {
    const end = walk.isDirect ? undefined : await walk.endOfStep(start)
    rows.push(...(await summaries(walk.matches({ start, end }), limit + 1 - rows.length)))
    if (end === undefined || rows.length > limit) break
    start = end
    if (search.content !== '' && read >= MOST_CONTENT_READ) {
      return { items: rows.map(summaryOf), next: positionText('s', [end.started_at, end.sequence]) }
    }
    await nextTurn()
  }
  return pageOf(rows, limit, (row) => positionText('s', [row.started_at, row.sequence]))
}

const summaries = (matches: Matches, limit: number): Promise<SummaryRow[]> =>
  matches.select(QUALIFIED).limit(limit).execute()

const QUALIFIED = SUMMARY_COLUMNS.map((name) => `executions.${name}` as const)

const pageOf = (
  rows: readonly SummaryRow[],
  limit: number,
  position: (last: SummaryRow) => string,
): ExecutionPage => {
  const last = rows[limit - 1]
  return {
    items: rows.slice(0, limit).map(summaryOf),
    next: rows.length > limit && last !== undefined ? position(last) : null,
  }
}

type Timed = { readonly execution_ms: number; readonly sequence: number }

/** Reads all matches, and keeps the slowest or the fastest of each step. There is no index of durations: decision 0062. */
async function listByDuration(
  history: ReadHistory,
  filter: ExecutionFilter,
  { limit, after }: PageRequest,
  isDescending: boolean,
): Promise<ExecutionPage> {
  const search = searchOf(filter, history.expressions)
  if (search.content !== '') throw contentByDuration()
  const position = after === undefined ? undefined : readPosition(after, 'd')
  const best = await bestOf(walkOf(history, search), limit + 1, position, isDescending)
  const rows = await history.queries
    .selectFrom('executions')
    .select(SUMMARY_COLUMNS)
    .where(
      'sequence',
      'in',
      best.map(({ sequence }) => sequence),
    )
    .execute()
  const places = new Map(best.map(({ sequence }, place) => [sequence, place]))
  rows.sort((a, b) => (places.get(a.sequence) ?? 0) - (places.get(b.sequence) ?? 0))
  return pageOf(rows, limit, (row) => positionText('d', [row.execution_ms, row.sequence]))
}

async function bestOf(
  walk: Walk,
  count: number,
  position: Position | undefined,
  isDescending: boolean,
): Promise<readonly Timed[]> {
  const sign = isDescending ? -1 : 1
  const compare = (a: Timed, b: Timed) => sign * (a.execution_ms - b.execution_ms || a.sequence - b.sequence)
  let best: Timed[] = []
  let start: Place | undefined
  for (;;) {
    const end = await walk.endOfStep(start)
    best = [...best, ...(await timed(walk.matches({ start, end }), count, position, isDescending))]
      .sort(compare)
      .slice(0, count)
    if (end === undefined) return best
    start = end
    await nextTurn()
  }
}

const DURATION = sql.ref<number>('executions.execution_ms')
const SEQUENCE = sql.ref<number>('executions.sequence')

function timed(
  matches: Matches,
  count: number,
  position: Position | undefined,
  isDescending: boolean,
): Promise<Timed[]> {
  const direction = isDescending ? 'desc' : 'asc'
  let query = matches.clearOrderBy().orderBy(DURATION, direction).orderBy(SEQUENCE, direction)
  if (position !== undefined) {
    const [value, sequence] = position
    const beyond = sql.raw(isDescending ? '<' : '>')
    query = query.where(sql<boolean>`(${DURATION}, ${SEQUENCE}) ${beyond} (${value}, ${sequence})`)
  }
  return query.select(['executions.execution_ms', 'executions.sequence']).limit(count).execute()
}

/** Matches are counted up to here, and without an index they are looked for among this many rows only. */
const MOST_COUNTED = 10_000
const MOST_LOOKED_AT = 100_000
const MOST_CONTENT_LOOKED_AT = 1000

export async function countExecutions(
  history: ReadHistory,
  filter: ExecutionFilter,
): Promise<ExecutionCount> {
  const search = searchOf(filter, history.expressions)
  const walk = walkOf(history, search)
  const most = search.content === '' ? MOST_LOOKED_AT : MOST_CONTENT_LOOKED_AT
  let total = 0
  let start: Place | undefined
  for (let looked = 0; looked < most; looked += walk.stepRows) {
    const end = walk.isDirect ? undefined : await walk.endOfStep(start)
    total += await counted(history, walk.matches({ start, end }), MOST_COUNTED + 1 - total)
    if (total > MOST_COUNTED) return { total: MOST_COUNTED, totalIsExact: false }
    if (end === undefined) return { total, totalIsExact: true }
    start = end
    await nextTurn()
  }
  return { total, totalIsExact: false }
}

async function counted({ queries }: ReadHistory, matches: Matches, limit: number): Promise<number> {
  const { matching } = await queries
    .selectFrom(matches.select('executions.sequence').limit(limit).as('matches'))
    .select(({ fn }) => fn.countAll<number>().as('matching'))
    .executeTakeFirstOrThrow()
  return matching
}

/** The sort key of a run, and its sequence number. */
type Position = readonly [value: number, sequence: number]

const startOf = ([started_at, sequence]: Position): Place => ({ started_at, sequence })

/** Opaque for callers. @param order `s` for the order of starts, `d` for that of durations */
const positionText = (order: 's' | 'd', [value, sequence]: Position): string =>
  Buffer.from(`${order}${value} ${sequence}`).toString('base64url')

/** @throws Problem for every text that `positionText` did not make for a list in this order */
function readPosition(text: string, order: 's' | 'd'): Position {
  const match = /^[sd](-?[\d.]{1,24}(?:e[+-]?\d{1,3})?) (\d{1,16})$/.exec(
    Buffer.from(text, 'base64url').toString('latin1'),
  )
  const position: Position = [Number(match?.[1]), Number(match?.[2])]
  if (match === null || positionText(order, position) !== text) throw badPagePosition(text)
  return position
}
