/** A step of the control store: the table of refreshes. */
import type { Kysely } from 'kysely'

export async function createRefreshTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('refreshes')
    .addColumn('id', 'varchar(36)', (column) => column.primaryKey())
    .addColumn('revision', 'integer', (column) => column.notNull())
    .addColumn('node', 'text', (column) => column.notNull())
    .addColumn('origin', 'varchar(10)', (column) => column.notNull())
    .addColumn('requested_by', 'varchar(200)', (column) => column.notNull())
    .addColumn('outcome', 'varchar(10)', (column) => column.notNull())
    .addColumn('started_at', 'varchar(24)', (column) => column.notNull())
    .addColumn('alive_until', 'varchar(24)', (column) => column.notNull())
    .addColumn('ended_at', 'varchar(24)')
    .addColumn('snapshot_id', 'varchar(40)')
    .addColumn('figures', 'text', (column) => column.notNull())
    .addColumn('findings', 'text')
    .execute()
  await db.schema.createIndex('refreshes_revision').on('refreshes').column('revision').execute()
  await db.schema.createIndex('refreshes_started').on('refreshes').column('started_at').execute()
}
