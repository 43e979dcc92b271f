/**
 * Finds the account behind the hash of an API key or of a psk, in every request, synchronously. Accounts are remembered
 * until anybody, in any thread or process, commits a change to the store; so a disabled key fails in the very next lookup.
 * Uses of accounts are noted in memory and written at most once a minute.
 */
import type { SQLOutputValue } from 'node:sqlite'
import type { Kysely } from 'kysely'
import type { ControlDatabase } from '../sqlite/control-database.ts'
import { type Freshness, openDataVersion, READER_TIMEOUT_MS } from '../sqlite/data-version.ts'
import type { Database } from '../sqlite/open-sqlite.ts'
import { connect, storeProblem } from '../sqlite/sqlite-file.ts'
import type { WriteWatch } from '../sqlite/write-watch.ts'

/** What authentication needs to know of an account. */
export type KeyHolder = {
  readonly accountId: string
  readonly accountName: string
  readonly clientNumber: string
  readonly active: boolean
  readonly locked: boolean
  readonly expiresAt: string | null
}

export type KeyLookup = {
  /** By the hash of its API key, never by that of a psk. */
  readonly lookup: Find
  /** By the hash of its psk, never by that of an API key. */
  readonly lookupPsk: Find
  /** The account's key or psk has just opened something. */
  readonly noteUse: (accountId: string) => void
  readonly close: () => void
}

type Find = (hash: string) => KeyHolder | undefined

export type { Freshness }

const USES_WRITTEN_EVERY_MS = 60_000
/** Accounts per transaction, about a millisecond's work. */
const USES_PER_BATCH = 200

/**
 * Opens a connection of its own, so that changes made through the query builder count as somebody else's. When an account
 * was last used may be lost with the power, so nobody waits for the disk on its account.
 */
export async function openKeyLookup(
  path: string,
  db: Kysely<ControlDatabase>,
  freshness: Freshness,
  watch: WriteWatch,
): Promise<KeyLookup> {
  const database = await connect(path, { durability: 'normal', timeout: READER_TIMEOUT_MS })
  const uses = openUses(database, db, path, watch)
  return {
    lookup: openFind(database, db, path, 'key_hash', freshness),
    lookupPsk: openFind(database, db, path, 'psk_hash', freshness),
    noteUse: uses.note,
    close: () => {
      uses.close()
      database.close()
    },
  }
}

/** Each column has a memory of its own, so that what is right in one is never taken for the other. */
function openFind(
  database: Database,
  db: Kysely<ControlDatabase>,
  path: string,
  column: 'key_hash' | 'psk_hash',
  freshness: Freshness,
): Find {
  const versionNow = openDataVersion(database, freshness)
  const byHash = database.prepare(
    db
      .selectFrom('accounts')
      .select(['id', 'name', 'client_number', 'active', 'locked', 'expires_at'])
      .where(column, '=', '')
      .compile().sql,
  )
  const holders = new Map<string, KeyHolder>()
  let knownVersion: SQLOutputValue | undefined
  return (hash) => {
    try {
      const version = versionNow()
      if (version !== knownVersion) {
        holders.clear()
        knownVersion = version
      }
      const known = holders.get(hash)
      if (known !== undefined) return known
      const row = byHash.get(hash)
      if (row === undefined) return undefined
      const holder = holderOf(row)
      holders.set(hash, holder)
      return holder
    } catch (error) {
      throw storeProblem(path, error)
    }
  }
}

const holderOf = (row: Record<string, SQLOutputValue>): KeyHolder => ({
  accountId: String(row.id),
  accountName: String(row.name),
  clientNumber: String(row.client_number),
  active: row.active === 1,
  locked: row.locked === 1,
  expiresAt: row.expires_at === null ? null : String(row.expires_at),
})

function openUses(database: Database, db: Kysely<ControlDatabase>, path: string, watch: WriteWatch) {
  const update = database.prepare(
    db
      .updateTable('accounts')
      .set({ last_used_at: '' })
      .where('id', '=', '')
      .where((is) => is.or([is('last_used_at', 'is', null), is('last_used_at', '<', '')]))
      .compile().sql,
  )
  const unwritten = new Map<string, number>()
  let timer: NodeJS.Timeout | undefined

  const writeBatch = () => {
    const batch = [...unwritten].slice(0, USES_PER_BATCH)
    database.exec('begin immediate')
    try {
      for (const [accountId, instant] of batch) {
        const at = new Date(instant).toISOString()
        update.run(at, accountId, at)
      }
      database.exec('commit')
    } finally {
      if (database.isTransaction) database.exec('rollback')
    }
    for (const [accountId] of batch) unwritten.delete(accountId)
  }

  const write = () => {
    try {
      writeBatch()
      watch.worked()
    } catch (error) {
      watch.failed(storeProblem(path, error))
      throw error
    }
  }

  const schedule = (milliseconds: number) => {
    timer = setTimeout(() => {
      timer = undefined
      const written = attempt(() => withoutWaiting(database, write))
      if (unwritten.size > 0) schedule(written ? 20 : 1000)
    }, milliseconds).unref()
  }

  return {
    note: (accountId: string) => {
      unwritten.set(accountId, Date.now())
      if (timer === undefined) schedule(USES_WRITTEN_EVERY_MS)
    },
    close: () => {
      clearTimeout(timer)
      while (unwritten.size > 0 && attempt(write)) {}
    },
  }
}

/** A thread that answers requests does not wait for somebody else's transaction only to write down a use. */
function withoutWaiting(database: Database, work: () => void): void {
  database.exec('pragma busy_timeout = 0')
  try {
    work()
  } finally {
    database.exec(`pragma busy_timeout = ${READER_TIMEOUT_MS}`)
  }
}

/** Uses that cannot be written (a lock, a full disk) are kept for later; they are no reason to stop anything. */
function attempt(work: () => void): boolean {
  try {
    work()
    return true
  } catch {
    return false
  }
}
