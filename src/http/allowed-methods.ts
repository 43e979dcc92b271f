/**
 * Collects the methods of each address while routes are registered. They decide between 404 (no such address) and 405 (wrong
 * method), and fill the header `Allow`.
 */
import type { FastifyInstance, RouteOptions } from 'fastify'
import type { Soon } from '../kernel/soon.ts'

/** The methods of an address in alphabetical order, e.g. `GET, HEAD, OPTIONS`; undefined when no route matches. */
export type AllowedMethods = (address: string) => Soon<string | undefined>

/** Has to be called before the first route is added: it listens to registrations. */
export function watchRoutes(server: FastifyInstance): AllowedMethods {
  const byPattern = new Map<string, Set<string>>()
  server.addHook('onRoute', ({ url, method }: RouteOptions) => {
    const pattern = normalized(url)
    const methods = byPattern.get(pattern) ?? new Set(['OPTIONS'])
    for (const name of [method].flat()) methods.add(name)
    byPattern.set(pattern, methods)
  })
  return (address) => {
    const path = pathOf(address)
    const found = byPattern.get(path) ?? [...byPattern].find(([pattern]) => covers(pattern, path))?.[1]
    return found && [...found].sort().join(', ')
  }
}

/** The path of an address in the normal form in which routes are compared. */
export const pathOf = (address: string): string => normalized(decoded(address.split('?', 1)[0] as string))

/** Decodes like the router. A path that cannot be decoded stays as it is and matches no route. */
function decoded(path: string): string {
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}

/** Case and one slash at the end do not matter. */
function normalized(path: string): string {
  return path.toLowerCase().replace(/(?<=.)\/$/, '')
}

/** `/a/:id` covers `/a/7`, and `/a/*` covers everything below. */
function covers(pattern: string, path: string): boolean {
  const parts = path.split('/')
  const wanted = pattern.split('/')
  if (wanted.at(-1) === '*' ? parts.length < wanted.length : parts.length !== wanted.length) return false
  return wanted.every(
    (part, i) => part === '*' || part === parts[i] || (part.startsWith(':') && parts[i] !== ''),
  )
}
