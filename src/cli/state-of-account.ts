import { type Account, isUsable } from '../directory/accounts/account.ts'

/** `active` when the key works, otherwise every reason why it does not. */
export function stateOf(account: Account): string {
  if (isUsable(account, new Date())) return 'active'
  const expired = !isUsable({ ...account, active: true, locked: false }, new Date())
  const reasons = { disabled: !account.active, locked: account.locked, expired }
  return Object.entries(reasons)
    .flatMap(([reason, holds]) => (holds ? [reason] : []))
    .join(', ')
}
