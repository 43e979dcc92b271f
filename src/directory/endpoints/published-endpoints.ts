/** Reads what callers can reach: the published versions of active endpoints. */
import type { Kysely, NotNull } from 'kysely'
import type { EndpointDefinition, EndpointMethod } from '../../schema/endpoint-shapes.ts'
import type { ControlTables } from '../control-tables.ts'
import type { LatestState } from '../database.ts'
import { definitionOf } from './text.ts'

/** The published version of an active endpoint that has a route. Its script is read when it runs. */
export type PublishedEndpoint = Omit<
  EndpointDefinition,
  'script' | 'description' | 'schedules' | 'method' | 'path'
> & {
  readonly id: string
  readonly version: number
  readonly method: EndpointMethod
  readonly path: string
}

/** By path, then method. Known versions are not read again: a published version never changes. */
export function prepareReading({
  queries,
  prepare,
}: Pick<LatestState, 'queries' | 'prepare'>): (
  known: readonly PublishedEndpoint[],
) => Promise<readonly PublishedEndpoint[]> {
  const versionOf = prepare(
    queries
      .selectFrom('endpoint_versions')
      .select('definition')
      .where('endpoint_id', '=', '')
      .where('version', '=', 0),
  )
  const readOne = async (id: string, version: number): Promise<PublishedEndpoint | undefined> => {
    const [row] = await versionOf([id, version])
    // Missing when the endpoint was removed meanwhile: the next call reads again.
    if (row === undefined) return undefined
    const { script, description, schedules, method, path, ...rest } = definitionOf(row.definition)
    return method === null || path === null ? undefined : { ...rest, method, path, id, version }
  }
  return async (known) => {
    const knownById = new Map(known.map((endpoint) => [endpoint.id, endpoint]))
    const endpoints: PublishedEndpoint[] = []
    for (const { id, version } of await reachable(queries)) {
      const before = knownById.get(id)
      const endpoint = before?.version === version ? before : await readOne(id, version)
      if (endpoint !== undefined) endpoints.push(endpoint)
    }
    return endpoints
  }
}

const reachable = (db: Kysely<ControlTables>) =>
  db
    .selectFrom('endpoints')
    .select(['id', 'version'])
    .where('active', '=', 1)
    .where('version', 'is not', null)
    .where('path_key', 'is not', null)
    .orderBy('path_key')
    .orderBy('method')
    .$narrowType<{ version: NotNull }>()
    .execute()
