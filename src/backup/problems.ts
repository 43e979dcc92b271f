/** What can go wrong with backups and restores (DIR45x, DIR463, DIR464). */
import { storageFault } from '../kernel/files/storage-fault.ts'
import { Problem } from '../kernel/problem.ts'

export const backupExists = (folder: string) =>
  new Problem('DIR453', `There is something at ${folder} already`, {
    hint: 'Name a folder that does not exist yet, such as one with the date in its name.',
  })

export const noBackupFolder = (folder: string) =>
  new Problem('DIR454', `There is no backup: the folder ${folder} does not exist`, {
    hint: 'Name the folder that `tripfolio backup` has made. Nothing was restored.',
  })

export const notABackup = (folder: string, reason: string) =>
  new Problem('DIR454', `${folder} is not a backup of Tripfolio, or is incomplete: ${reason}`, {
    hint: 'Name the folder that `tripfolio backup` has made. Nothing was restored.',
  })

export const backupDamaged = (folder: string, damages: readonly string[]) =>
  new Problem(
    'DIR454',
    `The backup ${folder} has ${damages.length} damaged ${damages.length === 1 ? 'file' : 'files'}: ${damages.slice(0, 3).join('; ')}`,
    { hint: 'Use another backup. Nothing was restored.' },
  )

export const folderNotEmpty = (folder: string, found: readonly string[]) =>
  new Problem(
    'DIR455',
    `Expected an empty or new data folder, found ${found.slice(0, 5).join(', ')}${found.length > 5 ? ', ...' : ''} in ${folder}`,
    { hint: 'Name another folder with --data, or move the files away. A restore never overwrites.' },
  )

export const otherRestoreUnfinished = (folder: string, madeAt: string) =>
  new Problem(
    'DIR463',
    `A restore of another backup, made ${madeAt}, into ${folder} was ended before it was done`,
    {
      hint: 'Restore that backup again, name another folder with --data, or empty the folder. Nothing was restored.',
    },
  )

export const backupStopped = (folder: string) =>
  new Problem('DIR464', `The backup was stopped before it was complete: there is nothing at ${folder}`, {
    hint: 'Run `tripfolio backup` again.',
  })

/** Only the owner may read a backup, so the user of the service cannot restore what another user has backed up. */
export function fileUnreadable(path: string, cause: unknown): Problem {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  if (code !== 'EACCES' && code !== 'EPERM') return fileFailed(path, cause)
  return new Problem('DIR456', `Cannot read or write ${path}: this user may not read it (${code})`, {
    hint: 'Only the user that made a backup may read it. Give its files to this user (chown -R), or run the command as their owner.',
    cause,
  })
}

/** The disk or its rights are at fault, not the content of the backup. */
export function fileFailed(path: string, cause: unknown): Problem {
  const fault = storageFault(cause)
  const why =
    fault === undefined
      ? cause instanceof Error
        ? cause.message
        : String(cause)
      : `${fault.reason} (${fault.code})`
  return new Problem('DIR456', `Cannot read or write ${path}: ${why}`, {
    hint:
      fault?.hint ?? 'Check that the folder exists on a disk of this machine and that this user may use it.',
    cause,
  })
}
