/** Changes an account, in one transaction with its audit entry. */
import type { Kysely } from 'kysely'
import { type AuditEntry, changedMembers, recordChange } from '../audit/audit.ts'
import type { AccountRow, ControlTables } from '../control-tables.ts'
import { unknownAccount } from '../problems.ts'
import { type Account, type AccountChange, accountOf, checkChange } from './account.ts'
import type { AccountSeals } from './account-seals.ts'
import { type ChangedColumns, changeAccountRow } from './sealed-rows.ts'

type Change = { readonly columns: ChangedColumns; readonly entry: AuditEntry }

/**
 * Undefined changes nothing, and leaves no entry.
 *
 * @throws Problem DIR201, DIR205, DIR206
 */
export function changeRow(
  db: Kysely<ControlTables>,
  seals: AccountSeals,
  id: string,
  change: (row: AccountRow) => Change | undefined,
): Promise<Account> {
  return db.transaction().execute(async (transaction) => {
    let entry: AuditEntry | undefined
    const wanted = { column: 'id', value: id } as const
    const changed = await changeAccountRow(transaction, await seals.within(transaction), wanted, (row) => {
      const made = change(row)
      entry = made?.entry
      return made?.columns
    })
    if (changed === undefined) throw unknownAccount(id, undefined)
    if (entry !== undefined) await recordChange(transaction, entry)
    return accountOf(changed.after)
  })
}

/**
 * Changes name, expiry and notes.
 *
 * @throws Problem DIR201, DIR203, DIR204, DIR205, DIR206, DIR316
 */
export function changeAccount(
  db: Kysely<ControlTables>,
  seals: AccountSeals,
  id: string,
  change: AccountChange,
  by: string,
): Promise<Account> {
  const now = new Date()
  const checked = checkChange(change, now)
  return changeRow(db, seals, id, (row) => {
    const before = accountOf(row)
    const after = { ...before, ...checked }
    const changed = changedMembers(before, after)
    if (changed === undefined) return undefined
    return {
      columns: { name: after.name, expires_at: after.expiresAt, notes: after.notes },
      entry: { at: now.toISOString(), actor: by, action: 'account.change', subjectId: id, ...changed },
    }
  })
}
