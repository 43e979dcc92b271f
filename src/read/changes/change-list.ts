/**
 * What changed between the version that a caller has and the one that it reads, in the order of the records' identities: which
 * rows were added or changed, and which records were removed. Only row numbers and identities: records are read when they
 * are written.
 */
import type { KeyedRecords } from '../../engine/keyed-records.ts'
import type { ChangeBatch } from '../../engine/writers/write-changes.ts'
import type { Cancellation } from '../../kernel/cancellation.ts'
import type { ListName } from '../../schema/datasets.ts'
import { byKey } from '../../snapshot/changes/compare-collections.ts'
import { EMPTY_VERSION, type RecordState } from '../../snapshot/changes/step.ts'
import { isBookingChanged, type NetChange, type Walk, walkSteps } from '../../snapshot/changes/walk-steps.ts'

export type ChangeList = {
  readonly count: number
  readonly markAt: (place: number) => ChangeBatch['marks'][number]
  /** The row of an added or changed record. */
  readonly rowAt: (place: number) => number
  /** Estimated. */
  readonly byteLength: number
}

type Question = {
  readonly list: ListName
  readonly walk: Walk
  readonly keyed: KeyedRecords
  readonly cancellation: Cancellation | undefined
}

/** @returns null when no walk leads from the version that the caller has to the present one */
export async function changeList({ list, walk, keyed, cancellation }: Question): Promise<ChangeList | null> {
  if (walk.from === EMPTY_VERSION) return everything(await keyed.rowsByKey(cancellation))
  const walked = await walkSteps(walk)
  if (walked === null) return null
  const changes = list === 'bookings' ? walked.filter(isBookingChanged) : [...walked]
  // A step is in this order already.
  if (changes.some((change, i) => i > 0 && compare(changes[i - 1] as NetChange, change) > 0))
    changes.sort(compare)
  const unplaced = changes.filter(({ after, isRowKnown }) => after !== null && !isRowKnown)
  const keys = unplaced.map(({ key }) => key)
  const found = keys.length === 0 ? [] : await keyed.rowsOf(keys, cancellation)
  const missing = found.indexOf(-1)
  if (missing !== -1)
    throw new Error(`The record ${keys[missing]?.join(' ')} is in a step, but not in the data`)
  const rows = new Map(unplaced.map((change, i) => [change, found[i]]))
  return listed(changes, (change) => rows.get(change) ?? (change.after as RecordState)[0])
}

const everything = (rows: Int32Array): ChangeList => ({
  count: rows.length,
  markAt: () => 'added',
  rowAt: (place) => rows[place] as number,
  byteLength: rows.byteLength,
})

const BYTES_PER_CHANGE = 300

function listed(changes: readonly NetChange[], rowOf: (change: NetChange) => number): ChangeList {
  const changeAt = (place: number): NetChange => changes[place] as NetChange
  return {
    count: changes.length,
    markAt: (place) => {
      const { key, before, after } = changeAt(place)
      if (after === null) return key
      return before === null ? 'added' : 'changed'
    },
    rowAt: (place) => rowOf(changeAt(place)),
    byteLength: BYTES_PER_CHANGE * changes.length,
  }
}

const compare = (one: NetChange, other: NetChange): number => byKey([one.key], [other.key])
