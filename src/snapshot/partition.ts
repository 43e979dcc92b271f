/**
 * One client's stored collection in memory: columns to filter and sort by, and the finished JSON of every record. Rows are in
 * the dataset's default order. All arrays are views over the file's bytes: nothing is copied, and nothing may be written.
 */
import type { CollectionName, StoredName } from '../schema/datasets.ts'

export type Partition = {
  readonly clientNumber: string
  readonly stored: StoredName
  /** SHA-256 of the file, hexadecimal: changes exactly when the client's data does. */
  readonly version: string
  readonly rowCount: number
  /** Columns of the record's fields and of the additional fields by name, e.g. `recordLocator`. */
  readonly columns: ReadonlyMap<string, Column>
  /** The custom labels of the client, in their order. */
  readonly labels: readonly string[]
  /** A column for each label. */
  readonly custom: ReadonlyMap<string, TextColumn>
  /** Null when queries cannot reach into a nested collection. */
  readonly nested: NestedColumns | null
  /** The additional collections by name. */
  readonly additional: ReadonlyMap<CollectionName, NestedColumns>
  readonly records: RecordBytes
  /** Size of the file in memory. */
  readonly byteLength: number
}

/** The elements of all rows, one after another: row `r` has the elements from `offsets[r]` up to `offsets[r + 1]`. */
export type NestedColumns = {
  readonly name: CollectionName
  readonly elementCount: number
  /** Length rowCount + 1. */
  readonly offsets: Int32Array
  /** The fields and the additional fields of elements. */
  readonly columns: ReadonlyMap<string, Column>
}

export type Column = TextColumn | IntegerColumn | WideMinuteColumn | DecimalColumn | BooleanColumn

/**
 * Dictionary-encoded text. `codes[row]` is a code of the dictionary, or `dictionary.size` for null, so that a table with
 * `size + 1` entries serves every row without a check for nulls.
 */
export type TextColumn = {
  readonly type: 'text'
  readonly codes: Int32Array
  readonly dictionary: Dictionary
}

/** Days, minutes or plain integers; `NULL_INTEGER` is null. */
export type IntegerColumn = { readonly type: 'date' | 'minute' | 'integer'; readonly values: Int32Array }

/**
 * Minutes of a column in which at least one value needs more than 32 bits: a time after 6053-01-23T02:07, such as
 * `9999-12-31T23:59` for an open end. NaN is null.
 */
export type WideMinuteColumn = { readonly type: 'wide-minute'; readonly values: Float64Array }

/** Integers scaled by 10^5 and exactly representable; NaN is null. */
export type DecimalColumn = { readonly type: 'decimal'; readonly values: Float64Array }

/** Bit `row & 7` of byte `row >> 3`, least significant first. Never null. */
export type BooleanColumn = { readonly type: 'boolean'; readonly bits: Uint8Array }

export { NULL_INTEGER } from '../schema/field.ts'

/** Distinct texts ordered by (folded text, text), both by code point: codes ascend with the folded text. */
export interface Dictionary {
  readonly size: number
  text(code: number): string
  /** The text folded for comparison ({@link ../kernel/text.ts}). */
  folded(code: number): string
}

/**
 * The finished JSON, row after row without separators: row `r` is `bytes[offsets[r]..offsets[r + 1])`.
 * For bookings that is the itinerary, whose first `bookingLengths[r]` bytes with a closing `}` are the booking.
 */
export type RecordBytes = {
  readonly bytes: Uint8Array
  /** Length rowCount + 1. */
  readonly offsets: Int32Array
  /** Null for invoices. */
  readonly bookingLengths: Int32Array | null
  /** Null when queries cannot reach into a nested collection. */
  readonly nested: NestedSpans | null
}

/**
 * The position of the nested collection in each record's JSON, from its opening bracket to just after the closing one. Bytes
 * are counted from the first byte of the record.
 */
export type NestedSpans = { readonly begins: Int32Array; readonly ends: Int32Array }
