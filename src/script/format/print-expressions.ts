/**
 * Turns expressions into documents. Lines can break at operators, items and method calls, and a comment at such a place breaks
 * the line there; other comments within an expression wait for the end of the line. Parentheses are printed only where the
 * tree needs them: precedence.ts.
 */
import type {
  BinaryOperation,
  Conditional,
  Expression,
  LambdaExpression,
  MatchArm,
  MatchExpression,
  UnaryOperation,
} from '../syntax/ast.ts'
import { type Doc, group, hardLine, indent, line } from './doc.ts'
import { addClosingComments, addLines, openLines } from './lines.ts'
import {
  COALESCE,
  CONDITIONAL,
  EQUALITY,
  leadingMatch,
  levelOf,
  levelsOfOperands,
  NOT,
  needsParentheses,
  POSTFIX,
  UNARY,
} from './precedence.ts'
import { isBracketed, printArguments } from './print-arguments.ts'
import { inBraces, inBrackets, printExpressions, printList } from './print-list.ts'
import { isPostfix, printPostfix } from './print-postfix.ts'
import {
  breakHere,
  enterParentheses,
  nextToken,
  passParentheses,
  type Source,
  take,
  takeAny,
} from './source.ts'

export const printExpression = (source: Source, expression: Expression): Doc =>
  print(source, expression, null)

/** At the start of a statement, where a leading match expression needs parentheses: it would be read as a statement. */
export const printLeading = (source: Source, expression: Expression): Doc => {
  const enclosed = leadingMatch(expression)
  return printOperand(source, expression, CONDITIONAL, true, enclosed)
}

function print(source: Source, expression: Expression, enclosed: MatchExpression | null): Doc {
  if (isPostfix(expression)) {
    const printBase = (base: Expression) => printOperand(source, base, POSTFIX, true, enclosed)
    return printPostfix(source, expression, printBase, printExpression)
  }
  switch (expression.kind) {
    case 'literal':
      return typeof expression.value === 'number' ? printNumber(source) : takeAny(source)
    case 'identifier':
      return take(source, expression.name)
    case 'array':
      return printExpressions(source, inBrackets, expression.elements, printExpression)
    case 'object':
      return printList(source, inBraces, expression.members, ({ value }) => {
        const key = takeAny(source)
        return [key, take(source, ':'), ' ', printExpression(source, value)]
      })
    case 'call': {
      const callee = take(source, expression.callee.text)
      return [callee, printArguments(source, expression.arguments, printExpression)]
    }
    case 'binary':
      return printBinary(source, expression, enclosed)
    case 'unary':
      return printUnary(source, expression)
    case 'update':
      return [take(source, expression.operator), printOperand(source, expression.target, POSTFIX)]
    case 'is':
      return [
        printOperand(source, expression.operand, EQUALITY, true, enclosed),
        ' ',
        take(source, 'is'),
        ' ',
        expression.negated ? [take(source, 'not'), ' '] : '',
        take(source, expression.type),
      ]
    case 'conditional':
      return printConditional(source, expression, enclosed)
    case 'lambda':
      return printLambda(source, expression)
    case 'match-expression':
      return printMatch(source, expression)
  }
}

/** `leading`: an operator follows. */
function printOperand(
  source: Source,
  operand: Expression,
  level: number,
  leading = false,
  enclosed: MatchExpression | null = null,
): Doc {
  if (operand !== enclosed && !needsParentheses(operand, level, leading))
    return print(source, operand, enclosed)
  const entered = enterParentheses(source, operand.span.start)
  const doc = print(source, operand, null)
  // The parenthesis in the source may close further on than the one that is needed.
  return ['(', doc, entered && nextToken(source).text === ')' ? take(source, ')') : ')']
}

/** A plus sign before a number is a separate token. */
function printNumber(source: Source): Doc {
  passParentheses(source)
  const sign = nextToken(source).text === '+' ? take(source, '+') : ''
  return [sign, takeAny(source)]
}

