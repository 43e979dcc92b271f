/** Warns of comparisons with null in the strict dialect, where null equals nothing, not even null. */

import type { ScriptProblem } from '../script-problem.ts'
import type { Dialect, Expression, Script } from '../syntax/ast.ts'
import { nodesOf } from './parts.ts'
import { problemList } from './problem-list.ts'

/** Warnings in text order. There are none in the service dialect, where null equals null. */
export function warnings(script: Script, dialect: Dialect): readonly ScriptProblem[] {
  if (dialect === 'service') return []
  const found = problemList()
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
  return found.inTextOrder()
}

const isNull = (expression: Expression): boolean => expression.kind === 'literal' && expression.value === null
