/** Builds syntax trees, for tests that make queries instead of parsing them. Spans do not affect answers. */
import type { Expr, FieldPath, Literal, Ordering, PathName } from '../../src/query/ast.ts'

const span = { start: 0, end: 0 }

/** Names that a path can hold without quotes, unless they are reserved words. */
const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/
const RESERVED =
  /^(and|or|not|true|false|null|eq|ne|gt|ge|lt|le|in|nin|contains|startswith|endswith|any|all|asc|desc)$/i

export const path = (...names: readonly string[]): FieldPath => ({ names: names.map(pathName), span })

const pathName = (name: string): PathName => ({
  name,
  quoted: !PLAIN_NAME.test(name) || RESERVED.test(name),
  span,
})

export const textLiteral = (value: string): Literal => ({ kind: 'text', value, span })
/** Takes text, because a number literal keeps its digits. */
export const numberLiteral = (text: string): Literal => ({ kind: 'number', text, span })
export const booleanLiteral = (value: boolean): Literal => ({ kind: 'boolean', value, span })
export const nullLiteral: Literal = { kind: 'null', span }

type Of<Kind extends Expr['kind']> = Expr & { readonly kind: Kind }

export const compare = (field: FieldPath, operator: Of<'compare'>['operator'], literal: Literal): Expr => ({
  kind: 'compare',
  operator,
  field,
  literal,
  span,
})

export const isIn = (field: FieldPath, items: readonly Literal[]): Expr => ({
  kind: 'in',
  negated: false,
  field,
  items,
  span,
})

export const isNotIn = (field: FieldPath, items: readonly Literal[]): Expr => ({
  kind: 'in',
  negated: true,
  field,
  items,
  span,
})

export const match = (name: Of<'match'>['function'], field: FieldPath, text: string): Expr => ({
  kind: 'match',
  function: name,
  field,
  text,
  span,
})

export const and = (...operands: readonly Expr[]): Expr => ({ kind: 'and', operands, span })
export const or = (...operands: readonly Expr[]): Expr => ({ kind: 'or', operands, span })
export const not = (operand: Expr): Expr => ({ kind: 'not', operand, span })

export const any = (collection: FieldPath, condition: Expr | null): Expr => ({
  kind: 'quantifier',
  quantifier: 'any',
  collection,
  condition,
  span,
})

export const all = (collection: FieldPath, condition: Expr): Expr => ({
  kind: 'quantifier',
  quantifier: 'all',
  collection,
  condition,
  span,
})

export const ascending = (field: FieldPath): Ordering => ({ field, direction: 'asc' })
export const descending = (field: FieldPath): Ordering => ({ field, direction: 'desc' })
