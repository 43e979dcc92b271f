/**
 * The bytes that values take in the heap of V8 on machines of 64 bits. `npm run bench -- script-memory` compares them with the
 * heap, for every kind of value.
 */

import { isWide } from '../../kernel/detached-string.ts'

export const WORD = 8

/** The header of a list, before its places. */
const LIST_BYTES = 16

/** A number that is no small integer is an object of its own, in each place that holds it. */
export const NUMBER_BYTES = 16

/** An array without elements. */
export const ARRAY_BYTES = 80
/** An object without keys. */
export const OBJECT_BYTES = 120
/** A place for a further element or member, with its share of the places that a growing list has in reserve. */
export const PLACE_BYTES = 12
/** A variable that lambdas share. */
export const CELL_BYTES = 40
export const LAMBDA_BYTES = 48
/** A call in progress. */
export const FRAME_BYTES = 144
/** The loop over a collection. */
export const ITERATION_BYTES = 64
/** An entry of a set or map of JavaScript, which a function of the library keeps while it runs. */
export const ENTRY_BYTES = 48
/** The header of a text, rounded up with the last of its units. */
export const TEXT_BYTES = 24
/** A unit of a text whose characters are not known yet. */
export const UNIT_BYTES = 2

/** What a value takes in the place that it is put into: V8 represents numbers beyond 32 bits, and with fractions, and negative zero as objects. */
export const bytesInPlace = (value: unknown): number =>
  typeof value === 'number' && !Object.is(value | 0, value) ? NUMBER_BYTES : 0

/** Texts of characters up to U+00FF take one byte for each, others two bytes. */
export const bytesOfText = (text: string): number => bytesOfUnits(text.length, isWide(text))

/** V8 makes a text that consists of pieces flat before it reads a unit. */
export const flatten = (text: string): void => void text.charCodeAt(0)

export function bytesOfUnits(units: number, areWide: boolean): number {
  const bytes = Math.ceil((areWide ? 2 * units : units) / WORD) * WORD
  const ofPair = units < LEAST_CONCATENATED ? 0 : Math.min(PAIR_BYTES, LEAST_OF_PAIR + bytes / 2)
  return LIST_BYTES + bytes + ofPair
}

/** V8 makes longer texts from two by a pair of pointers. */
const LEAST_CONCATENATED = 13
export const PAIR_BYTES = 32
/**
 * V8 keeps the pair when it joins the texts, until a collection that happens to drop it, and other texts have none. A part of it
 * is counted, so that what is counted lies between what a text takes with its pair and without.
 */
const LEAST_OF_PAIR = 10

/** V8 has one text of each character up to U+00FF, and one empty text. */
export const isShared = (text: string): boolean =>
  text.length === 0 || (text.length === 1 && text.charCodeAt(0) <= 0xff)

/** A text of one unit that was cut from another. */
export const bytesOfUnit = (text: string): number => (isShared(text) ? 0 : TEXT_BYTES)

/** The places of a list that was made with its length. */
export const bytesOfList = (length: number): number => (length === 0 ? 0 : LIST_BYTES + WORD * length)

/** The places of a list that grew by one at a time from an empty one: V8 keeps half as many in reserve, and 16 more. */
export function bytesOfGrownList(length: number): number {
  // Scripts also ask for lists that no engine can make.
  if (!(length < MOST_PLACES)) return LIST_BYTES + PLACE_BYTES * length
  let places = 0
  while (places < length) places += 1 + ((places + 1) >> 1) + 16
  return bytesOfList(places)
}

const MOST_PLACES = 2 ** 32

/** The table of a map of JavaScript. */
export function bytesOfMap(size: number): number {
  let places = 4
  while (places < size) places *= 2
  return 48 + WORD * (3 + 3.5 * places)
}

/** An object's own table of keys, with an empty list of keys. */
export const TABLE_BYTES = 104
/** The list of the free places of such a table. */
export const FREE_PLACES_BYTES = 184
