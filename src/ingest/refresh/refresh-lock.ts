/** Allows one refresh at a time per data folder, across processes; the file names the process that holds the lock. */
import { dirname, join } from 'node:path'
import { type FileLock, isRefusedFile, lockFile } from '../../directory/sqlite/file-lock.ts'
import { probeFolder } from '../../kernel/files/probe-folder.ts'
import { alreadyRunning, diskRefuses, lockUnusable } from '../problems.ts'

export const lockPath = (dataFolder: string): string => join(dataFolder, 'refresh.lock')

/**
 * @throws Problem ING121 while another refresh holds the lock, in this process or another one
 * @throws Problem ING130 when the folder cannot be written, ING124 when only the file cannot be used
 */
export function lockRefresh(dataFolder: string): FileLock {
  const path = lockPath(dataFolder)
  const lock = usable(path)
  if ('holder' in lock) throw alreadyRunning(dataFolder, lock.holder)
  return lock
}

function usable(path: string) {
  try {
    return lockFile(path, { tellHolder: true })
  } catch (error) {
    if (!isRefusedFile(error)) throw error
    const fault = probeFolder(dirname(path))
    throw fault === undefined ? lockUnusable(path, error) : diskRefuses(dirname(path), fault, error)
  }
}
