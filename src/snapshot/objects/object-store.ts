/**
 * What shared snapshots need of a storage for objects: S3 (`s3-store.ts`) or a folder that several machines mount
 * (`folder-store.ts`). An object is written once, under a key that is never used again, and never changed. Nothing here
 * needs conditional writes or locks, which differ between providers.
 */
import type { Readable } from 'node:stream'

export interface ObjectStore {
  /** For messages, without credentials. */
  readonly name: string
  /** Resolves when the object is stored durably and its checksum was verified on the way. */
  put(key: string, content: ObjectContent): Promise<void>
  /**
   * The caller reads the stream to its end, or destroys it.
   *
   * @returns null when there is no such object
   * @throws Error when the storage cannot be reached or refuses
   */
  get(key: string, signal: AbortSignal): Promise<Readable | null>
  /** Every object whose key begins with the prefix, which ends with a slash. */
  list(prefix: string): AsyncIterable<StoredObject>
  /** Objects that are not there count as deleted. */
  delete(keys: readonly string[]): Promise<void>
  exists(key: string): Promise<boolean>
  /** Ends the connections. */
  close(): void
}

export type ObjectContent = {
  readonly chunks: readonly Uint8Array[]
  readonly bytes: number
  /** Hexadecimal. */
  readonly sha256: string
}

export type StoredObject = { readonly key: string; readonly bytes: number }

/** Collects chunks into buffers of at most `size` bytes. */
export function* portions(chunks: readonly Uint8Array[], size: number): Generator<Buffer> {
  let portion: Uint8Array[] = []
  let bytes = 0
  for (const chunk of chunks) {
    for (let from = 0; from < chunk.byteLength; ) {
      const part = chunk.subarray(from, from + size - bytes)
      portion.push(part)
      bytes += part.byteLength
      from += part.byteLength
      if (bytes < size) continue
      yield Buffer.concat(portion)
      portion = []
      bytes = 0
    }
  }
  if (bytes > 0) yield Buffer.concat(portion)
}
