/** What a script writes as literals, for hosts that look names up before a run. */
import type { Expression, Script } from '../syntax/ast.ts'
import { nodesOf } from './parts.ts'

/**
 * The texts in objects that are the value of a member: `{send: {a: "x", b: n}}` and `request.send = {a: "x"}` have `x` in `send`.
 * The letter case of the member does not matter. What is known only in a run is left out.
 */
export function literalEntries(script: Script, member: string): readonly string[] {
  const key = member.toLowerCase()
  const found: string[] = []
  for (const node of nodesOf(script)) {
    if (node.kind === 'object') {
      for (const { key: name, value } of node.members) {
        if (name.text.toLowerCase() === key) found.push(...textsIn(value))
      }
    } else if (node.kind === 'assign' && node.target.kind === 'property') {
      if (node.target.name.text.toLowerCase() === key) found.push(...textsIn(node.value))
    }
  }
  return found
}

const textsIn = (expression: Expression): readonly string[] =>
  expression.kind === 'object'
    ? expression.members.flatMap(({ value }) =>
        value.kind === 'literal' && typeof value.value === 'string' ? [value.value] : [],
      )
    : []
