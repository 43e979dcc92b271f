/** Reads the records of a client by their identity: the condition is on indexed columns, and records by their row numbers. */
import { fold } from '../../kernel/text.ts'
import { identifier } from '../../postgres/sql-names.ts'
import { type DatasetName, storedCollections, type Version2Stored } from '../../schema/datasets.ts'
import { keyText } from '../../snapshot/changes/compare-collections.ts'
import { keyMembers } from '../../snapshot/changes/step.ts'
import type { PlacedData } from '../../snapshot/postgres/placed-data.ts'
import { comparedColumn } from '../../snapshot/postgres/record-indexes.ts'
import { recordTables } from '../../snapshot/postgres/record-tables.ts'
import type { FinishedRows, KeyedRecords } from '../keyed-records.ts'
import { batchOf, SEPARATOR_SQL } from './batches.ts'
import { Parameters } from './parameters.ts'
import type { RecordServer } from './server.ts'
import type { Statement } from './statements.ts'

export function keyedRows(
  dataset: DatasetName,
  { clientNumber, stored, generation, rows: count }: PlacedData,
  server: Pick<RecordServer, 'ask'>,
): KeyedRecords {
  const { fields, records } = recordTables(stored, generation)
  const members = keyMembers[stored as Version2Stored]
  const columns = members.map((name) => `f.${identifier(name)}`)
  const statement = (text: (client: string, parameters: Parameters) => string): Statement => {
    const parameters = new Parameters()
    return { text: text(parameters.add(clientNumber, 'text'), parameters), values: parameters.values }
  }
  return {
    rowsByKey: async (cancellation) => {
      if (count === 0) return new Int32Array(0)
      const order = columns.join(', ')
      const asked = statement(
        (client) =>
          `select string_agg(f.ordinal::text, ',' order by ${order}) as records from ${fields} f where f.client_number = ${client}`,
      )
      const { records: found } = await server.ask(asked, cancellation)
      return Int32Array.from(`${found ?? ''}`.split(','), Number)
    },
    rowsOf: async (keys, cancellation) => {
      if (count === 0 || keys.length === 0) return keys.map(() => -1)
      const last = members.at(-1) as string
      const texts = keys.map((key) => fold(key.at(-1) as string))
      const asked = statement(
        (client, parameters) =>
          `select json_agg(json_build_array(f.ordinal, ${columns.join(', ')}))::text as records from ${fields} f
           where f.client_number = ${client} and f.${identifier(comparedColumn(storedCollections[stored].fields, last))} = any (${parameters.add(texts, 'text[]')})`,
      )
      const { records: found } = await server.ask(asked, cancellation)
      const known = new Map<string, number>()
      for (const [row, ...key] of JSON.parse(`${found ?? '[]'}`) as [number, ...string[]][])
        known.set(keyText(key), row)
      return keys.map((key) => known.get(keyText(key)) ?? -1)
    },
    read: async (rows, cancellation) => {
      if (rows.length === 0) return nothing
      const json = dataset === 'bookings' ? 'r.front' : 'r.front || r.rest'
      const asked = statement(
        (client, parameters) =>
          `select string_agg(${json}, ${SEPARATOR_SQL} order by r.ordinal) as records from ${records} r
           where r.client_number = ${client} and r.ordinal = any (${parameters.add(rows, 'integer[]')})`,
      )
      const { records: found } = await server.ask(asked, cancellation)
      const batch = batchOf(found ?? Buffer.alloc(0))
      if (batch.count !== rows.length) throw new Error(`${batch.count} of ${rows.length} rows were found`)
      return { json: batch.json, rows: { ids: placesOf(rows), from: 0, count: rows.length } }
    },
  }
}

const nothing: FinishedRows = {
  json: { bytes: new Uint8Array(), offsets: new Int32Array(1), fronts: null },
  rows: { ids: null, from: 0, count: 0 },
}

/** The place of each row among all of them in ascending order. */
function placesOf(rows: readonly number[]): Int32Array {
  const ascending = rows.toSorted((one, other) => one - other)
  const places = new Map(ascending.map((row, place) => [row, place]))
  return Int32Array.from(rows, (row) => places.get(row) as number)
}
