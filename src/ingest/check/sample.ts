/**
 * Reads the first rows of a table's files, or of a view, into a table of the sample database. The SQL that read them is also
 * the SQL of the drafted mapping. CSV files are read in any common delimiter and in the encodings that DuckDB has built in.
 */
import { join } from 'node:path'
import { CATALOG, list, literal, name, outgoing, pathLiteral } from '../sql-text.ts'
import { SCHEMA } from '../staging.ts'
import type { IngestedTable } from '../tables.ts'
import type { WorkDatabase } from '../work-database.ts'
import { startOf } from './file-start.ts'
import type { FileGroup } from './found-files.ts'
import { foldName } from './names.ts'

export type Sample = {
  /** The table with the rows. */
  readonly relation: string
  readonly rows: number
  readonly columns: readonly SampleColumn[]
  /** The names of each file that was read, or of the view. */
  readonly namesByFile: ReadonlyMap<string, readonly string[]>
  /** Why a refresh would not read the files as they are. */
  readonly faults: readonly string[]
  /** SQL after FROM that reads the columns from the files of the next extract, too. */
  readonly source: (columns: readonly string[]) => string
}

type SampleColumn = { readonly name: string; readonly type: string }

/** How many rows of a table are looked at. */
export const SAMPLED_ROWS = 10_000
const SAMPLED_FILES = 10

/** @throws the database's error when the view cannot be read */
export async function sampleView(table: IngestedTable, database: WorkDatabase): Promise<Sample> {
  const view = `main.${name(table.name)}`
  const { relation, rows, columns } = await keepRows(
    table,
    `SELECT * FROM ${view} LIMIT ${SAMPLED_ROWS}`,
    database,
  )
  const namesByFile = new Map([[table.name, columns.map((column) => column.name)]])
  return { relation, rows, columns, namesByFile, faults: [], source: () => view }
}

/**
 * @param encoding the one that tripfolio.sql states
 * @throws the database's error when the files cannot be read in any way
 */
export async function sampleFiles(
  table: IngestedTable,
  group: FileGroup,
  root: string,
  database: WorkDatabase,
  encoding?: string,
): Promise<Sample> {
  const files = spread(group.files)
  const { reader, faults } = await readerOf(table, files[0] as string, { group, root, database, encoding })
  const rowsOfEach = Math.ceil(SAMPLED_ROWS / files.length)
  const namesByFile = new Map<string, readonly string[]>()
  const parts: string[] = []
  for (const file of files) {
    const relation = await reader.relation(join(root, file))
    const described = await database.rows(`DESCRIBE SELECT * FROM ${relation}`)
    namesByFile.set(
      file,
      described.map(([column]) => String(column)),
    )
    parts.push(`(SELECT * FROM ${relation} LIMIT ${rowsOfEach})`)
  }
  const kept = await keepRows(table, parts.join(' UNION ALL BY NAME '), database)
  const { pattern } = group
  const path =
    typeof pattern === 'string' ? literal(pattern) : `[${list(pattern.map((file) => literal(file)))}]`
  return { ...kept, namesByFile, faults, source: (columns) => reader.source(path, columns) }
}

/** The names in the first file of a group, as a table with such columns would have them. Reads no rows of a CSV file. */
export async function namesIn(
  group: FileGroup,
  root: string,
  database: WorkDatabase,
): Promise<(table: IngestedTable) => readonly string[]> {
  const path = join(root, group.files[0] ?? '')
  if (group.format === 'csv') {
    const { firstLine } = await startOf(path)
    return (table) => firstLine.split(delimiterOf(firstLine, table)).map((each) => each.replace(/^"|"$/g, ''))
  }
  const { relation } = group.format === 'json' ? jsonReader(database) : parquetReader
  const described = await database.rows(`DESCRIBE SELECT * FROM ${await relation(path)}`)
  const names = described.map(([column]) => String(column))
  return () => names
}

/** The first and the last file, and some between them. */
export function spread<File>(files: readonly File[]): readonly File[] {
  if (files.length <= SAMPLED_FILES) return files
  const step = (files.length - 1) / (SAMPLED_FILES - 1)
  return Array.from({ length: SAMPLED_FILES }, (_, at) => files[Math.round(at * step)] as File)
}

async function keepRows(table: IngestedTable, rows: string, database: WorkDatabase) {
  const relation = `${CATALOG}.${SCHEMA}.sample_${table.name}`
  await database.run(`CREATE OR REPLACE TABLE ${relation} AS ${rows}`)
  const described = await database.rows(`DESCRIBE ${relation}`)
  const [[count] = []] = await database.rows(`SELECT count(*) FROM ${relation}`)
  return {
    relation,
    rows: Number(count),
    columns: described.map(([column, type]) => ({ name: String(column), type: String(type) })),
  }
}

type Reader = {
  /** SQL of one file, after FROM. */
  readonly relation: (path: string) => Promise<string>
  /** SQL of all files of a mapping; `path` is SQL of a pattern or of a list. */
  readonly source: (path: string, columns: readonly string[]) => string
}

type Place = {
  readonly group: FileGroup
  readonly root: string
  readonly database: WorkDatabase
  readonly encoding: string | undefined
}
type Opened = { readonly reader: Reader; readonly faults: readonly string[] }

