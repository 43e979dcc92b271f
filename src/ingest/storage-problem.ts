/**
 * Tells a disk that is full or cannot be written from an extract that is damaged. The work database and the refresh lock
 * report disk faults in texts and codes of their own; where these do not name the fault, a probe of the folder does.
 */
import { probeFolder } from '../kernel/files/probe-folder.ts'
import { noMoreFiles } from '../kernel/files/problems.ts'
import {
  isFilesUsedUp,
  type StorageFault,
  storageFault,
  storageFaultOf,
} from '../kernel/files/storage-fault.ts'
import type { Problem } from '../kernel/problem.ts'
import { diskRefuses } from './problems.ts'
import { lockPath } from './refresh/refresh-lock.ts'

/** Messages of the operating system, as the work database quotes them. */
const texts: readonly (readonly [text: RegExp, code: string])[] = [
  [/No space left on device/, 'ENOSPC'],
  [/Disk quota exceeded/, 'EDQUOT'],
  [/Read-only file system/, 'EROFS'],
  [/File too large/, 'EFBIG'],
  [/Input\/output error/, 'EIO'],
]

/** Also of a file of the extract. */
const FILES_USED_UP = /Too many open files in system|Too many open files/

/** Messages of the work database when it cannot write its file or its spill folder. */
const WORK_REFUSED =
  /Could not write|failed to offload data block|max_temp_directory_size|Cannot open file .*\/work\/.*Permission denied|Failed to create directory/

/** Codes of SQLite for the lock file: READONLY, IOERR and CANTOPEN; https://sqlite.org/rescode.html */
const LOCK_REFUSED: ReadonlySet<number> = new Set([8, 10, 14])
const LOCK_FULL = 13

/**
 * @param refuses says that the folder is at fault
 * @returns undefined when the machine is not at fault
 */
export function storageProblem(
  cause: unknown,
  dataFolder: string,
  refuses: typeof diskRefuses = diskRefuses,
): Problem | undefined {
  for (let error = cause; error instanceof Error; error = error.cause) {
    const fault = faultOf(error, dataFolder)
    if (fault !== undefined)
      return isFilesUsedUp(fault) ? noMoreFiles(fault, cause) : refuses(dataFolder, fault, cause)
  }
  return undefined
}

function faultOf(error: Error, dataFolder: string): StorageFault | undefined {
  const ofSystem = storageFault(error)
  if (ofSystem !== undefined && (!isPermission(ofSystem) || isOfLock(error, dataFolder))) return ofSystem
  const [filesUsedUp] = FILES_USED_UP.exec(error.message) ?? []
  if (filesUsedUp !== undefined) return storageFaultOf(filesUsedUp.endsWith('system') ? 'ENFILE' : 'EMFILE')
  const said = texts.find(([text]) => text.test(error.message))
  if (said !== undefined && isWork(error.message, dataFolder)) return storageFaultOf(said[1])
  if (WORK_REFUSED.test(error.message)) return probeFolder(dataFolder) ?? SPACE_RAN_OUT
  const ofLock = lockCode(error)
  if (ofLock === LOCK_FULL) return probeFolder(dataFolder) ?? SPACE_RAN_OUT
  // These codes have other reasons, too: the lock's path may be a folder.
  return ofLock !== undefined && LOCK_REFUSED.has(ofLock) ? probeFolder(dataFolder) : undefined
}

const isPermission = ({ code }: StorageFault): boolean => code === 'EACCES' || code === 'EPERM'

/** A permission that is missing on the extract is not a fault of the data folder. */
const isOfLock = (error: Error, dataFolder: string): boolean =>
  'path' in error && error.path === lockPath(dataFolder)

/** The fault when the probe can write: removing the work database has freed space. */
const SPACE_RAN_OUT = storageFaultOf('ENOSPC')

const isWork = (message: string, dataFolder: string): boolean =>
  message.includes(dataFolder) || WORK_REFUSED.test(message)

const lockCode = (error: Error): number | undefined =>
  'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : undefined
