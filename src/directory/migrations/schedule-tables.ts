/** A step of the control store: the tables of schedules, and of their runs that are asked for or under way. */
import type { Kysely } from 'kysely'

export async function createScheduleTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('schedules')
    .addColumn('endpoint_id', 'varchar(36)', (column) =>
      column.notNull().references('endpoints.id').onDelete('cascade'),
    )
    .addColumn('name', 'varchar(50)', (column) => column.notNull())
    .addColumn('definition', 'text')
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('is_on', 'integer', (column) => column.notNull())
    .addColumn('paused_at', 'varchar(24)')
    .addColumn('paused_by', 'varchar(200)')
    .addColumn('handled_until', 'varchar(24)', (column) => column.notNull())
    .addColumn('last_run', 'text')
    .addColumn('failures', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('schedules_key', ['endpoint_id', 'name'])
    .execute()
  await db.schema
    .createTable('schedule_runs')
    .addColumn('execution_id', 'varchar(36)', (column) => column.primaryKey())
    .addColumn('endpoint_id', 'varchar(36)', (column) =>
      column.notNull().references('endpoints.id').onDelete('cascade'),
    )
    .addColumn('schedule', 'varchar(50)', (column) => column.notNull())
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('due_at', 'varchar(24)', (column) => column.notNull())
    .addColumn('requested_by', 'varchar(200)')
    .addColumn('begun_at', 'varchar(24)')
    .addColumn('alive_until', 'varchar(24)')
    .execute()
  await db.schema
    .createIndex('schedule_runs_schedule')
    .on('schedule_runs')
    .columns(['endpoint_id', 'schedule'])
    .execute()
}
