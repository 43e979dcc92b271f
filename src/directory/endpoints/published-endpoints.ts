/**
 * What callers can reach at this moment, asked for in every request, synchronously; read again only when somebody, in any
 * thread or process, has changed it. Published versions never change, so that each definition is read once.
 */
import type { SQLOutputValue } from 'node:sqlite'
import type { Kysely } from 'kysely'
import type { EndpointDefinition } from '../../schema/endpoint-shapes.ts'
import type { ControlDatabase } from '../sqlite/control-database.ts'
import { type Freshness, openDataVersion, READER_TIMEOUT_MS } from '../sqlite/data-version.ts'
import type { Database } from '../sqlite/open-sqlite.ts'
import { connect, storeProblem } from '../sqlite/sqlite-file.ts'
import { definitionOf } from './text.ts'

/** The published version of an active endpoint. Its script is read where it is run. */
export type PublishedEndpoint = Omit<EndpointDefinition, 'script' | 'description'> & {
  readonly id: string
  readonly version: number
}

export type PublishedEndpoints = {
  /** The same array as long as nothing has changed. By path, then method. */
  readonly current: () => readonly PublishedEndpoint[]
  readonly close: () => void
}

/** Opens a connection of its own, so that changes made through the query builder count as somebody else's. */
export async function openPublishedEndpoints(
  path: string,
  db: Kysely<ControlDatabase>,
  freshness: Freshness,
): Promise<PublishedEndpoints> {
  const database = await connect(path, { durability: 'normal', timeout: READER_TIMEOUT_MS })
  const versionNow = openDataVersion(database, freshness)
  const revisionNow = openRevision(database, db)
  const read = openRead(database, db)
  let knownVersion: SQLOutputValue | undefined
  let knownRevision: SQLOutputValue | undefined
  let endpoints: readonly PublishedEndpoint[] | undefined
  return {
    current: () => {
      try {
        const version = versionNow()
        if (endpoints !== undefined && version === knownVersion) return endpoints
        // Before the rows: a change that comes in between is read at once and, at worst, a second time.
        const revision = revisionNow()
        if (endpoints === undefined || revision !== knownRevision) endpoints = read()
        knownRevision = revision
        knownVersion = version
        return endpoints
      } catch (error) {
        throw storeProblem(path, error)
      }
    },
    close: () => database.close(),
  }
}

/** Undefined until the first change. Whoever only uses an account commits as well, and does not raise it. */
function openRevision(database: Database, db: Kysely<ControlDatabase>): () => SQLOutputValue | undefined {
  const revision = database.prepare(
    db.selectFrom('revisions').select('revision').where('subject', '=', 'endpoints').compile().sql,
  )
  return () => revision.get('endpoints')?.revision
}

function openRead(database: Database, db: Kysely<ControlDatabase>): () => readonly PublishedEndpoint[] {
  const reachable = database.prepare(
    db
      .selectFrom('endpoints')
      .select(['id', 'version'])
      .where('active', '=', 1)
      .where('version', 'is not', null)
      .orderBy('path_key')
      .orderBy('method')
      .compile().sql,
  )
  const versions = db.selectFrom('endpoint_versions').select('definition')
  const definition = database.prepare(
    versions.where('endpoint_id', '=', '').where('version', '=', 0).compile().sql,
  )
  let known: ReadonlyMap<string, PublishedEndpoint> = new Map()

  const readOne = (id: string, version: number): PublishedEndpoint | undefined => {
    const before = known.get(id)
    if (before?.version === version) return before
    // Gone when the endpoint was removed since: the next call reads again.
    const row = definition.get(id, version)
    if (row === undefined) return undefined
    const { script, description, ...rest } = definitionOf(String(row.definition))
    return { ...rest, id, version }
  }
  return () => {
    const rows = reachable.all(1)
    const endpoints = rows
      .map(({ id, version }) => readOne(String(id), Number(version)))
      .filter((endpoint) => endpoint !== undefined)
    known = new Map(endpoints.map((endpoint) => [endpoint.id, endpoint]))
    return endpoints
  }
}