/** Operators of one level make one group: `a + b - c`, `a ?? b ?? c`. */
function printBinary(source: Source, chain: BinaryOperation, enclosed: MatchExpression | null): Doc {
  const level = levelOf(chain)
  const { left, right } = levelsOfOperands(level)
  const { first, links } = unchained(chain, level)
  const docs = [printOperand(source, first, left, true, enclosed)]
  let commented = false
  const rest = links.map(({ operator, operand }) => {
    const commentsTaken = source.comment
    const sign = take(source, operator)
    const place = breakHere(source, line)
    if (source.comment > commentsTaken) commented = true
    return [' ', sign, place, printOperand(source, operand, right)]
  })
  return group([docs, indent(rest)], commented)
}

type Link = { readonly operator: string; readonly operand: Expression }

function unchained(chain: BinaryOperation, level: number): { first: Expression; links: readonly Link[] } {
  const links: Link[] = []
  const continues = (operand: Expression): operand is BinaryOperation =>
    operand.kind === 'binary' && levelOf(operand) === level
  if (level === COALESCE) {
    let { operator, right } = chain
    for (; continues(right); { operator, right } = right) links.push({ operator, operand: right.left })
    links.push({ operator, operand: right })
    return { first: chain.left, links }
  }
  let first: Expression = chain
  for (; continues(first); first = first.left) links.push({ operator: first.operator, operand: first.right })
  return { first, links: links.reverse() }
}

function printUnary(source: Source, { operator, operand }: UnaryOperation): Doc {
  const sign = take(source, operator)
  if (operator === 'not') return [sign, ' ', printOperand(source, operand, NOT)]
  // Two minus signs that touch would be the operator `--`.
  const beginsWithMinus =
    (operand.kind === 'unary' && operand.operator === '-') ||
    (operand.kind === 'update' && operand.prefix && operand.operator === '--')
  return [sign, beginsWithMinus ? ' ' : '', printOperand(source, operand, UNARY)]
}

function printConditional(source: Source, expression: Conditional, enclosed: MatchExpression | null): Doc {
  const condition = printOperand(source, expression.condition, COALESCE, true, enclosed)
  let commented = false
  const branch = (sign: string, value: Expression): Doc => {
    const commentsTaken = source.comment
    const place = breakHere(source, line)
    if (source.comment > commentsTaken) commented = true
    return [place, take(source, sign), ' ', printExpression(source, value)]
  }
  const branches = [branch('?', expression.whenTrue), branch(':', expression.whenFalse)]
  return group([condition, indent(branches)], commented)
}

function printLambda(source: Source, { parameters, body }: LambdaExpression): Doc {
  const names = parameters.map(({ text }) => text)
  const head = [
    names.length === 1 ? take(source, names[0]!) : printNames(source, names),
    ' ',
    take(source, '=>'),
  ]
  if (isBracketed(body) || body.kind === 'call' || body.kind === 'method') {
    return [head, ' ', printExpression(source, body)]
  }
  return [head, group(indent([breakHere(source, line), printExpression(source, body)]))]
}

/** Parameters of a lambda or bindings of an arm, always on one line. */
function printNames(source: Source, names: readonly string[]): Doc {
  const open = take(source, '(')
  const docs = names.map((name, i) =>
    i === 0 ? take(source, name) : [take(source, ','), ' ', take(source, name)],
  )
  return [open, docs, take(source, ')')]
}

function printMatch(source: Source, { subject, arms }: MatchExpression): Doc {
  const head = [take(source, 'match'), ' ', printExpression(source, subject), ' ', take(source, 'do')]
  const lines = openLines(source)
  addLines(lines, arms, (arm) => [printArmHead(source, arm), ' ', printExpression(source, arm.value)])
  addClosingComments(lines)
  return [head, indent(lines.docs), hardLine, take(source, 'end')]
}

/** `case Sphere(r) then` */
export function printArmHead(source: Source, { variant, bindings }: MatchArm): Doc {
  const head = [take(source, 'case'), ' ', take(source, variant.text)]
  const names = bindings.map(({ text }) => text)
  return [head, names.length > 0 ? printNames(source, names) : '', ' ', take(source, 'then')]
}
