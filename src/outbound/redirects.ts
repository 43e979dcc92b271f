/** Where a redirect leads, and what of the request goes there (RFC 9110, section 15.4). */
import type { OutboundAnswer, OutboundRequest } from './send-request.ts'

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/**
 * The request after a redirect; null when the answer is none. Another host gets no credentials.
 *
 * @param isCredential whether the header of this name must not go to another host
 */
export function redirectedRequest(
  request: OutboundRequest,
  { status, headers }: Pick<OutboundAnswer, 'status' | 'headers'>,
  isCredential: (name: string) => boolean,
): OutboundRequest | null {
  const url = REDIRECTS.has(status) && URL.parse(headers.location ?? '', request.url)
  if (!url || headers.location === undefined) return null
  url.hash = ''
  const isElsewhere = url.origin !== new URL(request.url).origin
  const losesBody = status === 303 ? request.method !== 'HEAD' : status <= 302 && request.method === 'POST'
  const kept = Object.entries(request.headers).filter(
    ([name]) => !(isElsewhere && isCredential(name)) && !(losesBody && name.startsWith('content-')),
  )
  return {
    ...request,
    url: url.href,
    headers: Object.fromEntries(kept),
    ...(losesBody ? { method: 'GET', body: null } : {}),
  }
}
