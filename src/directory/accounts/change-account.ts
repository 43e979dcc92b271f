/** Changes name, expiry and notes of an account, in one transaction with its audit entry. */
import type { Kysely } from 'kysely'
import { changedMembers, recordChange } from '../audit/audit.ts'
import type { ControlTables } from '../control-tables.ts'
import { unknownAccount } from '../problems.ts'
import { ACCOUNT_COLUMNS, type Account, type AccountChange, accountOf, checkChange } from './account.ts'

/** @throws Problem DIR201, DIR203, DIR204, DIR316 */
export function changeAccount(
  db: Kysely<ControlTables>,
  id: string,
  change: AccountChange,
  by: string,
): Promise<Account> {
  const now = new Date()
  const checked = checkChange(change, now)
  return db.transaction().execute(async (transaction) => {
    const found = transaction.selectFrom('accounts').select(ACCOUNT_COLUMNS).where('id', '=', id)
    const row = await found.executeTakeFirst()
    if (row === undefined) throw unknownAccount(id, undefined)
    const before = accountOf(row)
    const after = { ...before, ...checked }
    const changed = changedMembers(before, after)
    if (changed === undefined) return before
    await transaction
      .updateTable('accounts')
      .set({ name: after.name, expires_at: after.expiresAt, notes: after.notes })
      .where('id', '=', id)
      .execute()
    await recordChange(transaction, {
      at: now.toISOString(),
      actor: by,
      action: 'account.change',
      subjectId: id,
      ...changed,
    })
    return after
  })
}
