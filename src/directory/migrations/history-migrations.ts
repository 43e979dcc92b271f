/** The steps that build the history, oldest first. A published step never changes. */
import { type Kysely, sql } from 'kysely'
import { USUAL } from '../history/history-tables.ts'
import type { Migrations } from './migrate.ts'

export const historyMigrations: Migrations = {
  '0001-history': {
    async up(db: Kysely<unknown>) {
      await createExecutions(db)
      await createTotals(db)
      await createNotepads(db)
      await createDeliveries(db)
    },
  },
  '0002-run-search': {
    async up(db: Kysely<unknown>) {
      await addSearch(db)
      await createFigures(db)
      await createReruns(db)
    },
  },
  '0003-live-runs': { up: createLiveQuestions },
}

async function createExecutions(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('executions')
    .addColumn('sequence', 'integer', (column) => column.primaryKey())
    .addColumn('id', 'varchar(36)', (column) => column.notNull().unique())
    .addColumn('type', 'varchar(20)', (column) => column.notNull())
    .addColumn('status', 'varchar(20)', (column) => column.notNull())
    .addColumn('endpoint_id', 'varchar(36)', (column) => column.notNull())
    .addColumn('endpoint_name', 'varchar(100)', (column) => column.notNull())
    .addColumn('category', 'varchar(30)', (column) => column.notNull())
    .addColumn('version', 'integer')
    .addColumn('method', 'varchar(10)', (column) => column.notNull())
    .addColumn('path', 'text', (column) => column.notNull())
    .addColumn('response_status', 'integer', (column) => column.notNull())
    .addColumn('started_at', 'integer', (column) => column.notNull())
    .addColumn('completed_at', 'integer', (column) => column.notNull())
    .addColumn('queued_ms', 'real', (column) => column.notNull())
    .addColumn('execution_ms', 'real', (column) => column.notNull())
    .addColumn('statements', 'integer', (column) => column.notNull())
    .addColumn('loops', 'integer', (column) => column.notNull())
    .addColumn('principal_id', 'text')
    .addColumn('request_id', 'text')
    .addColumn('rerun_of', 'varchar(36)')
    .addColumn('error_message', 'text')
    .addColumn('searched', 'text', (column) => column.notNull())
    .addColumn('bytes', 'integer', (column) => column.notNull())
    .execute()
  // SQLite appends the row key, the sequence, to every index: so these indexes serve the whole order of lists.
  await db.schema.createIndex('executions_started').on('executions').column('started_at').execute()
  await db.schema
    .createIndex('executions_endpoint_id')
    .on('executions')
    .columns(['endpoint_id', 'started_at'])
    .execute()
  // Only rare values are indexed: an index of the usual value would slow down every write and narrow no search.
  for (const [column, usual] of Object.entries(USUAL)) {
    await db.schema
      .createIndex(`executions_${column}`)
      .on('executions')
      .columns([column, 'started_at'])
      .where(sql<boolean>`${sql.ref(column)} <> ${sql.lit(usual)}`)
      .execute()
  }
  await db.schema
    .createTable('execution_details')
    .addColumn('sequence', 'integer', (column) =>
      column.primaryKey().references('executions.sequence').onDelete('cascade'),
    )
    .addColumn('detail', 'text', (column) => column.notNull())
    .execute()
}

