/**
 * The members that records of an answer have: what `$select` names, bound to the dataset. Engines read only these columns, and
 * writers write only these members, in the order of the shape. Binding brings every selection into one form: two texts that
 * select the same members give equal shapes, and one that selects the record as specified gives no shape at all.
 */
import type { CollectionName } from '../schema/datasets.ts'
import type { Field } from '../schema/field.ts'

export type RecordShape = {
  /** In the order of the schema: the fields of the record, then those beyond it. */
  readonly fields: readonly Field[]
  /** `all` labels of the client, or these in the order of the client; null: records have no `customDataFields`. */
  readonly labels: 'all' | readonly string[] | null
  /** In the order of the schema. */
  readonly collections: readonly ShapeCollection[]
}

export type ShapeCollection = {
  readonly name: CollectionName
  /** Of each element, in the order of the schema. At least one. */
  readonly fields: readonly Field[]
}

/** The canonical text of a shape, for keys of plans. Labels are quoted as JSON, so that none is mistaken for what is around it. */
export function shapeKey({ fields, labels, collections }: RecordShape): string {
  const names = ({ name }: Field): string => name
  const custom = labels === null ? [] : [labels === 'all' ? 'custom' : `custom${JSON.stringify(labels)}`]
  return [
    ...fields.map(names),
    ...custom,
    ...collections.map((collection) => `${collection.name}(${collection.fields.map(names).join(',')})`),
  ].join(',')
}
