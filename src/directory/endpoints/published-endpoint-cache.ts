/**
 * What callers can reach at this moment, asked for in every request: a cache over the control store, read again only when
 * somebody, in any thread or process, has changed it.
 */
import type { Soon } from '../../kernel/soon.ts'
import type { ControlTables } from '../control-tables.ts'
import type { LatestReads } from '../database.ts'
import { type PublishedEndpoint, prepareReading } from './published-endpoints.ts'

export type PublishedEndpointCache = {
  /** The same array as long as nothing has changed; then synchronous. By path, then method. */
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
    // Before the rows: a change that comes in between is read at once and, at worst, a second time.
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
      /** Unless the store was changed meanwhile, so that another one reads it by now. */
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

/** 0 until the first change. Whoever only uses an account commits as well, and does not raise it. */
function prepareRevision({ queries, prepare }: LatestReads<ControlTables>): () => Promise<number> {
  const ofSubject = prepare(
    queries.selectFrom('revisions').select('revision').where('subject', '=', 'endpoints'),
  )
  return async () => (await ofSubject(['endpoints']))[0]?.revision ?? 0
}
