/**
 * Where in a record's finished JSON its nested collection stands, brackets included. The segments of an itinerary are
 * behind the part that is the booking. The lines of an invoice are found by what stands around them: no text within a
 * record can hold these bytes, since it would hold its quotes escaped.
 */
import type { Partition } from '../../snapshot/partition.ts'
import { bufferOver, type FindNested } from '../encoded-records.ts'

const SEGMENTS = ',"segments":'
const CLOSING_BRACE = '}'
const LINES = Buffer.from(',"lineItems":')
const BEHIND_LINES = Buffer.from('],"customDataFields":')

export function findNested({ records: { bytes, offsets, bookingLengths } }: Partition): FindNested {
  if (bookingLengths !== null) {
    return (row, span) => {
      span.begin = offsets[row]! + bookingLengths[row]! + SEGMENTS.length
      span.end = offsets[row + 1]! - CLOSING_BRACE.length
    }
  }
  const source = bufferOver(bytes)
  return (row, span) => {
    const before = source.indexOf(LINES, offsets[row])
    const behind = source.indexOf(BEHIND_LINES, before)
    if (before === -1 || behind === -1 || behind > offsets[row + 1]!) {
      throw new Error(`Expected the lines of an invoice in record ${row}, found none`)
    }
    span.begin = before + LINES.length
    span.end = behind + 1
  }
}
