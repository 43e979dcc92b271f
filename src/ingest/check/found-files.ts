/**
 * Finds the files of each table as a refresh would, and groups the other files of the folder: `PNR_2026_01.csv` and
 * `PNR_2026_02.csv` are the parts of one group. A group may be the missing file of a table under another name.
 */
import { readdir, readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { Problem } from '../../kernel/problem.ts'
import { compareCodePoints } from '../../kernel/text.ts'
import type { TableName } from '../../schema/extract-tables.ts'
import { sourceUnreadable } from '../problems.ts'
import { MAPPING_FILE } from '../sources/file-form.ts'
import { filesOf, isWronglyEmpty, type Source, unreadableFiles } from '../sources/find-extract.ts'
import { ingestedTables } from '../tables.ts'

type FileFormat = 'csv' | 'json' | 'parquet'

/** Files of one format that a single relation can read. */
export type FileGroup = {
  readonly format: FileFormat
  /** The paths in the source folder, with forward slashes. */
  readonly files: readonly string[]
  /** The same files as a pattern, or as a list where no pattern names exactly these. */
  readonly pattern: string | readonly string[]
}

export type FoundFiles = {
  readonly tables: ReadonlyMap<TableName, FoundTableFiles>
  /** The groups that no table has. */
  readonly others: readonly FileGroup[]
  /** The text of tripfolio.sql; null without one. */
  readonly mapping: string | null
}

type FoundTableFiles = {
  readonly group: FileGroup | null
  /** The files of the group, as a refresh would read them, and empty ones. */
  readonly sources: readonly Source[]
  /** Why a refresh would refuse the files. */
  readonly faults: readonly string[]
  /** Files that have its name, in formats that are not read; none where other files are read. */
  readonly unreadable: readonly string[]
}

/** @throws Problem ING101 */
export async function findFiles(root: string): Promise<FoundFiles> {
  const entries = await readdir(root, { withFileTypes: true }).catch((cause: unknown) => {
    throw sourceUnreadable(root, cause)
  })
  const all = await dataFiles(root)
  const tables = new Map<TableName, FoundTableFiles>()
  const taken = new Set<string>()
  for (const table of ingestedTables) {
    const found = await tableFiles(all, () => filesOf(table, root, entries))
    for (const { name } of found.sources) taken.add(name)
    const isFound = found.sources.length > 0 || found.faults.length > 0
    const unreadable = isFound ? [] : await unreadableFiles(table.name, root, entries)
    tables.set(table.name, { ...found, unreadable })
  }
  const others = Map.groupBy(
    all.filter((file) => !taken.has(file)),
    withoutDigits,
  )
  const mapped = entries.some((entry) => entry.name === MAPPING_FILE)
  return {
    tables,
    others: [...others.values()].map((files) => groupOf(files, all)),
    mapping: mapped ? await readFile(join(root, MAPPING_FILE), 'utf8').catch(() => '') : null,
  }
}

async function tableFiles(
  all: readonly string[],
  find: () => ReturnType<typeof filesOf>,
): Promise<Omit<FoundTableFiles, 'unreadable'>> {
  try {
    const sources = await find()
    if (sources.length === 0) return { group: null, sources: [], faults: [] }
    const empty = sources.filter(isWronglyEmpty)
    const filled = sources.filter(({ found }) => found?.bytes !== 0)
    const files = filled.map(({ name }) => name)
    return {
      group: files.length === 0 ? null : groupOf(files, all),
      sources,
      faults: empty.map(({ file }) => `${file} is empty: it has 0 bytes`),
    }
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem
    return { group: null, sources: [], faults: [problem.message] }
  }
}

const formats: readonly (readonly [name: RegExp, format: FileFormat])[] = [
  [/\.(csv|tsv|psv|txt)(\.gz|\.zst)?$/i, 'csv'],
  [/\.(ndjson|jsonl|json)(\.gz|\.zst)?$/i, 'json'],
  [/\.parquet$/i, 'parquet'],
]

const formatOf = (file: string): FileFormat | undefined => formats.find(([name]) => name.test(file))?.[1]

/** The files of the folder and its folders that may hold rows. */
async function dataFiles(root: string): Promise<readonly string[]> {
  const entries = await readdir(root, { withFileTypes: true, recursive: true })
  return (
    entries
      // Others, such as pipes, may never end.
      .filter((entry) => (entry.isFile() || entry.isSymbolicLink()) && !/^[._]/.test(entry.name))
      .map(({ parentPath, name }) => relative(root, join(parentPath, name)).split(sep).join('/'))
      .filter((file) => file !== MAPPING_FILE && file !== 'extract.json' && formatOf(file) !== undefined)
      .sort(compareCodePoints)
  )
}

const withoutDigits = (file: string): string => file.replace(/\d+/g, '*')

function groupOf(files: readonly string[], all: readonly string[]): FileGroup {
  const [first = ''] = files
  return { format: formatOf(first) ?? 'csv', files, pattern: patternOf(files, all) }
}

/** A pattern also reads the parts of the next extract. It must match exactly the given files now. */
function patternOf(files: readonly string[], all: readonly string[]): string | readonly string[] {
  const [first = ''] = files
  if (files.length === 1) return first
  const start = first.slice(0, commonLength(files))
  const end = first.slice(first.lastIndexOf('.'))
  const matching = [withoutDigits(first), `${start}*${end}`].find((pattern) => {
    const matched = new RegExp(`^${pattern.split('*').map(escaped).join('[^/]*')}$`)
    return !/[?[\]]/.test(pattern) && all.filter((file) => matched.test(file)).join('\n') === files.join('\n')
  })
  return matching ?? files
}

const escaped = (text: string): string => text.replace(/[.*+?^$()[\]{}|\\]/g, '\\$&')

function commonLength(files: readonly string[]): number {
  const [first = '', ...rest] = files
  let length = 0
  while (length < first.length && rest.every((file) => file[length] === first[length])) length++
  return length
}
