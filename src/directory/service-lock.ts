/**
 * Tells whether a service runs on a data folder. A second one on the folder starts, and warns: it is not supported, but an
 * operator may need it for a moment, to change over without an interruption. So each holds the lock in a shared way. The
 * lock of the operating system ends with the process, however it ends.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { probeFolder } from '../kernel/files/probe-folder.ts'
import { machineRefuses } from '../kernel/files/problems.ts'
import { serviceIsRunning } from './problems.ts'
import { type FileLock, isRefusedFile, lockFile } from './sqlite/file-lock.ts'

const lockPath = (dataFolder: string): string => join(dataFolder, 'service.lock')

export type ServiceLock = FileLock & {
  /** Another service runs on the folder. Of two that start in the same moment, neither may notice the other. */
  readonly hasOther: boolean
}

/** Null when the file cannot be made: a service also runs on a folder that cannot be written. */
export async function holdServiceLock(dataFolder: string): Promise<ServiceLock | null> {
  try {
    const hasOther = await isHeld(dataFolder)
    const lock = await locked(dataFolder, { shared: true }, 40)
    return lock === null ? null : { ...lock, hasOther }
  } catch {
    return null
  }
}

/** True when a service holds it, which does so for longer than a command that only looks. */
async function isHeld(dataFolder: string): Promise<boolean> {
  const alone = await locked(dataFolder, { shared: false }, 4)
  alone?.release()
  return alone === null
}

/** A command that looks whether a service runs holds the lock for a moment. */
async function locked(
  dataFolder: string,
  how: { readonly shared: boolean },
  mostAttempts: number,
): Promise<FileLock | null> {
  for (let attempt = 1; attempt <= mostAttempts; attempt++) {
    const lock = lockFile(lockPath(dataFolder), how)
    if ('release' in lock) return lock
    await sleep(25)
  }
  return null
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

/** @throws Problem DIR452 while a service runs, DIR851 when the folder cannot be written */
export function lockOutServices(dataFolder: string): FileLock {
  const lock = usable(dataFolder)
  if ('release' in lock) return lock
  throw serviceIsRunning(dataFolder)
}

function usable(dataFolder: string) {
  try {
    return lockFile(lockPath(dataFolder))
  } catch (error) {
    const fault = isRefusedFile(error) ? probeFolder(dataFolder) : undefined
    throw fault === undefined ? error : machineRefuses(dataFolder, fault, error)
  }
}
