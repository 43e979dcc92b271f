/**
 * Which codes of a dictionary have the same folded text: codes ascend with the folded texts, so that they are neighbours. In
 * most dictionaries no two codes do, which is found out once.
 */
import type { Dictionary } from '../../../snapshot/partition.ts'
import { KeptWork } from '../kept-work.ts'
import type { Work } from '../work.ts'

export type FoldedCodes = {
  /** By code: the number of its folded text. The null code comes last. */
  readonly groupOf: Int32Array
  /** How many folded texts there are, null not included. */
  readonly size: number
}

const kept = new KeptWork<Dictionary, FoldedCodes | null>()

/** Null when every code has a folded text of its own. */
export const foldedCodes = (dictionary: Dictionary): Work<FoldedCodes | null> =>
  kept.get(dictionary, () => findFolded(dictionary))

const TEXTS_PER_PAUSE = 1 << 11

function* findFolded(dictionary: Dictionary): Work<FoldedCodes | null> {
  const { size } = dictionary
  const groupOf = new Int32Array(size + 1)
  let before = size === 0 ? '' : dictionary.folded(0)
  let groups = 1
  for (let code = 1; code < size; code++) {
    const folded = dictionary.folded(code)
    if (folded !== before) groups++
    groupOf[code] = groups - 1
    before = folded
    if (code % TEXTS_PER_PAUSE === 0) yield
  }
  if (groups >= size) return null
  groupOf[size] = groups
  return { groupOf, size: groups }
}
