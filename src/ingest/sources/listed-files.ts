/**
 * Checks an extract against its optional list of files, `extract.json`, which the export writes last: names, sizes, checksums
 * and row counts. All but the row counts are checked before any file is read as a table.
 */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import type { Static } from 'typebox'
import type { Problem } from '../../kernel/problem.ts'
import Type from '../../kernel/type.ts'
import { fileChanged, firstOf, listedFileDiffers, listUnusable, reasonOf } from '../problems.ts'
import { allOf } from '../refusal-reasons.ts'
import { formOf, MAPPING_FILE } from './file-form.ts'
import { type FileState, isSameState, type Source } from './find-extract.ts'

const LIST_FILE = 'extract.json'

const ListedFile = Type.Object({
  /** The path in the folder of the extract, with forward slashes. */
  name: Type.String({ minLength: 1 }),
  bytes: Type.Integer({ minimum: 0 }),
  sha256: Type.String({ pattern: '^[0-9a-fA-F]{64}$' }),
  /** The number of rows; the header of a CSV file does not count. */
  rows: Type.Optional(Type.Integer({ minimum: 0 })),
})
const ExtractList = Type.Object({ files: Type.Array(ListedFile) })

type ListedFile = Static<typeof ListedFile>

/** The files that match the list. */
export type CheckedFiles = {
  /** Takes note of how many rows a file has. */
  readonly count: (file: Source, rows: number) => void
  /** @throws Problem ING116 naming every file whose number of rows differs from the list */
  readonly refuseMiscounts: () => void
  /** @throws Problem ING116 when a file that will be read is not listed, ING109 when it changed since it was checked */
  readonly admit: (file: Source, found: FileState) => void
}

const NOT_LISTED = 'it is in the folder, but not listed'

export const nothingListed: CheckedFiles = {
  count: () => undefined,
  refuseMiscounts: () => undefined,
  admit: () => undefined,
}

/** @throws Problem ING115 when the list cannot be used, ING116 naming every file that differs from the list */
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
    count({ file, name }, rows) {
      const { rows: expected = rows } = listed.get(name) ?? {}
      if (rows === expected) return
      miscounts.push(listedFileDiffers(file, `expected ${expected} rows, found ${rows}`))
    },
    refuseMiscounts() {
      const miscounted = allOf(miscounts)
      if (miscounted !== undefined) throw miscounted
    },
    admit({ table, file, name }, found) {
      const checked = states.get(name)
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
    // Where the source is no folder, the next step says so.
    if (['ENOENT', 'ENOTDIR'].includes((cause as NodeJS.ErrnoException).code ?? '')) return null
    throw listUnusable(path, reasonOf(cause), cause)
  }
  // Not imported at the top: the validator is half of the files that a refresh would load, and most extracts have no list.
  const { Check, Errors } = await import('typebox/value')
  if (!Check(ExtractList, content)) {
    const faults = Errors(ExtractList, content).map(
      ({ instancePath, message }) => `${instancePath || 'the list'} ${message}`,
    )
    throw listUnusable(path, firstOf(faults))
  }
  const listed = new Map<string, ListedFile>()
  for (const [at, file] of content.files.entries()) {
    if (!isInside(file.name))
      throw listUnusable(path, `/files/${at}/name is not a path inside the folder: '${file.name}'`)
    if (listed.has(file.name)) throw listUnusable(path, `/files/${at}/name is listed twice: '${file.name}'`)
    listed.set(file.name, file)
  }
  return listed
}

/** Other programs write JSON files, too: one that is read as a table is refused when it is read without being listed. */
const isTableFile = (name: string): boolean => {
  const form = formOf(name)
  return form !== undefined && form.format !== 'json'
}

const isInside = (name: string): boolean =>
  !name.startsWith('/') && !name.split(/[/\\]/).some((part) => part === '' || part === '.' || part === '..')

/** How a file differs from the list; null when it does not. With a wrong size no checksum is computed. */
async function differenceOf(file: ListedFile, path: string, bytes: number): Promise<string | null> {
  if (bytes !== file.bytes) return `expected ${file.bytes} bytes, found ${bytes}`
  try {
    const hash = createHash('sha256')
    for await (const chunk of createReadStream(path, { highWaterMark: 2 ** 20 })) hash.update(chunk)
    return hash.digest('hex') === file.sha256.toLowerCase() ? null : 'its SHA-256 differs from the listed one'
  } catch (cause) {
    return `it cannot be read: ${reasonOf(cause)}`
  }
}

/**
 * The files that must be listed: all CSV, NDJSON and Parquet files; with a mapping, which may read any file, all files. Names
 * that begin with a dot or an underscore do not count.
 */
async function dataFiles(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => [])
  const mapped = entries.some(({ name, parentPath }) => name === MAPPING_FILE && parentPath === folder)
  return (
    entries
      // The target of a link is checked when it is read as a table.
      .filter((entry) => entry.isFile())
      .filter(({ name }) => /^[^._]/.test(name) && (mapped || isTableFile(name)))
      .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).split(sep).join('/'))
      .filter((name) => name !== LIST_FILE && name !== MAPPING_FILE)
      .sort()
  )
}
