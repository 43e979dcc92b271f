/**
 * Finds the extract in a source folder: for each table a view of the mapping, or its files. A table's files are
 * `bookings.csv` alone, or parts `bookings*.csv`, or the parts in a folder `bookings/` and in folders like
 * `bookings/year=2025/`, in the order of their names. Refuses missing tables, unless they are optional, and empty files, all
 * in one problem; and tables with files of more than one layout or format.
 */
import type { Dirent } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { compareCodePoints } from '../../kernel/text.ts'
import type { TableName } from '../../schema/extract-tables.ts'
import { maskCardNumbersIn } from '../card-numbers.ts'
import { refuseDamagedFiles } from '../compressed-files.ts'
import { dialectOf, noDialects } from '../dialect/stated-dialects.ts'
import type { StatedTexts } from '../mapping/decoded-files.ts'
import {
  fileEmpty,
  filesAmbiguous,
  fileUnreadable,
  folderUnusable,
  sourceUnreadable,
  tableMissing,
} from '../problems.ts'
import { allOf } from '../refusal-reasons.ts'
import { type IngestedTable, ingestedTables, neededOf } from '../tables.ts'
import type { WorkDatabase } from '../work-database.ts'
import { readCsv } from './csv.ts'
import { encodingOf, nothingStated } from './encodings.ts'
import { type FileForm, type Format, formOf, MAPPING_FILE } from './file-form.ts'
import { mappedTexts, readView, runMapping } from './mapping.ts'
import { columnName } from './match-columns.ts'
import { readNdjson } from './ndjson.ts'
import { readParquet } from './parquet.ts'
import type { FolderValues, ReadPart, SourceFile, TextForm } from './table-part.ts'

export type FoundExtract = {
  readonly tables: readonly FoundTable[]
  /** The tables that the extract leaves out; they are empty. */
  readonly missing: readonly MissingTable[]
  /** When the newest of its files was written. */
  readonly extractedAt: Date
}

type MissingTable = {
  readonly table: TableName
  /** Files that have its name, in formats that are not read. */
  readonly unreadable: readonly string[]
}

export type FoundTable = { readonly table: IngestedTable; readonly sources: readonly Source[] }

export type Source = SourceFile & {
  /** The file's name in the source folder as it is; it may hold a card number. */
  readonly name: string
  readonly read: ReadPart
  /** The state in which the file was found; null for a view. */
  readonly found: FileState | null
  /** Whether a file without content is a part without rows: its export has ended well and has other parts. */
  readonly mayBeEmpty?: boolean
  /** Removes the file when it has been read, where it is a copy. */
  readonly discard?: () => Promise<void>
}

export type FileState = { readonly bytes: number; readonly modified: number }

/** @throws Problem ING101, ING102, ING104, ING105, ING106, ING107, ING140 or ING142 */
export async function findExtract(
  folder: string,
  database: WorkDatabase,
  signal?: AbortSignal,
): Promise<FoundExtract> {
  const root = resolve(folder)
  const entries = await listFolder(root)
  const mapped = entries.some((entry) => entry.name === MAPPING_FILE)
  const views = mapped ? await mappedViews(root, database, signal) : new Set<string>()
  const stated = mapped ? await mappedTexts(database) : nothingKnown
  const problems = []
  const tables: FoundTable[] = []
  for (const table of ingestedTables) {
    const sources = views.has(table.name) ? [viewOf(table)] : await filesOf(table, root, entries, stated)
    for (const { file } of sources.filter(isWronglyEmpty)) problems.push(fileEmpty(table.name, file))
    tables.push({ table, sources })
  }
  const missing = await Promise.all(
    tables
      .filter(({ sources }) => sources.length === 0)
      .map(async ({ table: { name } }) => ({
        table: name,
        unreadable: await unreadableFiles(name, root, entries),
      })),
  )
  const needed = neededOf(missing.map(({ table }) => table))
  for (const { table, unreadable } of missing) {
    if (needed.includes(table)) problems.push(tableMissing(table, root, unreadable))
  }
  const problem = allOf(problems)
  if (problem !== undefined) throw problem
  if (views.size > 0) await refuseDamagedFiles(root, new Set(tables.flatMap(pathsOf)), signal)
  const times = views.size > 0 ? await timesOfAll(root) : tables.flatMap(timesOf)
  return { tables, missing, extractedAt: new Date(Math.max(...times)) }
}

export const isWronglyEmpty = ({ found, mayBeEmpty }: Source): boolean => found?.bytes === 0 && !mayBeEmpty

