/**
 * The sort words of each storage type: 32 bits that ascend with the values, with null as the greatest. Descending words are
 * their complements. Doubles need two words, the more significant one first.
 */
import type { BooleanColumn, IntegerColumn, TextColumn } from '../../../snapshot/partition.ts'
import type { SortWord } from './radix-sort.ts'

/** Codes are in the order of their texts, and null has the greatest. */
export function textWord({ codes }: TextColumn, descending: boolean): SortWord {
  const flip = descending ? -1 : 0
  return (ids, into, from, to) => {
    for (let i = from; i < to; i++) into[i] = codes[ids[i]!]! ^ flip
  }
}

/** Subtracting one wraps null, the smallest integer, around to the greatest. */
export function integerWord(column: IntegerColumn, descending: boolean): SortWord {
  const { values } = column
  const flip = descending ? 0x7fffffff : 0x80000000
  return (ids, into, from, to) => {
    for (let i = from; i < to; i++) into[i] = (values[ids[i]!]! - 1) ^ flip
  }
}

export function booleanWord(column: BooleanColumn, descending: boolean): SortWord {
  const { bits } = column
  const flip = descending ? 1 : 0
  return (ids, into, from, to) => {
    for (let i = from; i < to; i++) {
      const row = ids[i]!
      into[i] = ((bits[row >>> 3]! >>> (row & 7)) & 1) ^ flip
    }
  }
}

/**
 * Positive doubles ascend with their bits; negative ones descend, so all their bits are complemented. NaN, which is null,
 * gets the greatest words whatever its bits are.
 */
export function doubleWords(values: Float64Array, descending: boolean): readonly [SortWord, SortWord] {
  const flip = descending ? -1 : 0
  const parts = new Float64Array(1)
  const words = new Uint32Array(parts.buffer)
  const word =
    (part: 0 | 1): SortWord =>
    (ids, into, from, to) => {
      for (let i = from; i < to; i++) {
        parts[0] = values[ids[i]!]! + 0 // minus zero is zero
        const high = words[1]! | 0
        const ordered = high < 0 ? ~words[part]! : part === 1 ? high ^ 0x80000000 : words[part]!
        into[i] = (Number.isNaN(parts[0]) ? -1 : ordered) ^ flip
      }
    }
  return [word(1), word(0)]
}
