/**
 * Paths as queries write them, such as `bookingDate`, `segments.vendor` and `customDataFields['Cost Centre']`, which are also
 * the identities of columns.
 */
import { collectionNamed, fieldNamed, type ListName, listFields, type ValueKind } from './list-fields.ts'

export type Place =
  | { readonly kind: 'field'; readonly name: string; readonly value: ValueKind }
  /** The client's own name of a custom data field. */
  | { readonly kind: 'label'; readonly label: string }
  | { readonly kind: 'collection'; readonly collection: string }
  | {
      readonly kind: 'element'
      readonly collection: string
      readonly name: string
      readonly value: ValueKind
    }

const LABEL = /^customDataFields\['((?:[^']|'')*)'\]$/

/** A text as queries write it. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`

export const labelPath = (label: string): string => `customDataFields[${quoted(label)}]`

/** What the path names in the list; undefined when it names nothing. */
export function placeOf(list: ListName, path: string): Place | undefined {
  const label = LABEL.exec(path)?.[1]
  if (label !== undefined) return { kind: 'label', label: label.replaceAll("''", "'") }
  const field = fieldNamed(listFields[list].fields, path)
  if (field !== undefined) return { kind: 'field', name: path, value: field.kind }
  const [first = '', name] = path.split('.')
  const collection = collectionNamed(list, first)
  if (collection === undefined) return undefined
  if (name === undefined) return { kind: 'collection', collection: first }
  const element = fieldNamed(collection.fields, name)
  return element && { kind: 'element', collection: first, name, value: element.kind }
}

/** Splits at the commas that are in no label. */
export const splitPaths = (text: string): readonly string[] =>
  (text.match(/(?:'(?:[^']|'')*'|[^,'])+/g) ?? []).map((path) => path.trim()).filter((path) => path !== '')
