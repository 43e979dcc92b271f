/** Where in a record's finished JSON its nested collection stands, brackets included: the snapshot stores it for every record. */
import type { Partition } from '../../../snapshot/partition.ts'

/** From the opening bracket up to and without the byte after the closing one. */
export type Span = { begin: number; end: number }

/** Writes the place of a row's collection into the span. */
export type FindNested = (row: number, span: Span) => void

export function findNested({ stored, records: { offsets, nested } }: Partition): FindNested {
  if (nested === null) throw new Error(`Expected a nested collection in the ${stored}, found none`)
  const { begins, ends } = nested
  return (row, span) => {
    const begin = offsets[row]!
    span.begin = begin + begins[row]!
    span.end = begin + ends[row]!
  }
}
