/**
 * The members of the records of a result, in the order in which every format writes them: those of the record as specified, in
 * the order of the specification, then the selected ones beyond it. Writers and engines read them from here only.
 */

import type { ShapeCollection } from '../query/record-shape.ts'
import { type CollectionName, datasetsByName } from '../schema/datasets.ts'
import type { Field } from '../schema/field.ts'
import type { RecordKind } from './engine.ts'

/** The values of a record by their kind, in the order of {@link RecordRow}. */
export type RecordParts = {
  readonly fields: readonly Field[]
  readonly labels: readonly string[]
  readonly collections: readonly ShapeCollection[]
}

export type RecordMember =
  /** `at`: the place among the values of the same kind in a {@link RecordRow}. */
  | { readonly kind: 'field'; readonly name: string; readonly field: Field; readonly at: number }
  /** `customDataFields`. `areAll`: it has every label of the client, as in the record as specified. */
  | {
      readonly kind: 'labels'
      readonly name: string
      readonly labels: readonly string[]
      readonly areAll: boolean
    }
  /** `isAsSpecified`: the finished JSON of the whole record has it with exactly these elements. */
  | {
      readonly kind: 'elements'
      readonly name: CollectionName
      readonly fields: readonly Field[]
      readonly at: number
      readonly isAsSpecified: boolean
    }
  /** Finished JSON that queries cannot reach (version 1 only). */
  | { readonly kind: 'list'; readonly name: string; readonly at: number }

export function partsOf({ dataset, labels, shape }: Omit<RecordKind, 'clientNumber'>): RecordParts {
  if (shape === null) {
    const { fields, nested } = datasetsByName[dataset]
    return { fields, labels, collections: nested === null ? [] : [nested] }
  }
  const { fields, collections } = shape
  return { fields, labels: shape.labels === 'all' ? labels : (shape.labels ?? []), collections }
}

export function membersOf(kind: Omit<RecordKind, 'clientNumber'>): readonly RecordMember[] {
  const { record, nested } = datasetsByName[kind.dataset]
  const { shape } = kind
  const { fields, labels, collections } = partsOf(kind)
  const members = new Map<string, RecordMember>()
  for (const [at, field] of fields.entries()) {
    members.set(field.name, { kind: 'field', name: field.name, field, at })
  }
  for (const [at, { name, fields: own }] of collections.entries()) {
    members.set(name, {
      ...{ kind: 'elements', name, fields: own, at },
      isAsSpecified:
        name === nested?.name &&
        own.length === nested.fields.length &&
        own.every((field, i) => field === nested.fields[i]),
    })
  }
  if (shape === null || shape.labels !== null) {
    members.set(CUSTOM, {
      kind: 'labels',
      name: CUSTOM,
      labels,
      areAll: shape === null || shape.labels === 'all',
    })
  }
  let lists = 0
  const specified = Object.keys(record.properties).flatMap((name): readonly RecordMember[] => {
    const member = members.get(name)
    members.delete(name)
    if (member !== undefined) return [member]
    return shape === null ? [{ kind: 'list', name, at: lists++ }] : []
  })
  return shape === null ? specified : [...specified, ...members.values()]
}

const CUSTOM = 'customDataFields'
