/**
 * A filter as the builder draws it: groups of rows of field, operator and value. What cannot be drawn stays a part of text, so
 * that nothing is lost. Law: {@link filterOf} of {@link treeOf} of a filter is that filter, except for spans.
 */
import type { ComparisonOperator, Expr, FieldPath, Literal, TextFunction } from '../../../../src/query/ast.ts'
import { defaultQueryLimits } from '../../../../src/query/limits.ts'
import { parseFilter } from '../../../../src/query/odata/parse-filter.ts'
import { printFilter } from '../../../../src/query/odata/print-filter.ts'
import { collectionNamed, type ListName } from '../fields/list-fields.ts'
import { type FieldKind, kindOf } from './filter-fields.ts'

/** `empty` and `filled` are `eq null` and `ne null`. */
export type RowOperator = ComparisonOperator | TextFunction | 'in' | 'nin' | 'empty' | 'filled'

/** Where fields are looked up: in records, or in the elements of a collection. */
export type Scope = { readonly list: ListName; readonly collection: string | undefined }

type Common = {
  /** Names the item while it is edited. */
  readonly id: number
  readonly isNegated: boolean
}

export type Row = Common & {
  readonly kind: 'row'
  /** Null until one was chosen. */
  readonly field: FieldPath | null
  readonly operator: RowOperator
  /** One for comparisons, none for `empty` and `filled`. */
  readonly values: readonly Literal[]
}

export type Group = Common & {
  readonly kind: 'group'
  readonly join: 'and' | 'or'
  readonly items: readonly Item[]
}

/** Any or all elements of a collection satisfy the group. */
export type Elements = Common & {
  readonly kind: 'elements'
  readonly quantifier: 'any' | 'all'
  readonly collection: FieldPath
  readonly group: Group
}

/** A condition as text, with its own negation. */
export type TextPart = Common & { readonly kind: 'text'; readonly text: string }

export type Item = Row | Group | Elements | TextPart

/** Deeper groups stay text: nobody reads rows of rows of rows. */
const DEEPEST = 4

let lastId = 0
const common = (): Common => ({ id: ++lastId, isNegated: false })

export const emptyGroup = (items: readonly Item[] = [], join: 'and' | 'or' = 'and'): Group => ({
  ...common(),
  kind: 'group',
  join,
  items,
})

export const emptyRow = (): Row => ({ ...common(), kind: 'row', field: null, operator: 'eq', values: [] })

export const emptyElements = (collection: string): Elements => ({
  ...common(),
  kind: 'elements',
  quantifier: 'any',
  collection: pathOf(collection),
  group: emptyGroup(),
})

const nowhere = { start: 0, end: 0 }

export const pathOf = (...names: readonly string[]): FieldPath => ({
  names: names.map((name, index) => ({
    name,
    // The second name of a label may be anything.
    quoted: index === 1 && names[0] === 'customDataFields',
    span: nowhere,
  })),
  span: nowhere,
})

export const textLiteral = (value: string): Literal => ({ kind: 'text', value, span: nowhere })
export const numberLiteral = (text: string): Literal => ({ kind: 'number', text, span: nowhere })
export const booleanLiteral = (value: boolean): Literal => ({ kind: 'boolean', value, span: nowhere })

/** @throws QueryProblem with the column when the text is no filter */
export function treeOfText(text: string, list: ListName): Group {
  return text.trim() === '' ? emptyGroup() : treeOf(parseFilter(text, defaultQueryLimits), list)
}

export function treeOf(filter: Expr, list: ListName): Group {
  const item = itemOf(filter, { list, collection: undefined }, 0)
  return item.kind === 'group' && !item.isNegated ? item : emptyGroup([item])
}

function itemOf(expr: Expr, scope: Scope, depth: number): Item {
  switch (expr.kind) {
    case 'and':
    case 'or':
      if (depth >= DEEPEST) return textOf(expr)
      return emptyGroup(
        expr.operands.map((operand) => itemOf(operand, scope, depth + 1)),
        expr.kind,
      )
    case 'not':
      return negated(expr, itemOf(expr.operand, scope, depth), depth)
    case 'quantifier':
      return elementsOf(expr, scope, depth)
    case 'compare':
    case 'in':
    case 'match':
      return rowOf(expr, scope) ?? textOf(expr)
  }
}

const textOf = (expr: Expr): TextPart => ({ ...common(), kind: 'text', text: printFilter(expr) })

function negated(expr: Expr, inner: Item, depth: number): Item {
  if (inner.kind === 'text' || depth >= DEEPEST) return textOf(expr)
  return { ...(inner.isNegated ? emptyGroup([inner]) : inner), isNegated: true }
}

