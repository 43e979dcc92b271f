/**
 * Copies organizations, persons and facets into memory, so that a trial of a script can change them freely. The same
 * operations work on the copy; its notifications and its trail of changes are empty at first, and it holds no secrets.
 */
import type { AuditRecord } from '../schema/directory-shapes.ts'
import { tenantOf } from './accounts/tenant.ts'
import { auditRecordOf } from './audit/audit-list.ts'
import type { ControlTables } from './control-tables.ts'
import type { ControlDatabase, TableContent } from './database.ts'
import { createNotifications, type Notifications } from './notifications/notifications.ts'
import { createFacets, type Facets } from './people/facets.ts'
import { createOrganizations, type Organizations } from './people/organizations.ts'
import { createPersons, type Persons } from './people/persons.ts'

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

export async function copyDirectory({
  queries,
  scratch,
}: Pick<ControlDatabase, 'queries' | 'scratch'>): Promise<DirectoryCopy> {
  const copy = await scratch(await contentOf(queries))
  return {
    organizations: createOrganizations(copy.queries),
    facets: createFacets(copy.queries),
    persons: createPersons(copy.queries),
    notifications: createNotifications(copy.queries),
    changes: async () => {
      const trail = copy.queries.selectFrom('audit').selectAll()
      const rows = await trail.orderBy(copy.expressions.orderOfWriting).execute()
      return rows.map(auditRecordOf)
    },
    close: copy.close,
  }
}

/** Reads in one transaction, so that all tables show the same moment. */
const contentOf = (queries: ControlDatabase['queries']): Promise<TableContent<ControlTables>> =>
  queries.transaction().execute(async (transaction) => {
    await tenantOf(transaction)
    const content: Record<string, readonly object[]> = {}
    for (const table of COPIED) content[table] = await transaction.selectFrom(table).selectAll().execute()
    return content
  })
