/**
 * Definitions of endpoints as the store keeps them and as the audit trail shows them. Equal definitions have equal texts in
 * any order of their members, so that the database can compare them.
 */
import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { compareCodePoints } from '../../kernel/text.ts'
import { parseEndpointPath, pathKey } from '../../schema/endpoint-path.ts'
import type { EndpointDefinition, EndpointMethod } from '../../schema/endpoint-shapes.ts'
import { halfRoute } from '../schedules/problems.ts'
import { malformedPath } from './problems.ts'

/**
 * Members that definitions stored by earlier versions of the service lack, with their defaults. No text has such a member with its
 * default, so that the same definition has the same text, whichever version stored it.
 */
const added: Pick<EndpointDefinition, 'allowedHosts' | 'record' | 'maskedFields' | 'schedules'> = {
  allowedHosts: [],
  record: 'full',
  maskedFields: [],
  schedules: [],
}

export const definitionText = (definition: EndpointDefinition): string =>
  JSON.stringify(withoutDefaults(definition), (_, value: unknown) =>
    isRecord(value) ? inOrder(value) : value,
  )

const withoutDefaults = (definition: EndpointDefinition): Members =>
  Object.fromEntries(
    Object.entries(definition).filter(
      ([name, value]) => !(name in added && isDeepStrictEqual(value, added[name as keyof typeof added])),
    ),
  )

export const definitionOf = (text: string): EndpointDefinition => ({ ...added, ...JSON.parse(text) })

export type Route = { readonly method: EndpointMethod; readonly path: string; readonly pathKey: string }

/** Null for a script that only schedules run. @throws Problem DIR330, DIR470 */
export function routeOf({ method, path }: Pick<EndpointDefinition, 'method' | 'path'>): Route | null {
  if (method !== null && path !== null) return { method, path, pathKey: pathKeyOf(path) }
  if (method === null && path === null) return null
  throw halfRoute(method === null ? 'method' : 'path')
}

/** The key of a path, which is unique together with the method. */
export function pathKeyOf(path: string): string {
  const parsed = parseEndpointPath(path)
  if ('fault' in parsed) throw malformedPath(path, parsed.fault)
  return pathKey(parsed.segments)
}

type Members = Readonly<Record<string, unknown>>

export const scriptDigest = (script: string) => ({
  sha256: createHash('sha256').update(script).digest('hex'),
  length: script.length,
})

/** A script may be a mebibyte long, so the trail holds only its digest; the versions hold the text. */
export const audited = ({ script, ...rest }: EndpointDefinition): Members => ({
  ...rest,
  script: scriptDigest(script),
})

/** The members in which the definitions of the two texts differ. */
export function auditedChange(before: string, after: string) {
  const old = audited(definitionOf(before))
  const now = audited(definitionOf(after))
  const changed = Object.keys({ ...now, ...old }).filter((name) => !isDeepStrictEqual(old[name], now[name]))
  const only = (members: Members) => Object.fromEntries(changed.map((name) => [name, members[name]]))
  return { before: only(old), after: only(now) }
}

const isRecord = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const inOrder = (members: Members): Members =>
  Object.fromEntries(Object.entries(members).sort(([a], [b]) => compareCodePoints(a, b)))
