/**
 * What changed between the version that a caller has and the one that it reads, in the order of the records' identities: which
 * rows were added or changed, and which records were removed. Only row numbers and identities: records are read when they
 * are written.
 */
import type { EncodedJson } from '../../engine/encoded-records.ts'
import type { KeyedRecords } from '../../engine/keyed-records.ts'
import { byteLengthOf, type ChangeBatch, consecutive } from '../../engine/writers/write-changes.ts'
import type { Cancellation } from '../../kernel/cancellation.ts'
import type { ListName } from '../../schema/datasets.ts'
import { EMPTY_VERSION } from '../../snapshot/changes/step.ts'
import {
  isAdded,
  isBookingChanged,
  isRemoved,
  keyOf,
  type NetChange,
  rowOf,
  type Walk,
  walkSteps,
} from '../../snapshot/changes/walk-steps.ts'

type Mark = ChangeBatch['marks'][number]

export type ChangeList = {
  readonly count: number
  readonly markAt: (place: number) => Mark
  /** The row of an added or changed record, in the data or in {@link copies}. */
  readonly rowAt: (place: number) => number
  /** The finished JSON of the added and changed records; null: it is read from the data. */
  readonly copies: EncodedJson | null
  /** Estimated, copies included. */
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
  const changes = list === 'bookings' ? walked.filter(isBookingChanged) : walked
  const rows = new Int32Array(changes.length)
  const marks: Mark[] = []
  const unplaced: number[] = []
  for (const change of changes) {
    const place = marks.push(markOf(change)) - 1
    rows[place] = rowOf(change)
    if (!change.isRowKnown && !isRemoved(change)) unplaced.push(place)
  }
  const keys = unplaced.map((place) => keyOf(changes[place] as NetChange))
  const found = keys.length === 0 ? [] : await keyed.rowsOf(keys, cancellation)
  const missing = found.indexOf(-1)
  if (missing !== -1)
    throw new Error(`The record ${keys[missing]?.join(' ')} is in a step, but not in the data`)
  for (const [i, place] of unplaced.entries()) rows[place] = found[i] as number
  return {
    count: marks.length,
    markAt: (place) => marks[place] as Mark,
    rowAt: (place) => rows[place] as number,
    copies: null,
    byteLength: BYTES_PER_CHANGE * marks.length,
  }
}

const BYTES_PER_CHANGE = 100

function markOf(change: NetChange): Mark {
  if (isRemoved(change)) return keyOf(change)
  return isAdded(change) ? 'added' : 'changed'
}

const everything = (rows: Int32Array): ChangeList => ({
  count: rows.length,
  markAt: () => 'added',
  rowAt: (place) => rows[place] as number,
  copies: null,
  byteLength: rows.byteLength,
})

/** How many bytes of records may still be copied. */
export type CopyBudget = { leftBytes: number }

/** A longer list takes so long to send that reading its records makes little difference. */
const MOST_COPIED_BYTES = 2 ** 20

/** Records that are read at a time. */
export const BATCH_RECORDS = 256

/**
 * The list with copies of its records, one behind the other: reading records that lie far apart in memory takes ten times as
 * long. It is the same list when they are too long for the budget, and when they cannot be read: who asks for it will learn why.
 */
export async function withCopies(
  list: ChangeList,
  keyed: KeyedRecords,
  budget: CopyBudget,
): Promise<ChangeList> {
  const mostBytes = Math.min(budget.leftBytes, MOST_COPIED_BYTES)
  if (mostBytes <= 0) return list
  const present: number[] = []
  const rows = new Int32Array(list.count)
  for (let place = 0; place < list.count; place++) {
    if (typeof list.markAt(place) === 'string') rows[place] = present.push(list.rowAt(place)) - 1
  }
  const copies = await copiesOf(present, keyed, mostBytes).catch(() => null)
  if (copies === null) return list
  budget.leftBytes -= copies.bytes.length
  const byteLength = list.byteLength + copies.bytes.length
  return { ...list, rowAt: (place) => rows[place] as number, copies, byteLength }
}

/** Null as soon as they take more bytes than `mostBytes`. */
async function copiesOf(
  rows: readonly number[],
  keyed: KeyedRecords,
  mostBytes: number,
): Promise<EncodedJson | null> {
  const parts: Uint8Array[] = []
  const offsets = new Int32Array(rows.length + 1)
  let byteLength = 0
  for (let begin = 0; begin < rows.length; begin += BATCH_RECORDS) {
    const found = await keyed.read(rows.slice(begin, begin + BATCH_RECORDS))
    if (byteLength + byteLengthOf(found) > mostBytes) return null
    const { count, json } = consecutive(found)
    for (let i = 1; i <= count; i++) offsets[begin + i] = byteLength + json.offsets[i]!
    parts.push(json.bytes)
    byteLength += json.bytes.length
  }
  return { bytes: Buffer.concat(parts, byteLength), offsets, fronts: null }
}