/** A mapping may fail because of a file that was cut off, which the database does not tell. */
async function mappedViews(
  root: string,
  database: WorkDatabase,
  signal: AbortSignal | undefined,
): Promise<ReadonlySet<string>> {
  try {
    return await runMapping(root, database)
  } catch (cause) {
    await refuseDamagedFiles(root, new Set(), signal)
    throw cause
  }
}

/** The files that are read without the mapping. */
const pathsOf = ({ sources }: FoundTable): readonly string[] => sources.map(({ path }) => path)

async function listFolder(folder: string): Promise<readonly Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch((cause: unknown) => {
    throw sourceUnreadable(folder, cause)
  })
}

const viewOf = (table: IngestedTable): Source => ({
  table,
  path: '',
  file: `${MAPPING_FILE} (view ${table.name})`,
  name: MAPPING_FILE,
  read: readView,
  found: null,
})

const readers: { readonly [F in Format]: ReadPart } = {
  csv: readCsv,
  'json lines': readNdjson,
  json: readNdjson,
  parquet: readParquet,
}

/** A file of a table. Files of one kind have the same layout and format. */
type Candidate = {
  readonly file: string
  readonly kind: string
  readonly form: FileForm
  readonly folderValues?: FolderValues | undefined
  /** Whether its folder says that the export has ended well. */
  readonly isDone?: boolean
}

export const nothingKnown: StatedTexts = { encodings: nothingStated, dialects: noDialects }

/** @throws Problem ING105, ING106 or ING142 */
export async function filesOf(
  table: IngestedTable,
  root: string,
  entries: readonly Dirent[],
  { encodings, dialects }: StatedTexts = nothingKnown,
): Promise<Source[]> {
  const candidates = await candidatesOf(table, root, entries)
  if (new Set(candidates.map(({ kind }) => kind)).size > 1) {
    throw filesAmbiguous(
      table.name,
      candidates.map(({ file }) => file),
    )
  }
  const encoding = encodingOf(encodings, table.name)
  const sources = await Promise.all(
    candidates.map(async ({ file, form, folderValues, isDone = false }) => {
      const path = join(root, file)
      const read = readers[form.format]
      return {
        mayBeEmpty: isDone,
        table,
        path,
        file: maskCardNumbersIn(file),
        name: file,
        read,
        form: textForm(form, encoding),
        dialect: dialectOf(dialects, table.name),
        folderValues,
        found: await fileState(table, path, file),
      }
    }),
  )
  const hasContent = sources.some(({ found }) => found.bytes > 0)
  return hasContent ? sources : sources.map((source) => ({ ...source, mayBeEmpty: false }))
}

/** Undefined for what is read as it is. */
function textForm({ format, compression }: FileForm, encoding: string | undefined): TextForm | undefined {
  const isJson = format === 'json'
  if (format === 'parquet' || (compression === undefined && encoding === undefined && !isJson))
    return undefined
  return { compression, encoding, isJson }
}

async function candidatesOf(
  table: IngestedTable,
  root: string,
  entries: readonly Dirent[],
): Promise<readonly Candidate[]> {
  const found = await Promise.all(
    entries
      .filter(({ name }) => name.toLowerCase().startsWith(table.name))
      .map(async (entry): Promise<readonly Candidate[]> => {
        const { name } = entry
        const form = formOf(name)
        const isNamed = (form?.stem ?? name).toLowerCase() === table.name
        // Some programs write a folder bookings.parquet/ of part files.
        if (await isFolder(root, entry)) return isNamed ? partsOf(table, root, name) : []
        if (form === undefined) return []
        return [{ file: name, kind: `${isNamed ? 'one' : 'parts'}${form.extension}`, form }]
      }),
  )
  return found.flat().sort((a, b) => compareCodePoints(a.file, b.file))
}

/** Spark writes a file _SUCCESS behind all parts, and a file without content for a part without rows. */
async function partsOf(table: IngestedTable, root: string, folder: string): Promise<readonly Candidate[]> {
  const parts = await partsIn(table, root, [folder])
  const isDone = (await listFolder(join(root, folder))).some(({ name }) => name === '_SUCCESS')
  return parts.map((part) => ({ ...part, isDone }))
}

