/**
 * What readers see of published snapshots. A request takes the current snapshot once and keeps it until it ends, so that a
 * refresh meanwhile changes nothing for it.
 */
import type { StoredName } from '../schema/datasets.ts'
import type { Reader } from './files/collection-files.ts'
import type { ServedClient } from './manifest-shape.ts'
import type { Partition } from './partition.ts'

/** What every request needs of a snapshot, wherever its records are. */
export interface ServedSnapshot {
  /** Sortable and unique, e.g. `20260102T030405678Z-1f3a`. */
  readonly id: string
  /** When the source was extracted: the newest modification time of its files. */
  readonly extractedAt: Date
  readonly publishedAt: Date
  /** Since when it has been the current one: its publication, or later when another one was current in between. */
  readonly currentSince: Date
  /**
   * The clients that it has records of, by client number.
   *
   * @throws Problem PGS1xx when the database is away, SNP306 when the snapshot was removed
   */
  readonly clients: () => Promise<readonly ServedClient[]>
}

/** A snapshot whose records are in files. */
export interface Snapshot extends ServedSnapshot {
  /** Bytes that one client's stored collection takes in memory; 0 when the snapshot does not know the client. */
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
  /** The snapshot that the data comes from: an older one than requested when the requested file is damaged. */
  readonly snapshotId: string
  readonly extractedAt: Date
  /** Holds the memory while an answer is streamed from it. @returns a function that releases it */
  readonly hold: Hold
}

export type Hold = (reader: Reader) => () => void

export interface Catalogue<Served extends ServedSnapshot = ServedSnapshot> {
  /** The newest intact snapshot, or null while there is none. */
  current(): Served | null
  /**
   * A snapshot that is still retained. Files of another snapshot never replace its own.
   *
   * @throws Problem SNP305 when the snapshot is gone; its partitions throw it when their file is gone
   */
  retained(id: string): Promise<Served>
}
