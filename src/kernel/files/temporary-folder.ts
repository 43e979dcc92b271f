import { mkdirSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { temporaryFolderRefused } from './problems.ts'
import { storageFault } from './storage-fault.ts'

/** Where a folder of this name would be, without links: nothing is made yet. */
export function temporaryPath(name: string): string {
  const path = join(tmpdir(), `tripfolio-${name}-${crypto.randomUUID()}`)
  try {
    return join(realpathSync(tmpdir()), path.slice(tmpdir().length))
  } catch {
    // Making it fails with the reason.
    return path
  }
}

/**
 * Makes a folder for this user only. Whoever made it removes it.
 *
 * @throws Problem DIR850 when the temporary folder of the machine is missing, full or not writable
 */
export function makeTemporaryFolder(path: string): string {
  try {
    mkdirSync(path, { mode: 0o700 })
    return path
  } catch (error) {
    const fault = storageFault(error) ?? missingFolder(error)
    throw fault === undefined ? error : temporaryFolderRefused(tmpdir(), fault, error)
  }
}

function missingFolder(error: unknown) {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOENT') return { code, reason: 'there is no such folder' }
  return code === 'ENOTDIR' ? { code, reason: 'it is not a folder' } : undefined
}
