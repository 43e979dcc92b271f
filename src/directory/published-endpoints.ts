/** What callers can reach at this moment, read again only when somebody has changed an endpoint. */
import type { EndpointDefinition } from '../schema/endpoint-shapes.ts'

/** The published version of an active endpoint. Its script is read where it is run. */
export type PublishedEndpoint = Omit<EndpointDefinition, 'script' | 'description'> & {
  readonly id: string
  readonly version: number
}

export type PublishedEndpoints = {
  /** The same array as long as nothing has changed. Asked for in every request, synchronously. */
  readonly current: () => readonly PublishedEndpoint[]
  readonly close: () => void
}
