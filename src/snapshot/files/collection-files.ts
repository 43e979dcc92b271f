/**
 * The contract between the readers of collection files and the one place that holds them in memory: a file is loaded once for
 * all catalogues of the process, in whichever thread they are, and evicted for all of them.
 */
import type { StoredName } from '../../schema/datasets.ts'
import type { FileEntry } from '../manifest.ts'

/** A file of a snapshot. Two files with the same checksum are the same file. */
export type CollectionFile = {
  readonly snapshot: string
  readonly clientNumber: string
  readonly stored: StoredName
  readonly entry: FileEntry
}

export type HeldFile = {
  /** Verified bytes in shared memory: other threads see the same bytes, and no thread may write them. */
  readonly bytes: Uint8Array
  /** Its place in the LRU clock. */
  readonly place: number
  /** Number of this copy: a file that is loaded again after its eviction is another copy. */
  readonly copy: number
}

/** A copy of a file in memory. */
export type Copy = Pick<HeldFile, 'copy' | 'bytes'>

/** The receiver of an answer that is being sent. */
export type Reader = {
  /** Milliseconds since the receiver last took a part of the answer. */
  readonly stalledFor: () => number
  readonly cutOff: () => void
}

/** The files as one catalogue sees them. */
export interface CollectionFiles {
  /** @throws Error with the reason when the file is missing or differs from its entry */
  load(file: CollectionFile): Promise<HeldFile>
  /** Notes that a request has begun to use a file. Costs next to nothing. */
  use(place: number): void
  /** Notes that an answer is being read from a copy. @returns a function to call when the answer has ended */
  hold(copy: Copy, reader: Reader): () => void
  /** Names the files that the catalogue still holds, by checksum; the memory of the others may be released. */
  keepOnly(checksums: readonly string[]): void
}

/**
 * @param evict called with the checksum of a file that must be dropped because memory is short; requests that use the file
 *   keep it until they end
 */
export type OpenCollectionFiles = (evict: (sha256: string) => void) => CollectionFiles
