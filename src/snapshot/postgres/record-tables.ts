/**
 * The tables that hold the records of one stored collection in one generation: `fields` is narrow and is filtered and sorted,
 * `records` has the finished JSON that is sent, `elements` the segments or line items that filters may search. Each table has
 * the column `client_number`, by which Citus distributes it, and all of them are in the schema {@link RECORDS_SCHEMA}.
 */
import type { ClientBase } from 'pg'
import { identifier } from '../../postgres/sql-names.ts'
import { type StoredName, storedCollections } from '../../schema/datasets.ts'
import type { Partition } from '../partition.ts'

export const RECORDS_SCHEMA = 'tripfolio_records'

/** Names as SQL text, quoted and with their schema. */
export type RecordTables = {
  readonly fields: string
  readonly records: string
  /** Null when queries cannot reach into a nested collection. */
  readonly elements: string | null
  /** All of them; the first is the one that Citus co-locates the others with. */
  readonly all: readonly string[]
}

export function recordTables(stored: StoredName, generation: number): RecordTables {
  const named = (suffix: string) =>
    `${identifier(RECORDS_SCHEMA)}.${identifier(`${stored.replace('-', '_')}_g${generation}${suffix}`)}`
  const [fields, records] = [named(''), named('_records')]
  const elements = storedCollections[stored].nested === null ? null : named('_elements')
  return {
    fields,
    records,
    elements,
    all: elements === null ? [fields, records] : [fields, records, elements],
  }
}

/** Statements that create the tables without indexes, to be run before {@link copyRows}. The schema must exist. */
export function createRecordTables(_stored: StoredName, _generation: number): readonly string[] {
  throw new Error('Not built yet')
}

/**
 * Statements that create the indexes and make the tables ready for queries, to be run once when all rows have been copied.
 * The last ones are `vacuum`, so they run one by one outside of a transaction.
 */
export function finishRecordTables(_stored: StoredName, _generation: number): readonly string[] {
  throw new Error('Not built yet')
}

export function dropRecordTables(stored: StoredName, generation: number): readonly string[] {
  return recordTables(stored, generation).all.map((table) => `drop table if exists ${table}`)
}

export type CopiedRows = { readonly rows: number; readonly elements: number }

/**
 * Copies all rows of a partition into the tables of a generation, in bounded memory. A failure leaves rows behind: the caller
 * rolls back, or drops the tables.
 */
export async function copyRows(
  _connection: ClientBase,
  _partition: Partition,
  _generation: number,
): Promise<CopiedRows> {
  throw new Error('Not built yet')
}

/** Copies the rows of one client from the tables of one generation into those of another, within the server. */
export async function copyBetweenGenerations(
  _connection: ClientBase,
  _rows: {
    readonly clientNumber: string
    readonly stored: StoredName
    readonly from: number
    readonly to: number
  },
): Promise<CopiedRows> {
  throw new Error('Not built yet')
}
