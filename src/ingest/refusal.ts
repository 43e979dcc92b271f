/**
 * Writes why a refresh was refused, for the operator who corrects the extract: refusal.json with the reason, and the list of
 * rejects, in `last-refusal/` under the data folder. Only the latest refusal is kept.
 */
import { chmod, copyFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Problem } from '../kernel/problem.ts'
import { CLIENT_FILE_MODE, makeDataFolder } from '../snapshot/format/layout.ts'
import { REJECTS_FILE } from './reject-log.ts'
import type { TableCounts } from './validate.ts'

export async function recordRefusal(
  { dataFolder, source }: { readonly dataFolder: string; readonly source: string },
  { code, message, hint }: Problem,
  tables: readonly TableCounts[],
  rejectsFile: string,
): Promise<void> {
  const folder = join(dataFolder, 'last-refusal')
  const unfinished = `${folder}.new`
  const refusal = { code, message, hint, source, refusedAt: new Date().toISOString(), tables }
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
