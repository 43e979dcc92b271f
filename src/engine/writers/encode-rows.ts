/**
 * Turns rows of values into encoded records, so that one writer per format serves every engine. The JSON and the columns are
 * made when a format needs them. This is the slow path: engines that hold finished bytes never use it.
 */
import { datasetsByName } from '../../schema/datasets.ts'
import type { EncodedCollection, EncodedRecords } from '../encoded-records.ts'
import type { RecordKind, RecordRow } from '../engine.ts'
import { customColumns, elementsOf, fieldColumns } from './row-columns.ts'
import { jsonOf } from './row-json.ts'

export function encodeRows(rows: readonly RecordRow[], of: RecordKind): EncodedRecords {
  const { fields } = datasetsByName[of.dataset]
  const json = once(() => jsonOf(rows, of))
  const columns = once(() =>
    fieldColumns(
      fields,
      rows.map(({ values }) => values),
    ),
  )
  const custom = once(() => customColumns(rows, of.labels))
  const nested = once(() => elementsOf(rows, of))
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
      return nested()
    },
    additional: new Map(),
    nestedJson: () => (row, span) => {
      Object.assign(span, json().nested[row])
    },
  }
  return { kind: 'encoded', rows: { ids: null, from: 0, count: rows.length }, collection }
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
