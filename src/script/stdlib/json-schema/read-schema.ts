/**
 * Reads a schema: every keyword of the draft becomes a check, and every schema with a URI or an anchor can be referred to.
 * Refuses malformed keywords. Ignores unknown keywords and the schemas inside them.
 */
import { ScriptFailure } from '../../failure.ts'
import { ScriptObject, type Value } from '../../values/value.ts'
import type { NativeContext } from '../definition.ts'
import type { Reading } from './arguments.ts'
import { type Draft, draftOf } from './draft.ts'
import type { Keyword } from './keyword.ts'
import { arrayKeywords } from './keywords/arrays.ts'
import { combiningKeywords } from './keywords/combining.ts'
import { objectKeywords } from './keywords/objects.ts'
import { scalarKeywords } from './keywords/scalars.ts'
import { type PatternTester, patternTester } from './patterns.ts'
import { absoluteUri, NOWHERE } from './references.ts'
import type { Check, Resource, Schema, SchemaDocument, SchemaNode } from './schema.ts'

/** In the order of faults. The unevaluated keywords need to know what all other keywords have evaluated. */
const keywords: ReadonlyMap<string, Keyword> = new Map(
  [...scalarKeywords, ...arrayKeywords, ...objectKeywords, ...combiningKeywords]
    .sort((a, b) => Number(isUnevaluated(a)) - Number(isUnevaluated(b)))
    .map((keyword) => [keyword.name, keyword]),
)

function isUnevaluated({ name }: Keyword): boolean {
  return name.startsWith('unevaluated')
}

/** The document while it is read: reading continues when a reference leads to a place where no schema was expected. */
type Progress = SchemaDocument & {
  readonly context: NativeContext
  readonly resources: Map<string, Resource>
  readonly testers: Map<string, PatternTester>
  hasUnevaluated: boolean
}

/** @throws ScriptFailure JM5002 for a malformed schema, JM5701 for a pattern that cannot be matched */
export function readSchema(value: ScriptObject, context: NativeContext): SchemaDocument {
  const progress = {
    context,
    resources: new Map(),
    testers: new Map(),
    hasUnevaluated: false,
    read: (inner: Value, resource: Resource) => readInner(progress, inner, resource),
  } as Omit<Progress, 'root'> as Progress
  const resource = newResource(NOWHERE, draftOf(value.get('$schema')), value)
  progress.resources.set(NOWHERE, resource)
  return Object.assign(progress, { root: readInner(progress, value, resource) })
}

const newResource = (uri: string, draft: Draft, root: ScriptObject): Resource => ({
  uri,
  draft,
  root,
  nodes: new Map(),
  anchors: new Map(),
  dynamicAnchors: new Map(),
})

/** @param outer the resource that contains the schema */
function readInner(progress: Progress, value: Value, outer: Resource): Schema {
  if (typeof value === 'boolean') return value
  if (!(value instanceof ScriptObject)) {
    throw new ScriptFailure('JM5002', 'Malformed schema: a schema has to be an object, true or false')
  }
  const known = outer.nodes.get(value)
  if (known !== undefined) return known
  progress.context.work(1 + value.size)
  const checks: Check[] = []
  const node: SchemaNode = { resource: resourceOf(progress, value, outer), checks }
  outer.nodes.set(value, node)
  node.resource.nodes.set(value, node)
  addAnchors(value, node)
  for (const [name, keyword] of keywords) {
    if (!value.has(name) || !exists(keyword, value, node.resource.draft)) continue
    if (isUnevaluated(keyword)) progress.hasUnevaluated = true
    const check = keyword.read(value.get(name), readingOf(progress, name, value, node))
    if (check !== null) checks.push(check)
  }
  return node
}

/** Up to draft 7 a reference replaces all other keywords of its schema. */
const hidesSiblings = (schema: ScriptObject, draft: Draft): boolean => draft <= 7 && schema.has('$ref')

const exists = ({ name, since, until }: Keyword, schema: ScriptObject, draft: Draft): boolean =>
  draft >= since &&
  draft <= until &&
  (!hidesSiblings(schema, draft) || name === '$ref' || name === 'definitions')

const readingOf = (progress: Progress, keyword: string, schema: ScriptObject, node: SchemaNode): Reading => ({
  keyword,
  node,
  draft: node.resource.draft,
  sibling: (name) => (schema.has(name) ? schema.get(name) : undefined),
  schema: (inner) => readInner(progress, inner, node.resource),
  pattern: (text) => testerOf(progress, text),
  work: progress.context.work,
})

function testerOf({ testers, context }: Progress, pattern: string): PatternTester {
  const tester = testers.get(pattern) ?? patternTester(pattern, context)
  testers.set(pattern, tester)
  return tester
}

/** The outer resource, or a new one for a schema with its own URI. */
function resourceOf(progress: Progress, schema: ScriptObject, outer: Resource): Resource {
  const $schema = schema.get('$schema')
  const draft = $schema === null ? outer.draft : draftOf($schema)
  const id = schema.get(draft === 4 ? 'id' : '$id')
  if (typeof id !== 'string' || hidesSiblings(schema, draft)) return outer
  // Up to draft 7 an anchor is written like this.
  if (id.startsWith('#')) return outer
  progress.context.work(Math.ceil((id.length + outer.uri.length) / 10))
  const { uri } = absoluteUri(id, outer.uri)
  const known = progress.resources.get(uri)
  if (known?.root === schema) return known
  const resource = newResource(uri, draft, schema)
  if (known === undefined) progress.resources.set(uri, resource)
  return resource
}

function addAnchors(schema: ScriptObject, node: SchemaNode): void {
  const { anchors, dynamicAnchors, draft } = node.resource
  if (draft < 2019) {
    const id = schema.get(draft === 4 ? 'id' : '$id')
    const fragment = typeof id === 'string' && !hidesSiblings(schema, draft) ? id.split('#')[1] : undefined
    if (fragment) anchors.set(fragment, node)
    return
  }
  const anchor = schema.get('$anchor')
  if (typeof anchor === 'string') anchors.set(anchor, node)
  const dynamicAnchor = schema.get('$dynamicAnchor')
  if (typeof dynamicAnchor !== 'string' || draft < 2020) return
  anchors.set(dynamicAnchor, node)
  dynamicAnchors.set(dynamicAnchor, node)
}
