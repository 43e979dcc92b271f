/**
 * Prints a filter as text. Law: {@link parseFilter} turns the text into the same tree, except for spans. Prints parentheses only
 * where the text would parse differently without them.
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

/** Puts an operand of one of the kinds `looser` in parentheses. */
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

/** Names that are not plain words are put in brackets, even if the tree has them unquoted. */
function printName({ name, quoted }: PathName): string {
  const plain = PLAIN_NAME.test(name) && !reservedInFilter.has(name.toLowerCase())
  return plain && !quoted ? name : `[${printText(name)}]`
}

const printText = (text: string): string => `'${text.replaceAll("'", "''")}'`
