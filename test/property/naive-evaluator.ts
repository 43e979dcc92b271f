/**
 * Computes the answer of version 2 from the rules: evaluates a parsed query record by record over plain JSON. Obviously right
 * rather than fast, and independent of binding, plans and engines, so that agreement with them is evidence.
 */
import type {
  Expr,
  FieldPath,
  Literal,
  Ordering,
  Paging,
  ParsedQuery,
  TextFunction,
} from '../../src/query/ast.ts'
import type { JsonDataset, JsonElement, JsonRecord, JsonScalar } from '../fixtures/json-record.ts'
import {
  fits,
  folded,
  type Kind,
  orderOf,
  orderOfLetterCase,
  orderOfTexts,
  plainLabel,
  textForm,
} from './naive-values.ts'
import { type Collection, kindOfField, recordMembers } from './record-members.ts'

/** To what names can refer: the members of the dataset and the labels configured for the client. */
export type Scope = { readonly dataset: JsonDataset; readonly labels: readonly string[] }

/** Returns the records of the page, and how many there are without paging. Takes the records in the default order. */
export function answerNaively(
  records: readonly JsonRecord[],
  query: ParsedQuery,
  scope: Scope,
): { readonly records: readonly JsonRecord[]; readonly total: number } {
  const { filter, orderBy, paging } = query
  const selected = filter === null ? records : filterNaively(records, filter, scope)
  const sorted = sortNaively(selected, orderBy, scope)
  return { records: paging === null ? sorted : pageNaively(sorted, paging), total: selected.length }
}

export function filterNaively(
  records: readonly JsonRecord[],
  expr: Expr,
  scope: Scope,
): readonly JsonRecord[] {
  return records.filter((record) => holds(expr, (path) => valuesOfRecord(record, path, scope), record, scope))
}

/** A stable sort keeps the default order of equal records. Null is the greatest value. */
export function sortNaively(
  records: readonly JsonRecord[],
  orderBy: readonly Ordering[],
  scope: Scope,
): readonly JsonRecord[] {
  return records.toSorted((a, b) => {
    for (const { field, direction } of orderBy) {
      const order = sortOrder(sortKey(a, field, scope), sortKey(b, field, scope))
      if (order !== 0) return direction === 'asc' ? order : -order
    }
    return 0
  })
}

function pageNaively(records: readonly JsonRecord[], { offset, limit }: Paging): readonly JsonRecord[] {
  return records.slice(offset, offset + limit)
}

/**
 * Why a query is refused although its fields are known: the first literal that does not fit its field, or the first label that
 * the client does not have. Null: it is not refused.
 */
export function refusalOf({ filter, orderBy }: ParsedQuery, scope: Scope): 'literal' | 'label' | null {
  const inFilter = filter === null ? null : refusalOfExpr(filter, scope)
  if (inFilter !== null) return inFilter
  return orderBy.some(({ field }) => isUnknownLabel(field, scope)) ? 'label' : null
}

function refusalOfExpr(expr: Expr, scope: Scope): 'literal' | 'label' | null {
  switch (expr.kind) {
    case 'and':
    case 'or':
      return firstRefusal(expr.operands, scope)
    case 'not':
      return refusalOfExpr(expr.operand, scope)
    case 'quantifier':
      return expr.condition === null ? null : refusalOfExpr(expr.condition, scope)
    case 'match':
      return isUnknownLabel(expr.field, scope) ? 'label' : null
    case 'compare':
    case 'in': {
      if (isUnknownLabel(expr.field, scope)) return 'label'
      const literals = expr.kind === 'in' ? expr.items : [expr.literal]
      const kind = kindOf(expr.field, scope)
      const operator = expr.kind === 'in' ? 'eq' : expr.operator
      return literals.every((literal) => fits(literal, kind, operator)) ? null : 'literal'
    }
  }
}

function firstRefusal(operands: readonly Expr[], scope: Scope): 'literal' | 'label' | null {
  for (const operand of operands) {
    const refusal = refusalOfExpr(operand, scope)
    if (refusal !== null) return refusal
  }
  return null
}

const isLabel = ({ names }: FieldPath): boolean => folded(names[0]?.name ?? '') === 'customdatafields'

