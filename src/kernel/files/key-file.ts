/**
 * Keeps a key in a file of the data folder: random bytes as base64, readable by its owner only; the text can be copied into
 * a setting. The first process makes the file; processes that start at the same time use the same key. Refuses a file that
 * holds anything else: a new key in its place would silently invalidate everything that the old one signed or sealed.
 */
import { randomBytes } from 'node:crypto'
import { chmodSync, linkSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { Problem } from '../problem.ts'
import { makeFolder } from './make-folder.ts'
import { syncFolder } from './sync-folder.ts'

const OWNER_ONLY = 0o600

/** @throws Problem when the file cannot be read or made, or does not hold a key of this length */
export function readOrMakeKeyFile(path: string, bytes: number): Buffer {
  const found = readKeyFile(path, bytes)
  if (found !== undefined) return found
  try {
    makeFolder(dirname(path), 0o700)
    makeKeyFile(path, randomBytes(bytes))
  } catch (error) {
    throw unusableKeyFile(path, error)
  }
  // Made by this process, or by another one that was faster.
  const made = readKeyFile(path, bytes)
  if (made === undefined)
    throw unusableKeyFile(path, new Error('it is a link to a missing file, or was removed'))
  return made
}

/**
 * Undefined when there is no such file. When other users may read the file, their rights are removed first.
 * @throws Problem when the file cannot be read, or does not hold a key of this length
 */
export function readKeyFile(path: string, bytes: number): Buffer | undefined {
  let text: string
  try {
    if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, OWNER_ONLY)
    text = readFileSync(path, 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw unusableKeyFile(path, error)
  }
  const key = Buffer.from(text, 'base64')
  if (key.length !== bytes || key.toString('base64') !== text) throw notAKeyFile(path, bytes, text.length)
  return key
}

/** Writes a scratch file and links it into place, so that no process reads half a key or overwrites another's key. */
function makeKeyFile(path: string, key: Buffer): void {
  const scratch = `${path}.${process.pid}.${crypto.randomUUID()}`
  try {
    writeFileSync(scratch, `${key.toString('base64')}\n`, { mode: OWNER_ONLY, flag: 'wx', flush: true })
    linkSync(scratch, path)
    syncFolder(dirname(path))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(scratch, { force: true })
  }
}

const unusableKeyFile = (path: string, cause: unknown) =>
  new Problem('CFG201', `Cannot read or make the key file ${path}: ${(cause as Error).message}`, {
    hint: 'This user must be allowed to write to the folder, and must own the file.',
    cause,
  })

/** Shows nothing of the content, because it may be a key. */
const notAKeyFile = (path: string, bytes: number, found: number) =>
  new Problem(
    'CFG202',
    `Expected a key of ${bytes} bytes as base64 in ${path}, found something else (${found} characters, hidden)`,
    {
      hint: 'Restore the file from a backup. If you delete it, a new key is made, and what the old key signed or sealed is lost.',
    },
  )
