/** The least and the greatest value of a column of integers, found once. */
import { type IntegerColumn, NULL_INTEGER } from '../../../snapshot/partition.ts'
import { KeptWork } from '../kept-work.ts'
import type { Work } from '../work.ts'

type Bounds = { readonly least: number; readonly greatest: number }

const kept = new KeptWork<IntegerColumn, Bounds | null>()

/** Null when all values are null. */
export const boundsOf = (column: IntegerColumn): Work<Bounds | null> =>
  kept.get(column, () => findBounds(column.values))

const BLOCK = 1 << 16

function* findBounds(values: Int32Array): Work<Bounds | null> {
  let least = 0x7fffffff
  let greatest = NULL_INTEGER
  for (let from = 0; from < values.length; from += BLOCK) {
    if (from > 0) yield
    const to = Math.min(values.length, from + BLOCK)
    for (let row = from; row < to; row++) {
      const value = values[row]!
      if (value > greatest) greatest = value
      if (value < least && value !== NULL_INTEGER) least = value
    }
  }
  return greatest === NULL_INTEGER ? null : { least, greatest }
}
