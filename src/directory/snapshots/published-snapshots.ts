/**
 * Which shared snapshots are published, and which one is current. Their files lie in object storage; this is the pointer to
 * them, switched in one transaction. Transactions shut each other out, so this is also where refreshes and the collector of
 * objects meet: decision 0051 shows why no object is removed that a snapshot still needs.
 *
 *     draft ──publish──► published ──retire──► retired ──forget──► (no row)
 *       └────abandon, or another refresh begins, or a rollback─────►
 */
import type { Kysely, Selectable } from 'kysely'
import { recordChange } from '../audit/audit.ts'
import type { ControlTables, PublishedSnapshotRow } from '../control-tables.ts'

export type PublishedSnapshot = {
  readonly id: string
  readonly publishedAt: Date
  /** The object that holds the manifest, and its size in bytes. */
  readonly manifest: { readonly key: string; readonly bytes: number }
  readonly isCurrent: boolean
}

export type PublishedSnapshots = {
  /** Null before the first one. */
  readonly current: () => Promise<PublishedSnapshot | null>
  /** The retained ones, newest first. */
  readonly list: () => Promise<readonly PublishedSnapshot[]>
  /** Also finds a retired one while its files are still kept. */
  readonly find: (id: string) => Promise<PublishedSnapshot | null>
  /**
   * Registers a refresh. Drafts of other refreshes end: they can no longer be published. The current snapshot keeps its
   * files until this draft ends, so that the new one may use them too.
   *
   * @param idAfter makes an id that is larger than the given one
   */
  readonly begin: (idAfter: (newest: string | undefined) => string) => Promise<BegunDraft>
  /** Makes a draft the current snapshot. @returns false when the draft has ended: nothing was changed */
  readonly publish: (id: string, manifest: PublishedSnapshot['manifest'], by: string) => Promise<boolean>
  readonly abandon: (id: string) => Promise<void>
  /**
   * Goes back to a retained snapshot. Drafts end: what began before the rollback does not replace it.
   *
   * @param id what is not retained is refused, as is a change meanwhile: nothing was changed then
   */
  readonly rollBack: (id: string, rollback: Rollback) => Promise<'done' | 'not-retained' | 'changed'>
  /** Retires these snapshots, but for the current one and the one that a draft is based on. */
  readonly retire: (ids: readonly string[]) => Promise<void>
  /** Forgets snapshots that were retired before a moment. @returns everything whose objects are still needed */
  readonly forget: (retiredBefore: Date) => Promise<Needed>
}

type Rollback = {
  /** The snapshot that the caller wants to go back from: another one that is current meanwhile stays. */
  readonly from: string | undefined
  readonly by: string
}

export type BegunDraft = { readonly id: string; readonly base: PublishedSnapshot | null }

export type Needed = {
  /** Published and retired. */
  readonly snapshots: readonly PublishedSnapshot[]
  /** The ids of refreshes that are under way. */
  readonly drafts: readonly string[]
}

type Queries = Kysely<ControlTables>

export const createPublishedSnapshots = (queries: Queries): PublishedSnapshots => ({
  current: () => currentOf(queries),
  list: async () => (await retained(queries)).map(snapshotOf),
  find: async (id) => {
    const row = await all(queries).where('id', '=', id).executeTakeFirst()
    return row === undefined ? null : snapshotOf(row)
  },
  begin: (idAfter) => queries.transaction().execute((transaction) => begin(transaction, idAfter)),
  publish: (id, manifest, by) =>
    queries.transaction().execute((transaction) => publish(transaction, { id, manifest, by })),
  abandon: async (id) => {
    await queries.deleteFrom('snapshot_drafts').where('id', '=', id).execute()
  },
  rollBack: (id, rollback) =>
    queries.transaction().execute((transaction) => rollBack(transaction, id, rollback)),
  retire: (ids) => queries.transaction().execute((transaction) => retire(transaction, ids)),
  forget: (retiredBefore) =>
    queries.transaction().execute((transaction) => forget(transaction, retiredBefore)),
})