async function createTotals(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('endpoint_days')
    .addColumn('endpoint_id', 'varchar(36)', (column) => column.notNull())
    .addColumn('day', 'varchar(10)', (column) => column.notNull())
    .addColumn('endpoint_name', 'varchar(100)', (column) => column.notNull())
    .addColumn('runs', 'integer', (column) => column.notNull())
    .addColumn('succeeded', 'integer', (column) => column.notNull())
    .addColumn('failed', 'integer', (column) => column.notNull())
    .addColumn('cancelled', 'integer', (column) => column.notNull())
    .addColumn('execution_ms', 'real', (column) => column.notNull())
    .addColumn('longest_ms', 'real', (column) => column.notNull())
    .addColumn('statements', 'integer', (column) => column.notNull())
    .addColumn('last_started_at', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('endpoint_days_key', ['endpoint_id', 'day'])
    .execute()
  await db.schema
    .createTable('kept')
    .addColumn('executions', 'integer', (column) => column.notNull())
    .addColumn('bytes', 'integer', (column) => column.notNull())
    .addColumn('sequence', 'integer', (column) => column.notNull())
    .execute()
  await sql`insert into kept (executions, bytes, sequence) values (0, 0, 0)`.execute(db)
}

async function createNotepads(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('notepads')
    .addColumn('sequence', 'integer', (column) => column.primaryKey())
    .addColumn('id', 'varchar(36)', (column) => column.notNull().unique())
    .addColumn('source_id', 'varchar(36)')
    .addColumn('execution_id', 'varchar(36)', (column) => column.notNull())
    .addColumn('created_at', 'integer', (column) => column.notNull())
    .addColumn('created_by', 'text', (column) => column.notNull())
    .addColumn('content', 'text', (column) => column.notNull())
    .addColumn('bytes', 'integer', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('notepads_created').on('notepads').column('created_at').execute()
  for (const column of ['execution_id', 'source_id']) {
    await db.schema.createIndex(`notepads_${column}`).on('notepads').columns([column, 'created_at']).execute()
  }
}

async function createDeliveries(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('deliveries')
    .addColumn('sequence', 'integer', (column) => column.primaryKey())
    .addColumn('endpoint_id', 'varchar(36)', (column) => column.notNull())
    .addColumn('delivery_id', 'text', (column) => column.notNull())
    .addColumn('state', 'varchar(10)', (column) => column.notNull())
    .addColumn('until', 'integer', (column) => column.notNull())
    .addColumn('window_end', 'integer', (column) => column.notNull())
    .addUniqueConstraint('deliveries_key', ['endpoint_id', 'delivery_id'])
    .execute()
  await db.schema.createIndex('deliveries_until').on('deliveries').column('until').execute()
}

async function createLiveQuestions(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('live_nodes')
    .addColumn('node', 'varchar(300)', (column) => column.primaryKey())
    .addColumn('seen_at', 'integer', (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('live_questions')
    .addColumn('id', 'varchar(36)', (column) => column.primaryKey())
    .addColumn('question', 'text', (column) => column.notNull())
    .addColumn('asked_at', 'integer', (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('live_answers')
    .addColumn('question_id', 'varchar(36)', (column) => column.notNull())
    .addColumn('node', 'varchar(300)', (column) => column.notNull())
    .addColumn('answer', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('live_answers_key', ['question_id', 'node'])
    .execute()
}
/**
 * Rows of errors and of callers with a name get indexes, whose newest parts stay in memory. Ids of requests and durations come in
 * no order, and an index of them would double the cost of a record. So the index of starts holds them too, in the order of time:
 * a search through a million of them takes a tenth of a second.
 */
async function addSearch(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('executions')
    .addColumn('request_count', 'integer', (column) => column.notNull().defaultTo(1))
    .execute()
  await db.schema.dropIndex('executions_started').execute()
  await db.schema
    .createIndex('executions_started')
    .on('executions')
    .columns(['started_at', 'sequence', 'execution_ms', 'request_id'])
    .execute()
  await db.schema
    .createIndex('executions_principal_id')
    .on('executions')
    .columns(['principal_id', 'started_at'])
    .where(sql<boolean>`principal_id is not null`)
    .execute()
  await sql`create index executions_response_class on executions ((response_status / 100), started_at)
    where response_status >= 400`.execute(db)
}

/** How many runs an endpoint had in each minute, hour and day, and how long they took. */
async function createFigures(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('endpoint_figures')
    .addColumn('step', 'varchar(10)', (column) => column.notNull())
    .addColumn('at', 'integer', (column) => column.notNull())
    .addColumn('endpoint_id', 'varchar(36)', (column) => column.notNull())
    .addColumn('runs', 'integer', (column) => column.notNull())
    .addColumn('failed', 'integer', (column) => column.notNull())
    .addColumn('cancelled', 'integer', (column) => column.notNull())
    .addColumn('refused', 'integer', (column) => column.notNull())
    .addColumn('durations', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('endpoint_figures_key', ['step', 'at', 'endpoint_id'])
    .execute()
}

async function createReruns(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('rerun_jobs')
    .addColumn('sequence', 'integer', (column) => column.primaryKey())
    .addColumn('id', 'varchar(36)', (column) => column.notNull().unique())
    .addColumn('requested_by', 'text', (column) => column.notNull())
    .addColumn('requested_at', 'integer', (column) => column.notNull())
    .addColumn('request_id', 'text')
    .addColumn('filter', 'text', (column) => column.notNull())
    .addColumn('version', 'varchar(10)', (column) => column.notNull())
    .addColumn('is_open', 'integer', (column) => column.notNull())
    .execute()
  await db.schema
    .createIndex('rerun_jobs_open')
    .on('rerun_jobs')
    .column('sequence')
    .where(sql<boolean>`is_open = 1`)
    .execute()
  await db.schema
    .createTable('rerun_items')
    .addColumn('job_id', 'varchar(36)', (column) =>
      column.notNull().references('rerun_jobs.id').onDelete('cascade'),
    )
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('execution_id', 'varchar(36)', (column) => column.notNull())
    .addColumn('state', 'varchar(20)', (column) => column.notNull())
    .addColumn('rerun_id', 'varchar(36)')
    .addColumn('status', 'varchar(20)')
    .addColumn('problem', 'text')
    .addPrimaryKeyConstraint('rerun_items_key', ['job_id', 'position'])
    .execute()
  await db.schema.createIndex('rerun_items_execution').on('rerun_items').column('execution_id').execute()
}