function elementsOf(expr: Expr & { readonly kind: 'quantifier' }, { list }: Scope, depth: number): Item {
  const [name, ...others] = expr.collection.names
  if (name === undefined || others.length > 0 || collectionNamed(list, name.name) === undefined) {
    return textOf(expr)
  }
  const scope = { list, collection: name.name }
  const condition = expr.condition === null ? emptyGroup() : itemOf(expr.condition, scope, depth + 1)
  const group = condition.kind === 'group' && !condition.isNegated ? condition : emptyGroup([condition])
  const { quantifier, collection } = expr
  return { ...common(), kind: 'elements', quantifier, collection, group }
}

type Condition = Expr & { readonly kind: 'compare' | 'in' | 'match' }

/** Undefined for what the inputs of a row would not show as it is. */
function rowOf(expr: Condition, scope: Scope): Row | undefined {
  const kind = kindOf(expr.field, scope)
  if (kind === undefined) return undefined
  const [operator, values] = operation(expr)
  const isComplete = values.length > 0 || operator === 'empty' || operator === 'filled'
  const isDrawable =
    isComplete &&
    operatorsOf(kind).includes(operator) &&
    values.every((value) => isNatural(value, kind)) &&
    !(expr.kind === 'in' && values.some(isEmptyText))
  return isDrawable ? { ...common(), kind: 'row', field: expr.field, operator, values } : undefined
}

function operation(expr: Condition): readonly [RowOperator, readonly Literal[]] {
  switch (expr.kind) {
    case 'compare': {
      const { operator, literal } = expr
      if (literal.kind === 'null' && operator === 'eq') return ['empty', []]
      if (literal.kind === 'null' && operator === 'ne') return ['filled', []]
      return [operator, [literal]]
    }
    case 'in':
      return [expr.negated ? 'nin' : 'in', expr.items]
    case 'match':
      return [expr.function, [textLiteral(expr.text)]]
  }
}

/** The input of several values has no place for it. */
const isEmptyText = (literal: Literal): boolean => literal.kind === 'text' && literal.value === ''

/** Whether the literal is of the kind that the input of the field writes. */
function isNatural(literal: Literal, kind: FieldKind): boolean {
  if (kind === 'boolean') return literal.kind === 'boolean'
  if (kind === 'integer' || kind === 'decimal') return literal.kind === 'number'
  return literal.kind === 'text'
}

const always: readonly RowOperator[] = ['eq', 'ne', 'empty', 'filled']
const ordered: readonly RowOperator[] = ['eq', 'ne', 'gt', 'ge', 'lt', 'le', 'in', 'nin', 'empty', 'filled']
const texts: readonly RowOperator[] = [
  ...(['eq', 'ne', 'contains', 'startswith', 'endswith', 'in', 'nin'] as const),
  ...(['gt', 'ge', 'lt', 'le', 'empty', 'filled'] as const),
]

export function operatorsOf(kind: FieldKind): readonly RowOperator[] {
  if (kind === 'boolean') return always
  return kind === 'text' || kind === 'label' ? texts : ordered
}

/**
 * The filter of a tree; null when there is no complete condition in it.
 *
 * @throws QueryProblem when a part of text is no condition
 */
export function filterOf(item: Item): Expr | null {
  const positive = positiveOf(item)
  if (positive === null || !item.isNegated) return positive
  return { kind: 'not', operand: positive, span: nowhere }
}

export const textOfTree = (tree: Group): string => {
  const filter = filterOf(tree)
  return filter === null ? '' : printFilter(filter)
}

function positiveOf(item: Item): Expr | null {
  switch (item.kind) {
    case 'text':
      return item.text.trim() === '' ? null : parseFilter(item.text, defaultQueryLimits)
    case 'group': {
      const operands = item.items.map(filterOf).filter((operand) => operand !== null)
      const [first, second] = operands
      if (first === undefined || second === undefined) return first ?? null
      return { kind: item.join, operands, span: nowhere }
    }
    case 'elements': {
      const condition = filterOf(item.group)
      const { quantifier, collection } = item
      if (condition === null && quantifier === 'all') return null
      return { kind: 'quantifier', quantifier, collection, condition, span: nowhere }
    }
    case 'row':
      return conditionOf(item)
  }
}

function conditionOf({ field, operator, values }: Row): Expr | null {
  const [value] = values
  if (field === null) return null
  const span = nowhere
  switch (operator) {
    case 'empty':
    case 'filled': {
      const literal = { kind: 'null', span } as const
      return { kind: 'compare', operator: operator === 'empty' ? 'eq' : 'ne', field, literal, span }
    }
    case 'in':
    case 'nin':
      // Without values it would find nothing, or everything, while the first one is being written.
      if (value === undefined) return null
      return { kind: 'in', negated: operator === 'nin', field, items: values, span }
    case 'contains':
    case 'startswith':
    case 'endswith':
      if (value?.kind !== 'text') return null
      return { kind: 'match', function: operator, field, text: value.value, span }
    default:
      return value === undefined ? null : { kind: 'compare', operator, field, literal: value, span }
  }
}
