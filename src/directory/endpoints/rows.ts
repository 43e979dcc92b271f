/** Reads endpoints and their versions from the tables. Refuses unknown ids and versions. */
import type { Kysely } from 'kysely'
import type { Endpoint, PublishedVersion } from '../../schema/endpoint-shapes.ts'
import type { PublishedModule } from '../../schema/module-shapes.ts'
import type { ControlTables, EndpointRow, EndpointVersionRow } from '../control-tables.ts'
import { unknownEndpoint, unknownVersion } from './problems.ts'
import { definitionOf } from './text.ts'

/** An endpoint together with the row of its published version. */
export type StoredEndpoint = Awaited<ReturnType<typeof readStored>>

export async function readStored(db: Kysely<ControlTables>, id: string) {
  const stored = await selectStored(db).where('endpoints.id', '=', id).executeTakeFirst()
  if (stored === undefined) throw unknownEndpoint(id)
  return stored
}

export const readEndpoint = async (db: Kysely<ControlTables>, id: string): Promise<Endpoint> =>
  endpointOf(await readStored(db, id))

/** By name. */
export const readEndpoints = async (db: Kysely<ControlTables>): Promise<readonly Endpoint[]> =>
  (await selectStored(db).orderBy('name_key').execute()).map(endpointOf)

/** Newest first. */
export async function readVersions(
  db: Kysely<ControlTables>,
  id: string,
): Promise<readonly PublishedVersion[]> {
  const versions = db.selectFrom('endpoint_versions').selectAll().where('endpoint_id', '=', id)
  const rows = await versions.orderBy('version', 'desc').execute()
  if (rows.length === 0) await readIdentity(db, id)
  return rows.map(versionOf)
}

export async function readVersion(
  db: Kysely<ControlTables>,
  id: string,
  version: number,
): Promise<PublishedVersion> {
  const versions = db.selectFrom('endpoint_versions').selectAll().where('endpoint_id', '=', id)
  // Databases whose columns have types refuse to compare them with other numbers.
  const isPossible = Number.isSafeInteger(version)
  const row = isPossible ? await versions.where('version', '=', version).executeTakeFirst() : undefined
  if (row !== undefined) return versionOf(row)
  const { name, version: newest } = await readIdentity(db, id)
  throw unknownVersion(name, version, newest)
}

export async function readModules(
  db: Kysely<ControlTables>,
  id: string,
  version: number,
): Promise<readonly PublishedModule[]> {
  const row = await db
    .selectFrom('endpoint_versions')
    .select('modules')
    .where('endpoint_id', '=', id)
    .where('version', '=', version)
    .executeTakeFirst()
  return row?.modules == null ? [] : JSON.parse(row.modules)
}

async function readIdentity(
  db: Kysely<ControlTables>,
  id: string,
): Promise<Pick<EndpointRow, 'name' | 'version'>> {
  const endpoints = db.selectFrom('endpoints').select(['name', 'version'])
  const identity = await endpoints.where('id', '=', id).executeTakeFirst()
  if (identity === undefined) throw unknownEndpoint(id)
  return identity
}

const selectStored = (db: Kysely<ControlTables>) =>
  db
    .selectFrom('endpoints')
    .leftJoin('endpoint_versions as published', (join) =>
      join
        .onRef('published.endpoint_id', '=', 'endpoints.id')
        .onRef('published.version', '=', 'endpoints.version'),
    )
    .select([
      'endpoints.id',
      'endpoints.name',
      'endpoints.draft',
      'endpoints.draft_revision',
      'endpoints.draft_changed_at',
      'endpoints.draft_changed_by',
      'endpoints.active',
      'endpoints.created_at',
      'published.version',
      'published.published_at',
      'published.published_by',
      'published.note',
    ])
    .select((is) =>
      is
        .case()
        .when('endpoints.draft', '=', is.ref('published.definition'))
        .then(0)
        .else(1)
        .end()
        .as('has_unpublished_changes'),
    )

const endpointOf = (row: StoredEndpoint): Endpoint => ({
  id: row.id,
  draft: definitionOf(row.draft),
  draftRevision: row.draft_revision,
  draftChangedAt: row.draft_changed_at,
  draftChangedBy: row.draft_changed_by,
  hasUnpublishedChanges: row.has_unpublished_changes === 1,
  active: row.active === 1,
  published:
    row.version === null || row.published_at === null || row.published_by === null
      ? null
      : {
          version: row.version,
          publishedAt: row.published_at,
          publishedBy: row.published_by,
          note: row.note,
        },
  createdAt: row.created_at,
})

const versionOf = (row: EndpointVersionRow): PublishedVersion => ({
  version: row.version,
  publishedAt: row.published_at,
  publishedBy: row.published_by,
  note: row.note,
  definition: definitionOf(row.definition),
})
