/**
 * Objects as files of a folder that several machines mount (NFS and the like). An object appears under its name by a rename,
 * after its bytes were written and synced, so no reader sees half of it. There are no locks, which such file systems lack.
 */
import { createHash, randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { makeFolder } from '../../kernel/files/make-folder.ts'
import { CLIENT_FILE_MODE, syncFolder } from '../format/layout.ts'
import type { ObjectContent, ObjectStore, StoredObject } from './object-store.ts'

const FOLDER_MODE = 0o750

/** Files that are being written; a killed refresh leaves them behind. */
const UNFINISHED = '.unfinished-'
const STALE_MS = 24 * 3_600_000

export function openFolderStore(folder: string): ObjectStore {
  const root = resolve(folder)
  const pathOf = (key: string): string => join(root, ...key.split('/'))
  return {
    name: root,
    put: (key, content) => put(pathOf(key), content),
    get: async (key, signal) => {
      const handle = await open(pathOf(key), 'r').catch(nullIfMissing)
      if (handle !== null) return createReadStream('', { fd: handle, signal })
      await requireMounted(root, key)
      return null
    },
    list: (prefix) => list(root, prefix),
    delete: async (keys) => {
      for (const key of keys) await rm(pathOf(key), { force: true })
      // An empty folder stays when another process has put a file into it meanwhile.
      const folders = [...new Set(keys.map((key) => dirname(pathOf(key))))].filter((each) => each !== root)
      for (const each of folders) await removeEmpty(each)
    },
    exists: async (key) => (await stat(pathOf(key)).catch(nullIfMissing)) !== null,
    close: () => undefined,
  }
}

async function put(path: string, { chunks, sha256 }: ObjectContent): Promise<void> {
  const parent = dirname(path)
  makeFolder(parent, FOLDER_MODE)
  const unfinished = join(parent, `${UNFINISHED}${randomBytes(8).toString('hex')}`)
  try {
    const file = await open(unfinished, 'wx', CLIENT_FILE_MODE)
    try {
      await file.chmod(CLIENT_FILE_MODE)
      for (const chunk of chunks) {
        for (let written = 0; written < chunk.byteLength; ) {
          written += (await file.write(chunk, written)).bytesWritten
        }
      }
      await file.sync()
    } finally {
      await file.close()
    }
    if ((await sha256Of(unfinished)) !== sha256) throw new Error(`'${path}' was not stored as it was sent`)
    await rename(unfinished, path)
    await syncFolder(parent)
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => undefined)
    throw error
  }
}

/** Before a network folder is mounted, its place is an empty folder, in which nothing is missing. */
async function requireMounted(root: string, key: string): Promise<void> {
  const top = join(root, key.split('/')[0] ?? '')
  if ((await stat(top).catch(nullIfMissing)) === null)
    throw new Error(`'${top}' is not there: is it mounted?`)
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk)
  return hash.digest('hex')
}

async function* list(root: string, prefix: string): AsyncGenerator<StoredObject> {
  const folder = join(root, prefix)
  const entries = await readdir(folder, { withFileTypes: true }).catch(nullIfMissing)
  for (const entry of entries ?? []) {
    const key = `${prefix}${entry.name}`
    if (entry.isDirectory()) yield* list(root, `${key}/`)
    else if (entry.name.startsWith(UNFINISHED)) await removeStale(join(root, key))
    else {
      const found = await stat(join(root, key)).catch(nullIfMissing)
      if (found !== null) yield { key, bytes: found.size }
    }
  }
}

async function removeStale(path: string): Promise<void> {
  const found = await stat(path).catch(nullIfMissing)
  if (found !== null && Date.now() - found.mtimeMs > STALE_MS) await rm(path, { force: true })
}

async function removeEmpty(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => ['unknown'])
  if (names.length === 0) await rm(folder, { recursive: true, force: true })
}

function nullIfMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null
  throw error
}
