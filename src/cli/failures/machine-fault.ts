/**
 * Recognises what the machine refuses where no command expected it, so that a full disk is never told as a defect. Commands
 * name the place themselves where they know it; here the error names it, or a probe of the folders of the command.
 */
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { resolve, sep } from 'node:path'
import { isRefusedFile } from '../../directory/sqlite/file-lock.ts'
import { probeFolder } from '../../kernel/files/probe-folder.ts'
import { machineRefuses, noMoreFiles, temporaryFolderRefused } from '../../kernel/files/problems.ts'
import { isFilesUsedUp, storageFault } from '../../kernel/files/storage-fault.ts'
import type { Problem } from '../../kernel/problem.ts'

/**
 * @param folders those that the command works in
 * @returns undefined when the machine is not at fault
 */
export function machineFault(error: unknown, folders: readonly string[]): Problem | undefined {
  const places = [...folders, tmpdir()].map((folder) => resolve(folder))
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const found = refused(cause, error, places) ?? missing(cause, error, places)
    if (found !== undefined) return found
  }
  return undefined
}

function refused(cause: Error, error: unknown, folders: readonly string[]): Problem | undefined {
  const fault = storageFault(cause)
  if (fault === undefined) return isRefusedFile(cause) ? refusedFolder(error, folders) : undefined
  if (isFilesUsedUp(fault)) return noMoreFiles(fault, error)
  const path = pathOf(cause)
  if (path === undefined) return refusedFolder(error, folders) ?? machineRefuses(undefined, fault, error)
  return isWithin(path, tmpdir())
    ? temporaryFolderRefused(tmpdir(), fault, error)
    : machineRefuses(path, fault, error)
}

/** Errors of writing, and those of SQLite, name no file. */
function refusedFolder(error: unknown, folders: readonly string[]): Problem | undefined {
  for (const folder of folders) {
    const fault = probeFolder(folder)
    if (fault !== undefined) return machineRefuses(folder, fault, error)
  }
  return undefined
}

/** A folder of the command that is not there. Any other file that is missing should have been looked for. */
function missing(cause: Error, error: unknown, folders: readonly string[]): Problem | undefined {
  if (!('code' in cause) || cause.code !== 'ENOENT') return undefined
  const path = pathOf(cause)
  const folder = folders.find((each) => path !== undefined && isWithin(path, each) && !existsSync(each))
  if (folder === undefined) return undefined
  const fault = {
    code: 'ENOENT',
    reason: 'there is no such folder',
    hint: 'Make the folder, then try again.',
  }
  return folder === resolve(tmpdir())
    ? temporaryFolderRefused(folder, fault, error)
    : machineRefuses(folder, fault, error)
}

const pathOf = (cause: Error): string | undefined =>
  'path' in cause && typeof cause.path === 'string' ? cause.path : undefined

const isWithin = (path: string, folder: string): boolean =>
  `${resolve(path)}${sep}`.startsWith(`${resolve(folder)}${sep}`)
