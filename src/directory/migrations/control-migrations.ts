/**
 * The steps that build the control store, oldest first; each runs once, all pending ones in one transaction. A published step
 * never changes.
 */
import type { Kysely } from 'kysely'
import { addAccountSeals } from './account-seals.ts'
import { addAccountUsage } from './account-usage.ts'
import { numberChangesByClient } from './client-change-numbers.ts'
import { createDirectoryTables } from './directory-tables.ts'
import type { Migrations } from './migrate.ts'
import { createModuleTables } from './module-tables.ts'
import { createRefreshTables } from './refresh-tables.ts'
import { createScheduleTables } from './schedule-tables.ts'
import { createStateTable } from './state-tables.ts'
import { createWebhookTables } from './webhook-tables.ts'

export const controlMigrations: Migrations = {
  '0001-accounts': {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable('accounts')
        .addColumn('id', 'varchar(36)', (column) => column.primaryKey())
        .addColumn('name', 'varchar(100)', (column) => column.notNull())
        .addColumn('client_number', 'varchar(20)', (column) => column.notNull())
        .addColumn('key_hash', 'varchar(64)', (column) => column.notNull().unique())
        .addColumn('active', 'integer', (column) => column.notNull())
        .addColumn('locked', 'integer', (column) => column.notNull())
        .addColumn('expires_at', 'varchar(24)')
        .addColumn('last_used_at', 'varchar(24)')
        .addColumn('created_at', 'varchar(24)', (column) => column.notNull())
        .addColumn('rotated_at', 'varchar(24)')
        .execute()
      await db.schema
        .createTable('audit')
        .addColumn('id', 'varchar(36)', (column) => column.primaryKey())
        .addColumn('at', 'varchar(24)', (column) => column.notNull())
        .addColumn('actor', 'varchar(200)', (column) => column.notNull())
        .addColumn('action', 'varchar(50)', (column) => column.notNull())
        .addColumn('subject_id', 'varchar(36)', (column) => column.notNull())
        .addColumn('before', 'text')
        .addColumn('after', 'text')
        .execute()
      await db.schema.createIndex('audit_subject').on('audit').columns(['subject_id', 'at']).execute()
    },
  },
  // SQLite adds one column at a time, and no unique one: hence the index, which treats nulls as different.
  '0002-psk': {
    async up(db: Kysely<unknown>) {
      await db.schema.alterTable('accounts').addColumn('psk_hash', 'varchar(64)').execute()
      await db.schema.alterTable('accounts').addColumn('psk_issued_at', 'varchar(24)').execute()
      await db.schema.createIndex('accounts_psk').unique().on('accounts').column('psk_hash').execute()
    },
  },
  '0003-endpoints': {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable('revisions')
        .addColumn('subject', 'varchar(30)', (column) => column.primaryKey())
        .addColumn('revision', 'integer', (column) => column.notNull())
        .execute()
      await db.schema
        .createTable('endpoints')
        .addColumn('id', 'varchar(36)', (column) => column.primaryKey())
        .addColumn('name', 'varchar(100)', (column) => column.notNull())
        .addColumn('name_key', 'varchar(200)', (column) => column.notNull().unique())
        .addColumn('draft', 'text', (column) => column.notNull())
        .addColumn('draft_revision', 'integer', (column) => column.notNull())
        .addColumn('draft_changed_at', 'varchar(24)', (column) => column.notNull())
        .addColumn('draft_changed_by', 'varchar(200)', (column) => column.notNull())
        .addColumn('active', 'integer', (column) => column.notNull())
        .addColumn('version', 'integer')
        .addColumn('method', 'varchar(10)')
        .addColumn('path_key', 'varchar(400)')
        .addColumn('created_at', 'varchar(24)', (column) => column.notNull())
        .execute()
      await db.schema
        .createIndex('endpoints_route')
        .unique()
        .on('endpoints')
        .columns(['method', 'path_key'])
        .execute()
      // Serves the list of reachable endpoints without reading the drafts, which lie in the same rows.
      await db.schema
        .createIndex('endpoints_reachable')
        .on('endpoints')
        .columns(['active', 'path_key', 'method', 'version', 'id'])
        .execute()
      await db.schema
        .createTable('endpoint_versions')
        .addColumn('endpoint_id', 'varchar(36)', (column) =>
          column.notNull().references('endpoints.id').onDelete('cascade'),
        )
        .addColumn('version', 'integer', (column) => column.notNull())
        .addColumn('definition', 'text', (column) => column.notNull())
        .addColumn('published_at', 'varchar(24)', (column) => column.notNull())
        .addColumn('published_by', 'varchar(200)', (column) => column.notNull())
        .addColumn('note', 'varchar(500)')
        .addPrimaryKeyConstraint('endpoint_versions_key', ['endpoint_id', 'version'])
        .execute()
      await db.schema.createIndex('audit_at').on('audit').column('at').execute()
    },
  },
  '0004-directory': {
    async up(db: Kysely<unknown>) {
      await createDirectoryTables(db)
    },
  },
  '0005-deleted-organizations': {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable('deleted_organizations')
        .addColumn('id', 'varchar(36)', (column) => column.primaryKey())
        .addColumn('deleted_at', 'varchar(24)', (column) => column.notNull())
        .addColumn('deleted_by', 'varchar(200)', (column) => column.notNull())
        .addColumn('content', 'text', (column) => column.notNull())
        .execute()
    },
  },
  '0006-key-check': {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable('key_checks')
        .addColumn('purpose', 'varchar(30)', (column) => column.primaryKey())
        .addColumn('sealed', 'blob', (column) => column.notNull())
        .execute()
    },
  },
  '0007-shared-snapshots': {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable('published_snapshots')
        .addColumn('id', 'varchar(40)', (column) => column.primaryKey())
        .addColumn('published_at', 'varchar(24)', (column) => column.notNull())
        .addColumn('manifest_key', 'varchar(200)', (column) => column.notNull())
        .addColumn('manifest_bytes', 'integer', (column) => column.notNull())
        .addColumn('is_current', 'integer', (column) => column.notNull())
        .addColumn('retired_at', 'varchar(24)')
        .execute()
      await db.schema
        .createTable('snapshot_drafts')
        .addColumn('id', 'varchar(40)', (column) => column.primaryKey())
        .addColumn('base_id', 'varchar(40)')
        .addColumn('begun_at', 'varchar(24)', (column) => column.notNull())
        .execute()
    },
  },
  '0009-webhooks': {
    async up(db: Kysely<unknown>) {
      await createWebhookTables(db)
    },
  },
  '0010-schedules': {
    async up(db: Kysely<unknown>) {
      await createScheduleTables(db)
    },
  },
  '0011-script-state': {
    async up(db: Kysely<unknown>) {
      await createStateTable(db)
    },
  },
  '0012-refreshes': {
    async up(db: Kysely<unknown>) {
      await createRefreshTables(db)
    },
  },
  '0013-account-usage': {
    async up(db: Kysely<unknown>) {
      await addAccountUsage(db)
    },
  },
  '0014-modules': {
    async up(db: Kysely<unknown>) {
      await createModuleTables(db)
    },
  },
  '0015-requests-by-minute': {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable('requests_by_minute')
        .addColumn('process_id', 'varchar(36)', (column) => column.notNull())
        .addColumn('minute', 'varchar(24)', (column) => column.notNull())
        .addColumn('families', 'text', (column) => column.notNull())
        .addPrimaryKeyConstraint('requests_by_minute_key', ['minute', 'process_id'])
        .execute()
    },
  },
  '0016-client-change-numbers': {
    async up(db: Kysely<unknown>) {
      await numberChangesByClient(db)
    },
  },
  '0017-account-seals': {
    async up(db: Kysely<unknown>) {
      await addAccountSeals(db)
    },
  },
  '0018-holds': {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable('holds')
        .addColumn('subject', 'varchar(30)', (column) => column.primaryKey())
        .addColumn('held_at', 'varchar(24)')
        .addColumn('held_by', 'varchar(200)')
        .addColumn('reason', 'text')
        .addColumn('resumed_at', 'varchar(24)')
        .execute()
    },
  },
}
