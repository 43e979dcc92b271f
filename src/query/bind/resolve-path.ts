/**
 * Looks up the names of a path among the fields of a dataset, its additional fields included, and the custom labels of the
 * client. Refuses unknown names at their column. A bare name that is no field of the record but one of its elements means any
 * element (design 6.4). A label with the name of a field is written `customDataFields['...']`.
 */
import { closest } from '../../kernel/closest.ts'
import type { Span } from '../../kernel/span.ts'
import {
  type CollectionName,
  type Dataset,
  datasets,
  type NestedCollection,
  namedFields,
  searchedCollections,
} from '../../schema/datasets.ts'
import type { Field } from '../../schema/field.ts'
import type { FieldPath, PathName } from '../ast.ts'
import type { ColumnRef } from '../bound-query.ts'
import { matchLabel, similarLabels } from '../match-label.ts'
import { matchName } from '../match-name.ts'
import {
  ambiguousName,
  foreignCollection,
  foreignField,
  incompletePath,
  notACollection,
  type Place,
  partOfValue,
  pathTooLong,
  qualifiedElementField,
  unknownField,
  unknownLabel,
} from '../problems.ts'

/** What a label that the client does not have does: it is refused, or it is null in every record. */
export type UnknownLabels = 'refuse' | 'null'

/** The names that a path may use, and the text that problems point into. */
export type Scope = {
  readonly dataset: Dataset
  readonly labels: readonly string[]
  readonly unknownLabels: UnknownLabels
  /** Given inside `any` and `all`, where fields of the element are written without their collection. */
  readonly element: NestedCollection | null
  readonly parameter: '$filter' | '$orderby' | '$select' | '$apply'
  readonly input: string | undefined
}

export type Target =
  | { readonly kind: 'column'; readonly column: ColumnRef }
  /** A field of the elements of a collection; a condition on it applies to any element. */
  | { readonly kind: 'element'; readonly collection: CollectionName; readonly column: FieldColumn }
  /** A label that the client does not have, where unknown labels are null in every record. */
  | { readonly kind: 'null' }

type FieldColumn = Extract<ColumnRef, { kind: 'field' }>

export const CUSTOM = 'customDataFields'

export function resolveField({ names }: FieldPath, scope: Scope): Target {
  const [first, second, third] = names
  if (first === undefined) throw new RangeError('A parser made a path without names')
  if (scope.element !== null) return resolveWithinElement(first, second, scope.element, scope)
  const collections = collectionsOf(scope.dataset)
  const topLevel = topLevelNames(scope.dataset)
  if (matchName(first.name, topLevel).length === 0) {
    const owner = collections.find((collection) => hasField(collection, first))
    if (owner !== undefined) return resolveElementField(first, second, owner, scope)
  }
  const name = lookUp(first, topLevel, scope, () => unknownTopLevelName(first, scope))
  if (name === CUSTOM) return resolveLabel(first, second, third, scope)
  const collection = collections.find((each) => each.name === name)
  if (collection !== undefined) return resolveElementPath(first, second, third, collection, scope)
  return resolveScalar(name, first, second, fieldsOf(scope.dataset), scope)
}

/** The collection of `any` and `all`. */
export function resolveCollection({ names }: FieldPath, scope: Scope): NestedCollection {
  const [first, second] = names
  if (first === undefined) throw new RangeError('A parser made a path without names')
  const collections = collectionsOf(scope.dataset)
  const found = second === undefined ? collectionNamed(first.name, collections) : undefined
  if (found !== undefined) return found
  refuseForeignCollection(first, scope)
  const written = names.map(({ name }) => name).join('.')
  throw notACollection(
    placeOf(first, scope),
    written,
    collections.map(({ name }) => name),
  )
}

