/**
 * What is wrong with the target of a request and its Host header (RFC 9112, section 3.2): the header has to be there in
 * HTTP/1.1, once, and name a host. Where there are two, a proxy might take another one than we do.
 */

/** `a.example`, `my_service:8080`, `127.0.0.1:80`, `[::1]:8080` (RFC 3986, section 3.2.2); a port may be empty. */
const HOST = /^(?:\[[0-9a-f:.]+\]|(?:[a-z0-9._~!$&'()*+,;=-]|%[0-9a-f]{2})+)(?::[0-9]*)?$/i

/** `http://a.example/path`, as proxies write it; an empty host is invalid (RFC 9110, section 4.2.1). */
const ABSOLUTE = /^https?:\/\/[^/?]/i

/** Completes the sentence "The request is malformed: ..."; null for a good target, as it was sent. */
export function faultOfTarget(target: string, method: string): string | null {
  if (target.startsWith('/')) return null
  if (target === '*') return method === 'OPTIONS' ? null : 'the address * is for OPTIONS alone'
  return ABSOLUTE.test(target) ? null : 'a whole address has to begin with http:// and a host'
}

/** Completes the same sentence; null for a good header. */
export function faultOfHost(
  host: string | undefined,
  rawHeaders: readonly string[],
  httpVersion: string,
): string | null {
  if (host === undefined) return httpVersion === '1.0' ? null : 'HTTP/1.1 requires a Host header'
  if (hasSeveralHosts(rawHeaders)) return 'there is more than one Host header'
  return HOST.test(host) ? null : 'the Host header names no host'
}

/** Node keeps the first and drops the others. */
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
