/** Finds the custom data fields in a record's finished JSON, braces included. */
import type { Partition } from '../../snapshot/partition.ts'
import { bufferOver, type FindMember } from '../encoded-records.ts'

/**
 * Within a text of JSON a quote follows a backslash, so these bytes, with a quote behind a comma, are a member; and members of
 * elements and labels have other names, or texts as values. The brace that opens the member is the last of the bytes.
 */
const MEMBER = Buffer.from(',"customDataFields":{')

/** The member is the last one of a booking, which is the front of an itinerary, and the last one of an invoice. */
export function findCustom({ stored, records }: Partition): FindMember {
  const { bytes, offsets, bookingLengths, nested } = records
  if (bookingLengths !== null) {
    const source = bufferOver(bytes)
    return (row, span) => {
      const begin = offsets[row]!
      span.begin = source.indexOf(MEMBER, begin) + MEMBER.length - 1
      span.end = begin + bookingLengths[row]!
    }
  }
  if (nested === null) throw new Error(`Expected custom data fields in the ${stored}, found none`)
  const { ends } = nested
  return (row, span) => {
    span.begin = offsets[row]! + ends[row]! + MEMBER.length - 1
    span.end = offsets[row + 1]! - 1
  }
}
