/**
 * The only code that writes rows of accounts, but for the moment of the last use, which no seal covers: so every row that is
 * written is sealed, and none that was altered is sealed by the change of something else.
 */
import type { Insertable, Transaction, Updateable } from 'kysely'
import type { AccountRow, ControlTables } from '../control-tables.ts'
import { accountAltered, accountsOfOtherKey } from '../problems.ts'
import { type SealsInTransaction, writeSeal } from './account-seals.ts'

type NewRow = Omit<Insertable<AccountRow>, 'seal'>
export type ChangedColumns = Omit<Updateable<AccountRow>, 'seal' | 'id' | 'client_number'>

export async function insertAccount(
  transaction: Transaction<ControlTables>,
  seals: SealsInTransaction,
  row: NewRow,
): Promise<AccountRow> {
  await transaction
    .insertInto('accounts')
    .values({ ...row, seal: null })
    .execute()
  return sealAccountRow(transaction, seals, row.id)
}

/**
 * @param change is given the row as it is; undefined when nothing is to be changed
 * @returns the row as it is afterwards; undefined when there is none
 * @throws Problem DIR205 for a row that does not match its seal, DIR206
 */
export async function changeAccountRow(
  transaction: Transaction<ControlTables>,
  seals: SealsInTransaction,
  by: { readonly column: 'id' | 'key_hash'; readonly value: string },
  change: (row: AccountRow) => ChangedColumns | undefined,
): Promise<{ readonly before: AccountRow; readonly after: AccountRow } | undefined> {
  const found = transaction.selectFrom('accounts').selectAll().where(by.column, '=', by.value)
  const before = await found.executeTakeFirst()
  if (before === undefined) return undefined
  if (seals.key === 'other') throw accountsOfOtherKey()
  if (seals.faultOf(before) !== null) throw accountAltered(before)
  const columns = change(before)
  if (columns === undefined) return { before, after: before }
  await transaction.updateTable('accounts').set(columns).where('id', '=', before.id).execute()
  return { before, after: await sealAccountRow(transaction, seals, before.id) }
}

/** Seals what the database returns: some texts come back from it otherwise than they were given. */
export async function sealAccountRow(
  transaction: Transaction<ControlTables>,
  seals: SealsInTransaction,
  id: string,
): Promise<AccountRow> {
  const found = transaction.selectFrom('accounts').selectAll().where('id', '=', id)
  const row = await found.executeTakeFirstOrThrow()
  const seal = seals.sealOf(row)
  await writeSeal(transaction, id, seal)
  return { ...row, seal }
}
