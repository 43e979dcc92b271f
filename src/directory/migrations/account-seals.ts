/**
 * A step of the control store: the seals of accounts. Rows that are there get plain ones, in the transaction of the step: a row
 * without a seal that comes later was written by an older version, and is refused.
 */
import { type Kysely, sql } from 'kysely'
import { plainSeal, type SealedContent } from '../accounts/account-seal.ts'

export async function addAccountSeals(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('accounts').addColumn('seal', 'varchar(80)').execute()
  const found = sql<SealedContent>`select id, client_number, key_hash, psk_hash, active, locked, expires_at from accounts`
  for (const row of (await found.execute(db)).rows) {
    await sql`update accounts set seal = ${plainSeal(row)} where id = ${row.id}`.execute(db)
  }
}
