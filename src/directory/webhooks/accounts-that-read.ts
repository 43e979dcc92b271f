/** Webhooks of an account that may not read get nothing: neither new deliveries nor those that were pending before. */
import type { ExpressionBuilder } from 'kysely'
import type { ControlTables } from '../control-tables.ts'

/** What tells whether the row of the account is as it was sealed. */
export const SEALED_ACCOUNT_COLUMNS = [
  'accounts.id',
  'accounts.client_number',
  'accounts.key_hash',
  'accounts.psk_hash',
  'accounts.active',
  'accounts.locked',
  'accounts.expires_at',
  'accounts.seal',
] as const

/** A condition on accounts: active, not locked, not expired at this moment. Their seals have to hold as well. */
export const mayReadAt = (at: string) => (is: ExpressionBuilder<ControlTables, 'accounts'>) =>
  is.and([
    is('accounts.active', '=', 1),
    is('accounts.locked', '=', 0),
    is.or([is('accounts.expires_at', 'is', null), is('accounts.expires_at', '>', at)]),
  ])
