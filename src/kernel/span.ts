/** A half-open range of UTF-16 offsets into the text a person wrote: `[start, end)`, zero-based. */
export type Span = { readonly start: number; readonly end: number }
