/** What authentication needs to know of an account, found by the hash of an API key or a psk. */
import type { Soon } from '../../kernel/soon.ts'
import type { AccountRow } from '../control-tables.ts'

export type HashColumn = 'key_hash' | 'psk_hash'

export type KeyHolder = {
  readonly accountId: string
  readonly accountName: string
  readonly clientNumber: string
  readonly active: boolean
  readonly locked: boolean
  readonly expiresAt: string | null
}

/** As the account is now: a change by any thread, process or node holds from the next look-up on. */
export type KeyHolders = {
  /** By the hash of its API key, never by the hash of a psk. */
  readonly lookup: FindHolder
  /** By the hash of its psk, never by the hash of an API key. */
  readonly lookupPsk: FindHolder
}

/** Synchronous for an account that is remembered. */
export type FindHolder = (hash: string) => Soon<KeyHolder | undefined>

export const HOLDER_COLUMNS = [
  'id',
  'name',
  'client_number',
  'key_hash',
  'psk_hash',
  'active',
  'locked',
  'expires_at',
  'seal',
] as const

export type HolderRow = Pick<AccountRow, (typeof HOLDER_COLUMNS)[number]>

/** The holder in a row that was found by the hash in a column; undefined when the row is not as it was sealed. */
export type ReadHolder = (row: HolderRow, column: HashColumn, hash: string) => KeyHolder | undefined

export const holderOf = (row: HolderRow): KeyHolder => ({
  accountId: row.id,
  accountName: row.name,
  clientNumber: row.client_number,
  active: row.active === 1,
  locked: row.locked === 1,
  expiresAt: row.expires_at,
})
