/** For tests: tables of one generation in a database, into which partitions are copied without a refresh. */
import { Client } from 'pg'
import type { StoredName } from '../../../schema/datasets.ts'
import type { Partition } from '../../partition.ts'
import type { PlacedData } from '../placed-data.ts'
import {
  copyRows,
  createRecordTables,
  finishRecordTables,
  RECORDS_SCHEMA,
  recordTables,
} from '../record-tables.ts'

export type PlacedRecords = {
  /** Copies a partition, under a client number and a version that nothing else in the tables has. */
  readonly place: (partition: Partition) => Promise<PlacedData>
  readonly close: () => Promise<void>
}

/** @param isDistributed whether the database has Citus, and the tables are distributed by client */
export async function openPlacedRecords(url: string, isDistributed: boolean): Promise<PlacedRecords> {
  const generation = 1
  const connection = new Client({ connectionString: url })
  // The server of a test file that runs alone ends before its connections.
  connection.on('error', () => undefined)
  await connection.connect()
  await connection.query(`create schema ${RECORDS_SCHEMA}`)
  const created = new Map<StoredName, Promise<void>>()
  const create = async (stored: StoredName) => {
    for (const statement of createRecordTables(stored, generation)) await connection.query(statement)
    if (isDistributed) await distribute(connection, recordTables(stored, generation).all)
    for (const statement of finishRecordTables(stored, generation)) await connection.query(statement)
  }
  let placed = 0
  let queue: Promise<unknown> = Promise.resolve()
  return {
    place: (partition) => {
      const { stored, version, labels } = partition
      const place = ++placed
      const clientNumber = `${partition.clientNumber}/${place}`
      const made = queue.then(async () => {
        await (created.get(stored) ?? created.set(stored, create(stored)).get(stored))
        const copied = await copyRows(connection, { ...partition, clientNumber }, generation)
        return { clientNumber, stored, version: `${version}/${place}`, labels, generation, ...copied }
      })
      queue = made.catch(() => undefined)
      return made
    },
    close: async () => {
      await queue
      await connection.end()
    },
  }
}

async function distribute(connection: Client, tables: readonly string[]): Promise<void> {
  for (const [i, table] of tables.entries()) {
    await connection.query("select create_distributed_table($1, 'client_number', colocate_with => $2)", [
      table,
      i === 0 ? 'none' : tables[0],
    ])
  }
}