async function readerOf(table: IngestedTable, file: string, place: Place): Promise<Opened> {
  const { group, root, database } = place
  if (group.format === 'parquet') return { reader: parquetReader, faults: [] }
  if (group.format === 'json') return { reader: jsonReader(database), faults: [] }
  return csvReader(table, join(root, file), place)
}

const parquetReader: Reader = {
  relation: async (path) => `read_parquet(${pathLiteral(path)}, binary_as_string = true)`,
  source: (path) =>
    `read_parquet(${path}, binary_as_string = true, union_by_name = true, hive_types_autocast = false)`,
}

/** Reads all values as text: the database would guess types of its own. */
const jsonReader = (database: WorkDatabase): Reader => {
  const projected = (objects: string, columns: readonly string[]) => {
    const members = columns.map((column) => `json ->> ${literal(`$."${column}"`)} AS ${name(column)}`)
    return `(SELECT ${list(members.length === 0 ? ['json'] : members)} FROM ${objects})`
  }
  return {
    async relation(path) {
      const objects = `read_json_objects(${pathLiteral(path)}, format = 'auto')`
      const keys = await database.rows(
        `SELECT ${outgoing('key')} FROM (
           SELECT DISTINCT unnest(json_keys(json)) AS key FROM (SELECT json FROM ${objects} LIMIT ${SAMPLED_ROWS})) ORDER BY key`,
      )
      return projected(
        objects,
        keys.map(([key]) => String(key)),
      )
    },
    source: (path, columns) => projected(`read_json_objects(${path}, format = 'auto')`, columns),
  }
}

const DELIMITERS: readonly string[] = [',', ';', '\t', '|']

type Encoding = 'utf-8' | 'latin-1' | 'utf-16'

/** The first encoding in which the sample can be read. A file with malformed lines is read without these. */
async function csvReader(
  table: IngestedTable,
  path: string,
  { group, root, database, encoding: stated }: Place,
): Promise<Opened> {
  const start = await startOf(path)
  const encodings: readonly Encoding[] = start.isUtf16 ? ['utf-16'] : ['utf-8', 'latin-1']
  const delimiter = delimiterOf(start.firstLine, table)
  let failure: unknown
  for (const strict of [true, false]) {
    for (const encoding of encodings) {
      try {
        const reader = csvReaderOf({ delimiter, encoding, strict })
        for (const file of spread(group.files)) {
          const relation = await reader.relation(join(root, file))
          await database.rows(`SELECT count(*) FROM (SELECT * FROM ${relation} LIMIT ${SAMPLED_ROWS})`)
        }
        return { reader, faults: faultsOf({ encoding, strict, failure, stated }) }
      } catch (cause) {
        // The first failure says what is wrong with the file as a refresh reads it.
        failure ??= cause
      }
    }
  }
  throw failure
}

const NOT_UTF8 = /This file is not utf-8 encoded/

function faultsOf(read: {
  readonly encoding: Encoding
  readonly strict: boolean
  readonly failure: unknown
  readonly stated: string | undefined
}): readonly string[] {
  const isExpected = read.encoding === 'utf-8' || read.stated !== undefined
  const encoded = isExpected ? [] : [`the file is not UTF-8: it was read as ${read.encoding}`]
  if (read.strict) return encoded
  const reason = read.failure instanceof Error ? read.failure.message : String(read.failure)
  if (NOT_UTF8.test(reason))
    return ['the file is neither UTF-8 nor Latin-1: lines in another encoding were left out']
  const line = /^CSV Error on Line: (\d+)/m.exec(reason)?.[1]
  const where = line === undefined ? '' : `, the first in line ${line}`
  return [...encoded, `some lines are malformed and were left out${where}`]
}

const csvReaderOf = (shape: {
  readonly delimiter: string
  readonly encoding: Encoding
  readonly strict: boolean
}): Reader => {
  const options = [
    `delim = ${literal(shape.delimiter)}`,
    `quote = '"'`,
    `escape = '"'`,
    'header = true',
    'all_varchar = true',
    // As for a refresh: \N without quotes is null, and a folder client_number=007 gives a text.
    `nullstr = ['', '\\N']`,
    'allow_quoted_nulls = false',
    'hive_types_autocast = false',
    ...(shape.encoding === 'utf-8' ? [] : [`encoding = ${literal(shape.encoding)}`]),
  ]
  const lenient = shape.strict ? [] : ['ignore_errors = true']
  return {
    relation: async (path) => `read_csv(${list([pathLiteral(path), ...options, ...lenient])})`,
    source: (path) => `read_csv(${list([path, ...options, 'union_by_name = true'])})`,
  }
}

/** The one with which the header names the most columns, or else has the most names. */
function delimiterOf(header: string, { schema }: IngestedTable): string {
  const known = new Set(schema.columns.map(({ column }) => foldName(column)))
  const score = (delimiter: string) => {
    const names = header.split(delimiter).map(foldName)
    return 1000 * names.filter((each) => known.has(each)).length + names.length
  }
  return DELIMITERS.reduce((best, next) => (score(next) > score(best) ? next : best))
}
