/**
 * Finds where an expression needs parentheses to parse to the same tree (language reference, 3.2). Removing needless ones is
 * always safe; adding one at the start of a statement is not, because the statement would continue the line before.
 */
import type { BinaryOperator, Expression, MatchExpression } from '../syntax/ast.ts'

export const CONDITIONAL = 1
export const COALESCE = 2
export const NOT = 5
const TYPE_TEST = 6
export const EQUALITY = 7
export const UNARY = 11
export const POSTFIX = 12

const ofOperators: Readonly<Record<BinaryOperator, number>> = {
  '??': COALESCE,
  or: 3,
  and: 4,
  '==': EQUALITY,
  '!=': EQUALITY,
  '<': 8,
  '<=': 8,
  '>': 8,
  '>=': 8,
  '+': 9,
  '-': 9,
  '*': 10,
  '/': 10,
  '%': 10,
}

export function levelOf(expression: Expression): number {
  switch (expression.kind) {
    case 'conditional':
    case 'lambda':
      return CONDITIONAL
    case 'binary':
      return ofOperators[expression.operator]
    case 'unary':
      return expression.operator === 'not' ? NOT : UNARY
    case 'is':
      return TYPE_TEST
    case 'update':
      return expression.prefix ? UNARY : POSTFIX
    case 'literal':
    case 'array':
    case 'object':
    case 'identifier':
    case 'property':
    case 'index':
    case 'call':
    case 'method':
    case 'match-expression':
      return POSTFIX
  }
}

/** Levels of the operands of a binary operator: only `??` associates to the right. */
export const levelsOfOperands = (level: number): { readonly left: number; readonly right: number } =>
  level === COALESCE ? { left: level + 1, right: level } : { left: level, right: level + 1 }

/** `level` is that of the loosest operator allowed in the place; `leading` says that an operator follows. */
export function needsParentheses(expression: Expression, level: number, leading: boolean): boolean {
  if (expression.kind !== 'lambda') return levelOf(expression) < level
  if (level <= CONDITIONAL) return false
  // The body takes all that follows, but after a type test at its end tighter operators apply to the lambda itself.
  return !(leading && level >= TYPE_TEST && endsInTypeTest(expression.body))
}

/** Does not look into another lambda: the operator would belong to that one. */
function endsInTypeTest(expression: Expression): boolean {
  switch (expression.kind) {
    case 'is':
      return true
    case 'conditional':
      return endsInTypeTest(expression.whenFalse)
    case 'binary': {
      const { right } = levelsOfOperands(levelOf(expression))
      return !needsParentheses(expression.right, right, false) && endsInTypeTest(expression.right)
    }
    case 'unary':
      return (
        expression.operator === 'not' &&
        !needsParentheses(expression.operand, NOT, false) &&
        endsInTypeTest(expression.operand)
      )
    default:
      return false
  }
}

/** The match expression at the beginning of this one. At the start of a statement it would be read as a statement. */
export function leadingMatch(expression: Expression): MatchExpression | null {
  let first = expression
  for (;;) {
    const operand = leadingOperand(first)
    if (operand === null) return first.kind === 'match-expression' ? first : null
    if (needsParentheses(operand.expression, operand.level, true)) return null
    first = operand.expression
  }
}

function leadingOperand(expression: Expression): { expression: Expression; level: number } | null {
  switch (expression.kind) {
    case 'conditional':
      return { expression: expression.condition, level: COALESCE }
    case 'binary':
      return { expression: expression.left, level: levelsOfOperands(levelOf(expression)).left }
    case 'is':
      return { expression: expression.operand, level: EQUALITY }
    case 'property':
    case 'index':
      return { expression: expression.object, level: POSTFIX }
    case 'method':
      return { expression: expression.receiver, level: POSTFIX }
    case 'update':
      return expression.prefix ? null : { expression: expression.target, level: POSTFIX }
    default:
      return null
  }
}
