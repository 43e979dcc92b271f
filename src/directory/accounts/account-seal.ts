/**
 * The checksum in the row of an account, its seal: over everything that decides who reads which client. With the secret key of
 * the installation it is an HMAC, which nobody makes who can only write the database; without a key it is a plain hash, which
 * finds damage. A seal says which of the two it is, and the HMAC with which key.
 */
import { createHmac, createSecretKey, hash, hkdfSync, type KeyObject } from 'node:crypto'
import type { AccountRow } from '../control-tables.ts'

/** Name and notes decide nothing; the last use is written without a look at the rest. */
const SEALED_COLUMNS = [
  'id',
  'client_number',
  'key_hash',
  'psk_hash',
  'active',
  'locked',
  'expires_at',
] as const

export type SealedContent = Pick<AccountRow, (typeof SEALED_COLUMNS)[number]>

export type SealingKey = { readonly id: string; readonly key: KeyObject }

/** `other-key`: this process cannot tell whether the row is as it was written. */
export type SealFault = 'missing' | 'altered' | 'other-key'

const PURPOSE = 'tripfolio account'
const ID_LENGTH = 8

/** Not the secret key itself, which seals other things. */
export function sealingKeyOf(secretKey: Buffer): SealingKey {
  const key = createSecretKey(Buffer.from(hkdfSync('sha256', secretKey, '', PURPOSE, 32)))
  return { id: createHmac('sha256', key).update('id').digest('base64url').slice(0, ID_LENGTH), key }
}

/** The first step of the store with seals has written plain ones in this form, so it stays readable. */
export function plainSeal(row: SealedContent): string {
  return `plain:${hash('sha256', contentOf(row), 'base64url')}`
}

export function keyedSeal(row: SealedContent, { id, key }: SealingKey): string {
  return `keyed:${id}:${createHmac('sha256', key).update(contentOf(row)).digest('base64url')}`
}

export const isKeyed = (seal: string | null): boolean => seal?.startsWith('keyed:') === true

/** Null when the row is as it was sealed. @param acceptsPlain false where every row was sealed with the key */
export function faultOf(
  row: SealedContent & Pick<AccountRow, 'seal'>,
  key: SealingKey | null,
  acceptsPlain: boolean,
): SealFault | null {
  const { seal } = row
  if (seal === null) return 'missing'
  if (!isKeyed(seal)) return acceptsPlain && seal === plainSeal(row) ? null : 'altered'
  if (key === null || !seal.startsWith(`keyed:${key.id}:`)) return 'other-key'
  return seal === keyedSeal(row, key) ? null : 'altered'
}

/** Values in a fixed order, each with its type and its end. */
const contentOf = (row: SealedContent): string =>
  JSON.stringify([PURPOSE, ...SEALED_COLUMNS.map((column) => row[column])])