/** Files that are named as those of a table, in other formats: `bookings.orc`, `bookings/part-0.avro`. */
export async function unreadableFiles(
  table: TableName,
  root: string,
  entries: readonly Dirent[],
): Promise<readonly string[]> {
  const named = entries.filter(({ name }) => name.toLowerCase().split('.', 1)[0] === table)
  const found = await Promise.all(
    named.map(async (entry) => {
      if (!(await isFolder(root, entry))) return formOf(entry.name) === undefined ? [entry.name] : []
      const parts = await readdir(join(root, entry.name), { withFileTypes: true }).catch(() => [])
      return parts
        .filter((part) => part.isFile() && !/^[._]/.test(part.name) && formOf(part.name) === undefined)
        .map((part) => `${entry.name}/${part.name}`)
    }),
  )
  return found.flat().map(maskCardNumbersIn).sort(compareCodePoints)
}

const isFolder = async (parent: string, entry: Dirent): Promise<boolean> =>
  entry.isSymbolicLink()
    ? stat(join(parent, entry.name)).then(
        (target) => target.isDirectory(),
        () => false,
      )
    : entry.isDirectory()

/** What programs leave in a folder whose files do not make up the table. */
const unusable: { readonly [folder: string]: string } = {
  _delta_log: 'it is a Delta table, whose files also hold rows that were deleted',
  '.hoodie': 'it is a Hudi table, whose files also hold rows that were replaced',
  _temporary: 'its export is unfinished or has failed, because there is a folder _temporary',
}

/** The parts in a folder, and in folders like `year=2025/`, whose names are values of a column. Names with `.` or `_` are not parts. */
async function partsIn(
  table: IngestedTable,
  root: string,
  folders: readonly string[],
): Promise<readonly Candidate[]> {
  const folder = folders.join('/')
  const [top = '', ...partitions] = folders
  const columns = partitions.map(partitionOf)
  refuseMasked(table, top, columns)
  const found = await Promise.all(
    (await listFolder(join(root, folder))).map(async (entry): Promise<readonly Candidate[]> => {
      const { name } = entry
      const form = formOf(name)
      const isHidden = /^[._]/.test(name)
      if (!(await isFolder(join(root, folder), entry))) {
        if (form === undefined || isHidden) return []
        const kind = `${top}/${columns.map(({ column }) => `${column}=/`).join('')}*${form.extension}`
        return [{ file: `${folder}/${name}`, kind, form, folderValues: valuesIn(columns) }]
      }
      const reason = unusable[name]
      if (reason !== undefined) throw folderUnusable(table.name, folder, reason)
      if (isHidden) return []
      if (name.indexOf('=') > 0) return partsIn(table, root, [...folders, name])
      throw folderUnusable(table.name, folder, `it has a folder '${name}' whose name is not like year=2025`)
    }),
  )
  return found.flat()
}

/** Names of files are in messages and lists of rejects, which show no card numbers. */
function refuseMasked(
  { name, columns }: IngestedTable,
  folder: string,
  partitions: readonly Partition[],
): void {
  const masked = columns.filter((column) => column.masked !== undefined).map(({ column }) => column)
  const found = partitions.find(({ column }) => masked.includes(column))
  if (found === undefined) return
  throw folderUnusable(name, folder, `names of folders may not hold values of column '${found.column}'`)
}

type Partition = { readonly column: string; readonly value: string | null }

/** `year=2025`; special characters are percent-encoded. */
function partitionOf(folder: string): Partition {
  const at = folder.indexOf('=')
  const value = folder.slice(at + 1)
  return { column: columnName(folder.slice(0, at)), value: value === HIVE_NULL ? null : decodedName(value) }
}

const HIVE_NULL = '__HIVE_DEFAULT_PARTITION__'

function decodedName(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

const valuesIn = (partitions: readonly Partition[]): FolderValues | undefined =>
  partitions.length === 0 ? undefined : new Map(partitions.map(({ column, value }) => [column, value]))

/** @throws Problem ING105 */
export async function fileState(table: IngestedTable, path: string, file: string): Promise<FileState> {
  const found = await stat(path).catch((cause: unknown) => {
    throw fileUnreadable(table.name, file, cause)
  })
  return { bytes: found.size, modified: found.mtimeMs }
}

export const isSameState = (one: FileState, other: FileState): boolean =>
  one.bytes === other.bytes && one.modified === other.modified

const timesOf = ({ sources }: FoundTable): number[] => sources.flatMap(({ found }) => found?.modified ?? [])

/** It is unknown which files a mapping's views read, so all files of the folder count. */
async function timesOfAll(folder: string): Promise<number[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true })
  const files = entries.filter((entry) => !entry.isDirectory() && entry.name !== MAPPING_FILE)
  const states = await Promise.all(
    files.map(({ parentPath, name }) => stat(join(parentPath, name)).catch(() => undefined)),
  )
  const times = states.flatMap((state) => state?.mtimeMs ?? [])
  return times.length === 0 ? [Date.now()] : times
}
