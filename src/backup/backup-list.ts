/**
 * The list of a backup, `backup.json`: every file with its size and checksum. It is written last, so a folder without it is
 * no backup.
 */
import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { backupDamaged, fileUnreadable, noBackupFolder, notABackup } from './problems.ts'

export const BACKUP_LIST = 'backup.json'

/** Changes when a later version lays out a backup in another way. */
export const BACKUP_FORMAT = 1

export type BackedUpFile = {
  /** Relative to the folder of the backup and to the data folder, with forward slashes. */
  readonly path: string
  readonly bytes: number
  readonly sha256: string
}

export type BackupList = {
  readonly format: typeof BACKUP_FORMAT
  readonly madeAt: string
  /** The version of Tripfolio that made it. */
  readonly version: string
  /** The snapshot that is current after a restore; null when the backup has none. */
  readonly snapshot: string | null
  readonly files: readonly BackedUpFile[]
}

export async function describeFile(folder: string, path: string): Promise<BackedUpFile> {
  const hash = createHash('sha256')
  const { size } = await stat(join(folder, path))
  await pipeline(createReadStream(join(folder, path)), hash)
  return { path, bytes: size, sha256: hash.digest('hex') }
}

/** @throws Problem DIR454 when the folder is no backup that this version can read */
export async function readBackupList(folder: string): Promise<BackupList> {
  const path = join(folder, BACKUP_LIST)
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw fileUnreadable(path, error)
    throw existsSync(folder) ? notABackup(folder, `it has no ${BACKUP_LIST}`) : noBackupFolder(folder)
  })
  const list = parsed(text)
  if (list === undefined) throw notABackup(folder, `${BACKUP_LIST} is damaged`)
  if (list.format !== BACKUP_FORMAT) {
    throw notABackup(folder, `it has format ${list.format}; this version reads format ${BACKUP_FORMAT}`)
  }
  return list
}

/** @throws Problem DIR454 when a file is missing or altered */
export async function verifyBackup(folder: string, { files }: BackupList): Promise<void> {
  const damages: string[] = []
  for (const file of files) {
    const damage = await damageOf(folder, file)
    if (damage !== null) damages.push(`${file.path} ${damage}`)
  }
  if (damages.length > 0) throw backupDamaged(folder, damages)
}

/** How a file differs from its entry; null when it does not. */
export async function damageOf(
  folder: string,
  { path, bytes, sha256 }: BackedUpFile,
): Promise<string | null> {
  try {
    const found = await describeFile(folder, path)
    if (found.bytes !== bytes) return `has ${found.bytes} bytes instead of ${bytes}`
    return found.sha256 === sha256 ? null : 'has another checksum'
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'is missing'
    throw fileUnreadable(join(folder, path), error)
  }
}

function parsed(text: string): BackupList | undefined {
  try {
    const list: unknown = JSON.parse(text)
    return isList(list) ? list : undefined
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A list of a later format is told by its number, so only the number is checked then. */
const isList = (value: unknown): value is BackupList =>
  isObject(value) &&
  typeof value.format === 'number' &&
  (value.format !== BACKUP_FORMAT ||
    (typeof value.madeAt === 'string' &&
      typeof value.version === 'string' &&
      (value.snapshot === null || typeof value.snapshot === 'string') &&
      Array.isArray(value.files) &&
      value.files.every(isFile)))

/** No path leads out of the folder. */
const isFile = (value: unknown): boolean =>
  isObject(value) &&
  typeof value.path === 'string' &&
  value.path.split('/').every((part) => /^[\w.-]+$/.test(part) && part !== '..' && part !== '.') &&
  Number.isInteger(value.bytes) &&
  typeof value.sha256 === 'string'
