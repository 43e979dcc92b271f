/**
 * Compares two versions of a collection by key. Both are walked in their order, and records with equal bytes are passed by; only
 * the others are hashed and kept. What the order says decides how many are kept, never what is found: a record that was
 * passed by in one version and not in the other is matched by its key in the end.
 */
import { hash } from 'node:crypto'
import { compareCodePoints } from '../../kernel/text.ts'
import { datasets, type Version2Stored } from '../../schema/datasets.ts'
import type { IntegerColumn, Partition, TextColumn } from '../partition.ts'
import { HASH_LENGTH, keyMembers, type RecordChange, type RecordKey, type RecordState } from './step.ts'

/** The records of a version, in stored order. */
export type KeyedRows = {
  readonly count: number
  readonly key: (row: number) => RecordKey
  /** The first field of the stored order. */
  readonly date: (row: number) => number
  readonly hashes: (row: number) => readonly string[]
}

/** A record's key as one text. */
export const keyText = (key: RecordKey): string =>
  key.length === 1 ? (key[0] as string) : JSON.stringify(key)

/** Orders changes by key, by code point. */
export function byKey(
  [one]: readonly [RecordKey, ...unknown[]],
  [other]: readonly [RecordKey, ...unknown[]],
): number {
  for (let i = 0; i < one.length; i++) {
    const order = compareCodePoints(one[i] as string, other[i] as string)
    if (order !== 0) return order
  }
  return 0
}

/** @param isSame whether a record before and one after are equal */
export function compareCollections(
  before: KeyedRows,
  after: KeyedRows,
  isSame: (rowBefore: number, rowAfter: number) => boolean,
): readonly RecordChange[] {
  const changes: RecordChange[] = []
  const gone = new Map<string, number>()
  const come = new Map<string, number>()
  const pair = (one: number, other: number) => {
    if (!isSame(one, other)) changes.push([after.key(other), stateOf(before, one), stateOf(after, other)])
  }
  let [i, j] = [0, 0]
  while (i < before.count && j < after.count) {
    if (isSame(i, j)) {
      i++
      j++
      continue
    }
    const [old, young] = [keyText(before.key(i)), keyText(after.key(j))]
    if (old === young) pair(i++, j++)
    else if (isEarlier([before.date(i), old], [after.date(j), young])) gone.set(old, i++)
    else come.set(young, j++)
  }
  for (; i < before.count; i++) gone.set(keyText(before.key(i)), i)
  for (; j < after.count; j++) come.set(keyText(after.key(j)), j)
  for (const [key, row] of come) {
    const old = gone.get(key)
    if (old === undefined) changes.push([after.key(row), null, stateOf(after, row)])
    else {
      pair(old, row)
      gone.delete(key)
    }
  }
  for (const row of gone.values()) changes.push([before.key(row), stateOf(before, row), null])
  return changes.sort(byKey)
}

type Place = readonly [date: number, key: string]

const isEarlier = ([date, key]: Place, [otherDate, otherKey]: Place): boolean =>
  date === otherDate ? key < otherKey : date < otherDate

const stateOf = (rows: KeyedRows, row: number): RecordState => [row, ...rows.hashes(row)]

export const noRows: KeyedRows = { count: 0, key: () => [], date: () => 0, hashes: () => [] }

/** The rows of a collection in memory. */
export function rowsOfPartition(partition: Partition): KeyedRows {
  const { columns, records, rowCount } = partition
  const stored = partition.stored as Version2Stored
  const keys = keyMembers[stored].map((name) => textsOf(columns.get(name) as TextColumn))
  const [dateName = ''] = datasets[stored].defaultOrder
  const { values: dates } = columns.get(dateName) as IntegerColumn
  const { offsets, bookingLengths } = records
  return {
    count: rowCount,
    key: (row) => keys.map((text) => text(row)),
    date: (row) => dates[row] as number,
    // Without the closing brace, which the front part does not have either.
    hashes: (row) => {
      const [begin, end] = [offsets[row] as number, (offsets[row + 1] as number) - 1]
      if (bookingLengths === null) return [hashOf(records.bytes.subarray(begin, end))]
      const cut = begin + (bookingLengths[row] as number)
      return [hashOf(records.bytes.subarray(begin, cut)), hashOf(records.bytes.subarray(cut, end))]
    },
  }
}

const textsOf =
  ({ codes, dictionary }: TextColumn) =>
  (row: number): string =>
    dictionary.text(codes[row] as number)

/** 132 bits of SHA-256. */
const hashOf = (bytes: Uint8Array): string => hash('sha256', bytes, 'base64url').slice(0, HASH_LENGTH)

/** Compares records in memory byte by byte. */
export function sameBytes(
  one: Pick<Partition, 'records'>,
  other: Pick<Partition, 'records'>,
): (row: number, otherRow: number) => boolean {
  const [bytes, otherBytes] = [one.records, other.records].map(
    ({ bytes: { buffer, byteOffset, byteLength } }) => Buffer.from(buffer, byteOffset, byteLength),
  ) as [Buffer, Buffer]
  const [offsets, otherOffsets] = [one.records.offsets, other.records.offsets]
  return (row, otherRow) => {
    const [begin, end] = [offsets[row] as number, offsets[row + 1] as number]
    const [otherBegin, otherEnd] = [otherOffsets[otherRow] as number, otherOffsets[otherRow + 1] as number]
    if (end - begin !== otherEnd - otherBegin) return false
    return bytes.compare(otherBytes, otherBegin, otherEnd, begin, end) === 0
  }
}
