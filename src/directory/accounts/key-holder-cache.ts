/**
 * Finds accounts by the hashes of API keys and psks, in every request: a cache over the control store. An account is
 * remembered until any thread or process commits a change to the store; so a disabled key fails in the very next lookup.
 */
import { type Soon, whenThere } from '../../kernel/soon.ts'
import type { AccountRow, ControlTables } from '../control-tables.ts'
import type { LatestReads } from '../database.ts'

/** What authentication needs to know of an account. */
export type KeyHolder = {
  readonly accountId: string
  readonly accountName: string
  readonly clientNumber: string
  readonly active: boolean
  readonly locked: boolean
  readonly expiresAt: string | null
}

export type KeyHolderCache = {
  /** By the hash of its API key, never by the hash of a psk. */
  readonly lookup: Find
  /** By the hash of its psk, never by the hash of an API key. */
  readonly lookupPsk: Find
}

/** Synchronous for an account that is remembered. */
type Find = (hash: string) => Soon<KeyHolder | undefined>

/** Each column has its own memory, so that a psk is never accepted as an API key, nor an API key as a psk. */
export const createKeyHolderCache = (latest: LatestReads<ControlTables>): KeyHolderCache => ({
  lookup: rememberBy('key_hash', latest),
  lookupPsk: rememberBy('psk_hash', latest),
})

function rememberBy(
  column: 'key_hash' | 'psk_hash',
  { version: versionNow, queries, prepare }: LatestReads<ControlTables>,
): Find {
  const byHash = prepare(queries.selectFrom('accounts').select(HOLDER_COLUMNS).where(column, '=', ''))
  /** Accounts that are known or being read: many requests that wait for one account cause one read. */
  const holders = new Map<string, Soon<KeyHolder | undefined>>()
  let knownVersion: unknown

  const read = (hash: string): Soon<KeyHolder | undefined> => {
    const reading = whenThere(byHash([hash]), ([row]) => (row === undefined ? undefined : holderOf(row)))
    if (reading !== undefined) holders.set(hash, reading)
    if (reading instanceof Promise) rememberOnce(hash, reading)
    return reading
  }

  /** An unknown hash is not remembered. If a later read has replaced this one, the store was changed meanwhile. */
  const rememberOnce = (hash: string, reading: Promise<KeyHolder | undefined>) => {
    const settle = (holder: KeyHolder | undefined) => {
      if (holders.get(hash) !== reading) return
      if (holder === undefined) holders.delete(hash)
      else holders.set(hash, holder)
    }
    reading.then(settle, () => settle(undefined))
  }

  return (hash) => {
    const version = versionNow()
    if (version !== knownVersion) {
      holders.clear()
      knownVersion = version
    }
    return holders.get(hash) ?? read(hash)
  }
}

const HOLDER_COLUMNS = ['id', 'name', 'client_number', 'active', 'locked', 'expires_at'] as const

const holderOf = (row: Pick<AccountRow, (typeof HOLDER_COLUMNS)[number]>): KeyHolder => ({
  accountId: row.id,
  accountName: row.name,
  clientNumber: row.client_number,
  active: row.active === 1,
  locked: row.locked === 1,
  expiresAt: row.expires_at,
})
