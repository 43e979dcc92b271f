/** The id of a request in the log: the caller's own id if it is well formed, else a new one. */
import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

const wellFormed = /^[A-Za-z0-9._:-]{1,64}$/

export function requestId({ headers }: { readonly headers: IncomingHttpHeaders }): string {
  const given = headers['x-request-id']
  return typeof given === 'string' && wellFormed.test(given) ? given : randomUUID()
}