function resolveWithinElement(
  first: PathName,
  second: PathName | undefined,
  element: NestedCollection,
  scope: Scope,
): Target {
  if (second !== undefined && matchName(first.name, [element.name]).length === 1) {
    throw qualifiedElementField(placeOf(first, scope), `${first.name}.${second.name}`, element.name)
  }
  const fields = fieldsOf(element)
  const name = lookUp(first, namesOf(fields), scope, () => unknownElementField(first, element, scope))
  return resolveScalar(name, first, second, fields, scope)
}

function resolveScalar(
  name: string,
  first: PathName,
  second: PathName | undefined,
  fields: readonly Field[],
  scope: Scope,
): Target {
  if (second !== undefined) throw partOfValue(placeOf(second, scope), second.name, first.name)
  return { kind: 'column', column: fieldColumn(name, fields) }
}

/** A label of the client, whose path begins with `customDataFields`. */
export function resolveLabel(
  first: PathName,
  second: PathName | undefined,
  third: PathName | undefined,
  scope: Scope,
): Target {
  if (second === undefined) {
    const hint = `name one of its labels, as in ${labelPath('Cost centre')}`
    throw incompletePath(placeOf(first, scope), first.name, hint)
  }
  if (third !== undefined) {
    const hint = `a label with a dot in it is written ${labelPath(`${second.name}.${third.name}`)}`
    throw pathTooLong(placeOf(third, scope), third.name, hint)
  }
  const matches = matchLabel(second.name, scope.labels)
  const [label] = matches
  if (matches.length > 1) throw ambiguousName(placeOf(second, scope), second.name, matches)
  if (label !== undefined) return { kind: 'column', column: { kind: 'custom', label, type: 'text' } }
  if (scope.unknownLabels === 'null') return { kind: 'null' }
  const similar = similarLabels(second.name, scope.labels).map(labelPath)
  throw unknownLabel(placeOf(second, scope), second.name, similar, scope.labels)
}

function resolveElementPath(
  first: PathName,
  second: PathName | undefined,
  third: PathName | undefined,
  nested: NestedCollection,
  scope: Scope,
): Target {
  if (second === undefined) {
    const hint = `name a field of its elements, as in ${nested.name}.${nested.fields[0]?.name}, or use any(${nested.name})`
    throw incompletePath(placeOf(first, scope), first.name, hint)
  }
  return resolveElementField(second, third, nested, scope)
}

const hasField = (collection: NestedCollection, { name }: PathName): boolean =>
  matchName(name, namesOf(fieldsOf(collection))).length > 0

/** The collection with this name, in any letter case. */
export const collectionNamed = (
  written: string,
  collections: readonly NestedCollection[],
): NestedCollection | undefined => collections.find(({ name }) => matchName(written, [name]).length === 1)

/** The field of any element: `lineType` of `lineItems.lineType`, and on invoices also alone. */
function resolveElementField(
  field: PathName,
  behind: PathName | undefined,
  nested: NestedCollection,
  scope: Scope,
): Target {
  const fields = fieldsOf(nested)
  const name = lookUp(field, namesOf(fields), scope, () => unknownElementField(field, nested, scope))
  if (behind !== undefined) throw partOfValue(placeOf(behind, scope), behind.name, field.name)
  return { kind: 'element', collection: nested.name, column: fieldColumn(name, fields) }
}

export function lookUp(
  written: PathName,
  known: readonly string[],
  scope: Scope,
  unknown: () => Error,
): string {
  const matches = matchName(written.name, known)
  const [name] = matches
  if (matches.length > 1) throw ambiguousName(placeOf(written, scope), written.name, matches)
  if (name === undefined) throw unknown()
  return name
}

function fieldColumn(name: string, fields: readonly Field[]): FieldColumn {
  const field = fields.find((candidate) => candidate.name === name)
  if (field === undefined) throw new RangeError(`No field ${name}`)
  return { kind: 'field', name, type: field.type }
}

