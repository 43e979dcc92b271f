/**
 * Warns of comparisons with null in the strict dialect, where null equals nothing, not even null; and of members of `Data`
 * that a script writes but neither the host nor the script reads.
 */

import { closest } from '../../kernel/closest.ts'
import type { ScriptProblem } from '../script-problem.ts'
import type { Dialect, Expression, Script } from '../syntax/ast.ts'
import { nodesOf } from './parts.ts'
import { type ProblemList, problemList, quoted } from './problem-list.ts'
import { rootUses } from './root-uses.ts'
import { ROOT } from './validation.ts'

export type WarningOptions = {
  /** The members of `Data` that the host reads after a run; undefined when it reads all. */
  readonly members?: readonly string[]
}

/** Warnings in text order. In the service dialect null equals null, so comparisons with it are fine. */
export function warnings(
  script: Script,
  dialect: Dialect,
  { members }: WarningOptions = {},
): readonly ScriptProblem[] {
  const found = problemList()
  if (members !== undefined) warnOfUnreadMembers(script, members, found)
  if (dialect === 'strict') warnOfNulls(script, found)
  return found.inTextOrder()
}

function warnOfNulls(script: Script, found: ProblemList): void {
  for (const node of nodesOf(script)) {
    if (found.isFull()) break
    if (node.kind === 'binary' && (node.operator === '==' || node.operator === '!=')) {
      const operand = [node.left, node.right].find(isNull)
      if (operand === undefined) continue
      const [result, test] = node.operator === '==' ? ['false', 'is null'] : ['true', 'is not null']
      const message = `'${node.operator} null' is always ${result} in the strict dialect; write '${test}'`
      found.add('JM0001', operand.span.start, message)
    } else if (node.kind === 'switch') {
      for (const value of node.arms.flatMap(({ values }) => values).filter(isNull)) {
        const message = "'case null' never matches in the strict dialect; test with 'is null' before"
        found.add('JM0002', value.span.start, message)
      }
    }
  }
}

/** A read by a path that is not known before the run, or of `Data` as a whole, may read any member. */
function warnOfUnreadMembers(script: Script, members: readonly string[], found: ProblemList): void {
  const uses = rootUses(script)
  if (uses.readsAny) return
  for (const { name, at } of uses.writes) {
    if (members.includes(name) || uses.reads.has(name)) continue
    const shown = quoted(`${ROOT}.${name}`)
    found.add(
      'JM0003',
      at,
      `${shown} is not part of the response, and nothing reads it${intended(name, members)}`,
    )
  }
}

/** `; did you mean 'Data._payload'?` for `payload`, `_status` for `_statusCode`; else the members that there are. */
function intended(name: string, members: readonly string[]): string {
  const key = name.replace(/^_+/, '').toLowerCase()
  const isBeginning = (member: string) =>
    key.length >= SHORTEST_BEGINNING && member.toLowerCase().startsWith(`_${key}`)
  const nearest = members.find(isBeginning) ?? closest(`_${key}`, members)
  return nearest === undefined
    ? `; the response is made of ${members.map((member) => `${ROOT}.${member}`).join(', ')}`
    : `; did you mean ${quoted(`${ROOT}.${nearest}`)}?`
}

const SHORTEST_BEGINNING = 4

const isNull = (expression: Expression): boolean => expression.kind === 'literal' && expression.value === null
