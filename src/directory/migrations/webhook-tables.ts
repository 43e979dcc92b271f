/** A step of the control store: the tables of outgoing webhooks, and of what changed for which client. */
import type { Kysely } from 'kysely'

export async function createWebhookTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('webhooks')
    .addColumn('id', 'varchar(36)', (column) => column.primaryKey())
    .addColumn('account_id', 'varchar(36)', (column) =>
      column.notNull().references('accounts.id').onDelete('cascade'),
    )
    .addColumn('client_number', 'varchar(20)', (column) => column.notNull())
    .addColumn('url', 'text', (column) => column.notNull())
    .addColumn('description', 'varchar(500)')
    .addColumn('lists', 'text')
    .addColumn('secret', 'blob', (column) => column.notNull())
    .addColumn('old_secret', 'blob')
    .addColumn('old_secret_until', 'varchar(24)')
    .addColumn('active', 'integer', (column) => column.notNull())
    .addColumn('paused_reason', 'text')
    .addColumn('failing_since', 'varchar(24)')
    .addColumn('created_at', 'varchar(24)', (column) => column.notNull())
    .addColumn('created_by', 'varchar(200)', (column) => column.notNull())
    .addColumn('updated_at', 'varchar(24)', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('webhooks_account').on('webhooks').column('account_id').execute()
  await db.schema.createIndex('webhooks_client').on('webhooks').column('client_number').execute()
  await db.schema
    .createTable('data_changes')
    .addColumn('sequence', 'integer', (column) => column.primaryKey())
    .addColumn('client_number', 'varchar(20)', (column) => column.notNull())
    .addColumn('snapshot_id', 'varchar(40)', (column) => column.notNull())
    .addColumn('content', 'text', (column) => column.notNull())
    .addColumn('created_at', 'varchar(24)', (column) => column.notNull())
    .execute()
  await db.schema
    .createIndex('data_changes_client')
    .on('data_changes')
    .columns(['client_number', 'sequence'])
    .execute()
  await db.schema.createIndex('data_changes_created').on('data_changes').column('created_at').execute()
  await db.schema
    .createTable('webhook_deliveries')
    .addColumn('id', 'varchar(40)', (column) => column.primaryKey())
    .addColumn('webhook_id', 'varchar(36)', (column) =>
      column.notNull().references('webhooks.id').onDelete('cascade'),
    )
    .addColumn('state', 'varchar(20)', (column) => column.notNull())
    .addColumn('body', 'text', (column) => column.notNull())
    .addColumn('attempts', 'text', (column) => column.notNull())
    .addColumn('attempt_count', 'integer', (column) => column.notNull())
    .addColumn('next_attempt_at', 'varchar(24)')
    .addColumn('created_at', 'varchar(24)', (column) => column.notNull())
    .execute()
  await db.schema
    .createIndex('webhook_deliveries_webhook')
    .on('webhook_deliveries')
    .columns(['webhook_id', 'created_at', 'id'])
    .execute()
  // Only pending ones have this moment.
  await db.schema
    .createIndex('webhook_deliveries_next')
    .on('webhook_deliveries')
    .column('next_attempt_at')
    .execute()
  await db.schema
    .createTable('event_progress')
    .addColumn('name', 'varchar(30)', (column) => column.primaryKey())
    .addColumn('snapshot_id', 'varchar(40)', (column) => column.notNull())
    .execute()
}
