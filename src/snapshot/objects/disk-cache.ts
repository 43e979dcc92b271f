/**
 * Objects on the local disk, by their checksum: `<folder>/<first two digits>/<sha256>`. Threads and processes may use one folder
 * without locks: a file appears complete by a rename, is verified whenever it is read, and may be removed at any time. Its
 * modification time says when it was last used, so the order survives a restart.
 */
import { randomBytes } from 'node:crypto'
import { open, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import type { Observe } from '../../observe/observation.ts'
import { isOutOfFiles } from '../../observe/open-files.ts'
import { CLIENT_FILE_MODE, makeDataFolder } from '../format/layout.ts'
import { reasonOf } from '../problems.ts'
import { type FileContent, loadVerified } from '../verify.ts'

type CacheFile = { readonly path: string; readonly bytes: number; readonly usedAtMs: number }

/** Making room goes below the limit by this share, so that not every new file has to look at all others. */
const ROOM_SHARE = 0.1
const UNFINISHED = '.unfinished-'
const STALE_MS = 3_600_000

export class DiskCache {
  readonly #folder: string
  readonly #limitBytes: number
  readonly #observe: Observe
  /** Null until the folder was looked at. */
  #bytes: number | null = null
  #makingRoom: Promise<void> | null = null
  #isWritable = true

  constructor(
    folder: string,
    { limitBytes, observe }: { readonly limitBytes: number; readonly observe: Observe },
  ) {
    this.#folder = folder
    this.#limitBytes = limitBytes
    this.#observe = observe
  }

  pathOf({ sha256 }: Pick<FileContent, 'sha256'>): string {
    return join(this.#folder, sha256.slice(0, 2), sha256)
  }

  /** Reads a file into shared memory. @returns null when it is not there; a damaged one is removed */
  async load(content: FileContent): Promise<Uint8Array | null> {
    const path = this.pathOf(content)
    try {
      const bytes = await loadVerified(path, content)
      const now = new Date()
      await utimes(path, now, now).catch(() => undefined)
      return bytes
    } catch (error) {
      if (isOutOfFiles(error)) throw error
      if (!isMissing(error)) await rm(path, { force: true }).catch(() => undefined)
      return null
    }
  }

  /** Stores a file. A disk that cannot be written is reported, and nothing is stored. */
  async keep(content: FileContent, bytes: Uint8Array): Promise<void> {
    if (bytes.byteLength > this.#limitBytes) return
    const path = this.pathOf(content)
    const unfinished = join(this.#folder, `${UNFINISHED}${randomBytes(8).toString('hex')}`)
    try {
      makeDataFolder(join(path, '..'))
      await writeWhole(unfinished, bytes)
      await rename(unfinished, path)
      this.#isWritable = true
    } catch (error) {
      await rm(unfinished, { force: true }).catch(() => undefined)
      // Once, although every file fails.
      if (this.#isWritable) this.#observe({ kind: 'snapshot-cache-not-written', reason: reasonOf(error) })
      this.#isWritable = false
      return
    }
    if (this.#bytes !== null) this.#count(this.#bytes + bytes.byteLength)
    // Not awaited: a first look at hundreds of thousands of files takes seconds.
    if (this.#bytes === null || this.#bytes > this.#limitBytes) void this.makeRoom()
  }

  /** Removes files while there are too many. Others have written, too: what lies in the folder counts. */
  makeRoom(): Promise<void> {
    this.#makingRoom ??= this.#removeOldest()
      .catch(() => undefined)
      .finally(() => {
        this.#makingRoom = null
      })
    return this.#makingRoom
  }

  async #removeOldest(): Promise<void> {
    const files = await this.#files()
    let total = files.reduce((sum, { bytes }) => sum + bytes, 0)
    if (total > this.#limitBytes) {
      const target = this.#limitBytes * (1 - ROOM_SHARE)
      for (const { path, bytes } of files.sort((a, b) => a.usedAtMs - b.usedAtMs)) {
        if (total <= target) break
        await rm(path, { force: true })
        total -= bytes
      }
    }
    this.#count(total)
  }

  #count(bytes: number): void {
    this.#bytes = bytes
    this.#observe({ kind: 'snapshot-cache-held', bytes })
  }

  async #files(): Promise<CacheFile[]> {
    const files: CacheFile[] = []
    const entries = await readdir(this.#folder, { recursive: true, withFileTypes: true })
    for (const entry of entries.filter((each) => each.isFile())) {
      const path = join(entry.parentPath, entry.name)
      const found = await stat(path).catch(() => null)
      if (found === null) continue
      const isStale = entry.name.startsWith(UNFINISHED) && Date.now() - found.mtimeMs > STALE_MS
      if (isStale) await rm(path, { force: true })
      else files.push({ path, bytes: found.size, usedAtMs: found.mtimeMs })
    }
    return files
  }
}

async function writeWhole(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'wx', CLIENT_FILE_MODE)
  try {
    for (let written = 0; written < bytes.byteLength; ) {
      written += (await file.write(bytes, written)).bytesWritten
    }
  } finally {
    await file.close()
  }
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT'
