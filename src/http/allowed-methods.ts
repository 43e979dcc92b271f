/**
 * Which methods an address answers to, gathered from the routes as they are registered: the difference between "no such
 * address" (404) and "not with this method" (405), and the content of `Allow`.
 */
import type { FastifyInstance, RouteOptions } from 'fastify'
import type { Soon } from '../kernel/soon.ts'

/** The methods of an address in alphabetical order, e.g. `GET, HEAD, OPTIONS`; undefined when no route has it. */
export type AllowedMethods = (address: string) => Soon<string | undefined>

/** Watches registrations, so it has to be called before the first route is added. */
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

/** The path of an address, in the one spelling that routes are compared in. */
export const pathOf = (address: string): string => normalized(decoded(address.split('?', 1)[0] as string))

/** As the router reads it. What cannot be decoded is no address of ours. */
function decoded(path: string): string {
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}

/** Paths ignore case and one slash at the end. */
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
