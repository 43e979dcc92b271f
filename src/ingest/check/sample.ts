/**
 * Reads the first rows of a table's files, or of a view, into a table of the sample database. The SQL that read them is also
 * the SQL of the drafted mapping. CSV files are read in any common delimiter. The beginnings of files that are not UTF-8 are
 * decoded first, as a refresh decodes the files that a mapping names.
 */
import { join } from 'node:path'
import { backslashDialect, type CsvDialect, isForeign } from '../dialect/csv-dialect.ts'
import { CATALOG, list, literal, name, outgoing, pathLiteral } from '../sql-text.ts'
import { SCHEMA } from '../staging.ts'
import type { IngestedTable } from '../tables.ts'
import type { WorkDatabase } from '../work-database.ts'
import { decodedCopy, haveEscapes, likelyEncoding } from './decoded-sample.ts'
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
  /** Whether backslashes were read as escapes, which tripfolio.sql has to state. */
  readonly hasEscapes: boolean
  /** The encoding in which files were read that tripfolio.sql has to state; null where it need not. */
  readonly encoding: string | null
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
  return {
    relation,
    rows,
    columns,
    namesByFile,
    faults: [],
    encoding: null,
    hasEscapes: false,
    source: () => view,
  }
}

/** How files are written. */
type Written = {
  readonly root: string
  readonly database: WorkDatabase
  /** What tripfolio.sql states. */
  readonly stated: { readonly encoding: string | undefined; readonly dialect: CsvDialect | undefined }
}

/**
 * @throws the database's error when the files cannot be read in any way
 */
export async function sampleFiles(
  table: IngestedTable,
  group: FileGroup,
  { root, database, stated }: Written,
): Promise<Sample> {
  const files = spread(group.files)
  const rowsOfEach = Math.ceil(SAMPLED_ROWS / files.length)
  const paths = files.map((file) => join(root, file))
  const isText = group.format !== 'parquet'
  const encoding = isText ? (stated.encoding ?? (await likelyEncoding(paths, rowsOfEach))) : null
  const delimiter =
    group.format === 'csv' ? delimiterOf((await startOf(paths[0] as string)).firstLine, table) : ''
  const shape = { delimiter, rows: rowsOfEach, encoding: encoding ?? 'utf-8' }
  const hasEscapes =
    stated.dialect === undefined && delimiter !== '' && (await haveEscapes(table, paths, shape))
  const dialect = hasEscapes ? backslashDialect : isForeign(stated.dialect) ? stated.dialect : undefined
  const isPlain = encoding === null && (dialect === undefined || group.format !== 'csv')
  const copied = { root, rows: rowsOfEach, database, encoding: encoding ?? 'utf-8', dialect }
  const read = isPlain ? paths : await Promise.all(files.map((file) => decodedCopy(table, file, copied)))
  const { reader, faults } = await readerOf(table, read, group, database)
  const namesByFile = new Map<string, readonly string[]>()
  const parts: string[] = []
  for (const [at, file] of files.entries()) {
    const relation = await reader.relation(read[at] as string)
    const described = await database.rows(`DESCRIBE SELECT * FROM ${relation}`)
    namesByFile.set(
      file,
      described.map(([column]) => String(column)),
    )
    parts.push(`(SELECT * FROM ${relation} LIMIT ${rowsOfEach})`)
  }
  const all = await keepRows(table, parts.join(' UNION ALL BY NAME '), database)
  const valued = someValueIn(all.columns.map((column) => column.name))
  const kept =
    group.format === 'csv' ? await keepRows(table, `SELECT * FROM ${all.relation}${valued}`, database) : all
  const hasBlankRows = kept.rows < all.rows
  const { pattern } = group
  const path =
    typeof pattern === 'string' ? literal(pattern) : `[${list(pattern.map((file) => literal(file)))}]`
  const isGuessed = encoding !== null && stated.encoding === undefined
  return {
    ...kept,
    namesByFile,
    faults: isGuessed ? [`the text is not UTF-8: it was read as ${encoding}`, ...faults] : faults,
    encoding: isGuessed ? encoding : null,
    hasEscapes,
    source: (columns) => reader.source(path, columns) + (hasBlankRows ? someValueIn(columns) : ''),
  }
}

export type FileHeader = {
  /** Null in a file that is no CSV. */
  readonly delimiter: string | null
  readonly encoding: string
  readonly names: readonly string[]
  /** The names as a table with such columns would have them: it tells the delimiter. */
  readonly namesFor: (table: IngestedTable) => readonly string[]
}

