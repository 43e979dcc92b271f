/** A service account: the holder of one API key and at most one psk, which reads one client. Nothing here is secret. */
import { parseInstant } from '../../kernel/calendar.ts'
import { codePointLength } from '../../kernel/text.ts'
import type { AccountRow } from '../control-tables.ts'
import { badAccountText, badExpiry } from '../problems.ts'

export type Account = {
  /** A UUID. */
  readonly id: string
  readonly name: string
  readonly clientNumber: string
  /** False when an operator has switched the account off. */
  readonly active: boolean
  /** Closed for a time, for instance while a leaked key is investigated. */
  readonly locked: boolean
  /** Moments are RFC 3339 text in UTC. */
  readonly expiresAt: string | null
  /** Accurate to about a minute. */
  readonly lastUsedAt: string | null
  readonly createdAt: string
  /** When the key was last replaced. */
  readonly rotatedAt: string | null
  /** When its psk was issued; null without a psk. */
  readonly pskIssuedAt: string | null
}

export type AccountDraft = {
  readonly name: string
  readonly clientNumber: string
  /** A date or date-time as filters accept them; a date is its midnight in UTC. */
  readonly expires?: string | undefined
}

/** A draft that was checked. */
export type CheckedDraft = Pick<Account, 'name' | 'clientNumber' | 'expiresAt'>

export function checkDraft({ name, clientNumber, expires }: AccountDraft, now: Date): CheckedDraft {
  return {
    name: checkText('an account name', name.trim(), 100),
    // Kept as it is in the extract: with another blank it would be another client.
    clientNumber: checkText('a client number', clientNumber, 20),
    expiresAt: expires === undefined ? null : checkExpiry(expires, now),
  }
}

/** The only rule that decides whether a key or psk is accepted. {@link Accounts.rotateOwnKey} repeats it in SQL. */
export const isUsable = (
  account: { readonly active: boolean; readonly locked: boolean; readonly expiresAt: string | null },
  now: Date,
): boolean =>
  account.active && !account.locked && (account.expiresAt === null || account.expiresAt > now.toISOString())

export const accountOf = (row: Omit<AccountRow, 'key_hash' | 'psk_hash'>): Account => ({
  id: row.id,
  name: row.name,
  clientNumber: row.client_number,
  active: row.active === 1,
  locked: row.locked === 1,
  expiresAt: row.expires_at,
  lastUsedAt: row.last_used_at,
  createdAt: row.created_at,
  rotatedAt: row.rotated_at,
  pskIssuedAt: row.psk_issued_at,
})

function checkText(what: string, text: string, longest: number): string {
  const length = codePointLength(text)
  if (text.trim() === '' || length > longest || /\p{Cc}/u.test(text))
    throw badAccountText(what, longest, text)
  return text
}

function checkExpiry(text: string, now: Date): string {
  const instant = parseInstant(text)
  if (instant === undefined) throw badExpiry(text, 'which is not a date')
  if (instant <= now.getTime()) throw badExpiry(text, 'which is in the past')
  return new Date(instant).toISOString()
}
