/** Reads the position of the nested collection in a record's finished JSON, brackets included; the snapshot stores it. */
import type { Partition } from '../../snapshot/partition.ts'
import type { FindMember } from '../encoded-records.ts'

export function findNested({ stored, records: { offsets, nested } }: Partition): FindMember {
  if (nested === null) throw new Error(`Expected a nested collection in the ${stored}, found none`)
  const { begins, ends } = nested
  return (row, span) => {
    const begin = offsets[row]!
    span.begin = begin + begins[row]!
    span.end = begin + ends[row]!
  }
}
