/**
 * The optional list of an extract's files, `extract.json`, which whoever exports writes last: names, sizes, checksums and
 * row counts. Where there is one, the folder is held to it before anything is read; only rows are counted while they are.
 */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import Type, { type Static } from 'typebox'
import { Value } from 'typebox/value'
import type { Problem } from '../../kernel/problem.ts'
import { allOf, fileChanged, firstOf, listedFileDiffers, listUnusable, reasonOf } from '../problems.ts'
import { type FileState, isSameState } from './find-extract.ts'
import { MAPPING_FILE } from './mapping.ts'
import type { SourceFile } from './table-part.ts'

const LIST_FILE = 'extract.json'

const ListedFile = Type.Object({
  /** In the folder of the extract, with forward slashes. */
  name: Type.String({ minLength: 1 }),
  bytes: Type.Integer({ minimum: 0 }),
  sha256: Type.String({ pattern: '^[0-9a-fA-F]{64}$' }),
  /** As a refresh counts them: the header of a CSV file is none. */
  rows: Type.Optional(Type.Integer({ minimum: 0 })),
})
const ExtractList = Type.Object({ files: Type.Array(ListedFile) })

type ListedFile = Static<typeof ListedFile>

/** What was found as it is listed. */
export type CheckedFiles = {
  /** Notes how many rows a file turned out to have. */
  readonly count: (file: string, rows: number) => void
  /** @throws Problem ING116 naming every file with another number of rows than is listed */
  readonly refuseMiscounts: () => void
  /** @throws Problem ING116 when a file that is going to be read is not listed, ING109 when it changed since it was checked */
  readonly admit: (file: SourceFile, found: FileState) => void
}

const NOT_LISTED = 'it is there, but not listed'

const nothingListed: CheckedFiles = {
  count: () => undefined,
  refuseMiscounts: () => undefined,
  admit: () => undefined,
}

/** @throws Problem ING115 when the list cannot be used, ING116 naming every file that is not as it is listed */
export async function checkListedFiles(folder: string, signal?: AbortSignal): Promise<CheckedFiles> {
  const listed = await readList(join(folder, LIST_FILE))
  if (listed === null) return nothingListed
  const problems: Problem[] = []
  const states = new Map<string, FileState>()
  for (const file of listed.values()) {
    signal?.throwIfAborted()
    const path = join(folder, file.name)
    const found = await stat(path).catch(() => null)
    const differs = found?.isFile() ? await differenceOf(file, path, found.size) : 'it is missing'
    if (differs === null && found !== null) {
      states.set(file.name, { bytes: found.size, modified: found.mtimeMs })
    } else problems.push(listedFileDiffers(file.name, differs ?? 'it is missing'))
  }
  for (const name of await dataFiles(folder)) {
    if (!listed.has(name)) problems.push(listedFileDiffers(name, NOT_LISTED))
  }
  const problem = allOf(problems)
  if (problem !== undefined) throw problem
  const miscounts: Problem[] = []
  return {
    count(file, rows) {
      const { rows: expected = rows } = listed.get(file) ?? {}
      if (rows === expected) return
      miscounts.push(listedFileDiffers(file, `it has ${rows} rows, not the ${expected} that are listed`))
    },
    refuseMiscounts() {
      const miscounted = allOf(miscounts)
      if (miscounted !== undefined) throw miscounted
    },
    admit({ table, file }, found) {
      const checked = states.get(file)
      if (checked === undefined) throw listedFileDiffers(file, NOT_LISTED)
      if (!isSameState(checked, found)) throw fileChanged(table.name, file)
    },
  }
}

/** Null when there is no list. */
async function readList(path: string): Promise<ReadonlyMap<string, ListedFile> | null> {
  let content: unknown
  try {
    const text = await readFile(path, 'utf8')
    content = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw listUnusable(path, reasonOf(cause), cause)
  }
  if (!Value.Check(ExtractList, content)) {
    const faults = Value.Errors(ExtractList, content).map(
      ({ instancePath, message }) => `${instancePath || 'the whole'} ${message}`,
    )
    throw listUnusable(path, firstOf(faults))
  }
  const listed = new Map<string, ListedFile>()
  for (const [at, file] of content.files.entries()) {
    if (!isInside(file.name))
      throw listUnusable(path, `/files/${at}/name is no name inside the folder: '${file.name}'`)
    if (listed.has(file.name)) throw listUnusable(path, `/files/${at}/name is listed twice: '${file.name}'`)
    listed.set(file.name, file)
  }
  return listed
}

const isInside = (name: string): boolean =>
  !name.startsWith('/') && !name.split(/[/\\]/).some((part) => part === '' || part === '.' || part === '..')

/** What is wrong with a file; null when nothing is. A wrong size saves the checksum. */
async function differenceOf(file: ListedFile, path: string, bytes: number): Promise<string | null> {
  if (bytes !== file.bytes) return `it has ${bytes} bytes, not the ${file.bytes} that are listed`
  try {
    const hash = createHash('sha256')
    for await (const chunk of createReadStream(path, { highWaterMark: 2 ** 20 })) hash.update(chunk)
    return hash.digest('hex') === file.sha256.toLowerCase()
      ? null
      : 'its SHA-256 is another one than is listed'
  } catch (cause) {
    return `it cannot be read: ${reasonOf(cause)}`
  }
}

/**
 * The files that have to be listed: those of a table's formats, and with a mapping, which may read anything, all files but
 * those that begin with a dot or an underscore.
 */
async function dataFiles(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => [])
  const mapped = entries.some(({ name, parentPath }) => name === MAPPING_FILE && parentPath === folder)
  return (
    entries
      // What a link leads to is looked at when it is read as a table.
      .filter((entry) => entry.isFile())
      .filter(({ name }) => /^[^.].*\.(csv|ndjson|parquet)$/i.test(name) || (mapped && /^[^._]/.test(name)))
      .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).split(sep).join('/'))
      .filter((name) => name !== LIST_FILE && name !== MAPPING_FILE)
      .sort()
  )
}