const isUnknownLabel = (path: FieldPath, { labels }: Scope): boolean =>
  isLabel(path) && candidatesForLabel(path.names[1]?.name ?? '', labels).length === 0

/** What a path names: a label, or a field of the record or of an element, whose last name determines its type. */
function kindOf(path: FieldPath, { dataset }: Scope): Kind {
  if (isLabel(path)) return 'label'
  const { fields, collections } = recordMembers[dataset]
  const known = new Set([...fields, ...collections.flatMap((each) => each.fields)])
  return kindOfField(required(path.names.at(-1)?.name ?? '', [...known]))
}

/** One value for a field or label of the record; the values of all elements for a path into a collection. */
type ValuesOf = (path: FieldPath) => readonly JsonScalar[]

function holds(expr: Expr, valuesOf: ValuesOf, record: JsonRecord, scope: Scope): boolean {
  switch (expr.kind) {
    case 'and':
      return expr.operands.every((operand) => holds(operand, valuesOf, record, scope))
    case 'or':
      return expr.operands.some((operand) => holds(operand, valuesOf, record, scope))
    case 'not':
      return !holds(expr.operand, valuesOf, record, scope)
    case 'compare':
      return holdsComparison(expr.operator, valuesOf(expr.field), expr.literal, kindOf(expr.field, scope))
    case 'in': {
      const kind = kindOf(expr.field, scope)
      const isIn = valuesOf(expr.field).some((value) => expr.items.some((item) => equals(value, item, kind)))
      return isIn !== expr.negated
    }
    case 'match':
      return valuesOf(expr.field).some((value) => matches(expr.function, value, expr.text))
    case 'quantifier': {
      const { condition } = expr
      const collection = collectionOf(expr.collection, scope)
      const elements = elementsIn(record, collection)
      if (condition === null) return elements.length > 0
      const holdsFor = (element: JsonElement): boolean =>
        holds(condition, (path) => [valueOfElement(element, path, collection)], record, scope)
      return expr.quantifier === 'any' ? elements.some(holdsFor) : elements.every(holdsFor)
    }
  }
}

/** True if any of the values matches; `ne` is exactly not `eq`, so it is true if none is equal. */
function holdsComparison(
  operator: (Expr & { kind: 'compare' })['operator'],
  values: readonly JsonScalar[],
  literal: Literal,
  kind: Kind,
): boolean {
  switch (operator) {
    case 'eq':
      return values.some((value) => equals(value, literal, kind))
    case 'ne':
      return !values.some((value) => equals(value, literal, kind))
    case 'gt':
      return values.some((value) => isOrdered(value, literal, kind, (order) => order > 0, true))
    case 'ge':
      return values.some((value) => isOrdered(value, literal, kind, (order) => order >= 0))
    case 'lt':
      return values.some((value) => isOrdered(value, literal, kind, (order) => order < 0, true))
    case 'le':
      return values.some((value) => isOrdered(value, literal, kind, (order) => order <= 0))
  }
}

function equals(value: JsonScalar, literal: Literal, kind: Kind): boolean {
  if (value === null || literal.kind === 'null') return value === null && literal.kind === 'null'
  return orderOf(value, literal, kind) === 0
}

/** Null is neither above nor below anything, not even null. */
function isOrdered(
  value: JsonScalar,
  literal: Literal,
  kind: Kind,
  accepts: (order: number) => boolean,
  isStrict = false,
): boolean {
  if (value === null || literal.kind === 'null') return false
  const order = orderOf(value, literal, kind)
  if (order === 0 && isStrict) return accepts(orderOfLetterCase(value, literal, kind))
  return order !== undefined && accepts(order)
}

function matches(name: TextFunction, value: JsonScalar, text: string): boolean {
  if (value === null) return false
  const [whole, part] = [folded(textForm(value)), folded(text)]
  switch (name) {
    case 'contains':
      return whole.includes(part)
    case 'startswith':
      return whole.startsWith(part)
    case 'endswith':
      return whole.endsWith(part)
  }
}

function sortKey(record: JsonRecord, path: FieldPath, scope: Scope): JsonScalar {
  const [value, ...more] = valuesOfRecord(record, path, scope)
  if (value === undefined || more.length > 0) throw new Error('A record has no single value to sort by')
  return value
}

