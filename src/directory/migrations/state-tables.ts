/** A step of the control store: the state that scripts keep from run to run. */
import type { Kysely } from 'kysely'

export async function createStateTable(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('script_state')
    .addColumn('owner_id', 'varchar(36)', (column) => column.notNull())
    .addColumn('key', 'varchar(200)', (column) => column.notNull())
    .addColumn('value', 'text', (column) => column.notNull())
    .addColumn('bytes', 'integer', (column) => column.notNull())
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('updated_at', 'varchar(24)', (column) => column.notNull())
    .addPrimaryKeyConstraint('script_state_key', ['owner_id', 'key'])
    .execute()
}
