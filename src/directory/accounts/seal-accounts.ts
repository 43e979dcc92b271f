/** Finds the accounts that do not match their seals, and seals them again after an operator has looked at them. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Kysely, Transaction } from 'kysely'
import { changesOf, recordChange } from '../audit/audit.ts'
import type { AccountRow, ControlTables } from '../control-tables.ts'
import { clientOfTrailDiffers, unknownAccount } from '../problems.ts'
import { type Account, accountOf } from './account.ts'
import type { SealFault } from './account-seal.ts'
import type { AccountSeals, SealsInTransaction } from './account-seals.ts'
import { sealAccountRow } from './sealed-rows.ts'

export type RefusedAccount = {
  readonly account: Account
  readonly fault: SealFault
  /** The client that it was made for, as the trail has it; null when the trail does not say. */
  readonly madeForClient: string | null
}

export type CheckedAccounts = {
  readonly accounts: number
  /** With which key they are sealed: with none, with that of this process, or with one that it does not have. */
  readonly key: SealsInTransaction['key']
  /** By id. */
  readonly refused: readonly RefusedAccount[]
}

/** Other requests have their turn between two batches. */
const BATCH = 500

export async function verifyAccounts(
  db: Kysely<ControlTables>,
  seals: AccountSeals,
): Promise<CheckedAccounts> {
  const { key, faultOf } = await seals.within(db)
  const refused: RefusedAccount[] = []
  let accounts = 0
  for await (const row of everyAccount(db)) {
    accounts++
    const fault = faultOf(row)
    if (fault !== null)
      refused.push({ account: accountOf(row), fault, madeForClient: await clientInTrail(db, row.id) })
  }
  return { accounts, key, refused }
}

/** @throws Problem DIR201, DIR206, DIR207 */
export const sealAccount = (
  db: Kysely<ControlTables>,
  seals: AccountSeals,
  id: string,
  by: string,
): Promise<Account> =>
  db.transaction().execute(async (transaction) => {
    const found = transaction.selectFrom('accounts').selectAll().where('id', '=', id)
    const row = await found.executeTakeFirst()
    if (row === undefined) throw unknownAccount(id, undefined)
    const current = await seals.within(transaction)
    if (current.faultOf(row) !== null) await sealAsItIs(transaction, current, row, by)
    return accountOf(row)
  })

/** @throws Problem DIR207, and changes nothing then */
export const sealAllAccounts = (
  db: Kysely<ControlTables>,
  seals: AccountSeals,
  by: string,
): Promise<number> =>
  db.transaction().execute(async (transaction) => {
    await seals.replaceKey(transaction)
    const current = await seals.within(transaction)
    const rows = await transaction.selectFrom('accounts').selectAll().orderBy('id').execute()
    const refused = rows.filter((row) => current.faultOf(row) !== null)
    for (const row of refused) await sealAsItIs(transaction, current, row, by)
    return refused.length
  })

async function sealAsItIs(
  transaction: Transaction<ControlTables>,
  seals: SealsInTransaction,
  row: AccountRow,
  by: string,
): Promise<void> {
  const { clientNumber, active, locked, expiresAt } = accountOf(row)
  const madeFor = await clientInTrail(transaction, row.id)
  // The client of an account never changes, so one of the two is damaged.
  if (madeFor !== null && madeFor !== clientNumber) throw clientOfTrailDiffers(row, madeFor)
  await sealAccountRow(transaction, seals, row.id)
  await recordChange(transaction, {
    at: new Date().toISOString(),
    actor: by,
    action: 'account.seal',
    subjectId: row.id,
    before: null,
    after: { clientNumber, active, locked, expiresAt },
  })
}

async function* everyAccount(db: Kysely<ControlTables>): AsyncGenerator<AccountRow> {
  for (let last = ''; ; await nextTurn()) {
    const batch = db.selectFrom('accounts').selectAll().where('id', '>', last).orderBy('id').limit(BATCH)
    const rows = await batch.execute()
    yield* rows
    const end = rows.at(-1)
    if (end === undefined || rows.length < BATCH) return
    last = end.id
  }
}

async function clientInTrail(db: Kysely<ControlTables>, id: string): Promise<string | null> {
  const created = (await changesOf(db, id)).find(({ action }) => action === 'account.create')
  const client = (created?.after as { readonly clientNumber?: unknown } | null | undefined)?.clientNumber
  return typeof client === 'string' ? client : null
}
