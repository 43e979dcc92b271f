/**
 * Prints arguments of calls. A last argument with its own brackets begins on the line of the call, if all before it is simple:
 *
 *     Append(Data.list, {
 *       id: 1
 *     })
 */
import type { Arguments, Expression, NamedArgument } from '../syntax/ast.ts'
import { type Doc, join } from './doc.ts'
import { inParentheses, printExpressions, printList } from './print-list.ts'
import { type Source, take, takeAny } from './source.ts'

type Print = (source: Source, expression: Expression) => Doc

export function printArguments(source: Source, given: Arguments, print: Print): Doc {
  if (given.kind === 'named') {
    return printList(source, inParentheses, given.values, ({ value }: NamedArgument) => {
      const name = takeAny(source)
      return [name, take(source, ':'), ' ', print(source, value)]
    })
  }
  const { values } = given
  if (!goesOnFromLine(source, values)) {
    return printExpressions(source, inParentheses, values, print)
  }
  const open = take(source, '(')
  const docs = values.map((value, i) =>
    i === 0 ? print(source, value) : [take(source, ','), ' ', print(source, value)],
  )
  return [open, join('', docs), take(source, ')')]
}

const MOST_UNITS_BEFORE = 50

function goesOnFromLine(source: Source, values: readonly Expression[]): boolean {
  const last = values.at(-1)
  if (last === undefined) return false
  const inner = last.kind === 'lambda' ? last.body : last
  if (!isBracketed(inner)) return false
  const comment = source.comments[source.comment]
  if (comment !== undefined && comment.span.start < last.span.start) return false
  const units = values.slice(0, -1).reduce((sum, value) => sum + simpleUnits(value), 0)
  return units <= MOST_UNITS_BEFORE
}

/** Whether the expression has its own brackets or words between which lines can be broken. */
export function isBracketed(expression: Expression): boolean {
  if (expression.kind === 'array') return expression.elements.length > 0
  if (expression.kind === 'object') return expression.members.length > 0
  return expression.kind === 'match-expression'
}

/** The width of a name, a path of names or a literal; infinite for any other expression. */
function simpleUnits(expression: Expression): number {
  switch (expression.kind) {
    case 'literal':
      return expression.span.end - expression.span.start
    case 'identifier':
      return expression.name.length
    case 'property':
      return simpleUnits(expression.object) + 1 + expression.name.text.length
    default:
      return Number.POSITIVE_INFINITY
  }
}
