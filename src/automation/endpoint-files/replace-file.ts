/** Writes a file in one step, so that it is never half written. */
import { rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { makeFolder } from '../../kernel/files/make-folder.ts'
import { unwritableFile } from './problems.ts'

/** @throws Problem END144 */
export async function replaceFile(path: string, text: string): Promise<void> {
  const unfinished = join(dirname(path), `.${basename(path)}.${process.pid}`)
  try {
    makeFolder(dirname(path))
    await writeFile(unfinished, text, { flag: 'wx' })
    await rename(unfinished, path)
  } catch (cause) {
    // Fails like the write did when the folder itself cannot be used; the first reason is the one to report.
    await rm(unfinished, { force: true }).catch(() => undefined)
    throw unwritableFile(path, cause)
  }
}
