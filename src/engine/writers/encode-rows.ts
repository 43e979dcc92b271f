/**
 * Turns rows of values into encoded records, so that one writer per format serves every engine. The JSON and the columns are
 * made when a format needs them. This is the slow path: engines that hold finished bytes never use it.
 */
import { datasetsByName } from '../../schema/datasets.ts'
import type { EncodedCollection, EncodedRecords } from '../encoded-records.ts'
import type { RecordKind, RecordRow } from '../engine.ts'
import { partsOf } from '../record-members.ts'
import { customColumns, elementsOf, fieldColumns } from './row-columns.ts'
import { jsonOf } from './row-json.ts'

export function encodeRows(rows: readonly RecordRow[], of: RecordKind): EncodedRecords {
  const { fields, labels, collections } = partsOf(of)
  const json = once(() => jsonOf(rows, of))
  const columns = once(() =>
    fieldColumns(
      fields,
      rows.map(({ values }) => values),
    ),
  )
  const custom = once(() => customColumns(rows, labels))
  const { nested: ofRecord } = datasetsByName[of.dataset]
  const elements = once(
    () => new Map(collections.map(({ name, fields: own }, at) => [name, elementsOf(rows, own, at)] as const)),
  )
  const collection: EncodedCollection = {
    get json() {
      return json()
    },
    get columns() {
      return columns()
    },
    get custom() {
      return custom()
    },
    get nested() {
      return (ofRecord && elements().get(ofRecord.name)) ?? null
    },
    get additional() {
      return elements()
    },
    nestedJson: () => (row, span) => {
      Object.assign(span, json().nested[row])
    },
    customJson: notFinished,
    fieldsJson: notFinished,
  }
  return { kind: 'encoded', rows: { ids: null, from: 0, count: rows.length }, collection }
}

/** Rows are encoded in the shape of the answer, so nobody looks for other members in their JSON. */
function notFinished(): never {
  throw new Error('Rows have no finished JSON of whole records')
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
