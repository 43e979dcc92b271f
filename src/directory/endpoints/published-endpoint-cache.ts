/**
 * The endpoints that callers can reach, needed in every request: a cache over the control store, read again only after a
 * thread, process or node has changed them.
 */
import { type Soon, whenThere } from '../../kernel/soon.ts'
import type { LatestState } from '../database.ts'
import { type PublishedEndpoint, prepareReading } from './published-endpoints.ts'

export type PublishedEndpointCache = {
  /** By path, then method. While nothing has changed, the same array; synchronously if the database is in this process. */
  readonly current: () => Soon<readonly PublishedEndpoint[]>
}

export function createPublishedEndpointCache(latest: LatestState): PublishedEndpointCache {
  const readEndpoints = prepareReading(latest)
  let lastRead: readonly PublishedEndpoint[] = []
  let current: Soon<readonly PublishedEndpoint[]> | undefined
  let knownRevision: number | undefined

  /** The revision was read before the rows: a change in between is seen now and, at worst, read a second time. */
  const at = (revision: number): Soon<readonly PublishedEndpoint[]> => {
    if (current !== undefined && revision === knownRevision) return current
    const reading = readEndpoints(lastRead)
    /** Does nothing if the endpoints were changed meanwhile and a later read has replaced this one. */
    const settle = (endpoints: readonly PublishedEndpoint[] | undefined) => {
      if (current !== reading) return
      current = endpoints
      if (endpoints !== undefined) lastRead = endpoints
    }
    reading.then(settle, () => settle(undefined))
    current = reading
    knownRevision = revision
    return reading
  }

  return { current: () => whenThere(latest.endpointRevision(), at) }
}
