/**
 * What readers see of published snapshots. A request takes the current snapshot once and keeps it to its end, so that a
 * refresh in the middle changes nothing for it.
 */
import type { StoredName } from '../schema/datasets.ts'
import type { Reader } from './files/collection-files.ts'
import type { Partition } from './partition.ts'

export interface Snapshot {
  /** Sortable and unique, e.g. `20260102T030405678Z-1f3a`. */
  readonly id: string
  /** When the source was extracted: the newest modification time of its files. */
  readonly extractedAt: Date
  readonly publishedAt: Date
  readonly clientNumbers: readonly string[]
  /** What one client's stored collection takes in memory; 0 where the snapshot does not know the client. */
  byteLength(clientNumber: string, stored: StoredName): number
  /**
   * One client's stored collection, loaded and verified on first use. A client that the snapshot does not know has an
   * empty partition: its account exists, its records do not.
   *
   * @throws Problem SNP3xx when neither this snapshot nor an older retained one has an intact file
   */
  partition(clientNumber: string, stored: StoredName): Promise<LoadedPartition>
}

export type LoadedPartition = {
  readonly partition: Partition
  /** The snapshot the data is of: an older one than was asked when the file of that turned out damaged. */
  readonly snapshotId: string
  readonly extractedAt: Date
  /** For an answer that is read from it for longer than a moment. @returns what ends that */
  readonly hold: Hold
}

export type Hold = (reader: Reader) => () => void

export interface Catalogue {
  /** The newest intact snapshot, or null while there is none. */
  current(): Snapshot | null
  /**
   * A snapshot that is still retained, and never a file of another one in its place.
   *
   * @throws Problem SNP305 when it is gone, as do its partitions when theirs are
   */
  retained(id: string): Promise<Snapshot>
}
