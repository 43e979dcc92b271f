/**
 * The small mutable part of the service, in one SQLite file that every thread and process opens for itself. Opening
 * brings the tables up to date. Refused: a folder that cannot be written, a file that is no control store, and a store
 * that a newer version has changed.
 */
import { join } from 'node:path'
import { Kysely } from 'kysely'
import type { Tenant } from '../schema/directory-shapes.ts'
import { type Accounts, createAccounts } from './accounts/accounts.ts'
import { type KeyLookup, openKeyLookup } from './accounts/key-lookup.ts'
import { renameTenant, tenantOf } from './accounts/tenant.ts'
import { type Deed, recordDeed } from './audit/audit.ts'
import { type AuditFilter, type AuditPage, listAudit } from './audit/audit-list.ts'
import { copyDirectory, type DirectoryCopy } from './copy-directory.ts'
import { createEndpoints, type Endpoints } from './endpoints/endpoints.ts'
import { openPublishedEndpoints, type PublishedEndpoints } from './endpoints/published-endpoints.ts'
import { createNotifications, type Notifications } from './notifications/notifications.ts'
import { createFacets, type Facets } from './people/facets.ts'
import { createOrganizations, type Organizations } from './people/organizations.ts'
import { createPersons, type Persons } from './people/persons.ts'
import { secretsWithoutKey } from './secrets/problems.ts'
import { createSecrets, type Secrets } from './secrets/secrets.ts'
import type { ControlDatabase } from './sqlite/control-database.ts'
import type { Freshness } from './sqlite/data-version.ts'
import { migrateToLatest } from './sqlite/migrations.ts'
import { nodeSqliteDialect } from './sqlite/node-sqlite-dialect.ts'
import { connect, prepareFile } from './sqlite/sqlite-file.ts'
import { type OnWriting, type WriteWatch, watchWrites } from './sqlite/write-watch.ts'

export type ControlStore = {
  readonly accounts: Accounts & Omit<KeyLookup, 'close'>
  readonly endpoints: Endpoints & Pick<PublishedEndpoints, 'current'>
  readonly organizations: Organizations
  readonly facets: Facets
  readonly persons: Persons
  readonly secrets: Secrets
  readonly notifications: Notifications
  /** Made when somebody first asks for it. */
  readonly tenant: () => Promise<Tenant>
  readonly renameTenant: (name: string, by: string) => Promise<Tenant>
  readonly audit: {
    /** Newest first. */
    readonly list: (filter: AuditFilter) => Promise<AuditPage>
    /** Of what changes nothing in the store itself. */
    readonly note: (deed: Deed) => Promise<void>
  }
  /** What a trial works on. The one who asks for the copy closes it. */
  readonly copyForTrial: () => Promise<DirectoryCopy>
  /** Writes what is still only noted, and lets go of the file. */
  readonly close: () => Promise<void>
}

/** Where the control store of a data folder lies. */
export const controlStorePath = (dataFolder: string): string => join(dataFolder, 'control.db')

type OpenOptions = {
  /** `false` refuses a store that is not there yet, for commands that only make sense on an existing one. */
  readonly create?: boolean
  /** Of lookups. */
  readonly freshness?: Freshness
  /** Told when it can no longer be written, and when it can again. */
  readonly onWriting?: OnWriting | undefined
  /** Asked for when a secret is first sealed or opened; without it neither is possible. */
  readonly secretKey?: (() => Buffer) | undefined
}

export async function openControlStore(
  path: string,
  { create = true, freshness = 'call', onWriting, secretKey = refuseSecrets }: OpenOptions = {},
): Promise<ControlStore> {
  prepareFile(path, { create })
  const watch = watchWrites(onWriting)
  const db = await openDatabase(path, watch)
  const readers: { readonly close: () => void }[] = []
  const close = async () => {
    for (const reader of readers) reader.close()
    await db.destroy()
  }
  try {
    await migrateToLatest(db, path)
    const lookups = await openKeyLookup(path, db, freshness, watch)
    readers.push(lookups)
    const published = await openPublishedEndpoints(path, db, freshness)
    readers.push(published)
    return { ...operationsOn(db, lookups, published, secretKey), close }
  } catch (error) {
    await close()
    throw error
  }
}

const operationsOn = (
  db: Kysely<ControlDatabase>,
  { close: _, ...lookups }: KeyLookup,
  { current }: PublishedEndpoints,
  secretKey: () => Buffer,
): Omit<ControlStore, 'close'> => ({
  accounts: { ...createAccounts(db), ...lookups },
  endpoints: { ...createEndpoints(db), current },
  organizations: createOrganizations(db),
  facets: createFacets(db),
  persons: createPersons(db),
  secrets: createSecrets(db, secretKey),
  notifications: createNotifications(db),
  tenant: () => tenantOf(db),
  renameTenant: (name, by) => renameTenant(db, name, by),
  audit: { list: (filter) => listAudit(db, filter), note: (deed) => recordDeed(db, deed) },
  copyForTrial: () => copyDirectory(db),
})

/** A writer that finds the file locked lets its thread go on and tries again: hence no time-out of SQLite's own. */
async function openDatabase(path: string, watch: WriteWatch): Promise<Kysely<ControlDatabase>> {
  const database = await connect(path, { durability: 'full', timeout: 0 })
  watch.opened(database, path)
  return new Kysely<ControlDatabase>({ dialect: nodeSqliteDialect(database, path, watch) })
}

function refuseSecrets(): never {
  throw secretsWithoutKey()
}
