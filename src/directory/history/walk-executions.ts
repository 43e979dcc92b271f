/**
 * Walks the runs that a search finds, by start. One index answers one condition in that order; the other conditions are checked
 * along it in bounded steps, so that no search blocks the thread, even if few of very many runs match.
 */
import { type SelectQueryBuilder, sql } from 'kysely'
import type { Database } from '../database.ts'
import { plainNumber, type Search } from './execution-search.ts'
import type { ExecutionRow, HistoryTables } from './history-tables.ts'

export type ReadHistory = Pick<Database<HistoryTables>, 'queries' | 'expressions'>

export type Matches = SelectQueryBuilder<HistoryTables, 'executions', object>

/** A run in the order of starts. */
export type Place = Pick<ExecutionRow, 'started_at' | 'sequence'>

/** After `start`, up to and including `end`, in the order of the walk. */
type Step = { readonly start: Place | undefined; readonly end: Place | undefined }

export type Walk = {
  /** The last row of the step that begins after `start`; undefined when fewer rows than a full step are left. */
  readonly endOfStep: (start: Place | undefined) => Promise<Place | undefined>
  /** In the order of the walk. */
  readonly matches: (step: Step) => Matches
  /** The most rows of a step. */
  readonly stepRows: number
  /** True when every row of the walk matches, so that its first rows need no steps. */
  readonly isDirect: boolean
}

/** Rows of one step, a few milliseconds of work. Those of one index alone are read fast; details are long. */
const STEP = 5000
const COVERED_STEP = 50_000
const CONTENT_STEP = 200

export const walkOf = (history: ReadHistory, search: Search, isDescending = true): Walk =>
  search.isNarrow ? sortedWalk(history, search, isDescending) : indexWalk(history, search, isDescending)

/** Few rows: read at once, and sorted. */
function sortedWalk({ queries, expressions }: ReadHistory, search: Search, isDescending: boolean): Walk {
  const columns = {
    startedAt: plainNumber('executions.started_at'),
    sequence: plainNumber('executions.sequence'),
  }
  return {
    stepRows: STEP,
    isDirect: true,
    endOfStep: async () => undefined,
    matches: (step) =>
      checked(
        inOrder(queries.selectFrom('executions'), search, columns, isDescending, step),
        search,
        expressions,
      ),
  }
}

function indexWalk({ queries, expressions }: ReadHistory, search: Search, isDescending: boolean): Walk {
  const { besides, isCovered, content } = search
  const columns = {
    startedAt: sql.ref<number>('executions.started_at'),
    sequence: sql.ref<number>('executions.sequence'),
  }
  const walk = (step: Step) => inOrder(queries.selectFrom('executions'), search, columns, isDescending, step)
  const stepRows = content !== '' ? CONTENT_STEP : isCovered ? COVERED_STEP : STEP
  return {
    stepRows,
    isDirect: besides.length === 0 && content === '',
    endOfStep: (start) =>
      walk({ start, end: undefined })
        .select(['executions.started_at', 'executions.sequence'])
        .limit(1)
        .offset(stepRows - 1)
        .executeTakeFirst(),
    matches: (step) => checked(walk(step), search, expressions),
  }
}

type Columns = Readonly<Record<'startedAt' | 'sequence', ReturnType<typeof plainNumber>>>

function inOrder(
  rows: Matches,
  { along, from, to }: Search,
  { startedAt, sequence }: Columns,
  isDescending: boolean,
  { start, end }: Step,
): Matches {
  const direction = isDescending ? 'desc' : 'asc'
  const [after, until] = isDescending ? (['<', '>='] as const) : (['>', '<='] as const)
  const place = (comparison: string, row: Place) =>
    sql<boolean>`(${startedAt}, ${sequence}) ${sql.raw(comparison)} (${row.started_at}, ${row.sequence})`
  let query = rows.orderBy(startedAt, direction).orderBy(sequence, direction)
  if (along !== undefined) query = query.where(along)
  if (from !== undefined) query = query.where(sql<boolean>`${startedAt} >= ${from}`)
  if (to !== undefined) query = query.where(sql<boolean>`${startedAt} < ${to}`)
  if (start !== undefined) query = query.where(place(after, start))
  if (end !== undefined) query = query.where(place(until, end))
  return query
}

function checked(
  query: Matches,
  { besides, content }: Search,
  { contains }: ReadHistory['expressions'],
): Matches {
  let matches = query
  for (const condition of besides) matches = matches.where(condition)
  if (content === '') return matches
  // The details hold texts within JSON.
  const written = JSON.stringify(content).slice(1, -1)
  const holds = contains('more.detail', written)
  return matches.where(({ exists, selectFrom }) =>
    exists(
      selectFrom('execution_details as more')
        .select(sql.lit(1).as('one'))
        .whereRef('more.sequence', '=', 'executions.sequence')
        .where(holds),
    ),
  )
}
