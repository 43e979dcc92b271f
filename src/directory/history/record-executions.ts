/**
 * Records many runs in one transaction: their rows, their details, the figures of their endpoints and the totals in `kept`. A run
 * that is recorded already stays as it is and counts once.
 */
import { type Kysely, sql } from 'kysely'
import { type Execution, TRIAL } from '../../schema/execution-shapes.ts'
import type { Queries } from '../database.ts'
import { createFigures } from './endpoint-figures.ts'
import { detailOf, rowOf } from './execution-row.ts'
import type { History } from './history.ts'
import type { EndpointDayRow, ExecutionDetailRow, ExecutionRow, HistoryTables } from './history-tables.ts'

/** Rows of one statement, of eleven values each: far below the limit of databases, which is 32,766 values for SQLite. */
const ROWS = 100

type Recorded = { readonly row: ExecutionRow; readonly detail: ExecutionDetailRow }

export function createRecorder({ queries, runEach }: Queries<HistoryTables>): History['record'] {
  const addFigures = createFigures({ queries, runEach })
  let insertion: Insertion | undefined
  return async (executions) => {
    if (executions.length === 0) return
    await queries.transaction().execute(async (transaction) => {
      const kept = await transaction.selectFrom('kept').select('sequence').executeTakeFirstOrThrow()
      const recorded = executions.map((execution, index) => recordedOf(execution, kept.sequence + 1 + index))
      insertion ??= insertionOf(queries, recorded[0] as Recorded)
      const { ofRow, ofDetail } = insertion
      const rows = recorded.map(({ row }) => Object.values(row))
      const counts = await runEach(transaction, ofRow, rows)
      const inserted = recorded.filter((_, index) => counts[index] === 1)
      const details = inserted.map(({ detail }) => Object.values(detail))
      await runEach(transaction, ofDetail, details)
      await addFigures(
        transaction,
        inserted.map(({ row }) => row),
      )
      for (const chunk of chunksOf(dayTotals(inserted), ROWS)) await addToTotals(transaction, chunk)
      await transaction
        .updateTable('kept')
        .set((is) => ({
          executions: is('executions', '+', inserted.length),
          bytes: is(
            'bytes',
            '+',
            sum(inserted, ({ row }) => row.bytes),
          ),
          sequence: kept.sequence + executions.length,
        }))
        .execute()
    })
  }
}

function recordedOf(execution: Execution, sequence: number): Recorded {
  const detail = detailOf(execution)
  return { row: rowOf(execution, sequence, Buffer.byteLength(detail)), detail: { sequence, detail } }
}

type Insertion = ReturnType<typeof insertionOf>

/** The given row sets the columns of the statement. */
const insertionOf = (db: Kysely<HistoryTables>, { row, detail }: Recorded) => ({
  ofRow: db
    .insertInto('executions')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .compile(),
  ofDetail: db.insertInto('execution_details').values(detail).compile(),
})

type DayTotal = { -readonly [Column in keyof EndpointDayRow]: EndpointDayRow[Column] }

const DAY_MS = 86_400_000

/** One row for each endpoint and day. Trials have no effect, and refused requests did not run, so they do not count. */
function dayTotals(recorded: readonly Recorded[]): readonly EndpointDayRow[] {
  const totals = new Map<string, DayTotal>()
  for (const { row } of recorded) {
    if (row.type === TRIAL || row.status === 'Refused') continue
    const key = `${row.endpoint_id} ${Math.floor(row.started_at / DAY_MS)}`
    let total = totals.get(key)
    if (total === undefined) {
      total = noneOn(row)
      totals.set(key, total)
    }
    addRun(total, row)
  }
  return [...totals.values()]
}

const noneOn = ({ endpoint_id, endpoint_name, started_at }: ExecutionRow): DayTotal => ({
  endpoint_id,
  day: new Date(started_at).toISOString().slice(0, 10),
  endpoint_name,
  runs: 0,
  succeeded: 0,
  failed: 0,
  cancelled: 0,
  execution_ms: 0,
  longest_ms: 0,
  statements: 0,
  last_started_at: started_at,
})

/** In place, because this is done for every run. */
function addRun(total: DayTotal, run: ExecutionRow): void {
  total.runs++
  if (run.status === 'Success') total.succeeded++
  else if (run.status === 'Failed') total.failed++
  else if (run.status === 'Cancelled') total.cancelled++
  total.execution_ms += run.execution_ms
  total.longest_ms = Math.max(total.longest_ms, run.execution_ms)
  total.statements += run.statements
  if (run.started_at < total.last_started_at) return
  total.last_started_at = run.started_at
  total.endpoint_name = run.endpoint_name
}

/** Adds totals to those of the table, by the same rule. */
async function addToTotals(db: Kysely<HistoryTables>, totals: readonly EndpointDayRow[]): Promise<void> {
  const both = (column: string) =>
    [sql.ref(`endpoint_days.${column}`), sql.ref(`excluded.${column}`)] as const
  const added = (column: string) => {
    const [known, more] = both(column)
    return sql<number>`${known} + ${more}`
  }
  const larger = (column: string) => {
    const [known, other] = both(column)
    return sql<number>`case when ${other} > ${known} then ${other} else ${known} end`
  }
  await db
    .insertInto('endpoint_days')
    .values(totals)
    .onConflict((conflict) =>
      conflict.columns(['endpoint_id', 'day']).doUpdateSet({
        endpoint_name: sql<string>`case when excluded.last_started_at >= endpoint_days.last_started_at
          then excluded.endpoint_name else endpoint_days.endpoint_name end`,
        runs: added('runs'),
        succeeded: added('succeeded'),
        failed: added('failed'),
        cancelled: added('cancelled'),
        execution_ms: added('execution_ms'),
        longest_ms: larger('longest_ms'),
        statements: added('statements'),
        last_started_at: larger('last_started_at'),
      }),
    )
    .execute()
}

const chunksOf = <T>(items: readonly T[], size: number): readonly T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, nth) =>
    items.slice(nth * size, (nth + 1) * size),
  )

const sum = <T>(items: readonly T[], of: (item: T) => number): number =>
  items.reduce((total, item) => total + of(item), 0)