/** The values of a column have one type. Dates and times sort like their text. */
function sortOrder(a: JsonScalar, b: JsonScalar): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  if (typeof a === 'string' && typeof b === 'string') return orderOfTexts(a, b)
  return Number(a) - Number(b)
}

/** `field`, `customDataFields.label` or `collection.field`, whose field may also stand alone if no field of the record has its name. */
function valuesOfRecord(record: JsonRecord, path: FieldPath, scope: Scope): readonly JsonScalar[] {
  const { fields, collections } = recordMembers[scope.dataset]
  const [first = '', second, ...more] = path.names.map(({ name }) => name)
  if (more.length > 0) throw new Error(`Path of more than two names: ${first}`)
  if (second === undefined) {
    const name = meant(first, fields)
    if (name !== undefined) return [scalar(record[name])]
    const owner = collections.find((each) => meant(first, each.fields) !== undefined)
    if (owner === undefined) return [scalar(record[required(first, fields)])]
    const field = required(first, owner.fields)
    return elementsIn(record, owner).map((element) => scalar(element[field]))
  }
  const member = required(first, ['customDataFields', ...collections.map((each) => each.name)])
  const collection = collections.find((each) => each.name === member)
  if (collection !== undefined) {
    const field = required(second, collection.fields)
    return elementsIn(record, collection).map((element) => scalar(element[field]))
  }
  const [label, ...others] = candidatesForLabel(second, scope.labels)
  if (label === undefined) throw new Error(`Unknown label '${second}'`)
  if (others.length > 0) throw new Error(`Ambiguous name '${second}'`)
  const captured = record.customDataFields as JsonElement
  return [Object.hasOwn(captured, label) ? scalar(captured[label]) : null]
}

function valueOfElement(element: JsonElement, path: FieldPath, collection: Collection): JsonScalar {
  const [name = '', ...more] = path.names.map((step) => step.name)
  if (more.length > 0) throw new Error(`Element fields have bare names: ${name}`)
  return scalar(element[required(name, collection.fields)])
}

function collectionOf(path: FieldPath, scope: Scope): Collection {
  const { collections } = recordMembers[scope.dataset]
  const [name = ''] = path.names.map((step) => step.name)
  const found = required(
    name,
    collections.map((each) => each.name),
  )
  return collections.find((each) => each.name === found) as Collection
}

const elementsIn = (record: JsonRecord, { name }: Collection): readonly JsonElement[] =>
  elements(record[name])

/** The known name that is exactly as written, or else the only one that differs in letter case. */
function meant(name: string, known: readonly string[]): string | undefined {
  const alike = candidatesFor(name, known)
  if (alike.length > 1) throw new Error(`Ambiguous name '${name}'`)
  return alike[0]
}

/** The known names that a name can mean. A query with more than one candidate is refused. */
function candidatesFor(name: string, known: readonly string[]): readonly string[] {
  if (known.includes(name)) return [name]
  const alike = foldedName(name)
  return known.filter((candidate) => foldedName(candidate) === alike)
}

/** The names of fields and labels are few, and each record looks for them again. */
function foldedName(name: string): string {
  const text = foldedNames.get(name) ?? folded(name)
  foldedNames.set(name, text)
  return text
}

const foldedNames = new Map<string, string>()

/** Like other names; typographic quotes, dashes and blanks count as those of a keyboard if no label matches without that. */
export function candidatesForLabel(name: string, labels: readonly string[]): readonly string[] {
  const alike = candidatesFor(name, labels)
  return alike.length > 0 ? alike : labels.filter((label) => plainLabel(label) === plainLabel(name))
}

function required(name: string, known: readonly string[]): string {
  const found = meant(name, known)
  if (found === undefined) throw new Error(`Unknown name '${name}'`)
  return found
}

function scalar(value: JsonRecord[string] | undefined): JsonScalar {
  if (value === undefined || (typeof value === 'object' && value !== null)) throw new Error('No single value')
  return value
}

function elements(value: JsonRecord[string] | undefined): readonly JsonElement[] {
  if (!Array.isArray(value)) throw new Error('No collection')
  return value
}
