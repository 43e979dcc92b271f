/**
 * Prepares the folder of a demo extract. Everything is written under `.partial` and moved to its place at the end, so a run
 * that fails or is killed leaves no half extract. Refuses folders that hold anything except an earlier demo extract.
 */
import { mkdir, readdir, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { makeFolder } from '../kernel/files/make-folder.ts'
import { extractTables, type TableName } from '../schema/extract-tables.ts'
import { cannotWrite, foreignFiles, notAFolder } from './problems.ts'

const tableNames = Object.values(extractTables).map(({ name }) => name)
const formats = ['csv', 'ndjson', 'parquet'] as const

export type DemoFormat = (typeof formats)[number]

/** Distinguishes a demo extract from a real one with the same file names. Hidden, so that no glob takes it for a table. */
const MARK = '.tripfolio-demo'
const MARK_TEXT = 'Written by `tripfolio demo`, which may overwrite the extract in this folder.\n'
const PARTIAL = '.partial'

export type ExtractFolder = {
  /** Where files are written until {@link publish} moves them. */
  readonly partial: string
  /** Replaces an earlier extract, if there is one. */
  publish(format: DemoFormat): Promise<void>
  /** Removes what this run has written; an earlier extract stays. */
  discard(): Promise<void>
}

export async function openExtractFolder(out: string): Promise<ExtractFolder> {
  const folder = resolve(out)
  const found = await entriesOf(folder)
  refuseForeign(folder, found ?? [])
  const isNew = !found?.includes(MARK)
  const partial = join(folder, PARTIAL)
  const created = makeFolder(folder)
  await writeFile(join(folder, MARK), MARK_TEXT)
  await rm(partial, { recursive: true, force: true })
  await mkdir(partial)
  return {
    partial,
    publish: (format) => publish(folder, format),
    discard: async () => {
      await rm(partial, { recursive: true, force: true })
      if (isNew) await rm(join(folder, MARK), { force: true })
      if (created !== undefined) await removeEmpty(folder, created)
    },
  }
}

/** Null when the folder does not exist. */
async function entriesOf(folder: string): Promise<string[] | null> {
  try {
    return await readdir(folder)
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
    if (code === 'ENOENT') return null
    if (code === 'ENOTDIR' && (await isFile(folder))) throw notAFolder(folder)
    throw cannotWrite(folder, cause)
  }
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  )
}

function refuseForeign(folder: string, found: readonly string[]): void {
  const ours = new Set(found.includes(MARK) ? [MARK, PARTIAL, ...everyFileName()] : [])
  const foreign = found.filter((name) => !ours.has(name))
  if (foreign.length > 0) throw foreignFiles(folder, foreign.sort())
}

const everyFileName = (): string[] =>
  formats.flatMap((format) => tableNames.map((name) => `${name}.${format}`))

/**
 * Removes the old bookings first and moves the new ones last: an extract without bookings is refused, so a half replaced
 * folder never looks like an extract.
 */
async function publish(folder: string, format: DemoFormat): Promise<void> {
  for (const name of bookingsLast().reverse()) {
    for (const old of formats) await rm(join(folder, `${name}.${old}`), { force: true })
  }
  for (const name of bookingsLast()) {
    const file = `${name}.${format}`
    await rename(join(folder, PARTIAL, file), join(folder, file))
  }
  await rmdir(join(folder, PARTIAL))
}

const bookingsLast = (): TableName[] => [...tableNames.filter((name) => name !== 'bookings'), 'bookings']

/** Removes the folder and the parents that were created for it, as far as they are empty. */
async function removeEmpty(folder: string, topmost: string): Promise<void> {
  for (let path = folder; path.length >= topmost.length; path = dirname(path)) {
    const removed = await rmdir(path).then(
      () => true,
      () => false,
    )
    if (!removed) return
  }
}
