/**
 * What changed for which client, in the order in which it was published. Streams follow it, and each change makes a delivery
 * for every webhook that wants it, in the same transaction: a change that is recorded is delivered, however the service ends.
 */
import { type Kysely, sql, type Transaction } from 'kysely'
import type { ListName } from '../../schema/datasets.ts'
import type { DataChange } from '../../schema/webhook-shapes.ts'
import type { AccountSeals } from '../accounts/account-seals.ts'
import type { ControlTables, WebhookDeliveryRow } from '../control-tables.ts'
import type { Queries } from '../database.ts'
import { raiseRevision } from '../endpoints/revisions.ts'
import { mayReadAt, SEALED_ACCOUNT_COLUMNS } from './accounts-that-read.ts'
import { newDelivery } from './delivery-log.ts'

/** `data` holds the change. `sequence` is its number among those of its client: it tells nothing of other clients. */
export type RecordedChange = { readonly sequence: number; readonly at: string; readonly data: DataChange }

export type DataChanges = {
  /** The snapshot up to which changes were recorded; null before the first. */
  readonly recordedUpTo: () => Promise<string | null>
  /**
   * Records the changes that lead from snapshot `from` to snapshot `to`.
   *
   * @returns false, and records nothing, when changes were recorded up to another snapshot than `from` meanwhile
   */
  readonly record: (
    step: { readonly from: string | null; readonly to: string },
    changes: readonly DataChange[],
  ) => Promise<boolean>
  /** Changes of one client after one of its numbers, oldest first. */
  readonly after: (
    clientNumber: string,
    sequence: number,
    limit: number,
  ) => Promise<readonly RecordedChange[]>
  /** Grows with every change of any client: for the service itself, which then looks for changes. */
  readonly newestSequence: () => Promise<number>
  /** The number of the client's newest change, which may have been removed; 0 before the first. */
  readonly newestOf: (clientNumber: string) => Promise<number>
  /** The number of the client's oldest change that is still there; null without any. */
  readonly oldestOf: (clientNumber: string) => Promise<number | null>
  /** Removes changes and deliveries from before a moment, but those that are still to be sent. @returns how many rows */
  readonly prune: (before: Date) => Promise<number>
}

export const createDataChanges = (
  { queries: db }: Queries<ControlTables>,
  seals: AccountSeals,
): DataChanges => ({
  recordedUpTo: () => recordedUpTo(db),
  record: ({ from, to }, changes) =>
    db.transaction().execute(async (transaction) => {
      if ((await recordedUpTo(transaction)) !== from) return false
      const at = new Date().toISOString()
      for (let i = 0; i < changes.length; i += AT_ONCE) {
        await recordSome(transaction, seals, changes.slice(i, i + AT_ONCE), at)
      }
      await transaction
        .insertInto('event_progress')
        .values({ name: 'data-changes', snapshot_id: to })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ snapshot_id: to }))
        .execute()
      return true
    }),
  after: async (clientNumber, sequence, limit) => {
    const rows = await db
      .selectFrom('data_changes')
      .selectAll()
      .where('client_number', '=', clientNumber)
      .where('number', '>', sequence)
      .orderBy('number')
      .limit(limit)
      .execute()
    return rows.map((row) => ({ sequence: row.number, at: row.created_at, data: JSON.parse(row.content) }))
  },
  newestSequence: async () => {
    const found = db.selectFrom('revisions').select('revision').where('subject', '=', 'data-changes')
    return (await found.executeTakeFirst())?.revision ?? 0
  },
  newestOf: async (clientNumber) => {
    const found = db
      .selectFrom('data_change_counts')
      .select('changes')
      .where('client_number', '=', clientNumber)
    return (await found.executeTakeFirst())?.changes ?? 0
  },
  oldestOf: async (clientNumber) => {
    const found = db
      .selectFrom('data_changes')
      .select((of) => of.fn.min('number').as('number'))
      .where('client_number', '=', clientNumber)
    return (await found.executeTakeFirst())?.number ?? null
  },
  prune: (before) =>
    db.transaction().execute(async (transaction) => {
      const end = before.toISOString()
      const gone = await transaction
        .deleteFrom('data_changes')
        .where('created_at', '<', end)
        .executeTakeFirst()
      const served = transaction
        .selectFrom('webhooks')
        .innerJoin('accounts', 'accounts.id', 'webhooks.account_id')
        .select('webhooks.id')
        .where('webhooks.active', '=', 1)
        .where(mayReadAt(new Date().toISOString()))
      const ended = await transaction
        .deleteFrom('webhook_deliveries')
        .where('created_at', '<', end)
        .where((is) => is.or([is('state', '!=', 'pending'), is('webhook_id', 'not in', served)]))
        .executeTakeFirst()
      return Number(gone.numDeletedRows) + Number(ended.numDeletedRows)
    }),
})

