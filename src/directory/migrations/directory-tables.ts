/** Creates the tables of organizations, persons, facets, secrets and notifications, with their constraints. */
import { type CreateTableBuilder, type Kysely, sql } from 'kysely'

export async function createDirectoryTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('tenant')
    .addColumn('id', 'varchar(36)', (column) => column.primaryKey())
    .addColumn('name', 'varchar(200)', (column) => column.notNull())
    .execute()
  await dated(db.schema.createTable('organizations'))
    .addColumn('id', 'varchar(36)', (column) => column.primaryKey())
    .addColumn('number', 'varchar(50)')
    .addColumn('number_key', 'varchar(100)', (column) => column.unique())
    .addColumn('name', 'varchar(200)', (column) => column.notNull())
    .addColumn('name_key', 'varchar(400)', (column) => column.notNull().unique())
    .addColumn('description', 'varchar(1000)')
    .addColumn('active', 'integer', (column) => column.notNull())
    .addColumn('parent_id', 'varchar(36)', (column) => column.references('organizations.id'))
    .addCheckConstraint('organizations_not_own_parent', sql`parent_id is null or parent_id <> id`)
    .execute()
  await db.schema.createIndex('organizations_parent').on('organizations').column('parent_id').execute()
  await dated(db.schema.createTable('persons'))
    .addColumn('id', 'varchar(36)', (column) => column.primaryKey())
    .addColumn('first_name', 'varchar(100)')
    .addColumn('last_name', 'varchar(100)', (column) => column.notNull())
    .addColumn('middle_name', 'varchar(100)')
    .addColumn('prefix', 'varchar(50)')
    .addColumn('suffix', 'varchar(50)')
    .addColumn('email_address', 'varchar(254)', (column) => column.notNull())
    .addColumn('email_key', 'varchar(508)', (column) => column.notNull())
    .addColumn('user_principal_name', 'varchar(254)')
    .addColumn('active', 'integer', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('persons_email').on('persons').column('email_key').execute()
  await db.schema
    .createTable('person_organizations')
    .addColumn('person_id', 'varchar(36)', (column) =>
      column.notNull().references('persons.id').onDelete('cascade'),
    )
    .addColumn('organization_id', 'varchar(36)', (column) => column.notNull().references('organizations.id'))
    .addColumn('position', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('person_organizations_key', ['person_id', 'organization_id'])
    .execute()
  await db.schema
    .createIndex('person_organizations_organization')
    .on('person_organizations')
    .column('organization_id')
    .execute()
  await dated(db.schema.createTable('facet_definitions'))
    .addColumn('id', 'varchar(36)', (column) => column.primaryKey())
    .addColumn('resource_type', 'varchar(30)', (column) => column.notNull())
    .addColumn('category', 'varchar(100)', (column) => column.notNull())
    .addColumn('name', 'varchar(100)', (column) => column.notNull())
    .addColumn('name_key', 'varchar(200)', (column) => column.notNull())
    .addColumn('description', 'varchar(500)', (column) => column.notNull())
    .addColumn('data_sensitivity', 'varchar(20)', (column) => column.notNull())
    .addColumn('critical', 'integer', (column) => column.notNull())
    .addColumn('allow_free_text', 'integer', (column) => column.notNull())
    .addColumn('allow_multiple', 'integer', (column) => column.notNull())
    .addColumn('choices', 'text', (column) => column.notNull())
    .addColumn('active', 'integer', (column) => column.notNull())
    .addUniqueConstraint('facet_definitions_name', ['resource_type', 'name_key'])
    .execute()
  for (const [table, owner, owners] of [
    ['organization_facets', 'organization_id', 'organizations.id'],
    ['person_facets', 'person_id', 'persons.id'],
  ] as const) {
    await db.schema
      .createTable(table)
      .addColumn(owner, 'varchar(36)', (column) => column.notNull().references(owners).onDelete('cascade'))
      .addColumn('definition_id', 'varchar(36)', (column) =>
        column.notNull().references('facet_definitions.id').onDelete('cascade'),
      )
      .addColumn('chosen', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint(`${table}_key`, [owner, 'definition_id'])
      .execute()
  }
  await dated(db.schema.createTable('secrets'))
    .addColumn('name_key', 'varchar(200)', (column) => column.primaryKey())
    .addColumn('name', 'varchar(100)', (column) => column.notNull())
    .addColumn('sealed', 'blob', (column) => column.notNull())
    .addColumn('description', 'varchar(500)')
    .addColumn('active', 'integer', (column) => column.notNull())
    .addColumn('expires_at', 'varchar(24)')
    .execute()
  await db.schema
    .createTable('notifications')
    .addColumn('id', 'varchar(36)', (column) => column.primaryKey())
    .addColumn('sequence', 'integer', (column) => column.notNull().unique())
    .addColumn('audience', 'varchar(260)')
    .addColumn('title', 'text', (column) => column.notNull())
    .addColumn('message', 'text', (column) => column.notNull())
    .addColumn('type', 'varchar(20)', (column) => column.notNull())
    .addColumn('link', 'text')
    .addColumn('created_at', 'varchar(24)', (column) => column.notNull())
    .addColumn('created_by', 'varchar(200)', (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('notification_reads')
    .addColumn('notification_id', 'varchar(36)', (column) =>
      column.notNull().references('notifications.id').onDelete('cascade'),
    )
    .addColumn('reader', 'varchar(260)', (column) => column.notNull())
    .addColumn('read_at', 'varchar(24)', (column) => column.notNull())
    .addPrimaryKeyConstraint('notification_reads_key', ['notification_id', 'reader'])
    .execute()
}

function dated<Table extends string>(table: CreateTableBuilder<Table>) {
  return table
    .addColumn('created_at', 'varchar(24)', (column) => column.notNull())
    .addColumn('updated_at', 'varchar(24)', (column) => column.notNull())
}
