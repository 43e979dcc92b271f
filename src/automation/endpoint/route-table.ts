/**
 * Finds the endpoint for a method and a path, and the values of the parameters in its path. Segments are compared from left to
 * right. A literal segment wins over a parameter; when no endpoint follows it, the parameter is tried.
 */
import type { PublishedEndpoint } from '../../directory/endpoints/published-endpoints.ts'
import { nullPrototypeObject } from '../../kernel/null-prototype-object.ts'
import { parseEndpointPath } from '../../schema/endpoint-path.ts'

export type RouteMatch =
  | {
      readonly kind: 'found'
      readonly endpoint: PublishedEndpoint
      /** By name, decoded. The object has no prototype, because a parameter may be named like a member of one. */
      readonly params: Readonly<Record<string, string>>
    }
  /** The path exists for other methods only: these, in alphabetical order. */
  | { readonly kind: 'wrong-method'; readonly allowed: readonly string[] }
  | { readonly kind: 'none' }
  /** A segment is not percent-encoded UTF-8. */
  | { readonly kind: 'undecodable' }

export type RouteTable = {
  /** @param path the part after `/api/dynamic/v1/`, as it was sent, without the query */
  readonly match: (method: string, path: string) => RouteMatch
}

const tables = new WeakMap<readonly PublishedEndpoint[], RouteTable>()

/** Builds a table once per array. The store hands out the same array until an endpoint changes. */
export function routeTable(endpoints: readonly PublishedEndpoint[]): RouteTable {
  const known = tables.get(endpoints)
  if (known !== undefined) return known
  const table = compile(endpoints)
  tables.set(endpoints, table)
  return table
}

/** The paths that begin with the same segments. */
type Node = { readonly texts: Map<string, Node>; parameter: Node | null; leaf: Leaf | null }

type Leaf = {
  readonly endpoint: PublishedEndpoint
  /** One per segment; null for literal segments. Endpoints that share a node may name its parameter differently. */
  readonly names: readonly (string | null)[]
}

function compile(endpoints: readonly PublishedEndpoint[]): RouteTable {
  const roots = new Map<string, Node>()
  for (const endpoint of endpoints) {
    const root = roots.get(endpoint.method) ?? newNode()
    roots.set(endpoint.method, root)
    add(root, endpoint)
  }
  return { match: (method, path) => match(roots, method, path) }
}

const newNode = (): Node => ({ texts: new Map(), parameter: null, leaf: null })

function add(root: Node, endpoint: PublishedEndpoint): void {
  const parsed = parseEndpointPath(endpoint.path)
  // Such a path cannot be published. If the store holds one anyway, the other endpoints must still work.
  if ('fault' in parsed) return
  let node = root
  for (const segment of parsed.segments) {
    if (segment.kind === 'parameter') {
      node.parameter ??= newNode()
      node = node.parameter
    } else {
      const text = folded(segment.text)
      const next: Node = node.texts.get(text) ?? newNode()
      node.texts.set(text, next)
      node = next
    }
  }
  const names = parsed.segments.map((segment) => (segment.kind === 'parameter' ? segment.name : null))
  node.leaf ??= { endpoint, names }
}

function match(roots: ReadonlyMap<string, Node>, method: string, path: string): RouteMatch {
  const values = decodedSegments(path)
  if (values === null) return { kind: 'undecodable' }
  const texts = values.map(folded)
  const root = roots.get(method)
  const leaf = root === undefined ? null : descend(root, texts, 0)
  if (leaf !== null) return { kind: 'found', endpoint: leaf.endpoint, params: paramsOf(leaf, values) }
  const allowed = [...roots].filter(([, other]) => descend(other, texts, 0) !== null).map(([name]) => name)
  return allowed.length === 0 ? { kind: 'none' } : { kind: 'wrong-method', allowed: allowed.sort() }
}

/** Visits no node twice, so the time is bounded by the size of the table. */
function descend(node: Node, texts: readonly string[], level: number): Leaf | null {
  const text = texts[level]
  if (text === undefined) return node.leaf
  // Neither a parameter nor a literal segment may be empty.
  if (text === '') return null
  const next = node.texts.get(text)
  const found = next === undefined ? null : descend(next, texts, level + 1)
  if (found !== null) return found
  return node.parameter === null ? null : descend(node.parameter, texts, level + 1)
}

/** Splits before it decodes, because an encoded slash belongs to its segment. */
function decodedSegments(path: string): readonly string[] | null {
  const segments = path.split('/')
  if (segments.length > 1 && segments.at(-1) === '') segments.pop()
  if (!path.includes('%')) return segments
  try {
    return segments.map(decodeURIComponent)
  } catch {
    return null
  }
}

/** Paths of endpoints are ASCII. Folding other letters, such as the Kelvin sign, would make them match ASCII letters. */
const folded = (text: string): string =>
  /[A-Z]/.test(text) ? text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) : text

function paramsOf({ names }: Leaf, values: readonly string[]): Record<string, string> {
  const params = nullPrototypeObject<string>()
  names.forEach((name, i) => {
    if (name !== null) params[name] = values[i] as string
  })
  return params
}
