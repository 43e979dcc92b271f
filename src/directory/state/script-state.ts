/**
 * The state that scripts keep from run to run: values by key, each endpoint its own. Every change is one transaction that shuts
 * other writers out, so a change that names the version it has read never overwrites another, and no addition is lost. Versions
 * come from one count for all values: a key that was deleted and set again does not get an old version back.
 */
import type { Kysely, Transaction } from 'kysely'
import type { ControlTables } from '../control-tables.ts'
import { raiseRevision } from '../endpoints/revisions.ts'
import { checkStateEntry, sumOf } from './check-state.ts'
import { stateIsFull } from './problems.ts'

/** `value` is JSON. */
export type StateEntry = { readonly value: string; readonly version: number }

export type ListedState = StateEntry & {
  readonly key: string
  readonly bytes: number
  readonly updatedAt: string
}

export type ScriptState = {
  readonly get: (ownerId: string, key: string) => Promise<StateEntry | null>
  /**
   * @param expected the version that the value must have, 0 for a key that must not exist; undefined overwrites any
   * @returns the new version, or null when the version is another
   * @throws Problem DIR480 to DIR482 when a limit is exceeded
   */
  readonly set: (ownerId: string, key: string, value: string, expected?: number) => Promise<number | null>
  /** Adds to a number; a key that does not exist counts as 0. @returns the sum @throws Problem DIR480 to DIR483 */
  readonly increment: (ownerId: string, key: string, by: number) => Promise<number>
  /** @returns false when there is no such key, or its version is not the expected one */
  readonly remove: (ownerId: string, key: string, expected?: number) => Promise<boolean>
  /** All of it, in no order: a thousand keys at most. */
  readonly list: (ownerId: string) => Promise<readonly ListedState[]>
  /** @returns how many keys there were */
  readonly clear: (ownerId: string) => Promise<number>
}

export const MOST_KEYS = 1000
const MOST_STATE_BYTES = 2 ** 20

export function createScriptState(db: Kysely<ControlTables>): ScriptState {
  return {
    get: (ownerId, key) => read(db, ownerId, key),
    set: (ownerId, key, value, expected) =>
      db.transaction().execute(async (transaction) => {
        const before = await read(transaction, ownerId, key)
        if (expected !== undefined && expected !== (before?.version ?? 0)) return null
        return write(transaction, ownerId, key, value)
      }),
    increment: (ownerId, key, by) =>
      db.transaction().execute(async (transaction) => {
        const before = await read(transaction, ownerId, key)
        const sum = sumOf(key, before?.value ?? '0', by)
        await write(transaction, ownerId, key, JSON.stringify(sum))
        return sum
      }),
    remove: (ownerId, key, expected) =>
      db.transaction().execute(async (transaction) => {
        const before = await read(transaction, ownerId, key)
        if (before === null || (expected !== undefined && expected !== before.version)) return false
        await transaction
          .deleteFrom('script_state')
          .where('owner_id', '=', ownerId)
          .where('key', '=', key)
          .execute()
        return true
      }),
    list: (ownerId) =>
      db
        .selectFrom('script_state')
        .select(['key', 'value', 'version', 'bytes', 'updated_at as updatedAt'])
        .where('owner_id', '=', ownerId)
        .execute(),
    clear: async (ownerId) => {
      const removed = await db.deleteFrom('script_state').where('owner_id', '=', ownerId).execute()
      return removed.reduce((sum, { numDeletedRows }) => sum + Number(numDeletedRows), 0)
    },
  }
}

async function read(db: Kysely<ControlTables>, ownerId: string, key: string): Promise<StateEntry | null> {
  const row = await db
    .selectFrom('script_state')
    .select(['value', 'version'])
    .where('owner_id', '=', ownerId)
    .where('key', '=', key)
    .executeTakeFirst()
  return row === undefined ? null : { value: row.value, version: row.version }
}

async function write(
  transaction: Transaction<ControlTables>,
  ownerId: string,
  key: string,
  value: string,
): Promise<number> {
  const bytes = checkStateEntry(key, value)
  const version = await raiseRevision(transaction, 'script-state')
  const changed = { value, bytes, version, updated_at: new Date().toISOString() }
  await transaction
    .insertInto('script_state')
    .values({ owner_id: ownerId, key, ...changed })
    .onConflict((conflict) => conflict.columns(['owner_id', 'key']).doUpdateSet(changed))
    .execute()
  const { total, totalBytes } = await totals(transaction, ownerId)
  if (total > MOST_KEYS) throw stateIsFull(key, `${MOST_KEYS} keys`, `${total}`)
  if (totalBytes > MOST_STATE_BYTES) throw stateIsFull(key, `${MOST_STATE_BYTES} bytes`, `${totalBytes}`)
  return version
}

async function totals(db: Kysely<ControlTables>, ownerId: string) {
  const { total, totalBytes } = await db
    .selectFrom('script_state')
    .select(({ fn }) => [fn.countAll<number>().as('total'), fn.sum<number | null>('bytes').as('totalBytes')])
    .where('owner_id', '=', ownerId)
    .executeTakeFirstOrThrow()
  return { total: Number(total), totalBytes: Number(totalBytes ?? 0) }
}
