/**
 * Decides how many threads the database of a refresh has: one when all files of the extract are small together. Further threads
 * would wait for each other longer than they work.
 */
import { opendir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { isWarehouse } from '../config/extract-source.ts'
import { MAPPING_FILE } from './sources/file-form.ts'

/** One thread reads this much in less than a second. */
const SMALL_BYTES = 2 ** 20

/** @returns undefined for one thread for each processor core; also where the size is not known before the reading */
export async function threadsFor(source: string): Promise<1 | undefined> {
  if (isWarehouse(source)) return undefined
  // A source that cannot be read is refused later, with the reason.
  return (await isSmall(resolve(source)).catch(() => false)) ? 1 : undefined
}

async function isSmall(folder: string): Promise<boolean> {
  let bytes = 0
  for await (const entry of await opendir(folder, { recursive: true })) {
    if (entry.isDirectory()) continue
    // A mapping may read other folders, and a link may lead to one.
    if (entry.name === MAPPING_FILE || !entry.isFile()) return false
    bytes += (await stat(join(entry.parentPath, entry.name))).size
    if (bytes > SMALL_BYTES) return false
  }
  return true
}
