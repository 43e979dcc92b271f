/**
 * Refreshes: how far those are that run, and how the latest 1,000 ended. The process of a refresh writes here; every node and
 * process reads here. It renews the moment until which the refresh counts as alive; past that moment the refresh is lost.
 *
 *     begin -> running -- note, renew --> running -- end --> published, unchanged, refused, failed, cancelled
 *                 '-- settle, or nothing until `aliveUntil` --> lost -- end, when the process was only slow --^
 */
import type { Kysely } from 'kysely'
import {
  noFigures,
  noFindings,
  type RefreshFigures,
  type RefreshFindings,
  type RefreshOutcome,
  type RefreshReason,
  type RefreshRecord,
  type RefreshSummary,
} from '../../schema/refresh-shapes.ts'
import type { ControlTables, RefreshRow } from '../control-tables.ts'
import { raiseRevision } from '../endpoints/revisions.ts'
import { notifyOfRefusal } from './notify-of-refusal.ts'
import { refreshLost, unknownRefresh } from './problems.ts'

export type BegunRefresh = Pick<RefreshSummary, 'id' | 'node' | 'origin' | 'requestedBy' | 'startedAt'> & {
  readonly aliveUntil: string
}

export type EndedRefresh = {
  readonly outcome: Exclude<RefreshOutcome, 'running' | 'lost'>
  readonly endedAt: string
  readonly snapshotId: string | null
  readonly figures: RefreshFigures
  readonly findings: RefreshFindings
}

type RefreshFilter = {
  readonly outcomes?: readonly RefreshOutcome[] | undefined
  readonly snapshotId?: string | undefined
  /** RFC 3339 in UTC with milliseconds: from inclusive, to exclusive. */
  readonly from?: string | undefined
  readonly to?: string | undefined
}

/** A refresh as of its newest change, which has this number. */
export type RefreshChange = RefreshSummary & { readonly revision: number }

export type RefreshHistory = {
  /** @param kept how many refreshes are kept, this one included */
  readonly begin: (refresh: BegunRefresh, kept?: number) => Promise<void>
  readonly note: (id: string, figures: RefreshFigures, aliveUntil: string) => Promise<void>
  readonly renew: (id: string, aliveUntil: string) => Promise<void>
  /** Only the first end counts. @returns false when the refresh had ended already */
  readonly end: (id: string, end: EndedRefresh) => Promise<boolean>
  /**
   * Records as lost what runs no longer: refreshes past their `aliveUntil`.
   *
   * @param node all running ones of this node are lost, too
   * @returns how many were recorded
   */
  readonly settleLost: (at: Date, node?: string) => Promise<number>
  /** Newest first. */
  readonly list: (filter?: RefreshFilter) => Promise<readonly RefreshSummary[]>
  /** @throws Problem DIR490 */
  readonly find: (id: string) => Promise<RefreshRecord>
  /** The one that began first, when another one waits for its lock; null while none runs. */
  readonly current: () => Promise<RefreshSummary | null>
  /** The latest one that has ended. @param node only of this node */
  readonly last: (node?: string) => Promise<RefreshRecord | null>
  /** Refreshes that changed after this revision, in the order of their newest change. */
  readonly after: (revision: number, limit: number) => Promise<readonly RefreshChange[]>
  /** 0 before the first change. */
  readonly newestRevision: () => Promise<number>
}

const KEPT = 1000

type Queries = Kysely<ControlTables>

/** @param relaxed for facts that a power cut may lose */
export const createRefreshHistory = (db: Queries, relaxed: Queries): RefreshHistory => ({
  begin: (refresh, kept = KEPT) =>
    db.transaction().execute((transaction) => begin(transaction, refresh, kept)),
  note: (id, figures, aliveUntil) =>
    relaxed.transaction().execute(async (transaction) => {
      const revision = await raiseRevision(transaction, 'refreshes')
      const values = { figures: JSON.stringify(figures), alive_until: aliveUntil, revision }
      await running(transaction, id).set(values).execute()
    }),
  renew: async (id, aliveUntil) => {
    await running(relaxed, id).set({ alive_until: aliveUntil }).execute()
  },
  end: (id, ended) => db.transaction().execute((transaction) => end(transaction, id, ended)),
  settleLost: (at, node) => settleLost(db, at.toISOString(), node),
  list: async ({ outcomes, snapshotId, from, to } = {}) => {
    let rows = db.selectFrom('refreshes').select(summaryColumns)
    if (snapshotId !== undefined) rows = rows.where('snapshot_id', '=', snapshotId)
    if (from !== undefined) rows = rows.where('started_at', '>=', from)
    if (to !== undefined) rows = rows.where('started_at', '<', to)
    const found = await rows.orderBy('started_at', 'desc').orderBy('id', 'desc').execute()
    // Whether one is lost is only known here.
    return found.map(summaryOf).filter(({ outcome }) => outcomes === undefined || outcomes.includes(outcome))
  },
  find: async (id) => {
    const row = await db
      .selectFrom('refreshes')
      .selectAll()
      .where('id', '=', id.toLowerCase())
      .executeTakeFirst()
    if (row === undefined) throw unknownRefresh(id)
    return recordOf(row)
  },
  current: async () => {
    const rows = db.selectFrom('refreshes').select(summaryColumns).where('outcome', '=', 'running')
    const found = await rows.orderBy('started_at').orderBy('id').execute()
    return found.map(summaryOf).find(({ outcome }) => outcome === 'running') ?? null
  },
  last: async (node) => {
    const rows = db.selectFrom('refreshes').selectAll().where('outcome', '!=', 'running')
    const wanted = node === undefined ? rows : rows.where('node', '=', node)
    const row = await wanted.orderBy('started_at', 'desc').orderBy('id', 'desc').limit(1).executeTakeFirst()
    return row === undefined ? null : recordOf(row)
  },
  after: async (revision, limit) => {
    const rows = db.selectFrom('refreshes').select([...summaryColumns, 'revision'])
    const changed = await rows.where('revision', '>', revision).orderBy('revision').limit(limit).execute()
    return changed.map((row) => ({ revision: row.revision, ...summaryOf(row) }))
  },
  newestRevision: async () => {
    const row = db.selectFrom('revisions').select('revision').where('subject', '=', 'refreshes')
    return (await row.executeTakeFirst())?.revision ?? 0
  },
})

