/**
 * A filter as text again. Law: what {@link parseFilter} reads from the text is the tree that was printed, spans aside.
 * Parentheses stand only where the tree would read differently without them.
 */
import type { Expr, FieldPath, Literal, PathName } from '../ast.ts'
import { reservedInFilter } from './keywords.ts'

export function printFilter(expr: Expr): string {
  switch (expr.kind) {
    case 'or':
      return expr.operands.map((operand) => printWithin(operand, ['or'])).join(' or ')
    case 'and':
      return expr.operands.map((operand) => printWithin(operand, ['or', 'and'])).join(' and ')
    case 'not':
      return `not ${printWithin(expr.operand, ['or', 'and'])}`
    case 'compare':
      return `${printPath(expr.field)} ${expr.operator} ${printLiteral(expr.literal)}`
    case 'in':
      return `${printPath(expr.field)} ${expr.negated ? 'nin' : 'in'} (${expr.items.map(printLiteral).join(', ')})`
    case 'match':
      return `${expr.function}(${printPath(expr.field)}, ${printText(expr.text)})`
    case 'quantifier': {
      const condition = expr.condition === null ? '' : `, ${printFilter(expr.condition)}`
      return `${expr.quantifier}(${printPath(expr.collection)}${condition})`
    }
  }
}

/** `looser` are the kinds that would take apart or melt into the surrounding expression. */
function printWithin(operand: Expr, looser: readonly Expr['kind'][]): string {
  const text = printFilter(operand)
  return looser.includes(operand.kind) ? `(${text})` : text
}

function printLiteral(literal: Literal): string {
  switch (literal.kind) {
    case 'text':
      return printText(literal.value)
    case 'number':
      return literal.text
    case 'boolean':
      return String(literal.value)
    case 'null':
      return 'null'
  }
}

function printPath({ names }: FieldPath): string {
  return names.reduce((path, name) => {
    const step = printName(name)
    return path === '' || step.startsWith('[') ? path + step : `${path}.${step}`
  }, '')
}

const PLAIN_NAME = /^[\p{L}_][\p{L}\p{M}\p{N}_]*$/u

/** Names that could not stand alone are put in brackets even where the tree does not say so. */
function printName({ name, quoted }: PathName): string {
  const plain = PLAIN_NAME.test(name) && !reservedInFilter.has(name.toLowerCase())
  return plain && !quoted ? name : `[${printText(name)}]`
}

const printText = (text: string): string => `'${text.replaceAll("'", "''")}'`
