/** Checks files against their manifest entries: size, then SHA-256. Reads in slices that do not block the event loop. */
import { createHash } from 'node:crypto'
import { constants, open } from 'node:fs/promises'
import type { FileEntry } from './manifest.ts'
import { reasonOf } from './problems.ts'

/** What is known of a file's content. */
export type FileContent = Pick<FileEntry, 'bytes' | 'sha256'>

/** Hashing 2 MiB takes about a millisecond. */
const SLICE_BYTES = 2 * 1024 * 1024

/** How the file differs from its entry, or null when it is intact. */
export async function verifyFile(path: string, entry: FileContent): Promise<string | null> {
  const slice = new Uint8Array(Math.min(SLICE_BYTES, Math.max(entry.bytes, 1)))
  return readVerified(path, entry, () => slice).catch(reasonOf)
}

/**
 * Reads a whole file into shared memory and verifies it on the way.
 *
 * @throws Error with the reason when the file is missing or differs from its entry
 */
export async function loadVerified(path: string, entry: FileContent): Promise<Uint8Array> {
  const bytes = new Uint8Array(new SharedArrayBuffer(entry.bytes))
  const reason = await readVerified(path, entry, (offset) => bytes.subarray(offset, offset + SLICE_BYTES))
  if (reason !== null) throw new Error(reason)
  return bytes
}

async function readVerified(
  path: string,
  entry: FileContent,
  targetAt: (offset: number) => Uint8Array,
): Promise<string | null> {
  // Opening a pipe would wait for a writer, for ever.
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const { size } = await handle.stat()
    if (size !== entry.bytes) return `it has ${size} bytes instead of ${entry.bytes}`
    const hash = createHash('sha256')
    for (let offset = 0; offset < size; ) {
      const target = targetAt(offset)
      const { bytesRead } = await handle.read(target, 0, Math.min(target.byteLength, size - offset), offset)
      if (bytesRead === 0) return `it ends after ${offset} of ${size} bytes`
      hash.update(target.subarray(0, bytesRead))
      offset += bytesRead
    }
    return hash.digest('hex') === entry.sha256 ? null : 'its checksum does not match'
  } finally {
    await handle.close()
  }
}
