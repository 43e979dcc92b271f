/** A step of the control store: modules of functions that scripts import, and the modules that a version was published with. */
import type { Kysely } from 'kysely'

export async function createModuleTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('modules')
    .addColumn('id', 'varchar(36)', (column) => column.primaryKey())
    .addColumn('name', 'varchar(60)', (column) => column.notNull().unique())
    .addColumn('description', 'varchar(1000)', (column) => column.notNull())
    .addColumn('draft', 'text', (column) => column.notNull())
    .addColumn('draft_revision', 'integer', (column) => column.notNull())
    .addColumn('draft_changed_at', 'varchar(24)', (column) => column.notNull())
    .addColumn('draft_changed_by', 'varchar(200)', (column) => column.notNull())
    .addColumn('version', 'integer')
    .addColumn('created_at', 'varchar(24)', (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('module_versions')
    .addColumn('module_id', 'varchar(36)', (column) =>
      column.notNull().references('modules.id').onDelete('cascade'),
    )
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('script', 'text', (column) => column.notNull())
    .addColumn('published_at', 'varchar(24)', (column) => column.notNull())
    .addColumn('published_by', 'varchar(200)', (column) => column.notNull())
    .addColumn('note', 'varchar(500)')
    .addPrimaryKeyConstraint('module_versions_key', ['module_id', 'version'])
    .execute()
  await db.schema.alterTable('endpoint_versions').addColumn('modules', 'text').execute()
}
