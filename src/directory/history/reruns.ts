/**
 * Jobs that repeat many runs. A run is claimed, with the id that it will have, before it begins: whatever happens afterwards, it is
 * not begun again, and the id tells whether there is a record of it.
 */
import type { Kysely, Selectable, Transaction } from 'kysely'
import type { RerunItem, RerunJob } from '../../schema/execution-shapes.ts'
import { momentOf } from './execution-row.ts'
import type { ClaimedRerun, NewRerunJob, RerunOutcome, Reruns } from './history.ts'
import type { HistoryTables, RerunItemRow, RerunJobRow } from './history-tables.ts'

/** Rows of one statement, of four values each. */
const ROWS = 500

export const createReruns = (db: Kysely<HistoryTables>): Reruns => ({
  create: (job) => create(db, job),
  list: (page) => list(db, page),
  find: async (id) => (await jobsOf(db, await selectJobs(db).where('id', '=', id).execute()))[0] ?? null,
  items: (id) => items(db, id),
  repeated: (executionIds) => repeated(db, executionIds),
  stop: (id) => stop(db, id),
  claim: (rerunId) => claim(db, rerunId),
  settle: (run, outcome) => settle(db, run, outcome),
  interruptRunning: (problem) => interruptRunning(db, problem),
})

function create(
  db: Kysely<HistoryTables>,
  { id, requestedBy, requestId, filter, version, executionIds }: NewRerunJob,
): Promise<void> {
  return db.transaction().execute(async (transaction) => {
    await transaction
      .insertInto('rerun_jobs')
      .values({
        id,
        requested_by: requestedBy,
        requested_at: Date.now(),
        request_id: requestId,
        filter: JSON.stringify(filter),
        version,
        is_open: executionIds.length > 0 ? 1 : 0,
      })
      .execute()
    for (let first = 0; first < executionIds.length; first += ROWS) {
      const rows = executionIds.slice(first, first + ROWS).map((execution_id, nth) => ({
        job_id: id,
        position: first + nth,
        execution_id,
        state: 'waiting' as const,
      }))
      await transaction.insertInto('rerun_items').values(rows).execute()
    }
  })
}

const selectJobs = (db: Kysely<HistoryTables>) => db.selectFrom('rerun_jobs').selectAll()

const list: (db: Kysely<HistoryTables>, ...page: Parameters<Reruns['list']>) => ReturnType<Reruns['list']> =
  async (db, { limit, after }) => {
    const rows = await selectJobs(db)
      .$if(after !== null, (query) => query.where('sequence', '<', after))
      .orderBy('sequence', 'desc')
      .limit(limit + 1)
      .execute()
    const { total } = await db
      .selectFrom('rerun_jobs')
      .select(({ fn }) => fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow()
    const page = rows.slice(0, limit)
    const next = rows.length > limit ? (page.at(-1)?.sequence ?? null) : null
    return { items: await jobsOf(db, page), next, total: Number(total) }
  }

async function jobsOf(
  db: Kysely<HistoryTables>,
  rows: readonly Selectable<RerunJobRow>[],
): Promise<readonly RerunJob[]> {
  const counts = await db
    .selectFrom('rerun_items')
    .select(['job_id', 'state', 'status'])
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where(
      'job_id',
      'in',
      rows.map((row) => row.id),
    )
    .groupBy(['job_id', 'state', 'status'])
    .execute()
  return rows.map((row) => ({
    id: row.id,
    requestedBy: row.requested_by,
    requestedAt: momentOf(row.requested_at),
    filter: JSON.parse(row.filter),
    version: row.version,
    isOpen: row.is_open === 1,
    ...countsOf(counts.filter(({ job_id }) => job_id === row.id)),
  }))
}

type Count = Pick<RerunItemRow, 'state' | 'status'> & { readonly count: number }

function countsOf(counts: readonly Count[]) {
  const sum = (counted: (count: Count) => boolean) =>
    counts.filter(counted).reduce((total, { count }) => total + count, 0)
  const inState = (state: RerunItem['state']) => sum((count) => count.state === state)
  return {
    total: sum(() => true),
    waiting: inState('waiting'),
    running: inState('running'),
    done: inState('done'),
    failed: sum(({ state, status }) => state === 'done' && status !== 'Success'),
    skipped: inState('skipped'),
    interrupted: inState('interrupted'),
    stopped: inState('stopped'),
  }
}

async function items(db: Kysely<HistoryTables>, id: string): Promise<readonly RerunItem[]> {
  const rows = await db
    .selectFrom('rerun_items')
    .selectAll()
    .where('job_id', '=', id)
    .orderBy('position')
    .execute()
  return rows.map(itemOf)
}

async function repeated(db: Kysely<HistoryTables>, executionIds: readonly string[]): Promise<number> {
  const { count } = await db
    .selectFrom('rerun_items')
    .select(({ fn }) => fn.count<number>('execution_id').distinct().as('count'))
    .where('execution_id', 'in', executionIds)
    .where('state', 'in', ['waiting', 'running', 'done', 'interrupted'])
    .executeTakeFirstOrThrow()
  return count
}

const itemOf = (row: Selectable<RerunItemRow>): RerunItem => ({
  executionId: row.execution_id,
  state: row.state,
  rerunId: row.rerun_id,
  status: row.status,
  problem: row.problem,
})

function stop(db: Kysely<HistoryTables>, id: string): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    const known = await transaction
      .selectFrom('rerun_jobs')
      .select('id')
      .where('id', '=', id)
      .executeTakeFirst()
    if (known === undefined) return false
    await transaction
      .updateTable('rerun_items')
      .set({ state: 'stopped' })
      .where('job_id', '=', id)
      .where('state', '=', 'waiting')
      .execute()
    await closeIfDone(transaction, id)
    return true
  })
}

