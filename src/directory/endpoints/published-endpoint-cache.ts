/**
 * The endpoints that callers can reach, needed in every request: a cache over the control store, read again only after a
 * thread or process has changed it.
 */
import type { Soon } from '../../kernel/soon.ts'
import type { ControlTables } from '../control-tables.ts'
import type { LatestReads } from '../database.ts'
import { type PublishedEndpoint, prepareReading } from './published-endpoints.ts'

export type PublishedEndpointCache = {
  /** By path, then method. While nothing has changed, the same array, synchronously. */
  readonly current: () => Soon<readonly PublishedEndpoint[]>
}

type Read = { readonly revision: number; readonly endpoints: readonly PublishedEndpoint[] }

export function createPublishedEndpointCache(latest: LatestReads<ControlTables>): PublishedEndpointCache {
  const readRevision = prepareRevision(latest)
  const readEndpoints = prepareReading(latest)
  let lastRead: Read | undefined
  let current: Soon<readonly PublishedEndpoint[]> | undefined
  let knownVersion: unknown

  const read = async (): Promise<readonly PublishedEndpoint[]> => {
    const before = lastRead
    // Read before the rows: a change in between is then seen now and, at worst, read a second time.
    const revision = await readRevision()
    if (revision === before?.revision) return before.endpoints
    const endpoints = await readEndpoints(before?.endpoints ?? [])
    lastRead = { revision, endpoints }
    return endpoints
  }

  return {
    current: () => {
      const version = latest.version()
      if (current !== undefined && version === knownVersion) return current
      const reading = read()
      /** Does nothing if the store was changed meanwhile and a later read has replaced this one. */
      const settle = (endpoints: readonly PublishedEndpoint[] | undefined) => {
        if (current === reading) current = endpoints
      }
      reading.then(settle, () => settle(undefined))
      current = reading
      knownVersion = version
      return reading
    },
  }
}

/** 0 until the first change. Commits that do not concern endpoints, such as account uses, leave it as it is. */
function prepareRevision({ queries, prepare }: LatestReads<ControlTables>): () => Promise<number> {
  const ofSubject = prepare(
    queries.selectFrom('revisions').select('revision').where('subject', '=', 'endpoints'),
  )
  return async () => (await ofSubject(['endpoints']))[0]?.revision ?? 0
}
