/**
 * Binds a filter: names become columns, literals get the type of their column, and derived operators are replaced by their
 * definitions. `ne` is `not eq`, `nin` is `not in`, `all` is `not any not`, and a path through a collection is `any`. The law
 * of design 6.6 holds because there is no second definition. A literal that does not fit its column is refused (design 6.5).
 */

import { fold } from '../../kernel/text.ts'
import type { Expr, FieldPath } from '../ast.ts'
import type { ColumnRef, Comparand, Comparison, Predicate } from '../bound-query.ts'
import { offsetOfLocalTime, quoted, unfitLiteral } from '../problems.ts'
import { comparandFor, localTimeIn, takesOffset, type ValueLiteral } from './comparand.ts'
import { placeOf, resolveCollection, resolveField, type Scope } from './resolve-path.ts'
import { remarkOn, similarLiterals } from './similar-literals.ts'

export function bindFilter(expr: Expr, scope: Scope): Predicate {
  switch (expr.kind) {
    case 'and':
    case 'or':
      return { kind: expr.kind, operands: expr.operands.map((operand) => bindFilter(operand, scope)) }
    case 'not':
      return not(bindFilter(expr.operand, scope))
    case 'compare':
      return bindCompare(expr, scope)
    case 'in':
      return bindIn(expr, scope)
    case 'match':
      return bindMatch(expr, scope)
    case 'quantifier':
      return bindQuantifier(expr, scope)
  }
}

type ExprOf<Kind extends Expr['kind']> = Extract<Expr, { kind: Kind }>

function bindCompare({ operator, field, literal }: ExprOf<'compare'>, scope: Scope): Predicate {
  const comparison = operator === 'ne' ? 'eq' : operator
  const bound = ofField(field, scope, (column) => {
    if (literal.kind === 'null') return comparison === 'eq' ? isNull(column) : never
    if (column === null) return never
    return { kind: 'compare', column, comparison, comparand: fitting(literal, column, scope, comparison) }
  })
  return operator === 'ne' ? not(bound) : bound
}

function bindIn({ negated, field, items }: ExprOf<'in'>, scope: Scope): Predicate {
  const bound = ofField(field, scope, (column) => {
    const orNull = items.some(({ kind }) => kind === 'null')
    if (column === null) return { kind: 'constant', value: orNull }
    const comparands = items.flatMap((item) =>
      item.kind === 'null' ? [] : fitting(item, column, scope, 'eq'),
    )
    return { kind: 'one-of', column, comparands, orNull }
  })
  return negated ? not(bound) : bound
}

function bindMatch({ field, function: name, text }: ExprOf<'match'>, scope: Scope): Predicate {
  return ofField(field, scope, (column) =>
    column === null ? never : { kind: 'match', column, function: name, folded: fold(text) },
  )
}

function bindQuantifier(
  { quantifier, collection, condition }: ExprOf<'quantifier'>,
  scope: Scope,
): Predicate {
  const element = resolveCollection(collection, scope)
  const bound = condition && bindFilter(condition, { ...scope, element })
  if (quantifier === 'any') return { kind: 'any', collection: element.name, condition: bound }
  return not({ kind: 'any', collection: element.name, condition: bound && not(bound) })
}

/**
 * A label takes every literal, but the order of its values and a time with an offset is not known.
 *
 * @throws QueryProblem QRY33x or QRY520 for a literal that no value of the column can be compared with
 */
function fitting(literal: ValueLiteral, column: ColumnRef, scope: Scope, comparison: Comparison): Comparand {
  const comparand = comparandFor(literal, column)
  const field = column.kind === 'field' ? column.name : column.label
  const written = literal.kind === 'number' ? literal.text : String(literal.value)
  const local = localTimeIn(literal, column)
  if (local !== undefined && (comparand === undefined || comparison !== 'eq')) {
    throw offsetOfLocalTime(placeOf(literal, scope), { field, found: written, local })
  }
  if (comparand !== undefined) {
    const isBeyond = comparison === 'gt' || comparison === 'lt'
    return comparand.as === 'text' && isBeyond ? { ...comparand, text: written } : comparand
  }
  const { type } = column
  throw unfitLiteral(placeOf(literal, scope), type, {
    field,
    takesOffset: takesOffset(column),
    found: literal.kind === 'text' ? quoted(written) : quoted(written).slice(1, -1),
    similar: similarLiterals(type, written, takesOffset(column)),
    remark: remarkOn(written, field, type),
  })
}

/** Applies a test to a field; an unknown label that is not refused is tested as null. */
function ofField(field: FieldPath, scope: Scope, test: (column: ColumnRef | null) => Predicate): Predicate {
  const target = resolveField(field, scope)
  switch (target.kind) {
    case 'column':
      return test(target.column)
    case 'null':
      return test(null)
    case 'element':
      return { kind: 'any', collection: target.collection, condition: test(target.column) }
  }
}

const isNull = (column: ColumnRef | null): Predicate =>
  column === null ? { kind: 'constant', value: true } : { kind: 'is-null', column }

const never: Predicate = { kind: 'constant', value: false }

const not = (operand: Predicate): Predicate => ({ kind: 'not', operand })
