/**
 * Copies a backup into an empty or new data folder. The whole backup is verified before the first file is written, and every
 * file again after it was. While it works, a mark in the folder keeps services and commands out; a killed restore leaves the
 * mark behind, and the same restore done again completes the folder. Another mark keeps the service quiet that starts on it.
 */
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { QUIET_MARK, quietMark } from '../directory/holds/quiet.ts'
import { RESTORE_MARK } from '../directory/open-stores.ts'
import { lockOutServices, serviceRuns } from '../directory/service-lock.ts'
import { type BackupDisk, backupDisk } from './backup-disk.ts'
import { type BackupList, damageOf, readBackupList, verifyBackup } from './backup-list.ts'
import { foldersOf } from './make-backup.ts'
import { fileFailed, folderNotEmpty, otherRestoreUnfinished } from './problems.ts'

/** What a folder may hold that counts as empty: files of nothing but locks, and the folder of a fresh file system. */
const WORTHLESS = /^(?:(?:service|refresh|first-run)\.lock(?:-journal)?|lost\+found)$/

/**
 * @throws Problem DIR454 when the backup is damaged, DIR455 when the data folder is not empty, DIR452 while a service runs on
 *   it, DIR456 when a file cannot be read or written, DIR463 when a restore of another backup into it was ended
 */
export async function restoreBackup(
  folder: string,
  dataFolder: string,
  disk: BackupDisk = backupDisk,
  by = 'service:restore',
): Promise<BackupList> {
  const list = await readBackupList(folder)
  await verifyBackup(folder, list)
  // Before the lock is made: a refusal leaves nothing behind.
  if (existsSync(dataFolder) && !serviceRuns(dataFolder)) await refuseOtherFiles(dataFolder, list)
  await disk.makeFolder(dataFolder)
  const lock = lockOutServices(dataFolder)
  try {
    await refuseOtherFiles(dataFolder, list)
    await disk.write(join(dataFolder, RESTORE_MARK), markOf(list))
    await disk.syncFolder(dataFolder)
    const reason = `it was restored from the backup of ${list.madeAt}`
    const mark = quietMark({ at: new Date().toISOString(), by, reason })
    await disk.write(join(dataFolder, QUIET_MARK), mark)
    for (const file of list.files) {
      const target = join(dataFolder, file.path)
      await disk.makeFolder(dirname(target))
      await disk.copy(join(folder, file.path), target)
      const damage = await damageOf(dataFolder, file)
      if (damage !== null) throw fileFailed(target, new Error(`after it was written, it ${damage}`))
    }
    for (const each of foldersOf(list.files)) await disk.syncFolder(join(dataFolder, each))
    await disk.remove(join(dataFolder, RESTORE_MARK))
    await disk.syncFolder(dataFolder)
    return list
  } finally {
    lock.release()
  }
}

/** In a folder with the mark, files that the backup has too are those of a restore that was ended. */
async function refuseOtherFiles(dataFolder: string, list: BackupList): Promise<void> {
  const names = (await readdir(dataFolder)).filter((name) => !WORTHLESS.test(name))
  if (!names.includes(RESTORE_MARK)) {
    if (names.length > 0) throw folderNotEmpty(dataFolder, names.toSorted())
    return
  }
  const own = new Set(list.files.map(({ path }) => path.split('/')[0]))
  const others = names.filter((name) => name !== RESTORE_MARK && name !== QUIET_MARK && !own.has(name))
  if (others.length > 0) throw folderNotEmpty(dataFolder, others.toSorted())
  // Files of two backups must not mix: the keys of one would not open the secrets of the other. Half a mark was written
  // before any other file.
  const mark = await readFile(join(dataFolder, RESTORE_MARK), 'utf8')
  if (!markOf(list).startsWith(mark)) throw otherRestoreUnfinished(dataFolder, mark.trim())
}

const markOf = ({ madeAt }: BackupList): string => `${madeAt}\n`
