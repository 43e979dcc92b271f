/**
 * Figures of each endpoint by minute, hour and day: they are added in the transaction that records the runs, and stay when the
 * runs are removed. Trials have no effect, so they do not count.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { CompiledQuery, Kysely, Transaction } from 'kysely'
import { type SeriesPoint, type SeriesStep, seriesSteps, TRIAL } from '../../schema/execution-shapes.ts'
import type { Queries } from '../database.ts'
import {
  addHistograms,
  countDuration,
  type DurationHistogram,
  histogramText,
  percentileOf,
  readHistogram,
} from './duration-histogram.ts'
import { momentOf } from './execution-row.ts'
import type { SeriesQuery } from './history.ts'
import type { EndpointFiguresRow, ExecutionRow, HistoryTables } from './history-tables.ts'
import { tooManyPoints } from './problems.ts'

export const stepMs: Readonly<Record<SeriesStep, number>> = {
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
}

type Counts = Pick<EndpointFiguresRow, 'runs' | 'failed' | 'cancelled' | 'refused'>

type Figures = Counts & { readonly durations: DurationHistogram }

type Recorded = Pick<
  ExecutionRow,
  'type' | 'status' | 'endpoint_id' | 'started_at' | 'execution_ms' | 'request_count'
>

/** The figures of one time of one endpoint. */
type Period = Pick<EndpointFiguresRow, 'step' | 'at' | 'endpoint_id'> & { readonly figures: Figures }

/** Adds the figures of runs, within a transaction. It shuts out other writers, so what is read is what is added to. */
export function createFigures({ queries, runEach }: Queries<HistoryTables>) {
  const replacing = queries
    .insertInto('endpoint_figures')
    .values(NO_ROW)
    .onConflict((conflict) =>
      conflict.columns(['step', 'at', 'endpoint_id']).doUpdateSet(({ ref }) => ({
        runs: ref('excluded.runs'),
        failed: ref('excluded.failed'),
        cancelled: ref('excluded.cancelled'),
        refused: ref('excluded.refused'),
        durations: ref('excluded.durations'),
      })),
    )
    .compile()
  const knownFigures = createReading(queries)
  return async (db: Transaction<HistoryTables>, rows: readonly Recorded[]): Promise<void> => {
    const counted = rows.filter(({ type }) => type !== TRIAL)
    if (counted.length === 0) return
    const periods = periodsOf(counted)
    const known = new Map((await knownFigures(db, periods)).map((row) => [keyOf(row), row]))
    const changed = periods.map(({ figures, ...period }): EndpointFiguresRow => {
      const before = known.get(keyOf(period))
      const parts =
        before === undefined
          ? [figures]
          : [figures, { ...before, durations: readHistogram(before.durations) }]
      const sum = together(parts)
      return { ...period, ...sum, durations: histogramText(sum.durations) }
    })
    await runEach(
      db,
      replacing,
      changed.map((row) => COLUMNS.map((column) => row[column])),
    )
  }
}

const NO_ROW: EndpointFiguresRow = {
  step: 'minute',
  at: 0,
  endpoint_id: '',
  runs: 0,
  failed: 0,
  cancelled: 0,
  refused: 0,
  durations: '',
}

const COLUMNS = Object.keys(NO_ROW) as (keyof EndpointFiguresRow)[]

const keyOf = ({ step, at, endpoint_id }: Pick<EndpointFiguresRow, 'step' | 'at' | 'endpoint_id'>) =>
  `${step} ${at} ${endpoint_id}`

type Read = (
  db: Transaction<HistoryTables>,
  periods: readonly Period[],
) => Promise<readonly EndpointFiguresRow[]>

/** Reads each endpoint at each of the times: perhaps a few more rows, but one query, which is built once for a number of values. */
function createReading(queries: Kysely<HistoryTables>): Read {
  const built = new Map<string, CompiledQuery<EndpointFiguresRow>>()
  const readingOf = (times: readonly number[], endpoints: readonly string[]) => {
    const size = `${times.length} ${endpoints.length}`
    const known = built.get(size)
    if (known !== undefined) return known
    const reading = queries
      .selectFrom('endpoint_figures')
      .selectAll()
      .where('step', 'in', seriesSteps)
      .where('at', 'in', times)
      .where('endpoint_id', 'in', endpoints)
      .compile()
    if (built.size === MOST_BUILT) built.clear()
    built.set(size, reading)
    return reading
  }
  return async (db, periods) => {
    const times = [...new Set(periods.map(({ at }) => at))]
    const endpoints = [...new Set(periods.map(({ endpoint_id }) => endpoint_id))]
    const reading = readingOf(times, endpoints)
    const parameters = [...seriesSteps, ...times, ...endpoints]
    return (await db.executeQuery<EndpointFiguresRow>({ ...reading, parameters })).rows
  }
}

const MOST_BUILT = 100

