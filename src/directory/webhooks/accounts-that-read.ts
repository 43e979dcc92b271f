/** Webhooks of an account that may not read get nothing: neither new deliveries nor those that were pending before. */
import type { ExpressionBuilder } from 'kysely'
import type { ControlTables } from '../control-tables.ts'

/** A condition on accounts: active, not locked, not expired at this moment. */
export const mayReadAt = (at: string) => (is: ExpressionBuilder<ControlTables, 'accounts'>) =>
  is.and([
    is('accounts.active', '=', 1),
    is('accounts.locked', '=', 0),
    is.or([is('accounts.expires_at', 'is', null), is('accounts.expires_at', '>', at)]),
  ])