/** Without the findings, of which a list has no need. */
const summaryColumns = [
  'id',
  'node',
  'origin',
  'requested_by',
  'outcome',
  'started_at',
  'alive_until',
  'ended_at',
  'snapshot_id',
  'figures',
] as const

const running = (db: Queries, id: string) =>
  db.updateTable('refreshes').where('id', '=', id).where('outcome', '=', 'running')

async function begin(db: Queries, refresh: BegunRefresh, most: number): Promise<void> {
  const { id, node, origin, requestedBy, startedAt, aliveUntil } = refresh
  await db
    .insertInto('refreshes')
    .values({
      id,
      revision: await raiseRevision(db, 'refreshes'),
      node,
      origin,
      requested_by: requestedBy,
      outcome: 'running',
      started_at: startedAt,
      alive_until: aliveUntil,
      ended_at: null,
      snapshot_id: null,
      figures: JSON.stringify(noFigures),
      findings: null,
    })
    .execute()
  const newestFirst = db.selectFrom('refreshes').select('id').orderBy('started_at', 'desc')
  const kept = newestFirst.orderBy('id', 'desc').limit(most)
  await db.deleteFrom('refreshes').where('id', 'not in', kept).execute()
}

async function end(db: Queries, id: string, ended: EndedRefresh): Promise<boolean> {
  const { outcome, endedAt, snapshotId, figures, findings } = ended
  const { numUpdatedRows } = await db
    .updateTable('refreshes')
    .where('id', '=', id)
    .where('outcome', 'in', ['running', 'lost'])
    .set({
      revision: await raiseRevision(db, 'refreshes'),
      outcome,
      ended_at: endedAt,
      snapshot_id: snapshotId,
      figures: JSON.stringify(figures),
      findings: JSON.stringify(findings),
    })
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) return false
  await notifyOfRefusal(db, { id, outcome, reasons: figures.reasons })
  return true
}

async function settleLost(db: Queries, at: string, node: string | undefined): Promise<number> {
  const lostIn = async (queries: Queries) => {
    const rows = queries.selectFrom('refreshes').select(summaryColumns).where('outcome', '=', 'running')
    return (await rows.execute()).filter((row) => row.node === node || row.alive_until < at)
  }
  // Most looks find nothing, and need no transaction.
  if ((await lostIn(db)).length === 0) return 0
  return db.transaction().execute(async (transaction) => {
    const lost = await lostIn(transaction)
    for (const row of lost) {
      const revision = await raiseRevision(transaction, 'refreshes')
      const figures = JSON.stringify(lostFigures(row))
      const values = { outcome: 'lost', ended_at: endOfLost(row, at), figures, revision }
      await running(transaction, row.id).set(values).execute()
    }
    return lost.length
  })
}

type SummaryRow = Pick<RefreshRow, (typeof summaryColumns)[number]>

const endOfLost = ({ alive_until }: SummaryRow, at: string): string => (alive_until < at ? alive_until : at)

const lostFigures = ({ figures }: SummaryRow): RefreshFigures => {
  const { code, message, hint = null } = refreshLost()
  const reason: RefreshReason = { code, message, hint, figures: {}, causes: [] }
  return { ...JSON.parse(figures), reasons: [reason] }
}

function summaryOf(row: SummaryRow): RefreshSummary {
  const at = new Date().toISOString()
  const isLost = row.outcome === 'running' && row.alive_until < at
  const endedAt = isLost ? endOfLost(row, at) : row.ended_at
  return {
    id: row.id,
    node: row.node,
    origin: row.origin,
    requestedBy: row.requested_by,
    outcome: isLost ? 'lost' : (row.outcome as RefreshOutcome),
    startedAt: row.started_at,
    endedAt,
    milliseconds: endedAt === null ? null : Math.max(0, Date.parse(endedAt) - Date.parse(row.started_at)),
    snapshotId: row.snapshot_id,
    ...(isLost ? lostFigures(row) : (JSON.parse(row.figures) as RefreshFigures)),
  }
}

const recordOf = (row: RefreshRow): RefreshRecord => ({
  ...summaryOf(row),
  ...(row.findings === null ? noFindings : (JSON.parse(row.findings) as RefreshFindings)),
})
