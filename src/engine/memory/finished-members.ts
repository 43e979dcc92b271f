/** Finds members in a record's finished JSON whose places the snapshot does not store. */
import { storedCollections } from '../../schema/datasets.ts'
import type { Field, FieldType } from '../../schema/field.ts'
import type { Partition } from '../../snapshot/partition.ts'
import type { FindMember } from '../encoded-records.ts'

/** What precedes the value of a member. */
const prefixOf = (name: string): string => `,${JSON.stringify(name)}:`

const CUSTOM_PREFIX = prefixOf('customDataFields')

/** The custom data fields, braces included: the last member of a booking, which is the front of an itinerary, and of an invoice. */
export function findCustom({ stored, records }: Partition): FindMember {
  const { bytes, offsets, bookingLengths, nested } = records
  if (bookingLengths !== null) {
    const least = leastBytes(storedCollections[stored].fields)
    return (row, span) => {
      const begin = offsets[row]!
      span.begin = openingBrace(bytes, begin + least)
      span.end = begin + bookingLengths[row]!
    }
  }
  if (nested === null) throw new Error(`Expected custom data fields in the ${stored}, found none`)
  const { ends } = nested
  return (row, span) => {
    span.begin = offsets[row]! + ends[row]! + CUSTOM_PREFIX.length
    span.end = offsets[row + 1]! - 1
  }
}

/** All fields of the record, from the opening brace to the end of the last value. */
export function findFields(partition: Partition): FindMember {
  const { offsets, bookingLengths, nested } = partition.records
  if (bookingLengths === null && nested !== null) {
    const { begins } = nested
    const ahead = prefixOf(partition.nested?.name ?? '').length
    return (row, span) => {
      const begin = offsets[row]!
      span.begin = begin
      span.end = begin + begins[row]! - ahead
    }
  }
  const find = findCustom(partition)
  return (row, span) => {
    find(row, span)
    span.end = span.begin - CUSTOM_PREFIX.length
    span.begin = offsets[row]!
  }
}

/** What is searched. Its last byte is found by leaps over bytes that it does not have (the algorithm of Horspool). */
const NEEDLE = Buffer.from(`${CUSTOM_PREFIX}{`)

/** By a byte that is not the last one of the needle: how far to leap. */
const LEAPS = new Uint8Array(256).fill(NEEDLE.length)
NEEDLE.subarray(0, -1).forEach((byte, at) => {
  LEAPS[byte] = NEEDLE.length - 1 - at
})

/**
 * The place of the brace that opens the custom data fields, searched from a place before their name. No text can have the whole
 * needle, because a quote within a text follows a backslash. A part of it can stand in a text: `":{` does in `\":{`.
 */
function openingBrace(bytes: Uint8Array, from: number): number {
  let at = from + NEEDLE.length - 1
  while (!endsNeedle(bytes, at)) at += LEAPS[bytes[at]!]!
  return at
}

function endsNeedle(bytes: Uint8Array, at: number): boolean {
  const begin = at - NEEDLE.length + 1
  for (let i = NEEDLE.length - 1; i >= 0; i--) if (bytes[begin + i] !== NEEDLE[i]) return false
  return true
}

/** The least bytes that the fields of a record take, so that a search need not begin at the beginning. */
const leastBytes = (fields: readonly Field[]): number =>
  fields.reduce((sum, { name, type }: Field) => sum + prefixOf(name).length + leastValue[type], 0)

const leastValue: { readonly [T in FieldType]: number } = {
  text: '""'.length,
  // Null, where the field may be null.
  date: 'null'.length,
  minute: 'null'.length,
  boolean: 'true'.length,
  integer: 1,
  decimal: 1,
}
