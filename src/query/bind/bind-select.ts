/**
 * Binds $select: paths become a shape of records. Refuses names that the list does not have, at their column. The order of the
 * paths and repetitions have no effect; a selection of exactly the record as specified is none.
 */
import type { Dataset, NestedCollection } from '../../schema/datasets.ts'
import type { Field } from '../../schema/field.ts'
import type { FieldPath, PathName } from '../ast.ts'
import { partOfValue } from '../problems.ts'
import type { RecordShape, ShapeCollection } from '../record-shape.ts'
import {
  CUSTOM,
  collectionsOf,
  fieldsOf,
  lookUp,
  namesOf,
  placeOf,
  resolveLabel,
  type Scope,
  topLevelNames,
  unknownElementField,
  unknownTopLevelName,
} from './resolve-path.ts'

/** The names that were selected so far. */
type Selected = {
  readonly fields: Set<string>
  /** Null until `customDataFields` or one of its labels is selected. */
  labels: 'all' | Set<string> | null
  /** Names of the fields of elements, by collection. */
  readonly collections: Map<string, Set<string>>
}

/** @throws QueryProblem QRY2xx at the first name that does not fit, QRY335 at a label that the client does not have */
export function bindSelect(paths: readonly FieldPath[] | null, scope: Scope): RecordShape | null {
  if (paths === null) return null
  const selected: Selected = { fields: new Set(), labels: null, collections: new Map() }
  for (const { names } of paths) selectPath(names, selected, scope)
  return shapeOf(selected, scope)
}

function selectPath(names: readonly PathName[], selected: Selected, scope: Scope): void {
  const [first, second, third] = names
  if (first === undefined) throw new RangeError('A parser made a path without names')
  const { dataset } = scope
  if (isEveryMember(first)) {
    selectRecord(selected, dataset)
    return
  }
  const name = lookUp(first, topLevelNames(dataset), scope, () => unknownTopLevelName(first, scope))
  const collection = collectionsOf(dataset).find((each) => each.name === name)
  if (collection !== undefined) selectElements(collection, second, third, selected, scope)
  else if (name === CUSTOM) selectLabel(first, second, third, selected, scope)
  else if (second !== undefined) throw partOfValue(placeOf(second, scope), second.name, first.name)
  else selected.fields.add(name)
}

/** `*` is written without brackets; a label or field of that name would need them. */
const isEveryMember = ({ name, quoted }: PathName): boolean => name === '*' && !quoted

function selectRecord(selected: Selected, { fields, nested }: Dataset): void {
  for (const { name } of fields) selected.fields.add(name)
  selected.labels = 'all'
  if (nested !== null) for (const { name } of nested.fields) selectedElements(selected, nested).add(name)
}

/** The collection alone means its elements as specified. */
function selectElements(
  collection: NestedCollection,
  field: PathName | undefined,
  behind: PathName | undefined,
  selected: Selected,
  scope: Scope,
): void {
  const chosen = selectedElements(selected, collection)
  if (field === undefined) {
    for (const { name } of collection.fields) chosen.add(name)
    return
  }
  const known = namesOf(fieldsOf(collection))
  const name = lookUp(field, known, scope, () => unknownElementField(field, collection, scope))
  if (behind !== undefined) throw partOfValue(placeOf(behind, scope), behind.name, field.name)
  chosen.add(name)
}

function selectedElements({ collections }: Selected, { name }: NestedCollection): Set<string> {
  const chosen = collections.get(name) ?? new Set()
  collections.set(name, chosen)
  return chosen
}

/** An unknown label that is not refused is null in every record, so it has no member. */
function selectLabel(
  first: PathName,
  label: PathName | undefined,
  behind: PathName | undefined,
  selected: Selected,
  scope: Scope,
): void {
  if (label === undefined) {
    selected.labels = 'all'
    return
  }
  const target = resolveLabel(first, label, behind, scope)
  if (selected.labels === 'all') return
  selected.labels ??= new Set()
  if (target.kind === 'column' && target.column.kind === 'custom') selected.labels.add(target.column.label)
}

function shapeOf(
  { fields, labels, collections }: Selected,
  { dataset, labels: known }: Scope,
): RecordShape | null {
  const shape: RecordShape = {
    fields: fieldsOf(dataset).filter(({ name }) => fields.has(name)),
    labels: labelsOf(labels, known),
    collections: collectionsOf(dataset).flatMap((collection): readonly ShapeCollection[] => {
      const chosen = collections.get(collection.name)
      if (chosen === undefined) return []
      return [{ name: collection.name, fields: fieldsOf(collection).filter(({ name }) => chosen.has(name)) }]
    }),
  }
  return isWholeRecord(shape, dataset) ? null : shape
}

function labelsOf(selected: Selected['labels'], known: readonly string[]): RecordShape['labels'] {
  if (selected === null || selected === 'all') return selected
  return selected.size === known.length ? 'all' : known.filter((label) => selected.has(label))
}

function isWholeRecord({ fields, labels, collections }: RecordShape, dataset: Dataset): boolean {
  const { nested } = dataset
  const [only] = collections
  return (
    labels === 'all' &&
    areAll(fields, dataset.fields) &&
    collections.length === (nested === null ? 0 : 1) &&
    (nested === null ||
      (only !== undefined && only.name === nested.name && areAll(only.fields, nested.fields)))
  )
}

/** Fields of the record come before all others, so that equal numbers are not enough. */
const areAll = (chosen: readonly Field[], specified: readonly Field[]): boolean =>
  chosen.length === specified.length && chosen.every((field, i) => field === specified[i])
