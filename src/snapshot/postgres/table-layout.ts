/**
 * The tables that hold the records of one stored collection in one generation: `fields` is narrow and is filtered and sorted,
 * `records` has the finished JSON that is sent, `elements` the segments or line items that filters may search, and each
 * additional collection has a table of elements of its own. Each table has the column `client_number`, by which Citus distributes it, and all of them are in the schema {@link RECORDS_SCHEMA}.
 */
import { identifier } from '../../postgres/sql-names.ts'
import {
  type CollectionName,
  type NestedCollection,
  namedFields,
  type StoredName,
  storedCollections,
} from '../../schema/datasets.ts'
import { labelColumns, type TableColumn, TEXT, tableColumnsOf } from './record-columns.ts'

export const RECORDS_SCHEMA = 'tripfolio_records'

/** Names as SQL text, quoted and with their schema. */
export type RecordTables = {
  readonly fields: string
  readonly records: string
  /** Null when queries cannot reach into a nested collection. */
  readonly elements: string | null
  /** The elements of the additional collections by name. */
  readonly additional: ReadonlyMap<CollectionName, string>
  /** All of them; the first is the one that Citus co-locates the others with. */
  readonly all: readonly string[]
}

export function recordTables(stored: StoredName, generation: number): RecordTables {
  const named = (suffix: string) =>
    `${identifier(RECORDS_SCHEMA)}.${identifier(`${stored.replace('-', '_')}_g${generation}${suffix}`)}`
  const [fields, records] = [named(''), named('_records')]
  const { nested, additionalCollections } = storedCollections[stored]
  const elements = nested === null ? null : named('_elements')
  const additional = new Map(additionalCollections.map(({ name }) => [name, named(`_${name}`)]))
  return {
    fields,
    records,
    elements,
    additional,
    all: [fields, records, ...(elements === null ? [] : [elements]), ...additional.values()],
  }
}

/** What the names of the tables of a generation end with, after its number. */
export const tableSuffixes: readonly string[] = [
  '_records',
  '_elements',
  ...Object.values(storedCollections).flatMap(({ additionalCollections }) =>
    additionalCollections.map(({ name }) => `_${name}`),
  ),
]

const rowKey: readonly TableColumn[] = [
  { name: 'client_number', type: TEXT, nullable: false },
  // The number of the row in the default order.
  { name: 'ordinal', type: 'integer', nullable: false },
]

/** The columns of the tables, in their order. */
export function columnsOf(stored: StoredName): {
  readonly fields: readonly TableColumn[]
  readonly records: readonly TableColumn[]
  readonly elements: readonly TableColumn[]
  readonly additional: ReadonlyMap<CollectionName, readonly TableColumn[]>
} {
  const { nested, additionalCollections } = storedCollections[stored]
  const ofElements = (collection: NestedCollection | null): readonly TableColumn[] => [
    ...rowKey,
    { name: 'position', type: 'integer', nullable: false },
    ...tableColumnsOf(collection === null ? [] : namedFields(collection)),
  ]
  return {
    fields: [
      ...rowKey,
      ...tableColumnsOf(namedFields(storedCollections[stored])),
      ...labelColumns,
      { name: 'keys', type: 'integer[]', nullable: true },
    ],
    // The finished JSON without its closing brace: the booking of an itinerary is the front, any other record as a whole.
    records: [
      ...rowKey,
      { name: 'front', type: TEXT, nullable: false },
      { name: 'rest', type: TEXT, nullable: false },
    ],
    elements: ofElements(nested),
    additional: new Map(additionalCollections.map((each) => [each.name, ofElements(each)])),
  }
}
