/** A service account: the holder of one API key and at most one psk, which reads one client. Nothing here is secret. */
import { parseInstant } from '../../kernel/calendar.ts'
import { isClientNumber, LONGEST_CLIENT_NUMBER } from '../../kernel/client-number.ts'
import { codePointLength } from '../../kernel/text.ts'
import type { AccountRow } from '../control-tables.ts'
import { badAccountText, badExpiry, badNotes } from '../problems.ts'

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
  /** What operators want to remember of it. */
  readonly notes: string | null
}

export type AccountDraft = {
  readonly name: string
  readonly clientNumber: string
  /** A date or date-time as filters accept them; a date is its midnight in UTC. */
  readonly expiresAt?: string | null | undefined
  readonly notes?: string | null | undefined
}

/** Members that are left out stay as they are. The client of an account never changes. */
export type AccountChange = Partial<Omit<AccountDraft, 'clientNumber'>>

/** A draft that was checked. */
export type CheckedDraft = Pick<Account, 'name' | 'clientNumber' | 'expiresAt' | 'notes'>

const LONGEST_NAME = 100
const LONGEST_NOTES = 1000

export function checkDraft(draft: AccountDraft, now: Date): CheckedDraft {
  const { name, clientNumber, expiresAt = null, notes = null } = draft
  return {
    name: checkText('an account name', name.trim(), LONGEST_NAME),
    // Kept as it is in the extract: with another blank it would be another client.
    clientNumber: checkClientNumber(clientNumber),
    expiresAt: expiresAt === null ? null : checkExpiry(expiresAt, now),
    notes: checkNotes(notes),
  }
}

/** Only the members that were given. */
export function checkChange({ name, expiresAt, notes }: AccountChange, now: Date) {
  return {
    ...(name !== undefined && { name: checkText('an account name', name.trim(), LONGEST_NAME) }),
    ...(expiresAt !== undefined && { expiresAt: expiresAt === null ? null : checkExpiry(expiresAt, now) }),
    ...(notes !== undefined && { notes: checkNotes(notes) }),
  }
}

/** The only rule that decides whether a key or psk is accepted. */
export const isUsable = (
  account: { readonly active: boolean; readonly locked: boolean; readonly expiresAt: string | null },
  now: Date,
): boolean =>
  account.active && !account.locked && (account.expiresAt === null || account.expiresAt > now.toISOString())

/** Everything except the hashes, which no caller needs. */
export const ACCOUNT_COLUMNS = [
  'id',
  'name',
  'client_number',
  'active',
  'locked',
  'expires_at',
  'last_used_at',
  'created_at',
  'rotated_at',
  'psk_issued_at',
  'notes',
] as const

export const accountOf = (row: Pick<AccountRow, (typeof ACCOUNT_COLUMNS)[number]>): Account => ({
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
  notes: row.notes,
})

/** Blank notes are none. */
function checkNotes(notes: string | null): string | null {
  const text = notes?.trim() ?? ''
  if (codePointLength(text) > LONGEST_NOTES) throw badNotes(LONGEST_NOTES, codePointLength(text))
  return text === '' ? null : text
}

function checkText(what: string, text: string, longest: number): string {
  const length = codePointLength(text)
  if (text.trim() === '' || length > longest || /\p{Cc}/u.test(text))
    throw badAccountText(what, longest, text)
  return text
}

function checkClientNumber(text: string): string {
  if (!isClientNumber(text)) throw badAccountText('a client number', LONGEST_CLIENT_NUMBER, text)
  return text
}

function checkExpiry(text: string, now: Date): string {
  const instant = parseInstant(text)
  if (instant === undefined) throw badExpiry(text, 'which is not a date')
  if (instant <= now.getTime()) throw badExpiry(text, 'which is in the past')
  return new Date(instant).toISOString()
}
