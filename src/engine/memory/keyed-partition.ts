/**
 * Reads the records of a partition by their identity. Its texts are dictionary-encoded: an identity is looked up in the
 * dictionary, and one pass over the codes finds its row. No JSON is read.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Cancellation } from '../../kernel/cancellation.ts'
import { compareCodePoints, fold } from '../../kernel/text.ts'
import type { Version2Stored } from '../../schema/datasets.ts'
import { keyMembers } from '../../snapshot/changes/step.ts'
import type { Dictionary, Partition, TextColumn } from '../../snapshot/partition.ts'
import type { EncodedJson } from '../encoded-records.ts'
import type { KeyedRecords } from '../keyed-records.ts'

export function keyedPartition(partition: Partition, json: EncodedJson): KeyedRecords {
  const { rowCount } = partition
  const members = keyMembers[partition.stored as Version2Stored].map(
    (name) => partition.columns.get(name) as TextColumn,
  )
  return {
    rowsByKey: async (cancellation) => {
      let rows = Int32Array.from({ length: rowCount }, (_, row) => row)
      // By the last member first: sorting by an earlier one keeps the order among equal ones.
      for (const { codes, dictionary } of members.toReversed()) {
        const ranks = await ranksOf(dictionary, cancellation)
        rows = sortedByRank(rows, codes, ranks)
      }
      return rows
    },
    rowsOf: async (keys) => rowsOf(keys, members),
    read: (rows) => ({ json, rows: { ids: Int32Array.from(rows), from: 0, count: rows.length } }),
  }
}

/** Texts between two pauses for other requests. */
const TEXTS_PER_TURN = 65_536

/** The place of each code in the order of the texts by code point. Usually the dictionary has that order already. */
async function ranksOf(
  { size, text }: Dictionary,
  cancellation: Cancellation | undefined,
): Promise<Int32Array> {
  let isOrdered = true
  for (let code = 1; code < size && isOrdered; code++) {
    isOrdered = compareCodePoints(text(code - 1), text(code)) < 0
    if (code % TEXTS_PER_TURN > 0) continue
    await nextTurn()
    if (cancellation?.aborted) throw cancellation.reason
  }
  const codes = Int32Array.from({ length: size }, (_, code) => code)
  if (isOrdered) return codes
  const ranks = new Int32Array(size)
  codes.sort((one, other) => compareCodePoints(text(one), text(other)))
  for (const [rank, code] of codes.entries()) ranks[code] = rank
  return ranks
}

/** Counts the rows of each rank, so that every row is moved once. Equal ranks keep their order. */
function sortedByRank(rows: Int32Array, codes: Int32Array, ranks: Int32Array): Int32Array<ArrayBuffer> {
  const places = new Int32Array(ranks.length + 1)
  for (const row of rows) places[ranks[codes[row]!]! + 1]!++
  for (let rank = 0; rank < ranks.length; rank++) places[rank + 1]! += places[rank]!
  const sorted = new Int32Array(rows.length)
  for (const row of rows) sorted[places[ranks[codes[row]!]!]!++] = row
  return sorted
}

/** Looks for the last member, which has the fewest rows for each text, and compares the others in these rows. */
function rowsOf(keys: readonly (readonly string[])[], members: readonly TextColumn[]): readonly number[] {
  const last = members.at(-1) as TextColumn
  const wanted = new Map<number, number[]>()
  for (const [place, key] of keys.entries()) {
    const code = codeOf(key.at(-1) as string, last.dictionary)
    if (code !== -1) wanted.set(code, [...(wanted.get(code) ?? []), place])
  }
  const rows = new Array<number>(keys.length).fill(-1)
  if (wanted.size === 0) return rows
  const isWanted = new Uint8Array(last.dictionary.size + 1)
  for (const code of wanted.keys()) isWanted[code] = 1
  for (let row = 0; row < last.codes.length; row++) {
    const code = last.codes[row]!
    if (isWanted[code] === 0) continue
    for (const place of wanted.get(code) ?? []) {
      const key = keys[place] as readonly string[]
      if (members.every(({ codes, dictionary }, i) => dictionary.text(codes[row]!) === key[i]))
        rows[place] = row
    }
  }
  return rows
}

/** -1 when the dictionary, which is ordered by folded text and text, does not have it. */
function codeOf(text: string, dictionary: Dictionary): number {
  const folded = fold(text)
  let [from, to] = [0, dictionary.size]
  while (from < to) {
    const middle = (from + to) >> 1
    const found = dictionary.text(middle)
    const order = compareCodePoints(fold(found), folded) || compareCodePoints(found, text)
    if (order === 0) return middle
    if (order < 0) from = middle + 1
    else to = middle
  }
  return -1
}
