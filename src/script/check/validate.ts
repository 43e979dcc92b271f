/**
 * Checks a script by itself: names are declared, statements are where they may be, declarations and matches are complete.
 * The linker checks calls, the compiler checks the targets of assignments.
 */

import type { ScriptProblem } from '../script-problem.ts'
import type { Dialect, Script } from '../syntax/ast.ts'
import { pushInOrder } from './parts.ts'
import { problemList } from './problem-list.ts'
import { suggester } from './suggestion.ts'
import { unionTable } from './union-table.ts'
import { statementSteps } from './validate-statements.ts'
import { type Step, scopeIn, type Validation } from './validation.ts'

/** All problems in text order, clashing variant names first. */
export function validate(script: Script, dialect: Dialect): readonly ScriptProblem[] {
  const clashes = problemList()
  const validation: Validation = {
    dialect,
    unions: unionTable(script, clashes),
    functions: new Set(),
    scriptScope: scopeIn(null),
    problems: problemList(),
    suggest: suggester(),
  }
  const { scriptScope: scope, problems } = validation
  const toCome: Step[] = []
  pushInOrder(
    toCome,
    statementSteps(script.body, { scope, declaration: null, inLoop: false, inBlock: false }, validation),
  )
  for (let step = toCome.pop(); step !== undefined && !problems.isFull(); step = toCome.pop()) {
    pushInOrder(toCome, step())
  }
  return [...clashes.inTextOrder(), ...problems.inTextOrder()]
}