/** The names in the first file of a group, and how it is written. */
export async function headerOf(group: FileGroup, root: string, database: WorkDatabase): Promise<FileHeader> {
  const path = join(root, group.files[0] ?? '')
  if (group.format === 'csv') {
    const { firstLine } = await startOf(path)
    const split = (delimiter: string) => firstLine.split(delimiter).map((each) => each.replace(/^"|"$/g, ''))
    const delimiter = delimiterOf(firstLine)
    return {
      delimiter,
      encoding: (await likelyEncoding([path], SAMPLED_ROWS)) ?? 'utf-8',
      names: split(delimiter),
      namesFor: (table) => split(delimiterOf(firstLine, table)),
    }
  }
  const { relation } = group.format === 'json' ? jsonReader(database) : parquetReader
  const described = await database.rows(`DESCRIBE SELECT * FROM ${await relation(path)}`)
  const names = described.map(([column]) => String(column))
  return { delimiter: null, encoding: 'utf-8', names, namesFor: () => names }
}

/** The first and the last file, and some between them. */
export function spread<File>(files: readonly File[]): readonly File[] {
  if (files.length <= SAMPLED_FILES) return files
  const step = (files.length - 1) / (SAMPLED_FILES - 1)
  return Array.from({ length: SAMPLED_FILES }, (_, at) => files[Math.round(at * step)] as File)
}

/** A line of delimiters alone is no row. */
const someValueIn = (columns: readonly string[]): string =>
  columns.length === 0 ? '' : ` WHERE coalesce(${list(columns.map(name))}) IS NOT NULL`

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

type Opened = { readonly reader: Reader; readonly faults: readonly string[] }

async function readerOf(
  table: IngestedTable,
  paths: readonly string[],
  { format }: FileGroup,
  database: WorkDatabase,
): Promise<Opened> {
  if (format === 'parquet') return { reader: parquetReader, faults: [] }
  if (format === 'json') return { reader: jsonReader(database), faults: [] }
  return csvReader(table, paths, database)
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

/** A file with malformed lines is read without these. */
async function csvReader(
  table: IngestedTable,
  paths: readonly string[],
  database: WorkDatabase,
): Promise<Opened> {
  const start = await startOf(paths[0] as string)
  const delimiter = delimiterOf(start.firstLine, table)
  let failure: unknown
  for (const strict of [true, false]) {
    try {
      const reader = csvReaderOf(delimiter, strict)
      for (const path of paths) {
        const relation = await reader.relation(path)
        await database.rows(`SELECT count(*) FROM (SELECT * FROM ${relation} LIMIT ${SAMPLED_ROWS})`)
      }
      return { reader, faults: strict ? [] : [malformedLines(failure)] }
    } catch (cause) {
      // The first failure says what is wrong with the file as a refresh reads it.
      failure ??= cause
    }
  }
  throw failure
}

function malformedLines(failure: unknown): string {
  const reason = failure instanceof Error ? failure.message : String(failure)
  const line = /^CSV Error on Line: (\d+)/m.exec(reason)?.[1]
  const where = line === undefined ? '' : `, the first in line ${line}`
  return `some lines are malformed and were left out${where}`
}

const csvReaderOf = (delimiter: string, strict: boolean): Reader => {
  const options = [
    `delim = ${literal(delimiter)}`,
    `quote = '"'`,
    `escape = '"'`,
    'header = true',
    'all_varchar = true',
    // As for a refresh: \N without quotes is null, and a folder client_number=007 gives a text.
    `nullstr = ['', '\\N']`,
    'allow_quoted_nulls = false',
    'hive_types_autocast = false',
  ]
  const lenient = strict ? [] : ['ignore_errors = true']
  return {
    relation: async (path) => `read_csv(${list([pathLiteral(path), ...options, ...lenient])})`,
    source: (path) => `read_csv(${list([path, ...options, 'union_by_name = true'])})`,
  }
}

/** The one with which the header names the most columns, or else has the most names. */
function delimiterOf(header: string, table?: IngestedTable): string {
  const known = new Set(table?.columns.map(({ column }) => foldName(column)))
  const score = (delimiter: string) => {
    const names = header.split(delimiter).map(foldName)
    return 1000 * names.filter((each) => known.has(each)).length + names.length
  }
  return DELIMITERS.reduce((best, next) => (score(next) > score(best) ? next : best))
}
