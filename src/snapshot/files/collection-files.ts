/**
 * The contract between those who read collection files and the one place that holds them in memory: a file is loaded once
 * for all catalogues of the process, whichever thread they live in, and evicted for all of them.
 */
import type { StoredName } from '../../schema/datasets.ts'
import type { FileEntry } from '../manifest.ts'

/** A file of a snapshot. Two that have the same checksum are one. */
export type CollectionFile = {
  readonly snapshot: string
  readonly clientNumber: string
  readonly stored: StoredName
  readonly entry: FileEntry
}

export type HeldFile = {
  /** Verified, over shared memory: other threads see the same bytes, and nobody may write. */
  readonly bytes: Uint8Array
  /** Where its last use is noted. */
  readonly place: number
  /** A number of its own: a file that was evicted and is loaded again is another copy. */
  readonly copy: number
}

/** A copy of a file in memory. */
export type Copy = Pick<HeldFile, 'copy' | 'bytes'>

/** Somebody to whom an answer is being sent. */
export type Reader = {
  /** Milliseconds for which nothing of what waits has been taken. */
  readonly stalledFor: () => number
  readonly cutOff: () => void
}

/** What one catalogue sees of the files. */
export interface CollectionFiles {
  /** @throws Error with the reason, when the file is missing or is not what its entry says */
  load(file: CollectionFile): Promise<HeldFile>
  /** Notes that a request has begun to use a file. Costs next to nothing. */
  use(place: number): void
  /** Keeps in mind that an answer is being read from a copy. @returns what ends that */
  hold(copy: Copy, reader: Reader): () => void
  /** Tells which files the catalogue goes on holding, by checksum; the memory of the others may be released. */
  keepOnly(checksums: readonly string[]): void
}

/**
 * @param evict called with the checksum of a file that has to be dropped, because memory is short; requests that are using
 *   it keep it to their end
 */
export type OpenCollectionFiles = (evict: (sha256: string) => void) => CollectionFiles
