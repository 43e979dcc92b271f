/**
 * Checks the target of a request and its Host header (RFC 9112, section 3.2): HTTP/1.1 requires the header exactly once, and
 * it has to name a host. Of two headers a proxy might use the other one.
 */

/** `a.example`, `my_service:8080`, `127.0.0.1:80`, `[::1]:8080` (RFC 3986, section 3.2.2); a port may be empty. */
const HOST = /^(?:\[[0-9a-f:.]+\]|(?:[a-z0-9._~!$&'()*+,;=-]|%[0-9a-f]{2})+)(?::[0-9]*)?$/i

/** `http://a.example/path`, as proxies write it; an empty host is invalid (RFC 9110, section 4.2.1). */
const ABSOLUTE = /^https?:\/\/[^/?]/i

/** Completes the sentence "The request is malformed: ..."; null for a valid target. The target is the address as it was sent. */
export function faultOfTarget(target: string, method: string): string | null {
  if (target.startsWith('/')) return null
  if (target === '*') return method === 'OPTIONS' ? null : 'the address * is for OPTIONS only'
  return ABSOLUTE.test(target) ? null : 'an absolute address has to begin with http:// or https:// and a host'
}

/** Completes the same sentence; null for a valid header. */
export function faultOfHost(
  host: string | undefined,
  rawHeaders: readonly string[],
  httpVersion: string,
): string | null {
  if (host === undefined) return httpVersion === '1.0' ? null : 'HTTP/1.1 requires a Host header'
  if (hasSeveralHosts(rawHeaders)) return 'there is more than one Host header'
  return HOST.test(host) ? null : 'the Host header does not name a host'
}

/** Read from the raw headers, because node keeps the first one and drops the others. */
function hasSeveralHosts(rawHeaders: readonly string[]): boolean {
  let found = false
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string
    if (name.length !== 4 || name.toLowerCase() !== 'host') continue
    if (found) return true
    found = true
  }
  return false
}