/** In one pass, because this is done for every run. */
function periodsOf(rows: readonly Recorded[]): readonly Period[] {
  const periods = new Map<string, Map<number, Adding>>()
  for (const { endpoint_id, started_at, status, execution_ms, request_count } of rows) {
    const at = beginningOf('minute', started_at)
    const minutes = periods.get(endpoint_id) ?? new Map<number, Adding>()
    periods.set(endpoint_id, minutes)
    const figures = minutes.get(at) ?? { ...NOTHING, durations: [] as number[] }
    minutes.set(at, figures)
    if (status === 'Refused') {
      figures.refused += request_count
      continue
    }
    figures.runs++
    if (status === 'Failed') figures.failed++
    else if (status === 'Cancelled') figures.cancelled++
    countDuration(figures.durations, execution_ms)
  }
  return [...periods].flatMap(([endpoint_id, minutes]) =>
    seriesSteps.flatMap((step) =>
      [...Map.groupBy(minutes, ([at]) => beginningOf(step, at))].map(
        ([at, parts]): Period => ({
          ...{ step, at, endpoint_id },
          figures: parts.length === 1 ? parts[0]![1] : together(parts.map(([, figures]) => figures)),
        }),
      ),
    ),
  )
}

type Adding = { -readonly [Count in keyof Counts]: Counts[Count] } & {
  readonly durations: number[]
}

export const beginningOf = (step: SeriesStep, moment: number): number =>
  Math.floor(moment / stepMs[step]) * stepMs[step]

function together(parts: readonly Figures[]): Figures {
  const sum = (of: (part: Figures) => number) => parts.reduce((total, part) => total + of(part), 0)
  return {
    runs: sum(({ runs }) => runs),
    failed: sum(({ failed }) => failed),
    cancelled: sum(({ cancelled }) => cancelled),
    refused: sum(({ refused }) => refused),
    durations: addHistograms(parts.map(({ durations }) => durations)),
  }
}

/** A line of a chart needs no more. */
const MOST_POINTS = 1500

/** Rows read at once: a few milliseconds of work. */
const ROWS_AT_ONCE = 2000

export async function endpointSeries(
  db: Kysely<HistoryTables>,
  { endpointId, step, from, to }: SeriesQuery,
): Promise<readonly SeriesPoint[]> {
  const first = beginningOf(step, from)
  const points = Math.ceil((to - first) / stepMs[step])
  if (!(points >= 1 && points <= MOST_POINTS)) throw tooManyPoints(points, MOST_POINTS)
  const figures: Figures[] = Array.from({ length: points }, () => NOTHING)
  let after: Pick<EndpointFiguresRow, 'at' | 'endpoint_id'> = { at: first, endpoint_id: '' }
  for (;;) {
    const rows = await rowsAfter(db, { endpointId, step, to }, after)
    for (const [at, parts] of Map.groupBy(rows, (row) => row.at)) {
      const nth = (at - first) / stepMs[step]
      const read = parts.map((part) => ({ ...part, durations: readHistogram(part.durations) }))
      figures[nth] = together([figures[nth] as Figures, ...read])
    }
    const last = rows.at(-1)
    if (last === undefined || rows.length < ROWS_AT_ONCE) break
    after = last
    await nextTurn()
  }
  return figures.map((of, nth) => pointOf(first + nth * stepMs[step], of))
}

const NOTHING: Figures = { runs: 0, failed: 0, cancelled: 0, refused: 0, durations: [] }

function rowsAfter(
  db: Kysely<HistoryTables>,
  { endpointId, step, to }: Pick<SeriesQuery, 'endpointId' | 'step' | 'to'>,
  { at, endpoint_id }: Pick<EndpointFiguresRow, 'at' | 'endpoint_id'>,
): Promise<EndpointFiguresRow[]> {
  let query = db
    .selectFrom('endpoint_figures')
    .selectAll()
    .where('step', '=', step)
    .where(({ eb, refTuple, tuple }) => eb(refTuple('at', 'endpoint_id'), '>', tuple(at, endpoint_id)))
    .where('at', '<', to)
  if (endpointId !== undefined) query = query.where('endpoint_id', '=', endpointId)
  return query.orderBy('at').orderBy('endpoint_id').limit(ROWS_AT_ONCE).execute()
}

const pointOf = (at: number, { runs, failed, cancelled, refused, durations }: Figures): SeriesPoint => ({
  at: momentOf(at),
  count: runs,
  failed,
  cancelled,
  refused,
  p50: percentileOf(durations, 50),
  p95: percentileOf(durations, 95),
  p99: percentileOf(durations, 99),
})

const DAY_MS = stepMs.day

/** @returns how many rows it has removed */
export async function pruneFigures(
  db: Transaction<HistoryTables>,
  days: Readonly<Record<SeriesStep, number>>,
  now: number,
  most: number,
): Promise<number> {
  let removed = 0
  for (const step of seriesSteps) {
    const rows = await db
      .deleteFrom('endpoint_figures')
      .where('step', '=', step)
      .where('at', '<', now - days[step] * DAY_MS)
      .where(({ eb, refTuple, selectFrom }) =>
        eb(
          refTuple('at', 'endpoint_id'),
          'in',
          selectFrom('endpoint_figures')
            .select(['at', 'endpoint_id'])
            .where('step', '=', step)
            .orderBy('at')
            .limit(most)
            .$asTuple('at', 'endpoint_id'),
        ),
      )
      .returning('at')
      .execute()
    removed += rows.length
  }
  return removed
}
