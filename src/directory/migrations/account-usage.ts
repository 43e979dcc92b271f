/**
 * A step of the control store: notes and usage of accounts, kept answers of requests with an idempotency key, and names of
 * organizations that are unique among siblings instead of everywhere.
 */
import { type Kysely, sql } from 'kysely'

export async function addAccountUsage(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('accounts').addColumn('notes', 'varchar(1000)').execute()
  // Without a reference to the account: a batch of many accounts must not fail because one was removed meanwhile.
  await db.schema
    .createTable('account_usage')
    .addColumn('account_id', 'varchar(36)', (column) => column.notNull())
    .addColumn('day', 'varchar(10)', (column) => column.notNull())
    .addColumn('requests', 'integer', (column) => column.notNull())
    .addColumn('bytes', 'integer', (column) => column.notNull())
    .addColumn('last_address', 'varchar(45)')
    .addPrimaryKeyConstraint('account_usage_key', ['account_id', 'day'])
    .execute()
  await db.schema.createIndex('account_usage_day').on('account_usage').column('day').execute()
  await db.schema
    .createTable('kept_answers')
    .addColumn('key_hash', 'varchar(64)', (column) => column.primaryKey())
    .addColumn('request_hash', 'varchar(64)', (column) => column.notNull())
    .addColumn('created_at', 'varchar(24)', (column) => column.notNull())
    .addColumn('sealed', 'blob')
    .execute()
  await db.schema.createIndex('kept_answers_created').on('kept_answers').column('created_at').execute()
  // SQLite cannot drop the constraint of the column without a copy of the table, which would empty the tables that refer to it.
  // So the key itself has the parent in it: it stays unique, now among siblings.
  await sql`update organizations set name_key = coalesce(parent_id, '') || '/' || name_key`.execute(db)
}
