/**
 * Resolves references: to a resource by its URI, and inside it by a JSON pointer or the name of an anchor. Only the given
 * document is searched; nothing is fetched.
 */
import { ScriptFailure } from '../../failure.ts'
import { ScriptArray, ScriptObject, type Value } from '../../values/value.ts'
import type { DynamicScope, Resource, Schema, SchemaDocument } from './schema.ts'

/** Base of relative URIs in a schema without its own URI. */
export const NOWHERE = 'schema:///'

/** @throws ScriptFailure JM5002 for a text that is not a URI */
export function absoluteUri(
  reference: string,
  base: string,
): { readonly uri: string; readonly fragment: string } {
  try {
    const url = new URL(reference, base)
    const fragment = decodeURIComponent(url.hash.slice(1))
    url.hash = ''
    return { uri: url.href, fragment }
  } catch {
    throw leadsNowhere(reference)
  }
}

const leadsNowhere = (reference: string): ScriptFailure =>
  new ScriptFailure('JM5002', `The schema refers to ${JSON.stringify(reference)}, which is not part of it`)

type Target = { readonly schema: Schema; readonly resource: Resource; readonly fragment: string }

/** @throws ScriptFailure JM5002 for a reference to something outside the document */
export function resolve(document: SchemaDocument, from: Resource, reference: string): Target {
  const { uri, fragment } = absoluteUri(reference, from.uri)
  const resource = document.resources.get(uri)
  if (resource === undefined) throw leadsNowhere(reference)
  if (fragment === '' || fragment.startsWith('/')) {
    const schema = atPointer(document, resource, fragment)
    if (schema === undefined) throw leadsNowhere(reference)
    return { schema, resource, fragment }
  }
  const schema = resource.anchors.get(fragment)
  if (schema === undefined) throw leadsNowhere(reference)
  return { schema, resource, fragment }
}

/** Pointers may lead to any place, also to one where no keyword expects a schema. */
function atPointer(document: SchemaDocument, start: Resource, pointer: string): Schema | undefined {
  let value: Value | undefined = start.root
  let resource = start
  for (const token of pointer.split('/').slice(1)) {
    value = memberOf(value, token.replaceAll('~1', '/').replaceAll('~0', '~'))
    if (value === undefined) return undefined
    if (value instanceof ScriptObject) resource = resource.nodes.get(value)?.resource ?? resource
  }
  return document.read(value, resource)
}

function memberOf(value: Value, token: string): Value | undefined {
  if (value instanceof ScriptArray)
    return /^(0|[1-9]\d*)$/.test(token) ? value.items[Number(token)] : undefined
  return value instanceof ScriptObject && value.has(token) ? value.get(token) : undefined
}

/**
 * A reference to a dynamic anchor leads to the anchor of that name in the outermost resource entered so far. So a schema that
 * extends another one can replace the targets of its references.
 */
export function resolveDynamically(
  document: SchemaDocument,
  from: Resource,
  reference: string,
  scope: DynamicScope,
): Schema {
  const { schema, resource, fragment } = resolve(document, from, reference)
  if (fragment === '' || resource.dynamicAnchors.get(fragment) !== schema) return schema
  return outermost(scope, (candidate) => candidate.dynamicAnchors.get(fragment)) ?? schema
}

/** The form of draft 2019-09: leads to the outermost root that allows it. */
export function resolveRecursively(document: SchemaDocument, from: Resource, scope: DynamicScope): Schema {
  const root = document.read(from.root, from)
  if (!isRecursive(from)) return root
  return (
    outermost(scope, (candidate) =>
      isRecursive(candidate) ? candidate.nodes.get(candidate.root) : undefined,
    ) ?? root
  )
}

const isRecursive = ({ root }: Resource): boolean => root.get('$recursiveAnchor') === true

function outermost<Found>(
  scope: DynamicScope,
  find: (resource: Resource) => Found | undefined,
): Found | undefined {
  let found: Found | undefined
  for (let step = scope; step !== null; step = step.outer) found = find(step.resource) ?? found
  return found
}
