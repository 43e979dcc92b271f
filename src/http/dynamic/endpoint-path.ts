/** What the address and the method of a call mean for the table of routes. */
import { ENDPOINT_PREFIX } from '../../schema/endpoint-shapes.ts'

export const methodOfRoute = (method: string): string => (method === 'HEAD' ? 'GET' : method)

/** HEAD is answered wherever GET is. */
export const allowHeader = (methods: readonly string[]): string =>
  [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].sort().join(', ')

/** The part of the address after the prefix, as it was sent. */
export function endpointPath(address: string): string {
  const query = address.indexOf('?')
  let start = 0
  for (let segment = 1; segment < PREFIX_SEGMENTS; segment++) start = address.indexOf('/', start) + 1
  return address.slice(start, query < 0 ? undefined : query)
}

/** The prefix is found by its number of segments, because it may be spelled differently. */
const PREFIX_SEGMENTS = ENDPOINT_PREFIX.split('/').length
