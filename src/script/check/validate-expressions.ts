/** Checks that the names in expressions are declared. */

import { branchKeyword, isLikeBranchKeyword } from '../syntax/advice.ts'
import type { Expression, Identifier, LambdaExpression, MatchExpression } from '../syntax/ast.ts'
import { keywords } from '../syntax/tokens.ts'
import { expressionParts } from './parts.ts'
import { quoted } from './problem-list.ts'
import { checkArms } from './validate-matches.ts'
import {
  isVisible,
  ROOT,
  refuseRoot,
  type Scope,
  type Steps,
  type Surroundings,
  type Validation,
  visibleNames,
  withNames,
} from './validation.ts'

export function expressionSteps(
  expressions: readonly Expression[],
  around: Surroundings,
  validation: Validation,
): Steps {
  return expressions.map((expression) => () => checkExpression(expression, around, validation))
}

function checkExpression(expression: Expression, around: Surroundings, validation: Validation): Steps {
  switch (expression.kind) {
    case 'literal':
      return []
    case 'identifier':
      checkIdentifier(expression, around, validation)
      return []
    case 'lambda':
      return checkLambda(expression, around, validation)
    case 'match-expression':
      return checkMatch(expression, around, validation)
    default:
      return expressionSteps(expressionParts(expression), around, validation)
  }
}

function checkIdentifier({ name, span }: Identifier, around: Surroundings, validation: Validation): void {
  refuseRoot(name, span, around, validation)
  if (name === ROOT || isVisible(name, around.scope)) return
  const advice = adviceOn(name, around, validation)
  validation.problems.add('JM3100', span.start, `Variable ${quoted(name)} is not declared${advice}`)
}

function adviceOn(name: string, { scope, declaration }: Surroundings, validation: Validation): string {
  if (declaration !== null && isVisible(name, validation.scriptScope)) {
    return `; functions see only their parameters and their own variables`
  }
  if (isLikeBranchKeyword(name)) {
    return `; a further branch is '${branchKeyword(validation.dialect)} condition then'`
  }
  return validation.suggest(name, candidates(scope))
}

/** A misspelled keyword is read as the name of a variable. */
function* candidates(scope: Scope): Generator<string> {
  yield* keywords
  yield* visibleNames(scope)
}

function checkLambda(
  { parameters, body }: LambdaExpression,
  around: Surroundings,
  validation: Validation,
): Steps {
  return expressionSteps([body], withNames(parameters, around, validation), validation)
}

function checkMatch(match: MatchExpression, around: Surroundings, validation: Validation): Steps {
  checkArms(match, validation)
  return [
    ...expressionSteps([match.subject], around, validation),
    ...match.arms.map(
      ({ bindings, value }) =>
        () =>
          expressionSteps([value], withNames(bindings, around, validation), validation),
    ),
  ]
}
