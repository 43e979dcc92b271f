/**
 * A copy of organizations, persons and facets in memory, on which a trial of a script can write what it likes. The
 * same operations work on it; its notifications and its trail of changes are empty at first, and it holds no secrets.
 */
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { Kysely } from 'kysely'
import type { AuditRecord } from '../schema/directory-shapes.ts'
import { tenantOf } from './accounts/tenant.ts'
import { auditRecordOf, inOrderOfWriting } from './audit/audit-list.ts'
import { createNotifications, type Notifications } from './notifications/notifications.ts'
import { createFacets, type Facets } from './people/facets.ts'
import { createOrganizations, type Organizations } from './people/organizations.ts'
import { createPersons, type Persons } from './people/persons.ts'
import type { ControlDatabase } from './sqlite/control-database.ts'
import { migrateToLatest } from './sqlite/migrations.ts'
import { nodeSqliteDialect } from './sqlite/node-sqlite-dialect.ts'

export type DirectoryCopy = {
  readonly organizations: Organizations
  readonly facets: Facets
  readonly persons: Persons
  readonly notifications: Notifications
  /** Oldest first. */
  readonly changes: () => Promise<readonly AuditRecord[]>
  readonly close: () => Promise<void>
}

const COPIED = [
  'tenant',
  'organizations',
  'persons',
  'person_organizations',
  'facet_definitions',
  'organization_facets',
  'person_facets',
] as const

const IN_MEMORY = ':memory:'

export async function copyDirectory(source: Kysely<ControlDatabase>): Promise<DirectoryCopy> {
  // Parents come after their children in the rows, hence no watching over references until all are there.
  const database = new DatabaseSync(IN_MEMORY, { enableForeignKeyConstraints: false })
  const db = new Kysely<ControlDatabase>({ dialect: nodeSqliteDialect(database, IN_MEMORY) })
  try {
    await migrateToLatest(db, IN_MEMORY)
    await copyRows(source, database)
    database.exec('pragma foreign_keys = on')
  } catch (error) {
    await db.destroy()
    throw error
  }
  return {
    organizations: createOrganizations(db),
    facets: createFacets(db),
    persons: createPersons(db),
    notifications: createNotifications(db),
    changes: async () => {
      const rows = await db.selectFrom('audit').selectAll().orderBy(inOrderOfWriting).execute()
      return rows.map(auditRecordOf)
    },
    close: () => db.destroy(),
  }
}

/** One transaction, so that all tables are of one moment. */
async function copyRows(source: Kysely<ControlDatabase>, database: DatabaseSync): Promise<void> {
  await source.transaction().execute(async (transaction) => {
    await tenantOf(transaction)
    for (const table of COPIED) {
      insertRows(database, table, await transaction.selectFrom(table).selectAll().execute())
    }
  })
}

function insertRows(database: DatabaseSync, table: string, rows: readonly object[]): void {
  const [first] = rows
  if (first === undefined) return
  const columns = Object.keys(first)
  const names = columns.map((column) => `"${column}"`).join(', ')
  const insert = database.prepare(
    `insert into "${table}" (${names}) values (${columns.map(() => '?').join(', ')})`,
  )
  database.exec('begin')
  for (const row of rows) insert.run(...(Object.values(row) as SQLInputValue[]))
  database.exec('commit')
}
