/**
 * The tables of the control store as the query builder sees them. Types are those that SQLite and PostgreSQL agree on:
 * flags are 0 or 1, moments are ISO 8601 text in UTC with milliseconds, so that their order as text is their order in time.
 */

export type ControlDatabase = {
  readonly accounts: AccountRow
  readonly audit: AuditRow
}

export type AccountRow = {
  readonly id: string
  readonly name: string
  readonly client_number: string
  /** SHA-256 of the key, in hexadecimal. The key itself is stored nowhere. */
  readonly key_hash: string
  readonly active: number
  readonly locked: number
  readonly expires_at: string | null
  readonly last_used_at: string | null
  readonly created_at: string
  readonly rotated_at: string | null
  /** SHA-256 of the psk, in hexadecimal; null for an account that has none, as `psk_issued_at` then is. */
  readonly psk_hash: string | null
  readonly psk_issued_at: string | null
}

type AuditRow = {
  readonly id: string
  readonly at: string
  readonly actor: string
  readonly action: string
  readonly subject_id: string
  /** What changed, as JSON objects of the changed members only. Never a key or psk, nor the hash of one. */
  readonly before: string | null
  readonly after: string | null
}