async function claim(db: Kysely<HistoryTables>, rerunId: string): Promise<ClaimedRerun | null> {
  // Most calls find nothing, and need no lock for it.
  if ((await oldestOpen(db)) === undefined) return null
  return db.transaction().execute(async (transaction) => {
    const job = await oldestOpen(transaction)
    if (job === undefined) return null
    const item = await transaction
      .selectFrom('rerun_items')
      .select(['position', 'execution_id'])
      .where('job_id', '=', job.id)
      .where('state', '=', 'waiting')
      .orderBy('position')
      .limit(1)
      .executeTakeFirst()
    if (item === undefined) return null
    const { position, execution_id: executionId } = item
    await transaction
      .updateTable('rerun_items')
      .set({ state: 'running', rerun_id: rerunId })
      .where('job_id', '=', job.id)
      .where('position', '=', position)
      .execute()
    const { id: jobId, version, requested_by: requestedBy, request_id: requestId } = job
    return { jobId, version, requestedBy, requestId, position, executionId, rerunId }
  })
}

const oldestOpen = (db: Kysely<HistoryTables>) =>
  db
    .selectFrom('rerun_jobs')
    .select(['id', 'version', 'requested_by', 'request_id'])
    .where('is_open', '=', 1)
    .orderBy('sequence')
    .limit(1)
    .executeTakeFirst()

function settle(
  db: Kysely<HistoryTables>,
  { jobId, position }: Pick<ClaimedRerun, 'jobId' | 'position'>,
  outcome: RerunOutcome,
): Promise<void> {
  const { state } = outcome
  const status = 'status' in outcome ? outcome.status : null
  const problem = 'problem' in outcome ? outcome.problem : null
  return db.transaction().execute(async (transaction) => {
    await transaction
      .updateTable('rerun_items')
      .set({ state, status, problem })
      // No run has this id.
      .$if(state === 'waiting' || state === 'skipped', (update) => update.set({ rerun_id: null }))
      .where('job_id', '=', jobId)
      .where('position', '=', position)
      .execute()
    await closeIfDone(transaction, jobId)
  })
}

async function closeIfDone(db: Transaction<HistoryTables>, id: string): Promise<void> {
  await db
    .updateTable('rerun_jobs')
    .set({ is_open: 0 })
    .where('id', '=', id)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('rerun_items')
            .select('position')
            .where('job_id', '=', id)
            .where('state', 'in', ['waiting', 'running']),
        ),
      ),
    )
    .execute()
}

function interruptRunning(db: Kysely<HistoryTables>, problem: string): Promise<void> {
  return db.transaction().execute(async (transaction) => {
    const running = await transaction
      .updateTable('rerun_items')
      .set({ state: 'interrupted', problem })
      .where('state', '=', 'running')
      .returning('job_id')
      .execute()
    for (const id of new Set(running.map(({ job_id }) => job_id))) await closeIfDone(transaction, id)
  })
}