/** Databases bound the number of values in one statement. */
const AT_ONCE = 500

async function recordedUpTo(db: Kysely<ControlTables>): Promise<string | null> {
  const found = db.selectFrom('event_progress').select('snapshot_id').where('name', '=', 'data-changes')
  return (await found.executeTakeFirst())?.snapshot_id ?? null
}

async function recordSome(
  transaction: Transaction<ControlTables>,
  seals: AccountSeals,
  changes: readonly DataChange[],
  at: string,
): Promise<void> {
  // One statement for all: a transaction shuts out every other writer while it lasts.
  const last = await raiseRevision(transaction, 'data-changes', changes.length)
  const numbers = await nextNumbers(transaction, changes)
  const rows = changes.map((change, index) => ({
    sequence: last - changes.length + 1 + index,
    client_number: change.clientNumber,
    number: numbers.get(change.clientNumber) as number,
    snapshot_id: change.snapshotId,
    content: JSON.stringify(change),
    created_at: at,
  }))
  await transaction.insertInto('data_changes').values(rows).execute()
  const deliveries = await deliveriesOf(transaction, seals, changes, at)
  for (let i = 0; i < deliveries.length; i += AT_ONCE) {
    await transaction
      .insertInto('webhook_deliveries')
      .values(deliveries.slice(i, i + AT_ONCE))
      .execute()
  }
}

/** The number of the next change of each client, which has one among the changes. */
async function nextNumbers(
  transaction: Transaction<ControlTables>,
  changes: readonly DataChange[],
): Promise<ReadonlyMap<string, number>> {
  const counted = await transaction
    .insertInto('data_change_counts')
    .values(changes.map(({ clientNumber }) => ({ client_number: clientNumber, changes: 1 })))
    .onConflict((conflict) =>
      conflict.column('client_number').doUpdateSet({ changes: sql<number>`data_change_counts.changes + 1` }),
    )
    .returning(['client_number', 'changes'])
    .execute()
  return new Map(counted.map(({ client_number, changes: number }) => [client_number, number]))
}

async function deliveriesOf(
  transaction: Transaction<ControlTables>,
  seals: AccountSeals,
  changes: readonly DataChange[],
  at: string,
): Promise<readonly WebhookDeliveryRow[]> {
  const changeOf = new Map(changes.map((change) => [change.clientNumber, change]))
  const webhooks = await transaction
    .selectFrom('webhooks')
    .innerJoin('accounts', 'accounts.id', 'webhooks.account_id')
    .select(['webhooks.id as webhook_id', 'webhooks.lists'])
    .select(SEALED_ACCOUNT_COLUMNS)
    .where('accounts.client_number', 'in', [...changeOf.keys()])
    .whereRef('webhooks.client_number', '=', 'accounts.client_number')
    .where('webhooks.active', '=', 1)
    .where(mayReadAt(at))
    .execute()
  const { faultOf } = await seals.within(transaction)
  return webhooks.flatMap(({ webhook_id, lists, ...account }) => {
    const change = faultOf(account) === null ? changeOf.get(account.client_number) : undefined
    const data = change && wantedOf(change, lists === null ? null : JSON.parse(lists))
    return data ? [newDelivery(webhook_id, { type: 'data.changed', timestamp: at, data })] : []
  })
}

/** The part of a change that a webhook wants; undefined when it wants none of it. */
function wantedOf(change: DataChange, lists: readonly ListName[] | null): DataChange | undefined {
  if (lists === null) return change
  const wanted = Object.entries(change.lists).filter(([list]) => lists.includes(list as ListName))
  return wanted.length === 0 ? undefined : { ...change, lists: Object.fromEntries(wanted) }
}
