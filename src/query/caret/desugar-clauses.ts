/**
 * Turns clauses into the syntax tree of the `$filter` with the same meaning. Later stages do not know the special rules of
 * version 1: date-times are compared by their day, and a value has the type of its property. Refuses unknown properties,
 * operators that do not apply to a type, and values that do not fit it. Binding is the next step.
 */
import type { Version1Dataset } from '../../schema/datasets.ts'
import type { Field, FieldType } from '../../schema/field.ts'
import type { ComparisonOperator, Expr, FieldPath, Literal } from '../ast.ts'
import { matchName } from '../match-name.ts'
import type { CaretOperator, Clause, OrderOperator } from './clause.ts'
import { isNull, literalFor, nowhere } from './literal-for.ts'
import { inapplicableOperator, unknownProperty } from './problems.ts'

/**
 * Null where there are no clauses.
 *
 * @param pathOf the path of a property in the tree; by default its own name
 * @throws Problem QRY404 to QRY407, at the first clause that does not fit the records
 */
export function desugarClauses(
  clauses: readonly Clause[],
  dataset: Version1Dataset,
  pathOf: (field: Field) => FieldPath = ownPath,
): Expr | null {
  const conditions = clauses.map((clause) => {
    const field = fieldOf(clause, dataset)
    return desugarClause(clause, { path: pathOf(field), type: field.type })
  })
  const [first] = conditions
  if (first === undefined) return null
  return conditions.length === 1 ? first : { kind: 'and', operands: conditions, span: nowhere }
}

/** The field with this name, exact or in another letter case. Names of nested members are unknown. */
export function fieldNamed(property: string, { fields }: Version1Dataset): Field | undefined {
  const [match] = matchName(
    property,
    fields.map(({ name }) => name),
  )
  return fields.find(({ name }) => name === match)
}

/** @throws Problem QRY405 */
export function fieldOf({ property }: Clause, dataset: Version1Dataset): Field {
  const field = fieldNamed(property, dataset)
  if (field === undefined) throw unknownProperty(property, dataset.typeName)
  return field
}

const ownPath = ({ name }: Field): FieldPath => ({
  names: [{ name, quoted: false, span: nowhere }],
  span: nowhere,
})

/** The field that a clause tests. */
type Target = { readonly path: FieldPath; readonly type: FieldType }

function desugarClause(clause: Clause, target: Target): Expr {
  const { type } = target
  const applicable = operatorsFor[type]
  if (!applicable.includes(clause.operator)) throw inapplicableOperator(clause, type, applicable)
  switch (clause.operator) {
    case 'EQ':
      return equal(target, literalOrNull(clause.value, clause, type))
    case 'NE':
      return opposite(equal(target, literalOrNull(clause.value, clause, type)))
    case 'GT':
    case 'LT':
    case 'GE':
    case 'LE':
      return order(target, clause.operator, literalFor(clause.value, type, clause))
    case 'IN':
      return oneOf(target, literalsOrNull(clause.items, clause, type))
    case 'NI':
      return opposite(oneOf(target, literalsOrNull(clause.items, clause, type)))
    case 'CT':
      return { kind: 'match', function: 'contains', field: target.path, text: clause.value, span: nowhere }
  }
}

const ordered: readonly CaretOperator[] = ['EQ', 'NE', 'GT', 'LT', 'GE', 'LE', 'IN', 'NI']

/** Specification 4.2. */
const operatorsFor: { readonly [Type in FieldType]: readonly CaretOperator[] } = {
  text: ['EQ', 'NE', 'IN', 'NI', 'CT'],
  date: ordered,
  minute: ordered,
  integer: ordered,
  decimal: ordered,
  boolean: ['EQ', 'NE'],
}

/** `null` always means the null value, for every type: the text `null` cannot be searched. */
const literalOrNull = (value: string, clause: Clause, type: FieldType): Literal =>
  isNull(value) ? { kind: 'null', span: nowhere } : literalFor(value, type, clause)

const literalsOrNull = (items: readonly string[], clause: Clause, type: FieldType): readonly Literal[] =>
  items.map((item) => literalOrNull(item, clause, type))

/** `ModifiedDateTime^EQ2026-01-31` is any minute of that day. */
function equal({ path, type }: Target, literal: Literal): Expr {
  if (!isDayOfMinutes(literal, type)) return compare(path, 'eq', literal)
  const operands = [compare(path, 'ge', literal), compare(path, 'le', lastMinuteOf(literal))]
  return { kind: 'and', operands, span: nowhere }
}

function oneOf(target: Target, literals: readonly Literal[]): Expr {
  if (target.type !== 'minute') {
    return { kind: 'in', negated: false, field: target.path, items: literals, span: nowhere }
  }
  const operands = literals.map((literal) => equal(target, literal))
  const [first] = operands
  return first !== undefined && operands.length === 1 ? first : { kind: 'or', operands, span: nowhere }
}

const comparisons: { readonly [Operator in OrderOperator]: ComparisonOperator } = {
  GT: 'gt',
  LT: 'lt',
  GE: 'ge',
  LE: 'le',
}

/** `^GT` and `^LE` compare with the last minute of the day, not with the next day: 9999-12-31 has no next day. */
function order({ path, type }: Target, operator: OrderOperator, literal: Literal): Expr {
  const pastMidnight = (operator === 'GT' || operator === 'LE') && isDayOfMinutes(literal, type)
  return compare(path, comparisons[operator], pastMidnight ? lastMinuteOf(literal) : literal)
}

/** NE is not EQ, and NI is not IN. In `$filter` they are written `ne` and `nin`. */
function opposite(expr: Expr): Expr {
  if (expr.kind === 'compare' && expr.operator === 'eq') return { ...expr, operator: 'ne' }
  if (expr.kind === 'in') return { ...expr, negated: !expr.negated }
  return { kind: 'not', operand: expr, span: nowhere }
}

type Text = Extract<Literal, { readonly kind: 'text' }>

const isDayOfMinutes = (literal: Literal, type: FieldType): literal is Text =>
  type === 'minute' && literal.kind === 'text'

const lastMinuteOf = (day: Text): Text => ({ ...day, value: `${day.value}T23:59` })

const compare = (field: FieldPath, operator: ComparisonOperator, literal: Literal): Expr => ({
  kind: 'compare',
  operator,
  field,
  literal,
  span: nowhere,
})
