/**
 * Writes why a refresh was refused, for the operator who corrects the extract: refusal.json with the reason, and the list of
 * rejects, in `last-refusal/` under the data folder. Only the latest refusal is kept.
 */
import { chmod, copyFile, rename, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { showSource } from '../config/extract-source.ts'
import type { Problem } from '../kernel/problem.ts'
import { CLIENT_FILE_MODE, makeDataFolder } from '../snapshot/format/layout.ts'
import type { RejectCauses } from './reject-causes.ts'
import { REJECTS_FILE } from './reject-log.ts'
import type { TableCounts } from './validate.ts'

/** The absolute path of the list of rejects after a refusal. */
export const listedRejects = (dataFolder: string): string => resolve(refusalFolder(dataFolder), REJECTS_FILE)

const refusalFolder = (dataFolder: string): string => join(dataFolder, 'last-refusal')

type Found = {
  readonly tables: readonly TableCounts[]
  readonly causes: RejectCauses
  /** The list of rejects so far. */
  readonly rejectsFile: string
}

export async function recordRefusal(
  { dataFolder, source }: { readonly dataFolder: string; readonly source: string },
  { code, message, hint }: Problem,
  { tables, causes, rejectsFile }: Found,
): Promise<void> {
  const folder = refusalFolder(dataFolder)
  const unfinished = `${folder}.new`
  const refusal = {
    code,
    message,
    hint,
    source: showSource(source),
    refusedAt: new Date().toISOString(),
    tables,
    causes: tables.flatMap(({ table }) => causes.of(table)),
  }
  try {
    await rm(unfinished, { recursive: true, force: true })
    makeDataFolder(unfinished)
    await copyFile(rejectsFile, join(unfinished, REJECTS_FILE))
    await writeFile(join(unfinished, 'refusal.json'), `${JSON.stringify(refusal, null, 2)}\n`)
    for (const file of [REJECTS_FILE, 'refusal.json']) await chmod(join(unfinished, file), CLIENT_FILE_MODE)
    await rm(folder, { recursive: true, force: true })
    await rename(unfinished, folder)
  } catch {
    // A full disk may be why the refresh was refused. The caller throws that problem; this failure must not hide it.
    await rm(unfinished, { recursive: true, force: true }).catch(() => undefined)
  }
}