export function unknownTopLevelName(written: PathName, scope: Scope): Error {
  refuseForeignCollection(written, scope)
  const { dataset } = scope
  const known = topLevelNames(dataset)
  refuseForeignField(written, scope)
  const nearest =
    labelPathOf(written.name, scope) ?? closest(written.name, known) ?? nestedPathOf(written.name, scope)
  return unknownField(placeOf(written, scope), written.name, dataset.name, known, nearest)
}

/** The full path of a label that was written alone. */
function labelPathOf(name: string, { labels }: Scope): string | undefined {
  const [label] = matchLabel(name, labels)
  return label === undefined ? undefined : labelPath(label)
}

/** The full path of a field of the elements: `lineItems.lineType` for `lineTyp`. */
function nestedPathOf(name: string, { dataset }: Scope): string | undefined {
  for (const collection of collectionsOf(dataset)) {
    const field = closest(name, namesOf(fieldsOf(collection)))
    if (field !== undefined) return `${collection.name}.${field}`
  }
  return undefined
}

export function unknownElementField(written: PathName, owner: NestedCollection, scope: Scope): Error {
  const known = namesOf(fieldsOf(owner))
  const nearest = closest(written.name, known)
  return unknownField(placeOf(written, scope), written.name, owner.name, known, nearest)
}

/** `segments` on bookings: the problem names the list that has the collection. */
function refuseForeignCollection(written: PathName, scope: Scope): void {
  if (collectionNamed(written.name, collectionsOf(scope.dataset)) !== undefined) return
  for (const other of Object.values(datasets)) {
    if (collectionNamed(written.name, collectionsOf(other)) === undefined) continue
    throw foreignCollection(placeOf(written, scope), written.name, scope.dataset.name, other.name)
  }
}

/** `invoiceNumber` or `vendor` on bookings: the problem names the list that has the field, unless a label has that name. */
function refuseForeignField(written: PathName, scope: Scope): void {
  if (matchLabel(written.name, scope.labels).length > 0) return
  for (const other of Object.values(datasets)) {
    if (other.name === scope.dataset.name) continue
    const [field] = matchName(written.name, namesOf(fieldsOf(other)))
    const paths = collectionsOf(other).flatMap((collection) =>
      matchName(written.name, namesOf(fieldsOf(collection))).map((name) => `${collection.name}.${name}`),
    )
    const path = field ?? paths[0]
    if (path === undefined) continue
    throw foreignField(placeOf(written, scope), written.name, scope.dataset.name, { list: other.name, path })
  }
}

/** The names of the record come first, so that messages name them first and of two similar names they are meant. */
export const topLevelNames = once(
  ({ fields, nested, additionalFields, additionalCollections }: Dataset): readonly string[] => [
    ...namesOf(fields),
    ...(nested === null ? [] : [nested.name]),
    CUSTOM,
    ...namesOf(additionalFields),
    ...additionalCollections.map(({ name }) => name),
  ],
)

/** Additional fields included. */
export const fieldsOf = once((of: Dataset | NestedCollection): readonly Field[] => namedFields(of))

export const collectionsOf = once((dataset: Dataset): readonly NestedCollection[] =>
  searchedCollections(dataset),
)

export const namesOf = once((fields: readonly Field[]): readonly string[] => fields.map(({ name }) => name))

/** Computes a value once per object, so that `matchName` gets the same list each time. */
function once<Of extends object, Answer>(work: (of: Of) => Answer): (of: Of) => Answer {
  const answers = new WeakMap<Of, Answer>()
  return (of) => {
    let answer = answers.get(of)
    if (answer === undefined) {
      answer = work(of)
      answers.set(of, answer)
    }
    return answer
  }
}

export const labelPath = (label: string): string => `${CUSTOM}['${label.replaceAll("'", "''")}']`

export function placeOf(
  { span }: { readonly span: Span },
  { parameter, input }: Pick<Scope, 'parameter' | 'input'>,
): Place {
  return { parameter, input, column: span.start }
}
