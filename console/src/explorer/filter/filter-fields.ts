/** The fields that a row of the builder can have. */
import type { FieldPath } from '../../../../src/query/ast.ts'
import { labelOf } from '../fields/field-label.ts'
import {
  collectionNamed,
  fieldNamed,
  type ListName,
  listFields,
  type ValueKind,
} from '../fields/list-fields.ts'
import { labelPath, type Place, placeOf, quoted } from '../fields/paths.ts'

export type FieldKind = ValueKind | 'label'

type FieldScope = { readonly list: ListName; readonly collection: string | undefined }

/** Undefined for paths that name nothing here, or name it in another way than the builder writes. */
export function placeOfField({ names }: FieldPath, { list, collection }: FieldScope): Place | undefined {
  const [first, second, ...others] = names
  if (first === undefined || others.length > 0) return undefined
  if (collection !== undefined) {
    const field = second === undefined ? collectionNamed(list, collection)?.fields : undefined
    const found = field && fieldNamed(field, first.name)
    return found && { kind: 'element', collection, name: found.name, value: found.kind }
  }
  if (second === undefined) return placeOf(list, first.name)
  if (first.name === 'customDataFields') return { kind: 'label', label: second.name }
  return placeOf(list, `${first.name}.${second.name}`)
}

export function kindOf(field: FieldPath, scope: FieldScope): FieldKind | undefined {
  const place = placeOfField(field, scope)
  if (place === undefined || place.kind === 'collection') return undefined
  return place.kind === 'label' ? 'label' : place.value
}

export type FieldChoice = {
  /** Unique within the scope. */
  readonly id: string
  readonly label: string
  readonly group: 'fields' | 'labels' | 'elements'
  readonly names: readonly string[]
}

/** What a row can choose from. */
export function fieldChoices(
  { list, collection }: FieldScope,
  labels: readonly string[],
): readonly FieldChoice[] {
  if (collection !== undefined) {
    const fields = collectionNamed(list, collection)?.fields ?? []
    return fields.map(({ name }) => choice([name], labelOf({ kind: 'field', name, value: 'text' }), 'fields'))
  }
  return [
    ...listFields[list].fields.map(({ name, kind }) =>
      choice([name], labelOf({ kind: 'field', name, value: kind }), 'fields'),
    ),
    ...labels.map((label) => choice(['customDataFields', label], label, 'labels')),
    ...listFields[list].collections.flatMap(({ name, fields }) =>
      fields.map((field) =>
        choice(
          [name, field.name],
          labelOf({ kind: 'element', collection: name, name: field.name, value: field.kind }),
          'elements',
        ),
      ),
    ),
  ]
}

const choice = (names: readonly string[], label: string, group: FieldChoice['group']): FieldChoice => ({
  id: choiceId(names),
  label,
  group,
  names,
})

export const choiceId = (names: readonly string[]): string => JSON.stringify(names)

/** The path of the values that a field has in the records, for suggestions. */
export function valuesPath(place: Place): string | undefined {
  switch (place.kind) {
    case 'label':
      return labelPath(place.label)
    case 'field':
      return place.value === 'text' ? place.name : undefined
    case 'element':
      return place.value === 'text' ? `${place.collection}.${place.name}` : undefined
    case 'collection':
      return undefined
  }
}

/** The records that have a value with the text in it, such as `contains(department,'legal')` and `any(segments,contains(vendor,'q'))`. */
export function containing(path: string, text: string): string {
  const [, collection, name] = /^(\w+)\.(\w+)$/.exec(path) ?? []
  return collection === undefined
    ? `contains(${path},${quoted(text)})`
    : `any(${collection},contains(${name},${quoted(text)}))`
}
