/**
 * The list of a backup, `backup.json`: every file with its size and checksum. It is written last, so a folder without it is
 * no backup.
 */
import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { readFile, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { readCurrentId, SNAPSHOT_ID } from '../snapshot/format/layout.ts'
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

/**
 * The size of a file that lies in the folder itself; null for a link, through which a backup would hold files of others, and for
 * a device or a pipe, which never ends.
 */
async function sizeOfOwn(folder: string, path: string): Promise<number | null> {
  const [root, place] = [await realpath(folder), await realpath(join(folder, path))]
  const found = await stat(place)
  return place === join(root, path) && found.isFile() ? found.size : null
}

/** @throws Problem DIR454 when the folder is no backup that this version can read */
export async function readBackupList(folder: string): Promise<BackupList> {
  const path = join(folder, BACKUP_LIST)
  const text = await listText(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw fileUnreadable(path, error)
    throw existsSync(folder) ? notABackup(folder, `it has no ${BACKUP_LIST}`) : noBackupFolder(folder)
  })
  const list = text === null ? undefined : parsed(text)
  if (list === undefined) throw notABackup(folder, `${BACKUP_LIST} is damaged`)
  if (list.format !== BACKUP_FORMAT) {
    throw notABackup(folder, `it has format ${list.format}; this version reads format ${BACKUP_FORMAT}`)
  }
  return list
}

async function listText(folder: string): Promise<string | null> {
  const isOwn = (await sizeOfOwn(folder, BACKUP_LIST)) !== null
  return isOwn ? readFile(join(folder, BACKUP_LIST), 'utf8') : null
}

/** @throws Problem DIR454 when a file is missing or altered, or another snapshot than the listed one would be current */
export async function verifyBackup(folder: string, { files, snapshot }: BackupList): Promise<void> {
  const damages: string[] = []
  for (const file of files) {
    const damage = await damageOf(folder, file)
    if (damage !== null) damages.push(`${file.path} ${damage}`)
  }
  if (damages.length > 0) throw backupDamaged(folder, damages)
  if (((await readCurrentId(folder)) ?? null) !== snapshot)
    throw notABackup(folder, `${BACKUP_LIST} names another snapshot than the file current`)
}

/** How a file differs from its entry; null when it does not. */
export async function damageOf(
  folder: string,
  { path, bytes, sha256 }: BackedUpFile,
): Promise<string | null> {
  try {
    const size = await sizeOfOwn(folder, path)
    if (size === null) return 'is a link or no file'
    if (size !== bytes) return `has ${size} bytes instead of ${bytes}`
    const found = await describeFile(folder, path)
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

/** What a backup may hold, so that a list cannot put other files into a data folder. */
const PLACE =
  /^(?:control\.db|history\.db|secret\.key|token\.key|tripfolio\.json|current|(?:snapshots|changes)\/.+)$/
const MOMENT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/
const VERSION = /^\d+\.\d+\.\d+[\w.+-]*$/
const SHA256 = /^[0-9a-f]{64}$/

/** A list of a later format is told by its number, so only the number is checked then. */
const isList = (value: unknown): value is BackupList =>
  isObject(value) &&
  typeof value.format === 'number' &&
  (value.format !== BACKUP_FORMAT ||
    (isText(value.madeAt, MOMENT) &&
      isText(value.version, VERSION) &&
      (value.snapshot === null || isText(value.snapshot, SNAPSHOT_ID)) &&
      Array.isArray(value.files) &&
      value.files.length > 0 &&
      value.files.every(isFile) &&
      isUnique(value.files.map(({ path }) => path))))

const isText = (value: unknown, form: RegExp): value is string =>
  typeof value === 'string' && form.test(value)

const isUnique = (paths: readonly string[]): boolean => new Set(paths).size === paths.length

/** No path leads out of the folder. */
const isFile = (value: unknown): value is BackedUpFile =>
  isObject(value) &&
  isText(value.path, PLACE) &&
  value.path.split('/').every((part) => /^[\w.-]+$/.test(part) && part !== '..' && part !== '.') &&
  Number.isSafeInteger(value.bytes) &&
  isText(value.sha256, SHA256)
