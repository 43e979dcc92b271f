/**
 * A step of the control store: each client counts its own changes, because readers see the numbers, and a number that all clients
 * share would tell how much others change. The table is made anew, so that a number is never missing: a node of an older version
 * fails to record until it is replaced, and a newer one records instead.
 */
import { type Kysely, sql } from 'kysely'

export async function numberChangesByClient(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('data_change_counts')
    .addColumn('client_number', 'varchar(20)', (column) => column.primaryKey())
    .addColumn('changes', 'integer', (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('numbered_changes')
    .addColumn('sequence', 'integer', (column) => column.primaryKey())
    .addColumn('client_number', 'varchar(20)', (column) => column.notNull())
    .addColumn('number', 'integer', (column) => column.notNull())
    .addColumn('snapshot_id', 'varchar(40)', (column) => column.notNull())
    .addColumn('content', 'text', (column) => column.notNull())
    .addColumn('created_at', 'varchar(24)', (column) => column.notNull())
    .execute()
  await sql`insert into numbered_changes (sequence, client_number, number, snapshot_id, content, created_at)
    select sequence, client_number, row_number() over (partition by client_number order by sequence),
      snapshot_id, content, created_at
    from data_changes`.execute(db)
  await sql`insert into data_change_counts (client_number, changes)
    select client_number, count(*) from data_changes group by client_number`.execute(db)
  await db.schema.dropTable('data_changes').execute()
  await db.schema.alterTable('numbered_changes').renameTo('data_changes').execute()
  await db.schema
    .createIndex('data_changes_client')
    .unique()
    .on('data_changes')
    .columns(['client_number', 'number'])
    .execute()
  await db.schema.createIndex('data_changes_created').on('data_changes').column('created_at').execute()
}
