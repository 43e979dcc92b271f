/** Which members of `Data` a script writes and which it reads. */
import type { Expression, Script } from '../syntax/ast.ts'
import { type Node, nodesOf } from './parts.ts'
import { ROOT } from './validation.ts'

type RootUses = {
  readonly writes: readonly { readonly name: string; readonly at: number }[]
  readonly reads: ReadonlySet<string>
  /** Whether members are read whose names are known only in a run. */
  readonly readsAny: boolean
}

export function rootUses(script: Script): RootUses {
  const writes: { name: string; at: number }[] = []
  const written = new Set<Node>()
  const reads = new Set<string>()
  const named = new Set<Node>()
  let readsAny = false
  for (const node of nodesOf(script)) {
    if (node.kind === 'assign' && node.operator === '=') {
      const member = memberOf(node.target)
      if (member === null) continue
      written.add(node.target)
      writes.push(member)
    } else if (node.kind === 'property' || node.kind === 'index') {
      const member = memberOf(node)
      if (member === null) continue
      named.add(node.object)
      if (!written.has(node)) reads.add(member.name)
    } else if (node.kind === 'identifier' && node.name === ROOT && !named.has(node)) readsAny = true
  }
  return { writes, reads, readsAny }
}

/** The member in `Data.name` or `Data["name"]`. */
function memberOf(expression: Expression): { readonly name: string; readonly at: number } | null {
  if (expression.kind === 'property' && isRoot(expression.object)) {
    return { name: expression.name.text, at: expression.name.span.start }
  }
  if (expression.kind !== 'index' || !isRoot(expression.object)) return null
  const { index } = expression
  return index.kind === 'literal' && typeof index.value === 'string'
    ? { name: index.value, at: index.span.start }
    : null
}

const isRoot = (expression: Expression): boolean =>
  expression.kind === 'identifier' && expression.name === ROOT
