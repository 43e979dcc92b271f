/**
 * The part of the contract that reads records by their identity instead of by a plan: for lists of changes. Rows are numbers in
 * the default order, from 0. An identity is a record locator, or company and invoice number (`keyMembers` of the snapshots).
 */
import type { Cancellation } from '../kernel/cancellation.ts'
import type { EncodedJson, RowNumbers } from './encoded-records.ts'

export interface KeyedRecords {
  /** All rows, in the order of their identities by code point. */
  readonly rowsByKey: (cancellation?: Cancellation) => Promise<Int32Array>
  /** The row of each identity; -1 where there is none. */
  readonly rowsOf: (
    keys: readonly (readonly string[])[],
    cancellation?: Cancellation,
  ) => Promise<readonly number[]>
  /** The finished JSON of these rows, in their order. */
  readonly read: (
    rows: readonly number[],
    cancellation?: Cancellation,
  ) => FinishedRows | Promise<FinishedRows>
}

export type FinishedRows = { readonly json: EncodedJson; readonly rows: RowNumbers }
