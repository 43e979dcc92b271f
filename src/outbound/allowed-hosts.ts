/**
 * The hosts to which an endpoint may send requests, as its definition lists them: `erp.example.com`, `*.example.com` for every
 * name below it, each with an optional port. Without a port, only the usual port of the protocol is allowed.
 */
import { hostNotAllowed } from './problems.ts'
import { hostOf } from './target.ts'

/**
 * Whether the list has the host and the port of the URL. Letter case does not matter; `*.example.com` does not have
 * `example.com` itself.
 */
export function isAllowedHost(url: URL, allowed: readonly string[]): boolean {
  const host = hostOf(url)
  return allowed.some((entry) => {
    const { name, port } = partsOf(entry)
    if (port !== url.port) return false
    return name.startsWith('*.') ? host.endsWith(name.slice(1)) && host.length >= name.length : host === name
  })
}

/** @throws Problem OUT114, which says what to add to the list */
export function refuseOtherHost(url: URL, allowed: readonly string[]): void {
  if (isAllowedHost(url, allowed)) return
  const { hostname, port } = url
  throw hostNotAllowed(port === '' ? hostname : `${hostname}:${port}`)
}

/** The port is empty without one, as in a URL whose port is the usual one of its protocol. */
function partsOf(entry: string): { readonly name: string; readonly port: string } {
  const [, v6, other = '', port = ''] = /^(?:\[(.*)\]|([^:]*))(?::(\d+))?$/.exec(entry.toLowerCase()) ?? []
  return { name: (v6 ?? other).replace(/\.$/, ''), port }
}
