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
    if (port !== url.port && port !== portOf(url)) return false
    return name.startsWith('*.') ? host.endsWith(name.slice(1)) && host.length >= name.length : host === name
  })
}

/** Also the usual one of the protocol, which URLs leave out. */
const portOf = ({ port, protocol }: URL): string => port || (protocol === 'https:' ? '443' : '80')

/** @throws Problem OUT114, which says what to add to the list */
export function refuseOtherHost(url: URL, allowed: readonly string[]): void {
  if (isAllowedHost(url, allowed)) return
  const { hostname, port } = url
  throw hostNotAllowed(port === '' ? hostname : `${hostname}:${port}`)
}

/** The name as URLs have it: addresses in their usual form. The port is empty without one. */
function partsOf(entry: string): { readonly name: string; readonly port: string } {
  const [, host = '', port = ''] = /^(\[.*\]|[^:]*)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? []
  const url = host.startsWith('*') ? null : URL.parse(`https://${host}`)
  return { name: url === null ? host.replace(/\.$/, '') : hostOf(url), port }
}
