/**
 * Tells whether a service runs on a data folder. Several services may share a folder, so each holds the lock in a shared way;
 * the lock of the operating system ends with the process, however it ends.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { serviceIsRunning } from './problems.ts'
import { type FileLock, lockFile } from './sqlite/file-lock.ts'

const lockPath = (dataFolder: string): string => join(dataFolder, 'service.lock')

/** Null when the file cannot be made: a service also runs on a folder that cannot be written. */
export async function holdServiceLock(dataFolder: string): Promise<FileLock | null> {
  try {
    // A command that looks whether a service runs holds the lock for a moment.
    for (let attempt = 1; attempt <= 40; attempt++) {
      const lock = lockFile(lockPath(dataFolder), { shared: true })
      if ('release' in lock) return lock
      await sleep(25)
    }
    return null
  } catch {
    return null
  }
}

export function serviceRuns(dataFolder: string): boolean {
  if (!existsSync(lockPath(dataFolder))) return false
  try {
    const lock = lockFile(lockPath(dataFolder))
    if (!('release' in lock)) return true
    lock.release()
    return false
  } catch {
    // The folder cannot be written, so a service that runs on it cannot be found this way.
    return false
  }
}

/** @throws Problem DIR452 while a service runs */
export function lockOutServices(dataFolder: string): FileLock {
  const lock = lockFile(lockPath(dataFolder))
  if ('release' in lock) return lock
  throw serviceIsRunning(dataFolder)
}
