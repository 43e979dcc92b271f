/**
 * Definitions of endpoints as the store keeps them and as the audit trail shows them. Equal definitions have equal texts in
 * any order of their members, so that the database can compare them.
 */
import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { compareCodePoints } from '../../kernel/text.ts'
import { parseEndpointPath, pathKey } from '../../schema/endpoint-path.ts'
import type { EndpointDefinition } from '../../schema/endpoint-shapes.ts'
import { malformedPath } from './problems.ts'

export const definitionText = (definition: EndpointDefinition): string =>
  JSON.stringify(definition, (_, value: unknown) => (isRecord(value) ? inOrder(value) : value))

/** Definitions that were stored before a member existed have its default. */
export const definitionOf = (text: string): EndpointDefinition => ({ ...addedLater, ...JSON.parse(text) })

const addedLater = { record: 'full', maskedFields: [] } as const satisfies Partial<EndpointDefinition>

/** The key of a path, which is unique together with the method. */
export function pathKeyOf(path: string): string {
  const parsed = parseEndpointPath(path)
  if ('fault' in parsed) throw malformedPath(path, parsed.fault)
  return pathKey(parsed.segments)
}

type Members = Readonly<Record<string, unknown>>

/** A script may be a mebibyte long, so the trail holds only its digest; the versions hold the text. */
export const audited = ({ script, ...rest }: EndpointDefinition): Members => ({
  ...rest,
  script: { sha256: createHash('sha256').update(script).digest('hex'), length: script.length },
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
