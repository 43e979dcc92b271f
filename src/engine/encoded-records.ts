/**
 * The fast path of the contract, declared by the capability `encodedRecords`: an engine hands out the finished JSON of its
 * records and the columns of their fields, and says which rows a result has. Writers copy bytes and read columns; no record
 * becomes an object. All arrays are views and must not be written.
 */
export type EncodedRecords = {
  readonly kind: 'encoded'
  readonly rows: RowNumbers
  readonly collection: EncodedCollection
}

/** What the engine holds for a dataset; it is the same for every result. */
export type EncodedCollection = {
  readonly json: EncodedJson
  /** The columns by field name, additional fields included. */
  readonly columns: ReadonlyMap<string, EncodedColumn>
  /** The texts by custom label, in the order of the labels. */
  readonly custom: ReadonlyMap<string, EncodedTexts>
  /** Null when the collection has no nested collection. */
  readonly nested: EncodedElements | null
  /** The additional collections by name. */
  readonly additional: ReadonlyMap<string, EncodedElements>
  /** Opens the function that finds the nested collection in the finished JSON. */
  readonly nestedJson: () => FindNested
}

/** The `count` row numbers in `ids` from position `from`; without `ids`, `count` rows from number `from`. */
export type RowNumbers = { readonly ids: Int32Array | null; readonly from: number; readonly count: number }

/** Row `r` is `bytes[offsets[r]..offsets[r + 1])`, or its first `fronts[r]` bytes and a closing brace. */
export type EncodedJson = {
  readonly bytes: Uint8Array
  readonly offsets: Int32Array
  /** Null when rows are whole records. */
  readonly fronts: Int32Array | null
}

export type EncodedColumn =
  | EncodedTexts
  /** `NULL_INTEGER` of schema/field.ts is null. */
  | { readonly type: 'date' | 'minute' | 'integer'; readonly values: Int32Array }
  /** Minutes beyond 32 bits, and amounts scaled by 10^5. NaN is null. */
  | { readonly type: 'wide-minute' | 'decimal'; readonly values: Float64Array }
  /** Bit `row & 7` of byte `row >> 3`, least significant first. Never null. */
  | { readonly type: 'boolean'; readonly bits: Uint8Array }

/** A code per row; `dictionary.size` is null. */
export type EncodedTexts = {
  readonly type: 'text'
  readonly codes: Int32Array
  readonly dictionary: { readonly size: number; text(code: number): string }
}

/** The elements of all rows, one after another: row `r` has the elements from `offsets[r]` up to `offsets[r + 1]`. */
export type EncodedElements = {
  readonly elementCount: number
  readonly offsets: Int32Array
  readonly columns: ReadonlyMap<string, EncodedColumn>
}

/** From the opening bracket to just after the closing one. */
export type ByteSpan = { begin: number; end: number }

/** Writes the position of a row's nested collection in `json.bytes` to the span. */
export type FindNested = (row: number, span: ByteSpan) => void

/** Copying out of shared memory is several times faster with a Buffer than with a typed array. */
export const bufferOver = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength)