async function begin(db: Queries, idAfter: (newest: string | undefined) => string): Promise<BegunDraft> {
  const drafts = await db.selectFrom('snapshot_drafts').select('id').execute()
  const published = await db.selectFrom('published_snapshots').select('id').execute()
  const newest = [...drafts, ...published]
    .map((row) => row.id)
    .sort()
    .at(-1)
  const base = await currentOf(db)
  const id = idAfter(newest)
  await db.deleteFrom('snapshot_drafts').execute()
  await db
    .insertInto('snapshot_drafts')
    .values({ id, base_id: base?.id ?? null, begun_at: new Date().toISOString() })
    .execute()
  return { id, base }
}

type Publication = Pick<PublishedSnapshot, 'id' | 'manifest'> & { readonly by: string }

async function publish(db: Queries, { id, manifest, by }: Publication): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('snapshot_drafts').where('id', '=', id).executeTakeFirst()
  if (numDeletedRows === 0n) return false
  const before = await switchCurrent(db, null)
  const at = new Date().toISOString()
  await db
    .insertInto('published_snapshots')
    .values({
      id,
      published_at: at,
      manifest_key: manifest.key,
      manifest_bytes: manifest.bytes,
      is_current: 1,
      retired_at: null,
    })
    .execute()
  await record(db, { at, actor: by, action: 'snapshot.publish' }, before, id)
  return true
}

async function rollBack(
  db: Queries,
  id: string,
  { from, by }: Rollback,
): Promise<'done' | 'not-retained' | 'changed'> {
  const wanted = await all(db).where('id', '=', id).where('retired_at', 'is', null).executeTakeFirst()
  if (wanted === undefined) return 'not-retained'
  const before = await currentOf(db)
  if (before?.id !== from) return 'changed'
  if (from === id) return 'done'
  await db.deleteFrom('snapshot_drafts').execute()
  await switchCurrent(db, id)
  await record(db, { at: new Date().toISOString(), actor: by, action: 'snapshot.rollback' }, before, id)
  return 'done'
}

/** @returns the snapshot that was current before */
async function switchCurrent(db: Queries, to: string | null): Promise<PublishedSnapshot | null> {
  const before = await currentOf(db)
  await db.updateTable('published_snapshots').set({ is_current: 0 }).where('is_current', '=', 1).execute()
  if (to !== null) {
    await db.updateTable('published_snapshots').set({ is_current: 1 }).where('id', '=', to).execute()
  }
  return before
}

async function retire(db: Queries, ids: readonly string[]): Promise<void> {
  const drafts = await db.selectFrom('snapshot_drafts').select('base_id').execute()
  const bases = new Set(drafts.map((draft) => draft.base_id))
  const unwanted = new Set(ids)
  const old = (await retained(db)).filter(
    ({ id, is_current }) => unwanted.has(id) && is_current === 0 && !bases.has(id),
  )
  if (old.length === 0) return
  await db
    .updateTable('published_snapshots')
    .set({ retired_at: new Date().toISOString() })
    .where(
      'id',
      'in',
      old.map(({ id }) => id),
    )
    .execute()
}

async function forget(db: Queries, retiredBefore: Date): Promise<Needed> {
  await db.deleteFrom('published_snapshots').where('retired_at', '<', retiredBefore.toISOString()).execute()
  const snapshots = await all(db).execute()
  const drafts = await db.selectFrom('snapshot_drafts').select('id').execute()
  return { snapshots: snapshots.map(snapshotOf), drafts: drafts.map(({ id }) => id) }
}

const all = (db: Queries) => db.selectFrom('published_snapshots').selectAll()

const retained = (db: Queries) => all(db).where('retired_at', 'is', null).orderBy('id', 'desc').execute()

async function currentOf(db: Queries): Promise<PublishedSnapshot | null> {
  const row = await all(db).where('is_current', '=', 1).executeTakeFirst()
  return row === undefined ? null : snapshotOf(row)
}

const snapshotOf = (row: Selectable<PublishedSnapshotRow>): PublishedSnapshot => ({
  id: row.id,
  publishedAt: new Date(row.published_at),
  manifest: { key: row.manifest_key, bytes: Number(row.manifest_bytes) },
  isCurrent: row.is_current === 1,
})

type Deed = { readonly at: string; readonly actor: string; readonly action: string }

/** The form of the entries that a rollback in a data folder leaves. */
const record = (db: Queries, deed: Deed, before: PublishedSnapshot | null, snapshot: string) =>
  recordChange(db, {
    ...deed,
    subjectId: 'snapshots',
    before: null,
    after: { snapshot, before: before?.id ?? null },
  })
