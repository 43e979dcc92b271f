/**
 * A key that this machine keeps for itself: random bytes in a file that only its owner can read, as base64, so that the text
 * can be copied into a setting. Whoever comes first makes it; processes that come at the same time agree on one. Refuses a
 * file that holds anything else: a new key in its place would silently lock out what was made with the old one.
 */
import { randomBytes } from 'node:crypto'
import { chmodSync, linkSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeFolder } from './make-folder.ts'
import { Problem } from './problem.ts'
import { syncFolder } from './sync-folder.ts'

const OWNER_ONLY = 0o600

/** @throws Problem when the file cannot be read or made, or holds no key of this length */
export function readOrMakeKeyFile(path: string, bytes: number): Buffer {
  const found = readKeyFile(path, bytes)
  if (found !== undefined) return found
  try {
    makeFolder(dirname(path), 0o700)
    makeKeyFile(path, randomBytes(bytes))
  } catch (error) {
    throw unusableKeyFile(path, error)
  }
  // Ours, or that of somebody who was faster.
  const made = readKeyFile(path, bytes)
  if (made === undefined) throw unusableKeyFile(path, new Error('it is a link to nowhere, or was taken away'))
  return made
}

/**
 * Undefined when there is no such file. A file that others may read is closed to them first.
 * @throws Problem when the file cannot be read, or holds no key of this length
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

/** Written elsewhere and linked into place, so that nobody ever reads half a key and nobody's key is overwritten. */
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
    hint: 'The folder must be one in which this user may write, and the file must belong to this user.',
    cause,
  })

/** Nothing of the content is shown: it may be a key after all. */
const notAKeyFile = (path: string, bytes: number, found: number) =>
  new Problem(
    'CFG202',
    `Expected a key of ${bytes} bytes as base64 in ${path}, found something else (${found} characters, hidden)`,
    {
      hint: 'Restore the file from a backup. Without it a new key is made, and what was made with the old one is lost.',
    },
  )
