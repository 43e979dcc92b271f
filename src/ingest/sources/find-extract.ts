/**
 * Finds the extract in a source folder: for each table a view of the mapping, or its files. A table's files are
 * `bookings.csv` alone, or parts `bookings*.csv`, or the parts in a folder `bookings/`, in the order of their names; `.csv`,
 * `.ndjson` or `.parquet`. Refuses missing tables, unless they are optional, and empty files, all in one problem; and tables
 * with files of more than one layout or format.
 */
import type { Dirent } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { compareCodePoints } from '../../kernel/text.ts'
import {
  allOf,
  fileEmpty,
  filesAmbiguous,
  fileUnreadable,
  sourceUnreadable,
  tableMissing,
} from '../problems.ts'
import { type IngestedTable, ingestedTables } from '../tables.ts'
import type { WorkDatabase } from '../work-database.ts'
import { readCsv } from './csv.ts'
import { MAPPING_FILE, readView, runMapping } from './mapping.ts'
import { readNdjson } from './ndjson.ts'
import { readParquet } from './parquet.ts'
import type { ReadPart, SourceFile } from './table-part.ts'

export type FoundExtract = {
  readonly tables: readonly FoundTable[]
  /** When the newest of its files was written. */
  readonly extractedAt: Date
}

export type FoundTable = { readonly table: IngestedTable; readonly sources: readonly Source[] }

export type Source = SourceFile & {
  readonly read: ReadPart
  /** The state in which the file was found; null for a view. */
  readonly found: FileState | null
}

export type FileState = { readonly bytes: number; readonly modified: number }

/** @throws Problem ING101, ING102, ING104, ING105, ING106 or ING107 */
export async function findExtract(folder: string, database: WorkDatabase): Promise<FoundExtract> {
  const root = resolve(folder)
  const entries = await listFolder(root)
  const mapped = entries.some((entry) => entry.name === MAPPING_FILE)
  const views = mapped ? await runMapping(root, database) : new Set<string>()
  const problems = []
  const tables: FoundTable[] = []
  for (const table of ingestedTables) {
    const sources = views.has(table.name) ? [viewOf(table)] : await filesOf(table, root, entries)
    if (sources.length === 0 && table.schema.required) problems.push(tableMissing(table.name, root))
    for (const { file, found } of sources) {
      if (found?.bytes === 0) problems.push(fileEmpty(table.name, file))
    }
    tables.push({ table, sources })
  }
  const problem = allOf(problems)
  if (problem !== undefined) throw problem
  const times = views.size > 0 ? await timesOfAll(root) : tables.flatMap(timesOf)
  return { tables, extractedAt: new Date(Math.max(...times)) }
}

async function listFolder(folder: string): Promise<readonly Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch((cause: unknown) => {
    throw sourceUnreadable(folder, cause)
  })
}

const viewOf = (table: IngestedTable): Source => ({
  table,
  path: '',
  file: `${MAPPING_FILE} (view ${table.name})`,
  read: readView,
  found: null,
})

const formats: { readonly [extension: string]: ReadPart } = {
  '.csv': readCsv,
  '.ndjson': readNdjson,
  '.parquet': readParquet,
}

type Candidate = { readonly file: string; readonly kind: string; readonly read: ReadPart }

/** @throws Problem ING105 or ING106 */
export async function filesOf(
  table: IngestedTable,
  root: string,
  entries: readonly Dirent[],
): Promise<Source[]> {
  const candidates = await candidatesOf(table.name, root, entries)
  if (new Set(candidates.map(({ kind }) => kind)).size > 1) {
    throw filesAmbiguous(
      table.name,
      candidates.map(({ file }) => file),
    )
  }
  return Promise.all(
    candidates.map(async ({ file, read }) => {
      const path = join(root, file)
      return { table, path, file, read, found: await fileState(table, path, file) }
    }),
  )
}

async function candidatesOf(table: string, root: string, entries: readonly Dirent[]): Promise<Candidate[]> {
  const topLevel = entries
    .filter((entry) => !entry.isDirectory() && entry.name.toLowerCase().startsWith(table))
    .map(({ name }) => ({
      file: name,
      layout: name.toLowerCase().lastIndexOf('.') === table.length ? 'one' : 'parts',
    }))
  const folder = entries.find((entry) => entry.name.toLowerCase() === table && !entry.isFile())
  const inside = (folder === undefined ? [] : await listFolder(join(root, folder.name)))
    .filter((entry) => !entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => ({ file: `${folder?.name}/${name}`, layout: 'folder' }))
  return [...topLevel, ...inside]
    .flatMap(({ file, layout }) => {
      const extension = file.toLowerCase().slice(file.lastIndexOf('.'))
      const read = formats[extension]
      return read === undefined ? [] : [{ file, kind: layout + extension, read }]
    })
    .sort((a, b) => compareCodePoints(a.file, b.file))
}

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
