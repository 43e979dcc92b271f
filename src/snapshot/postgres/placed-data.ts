/**
 * What the engine on PostgreSQL needs to know of a snapshot: in which generation of tables the rows of a client are, and how
 * many there are. A generation is the set of tables that one refresh has written (`record-tables.ts`).
 */
import type { StoredName } from '../../schema/datasets.ts'

/** The rows of one client and one stored collection, as they are placed in the tables of a generation. */
export type PlacedData = {
  readonly clientNumber: string
  readonly stored: StoredName
  /** SHA-256 of the collection's bytes, hexadecimal: changes exactly when the client's data does. */
  readonly version: string
  /** The custom labels of the client, in their order. */
  readonly labels: readonly string[]
  readonly generation: number
  readonly rows: number
  /** Elements of the nested collection of all rows; 0 when queries cannot reach into one. */
  readonly elements: number
}

/** A snapshot whose records are in PostgreSQL. */
export interface PlacedSnapshot {
  /** Sortable and unique, e.g. `20260102T030405678Z-1f3a`. */
  readonly id: string
  /** When the source was extracted: the newest modification time of its files. */
  readonly extractedAt: Date
  /**
   * Where the rows of a client are; null when the snapshot does not know the client.
   *
   * @throws Problem PGS1xx, and SNP305 when the snapshot is gone
   */
  placed(clientNumber: string, stored: StoredName): Promise<PlacedData | null>
}
