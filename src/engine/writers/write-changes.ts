/**
 * Writes changed records in any format, in one sequence: whole records with the member `_change` (`added` or `changed`), and
 * for removed ones only their identity and `_change` (`removed`). JSON is copied from the finished records; the other formats
 * read the values from it. In CSV and Arrow `_change` is the first column, and a removed record has no other values than those
 * of its identity.
 */
import { datasetsByName } from '../../schema/datasets.ts'
import type { Field, FieldType, FieldValue } from '../../schema/field.ts'
import type { RecordFormat } from '../../schema/record-formats.ts'
import { bufferOver, type EncodedRecords, type EncodedTexts } from '../encoded-records.ts'
import type { FinishedBatch, RecordKind, RecordRow } from '../engine.ts'
import type { FinishedRows } from '../keyed-records.ts'
import { partsOf } from '../record-members.ts'
import { ByteWriter } from './byte-writer.ts'
import {
  CHANGE_COLUMN,
  changeArrowWriter,
  changeCsvWriter,
  changeNames,
  type OpenChangeWriter,
} from './change-columns.ts'
import { type ChunkRoom, freshMemory, fullLength } from './chunk-room.ts'
import { encodeRows } from './encode-rows.ts'
import { rowReader } from './finished-rows.ts'
import type { JsonLayout } from './json-records.ts'
import { pieceWriter } from './selected/text-pieces.ts'
import type { WritableRecords } from './write-records.ts'

/** Some changes in their order. */
export type ChangeBatch = {
  /** Whether the next record of `present` was added or changed, or the identity of a record that was removed. */
  readonly marks: readonly ('added' | 'changed' | readonly string[])[]
  readonly present: FinishedRows
}

export type Changes = {
  readonly of: RecordKind
  /** The members that identify a record. */
  readonly keyNames: readonly string[]
  readonly total: number
  /** Those of the page, or all. */
  readonly count: number
  /** Can be read once. */
  readonly batches: () => AsyncIterable<ChangeBatch>
}

export const writableChanges = (changes: Changes): WritableRecords => ({
  total: changes.total,
  count: changes.count,
  chunks: (format, chunkBytes, memory = freshMemory) => writers[format](changes, { chunkBytes, memory }),
})

type Write = (changes: Changes, room: ChunkRoom) => AsyncIterable<Uint8Array>

const writers: { readonly [Format in RecordFormat]: Write } = {
  json: (changes, room) => writeJson(changes, room, 'array'),
  ndjson: (changes, room) => writeJson(changes, room, 'lines'),
  csv: (changes, room) => writeColumns(changes, changeCsvWriter, room),
  arrow: (changes, room) => writeColumns(changes, changeArrowWriter, room),
}

const COMMA = 0x2c
const CLOSING_BRACE = 0x7d

async function* writeJson(
  { keyNames, batches }: Changes,
  room: ChunkRoom,
  layout: JsonLayout,
): AsyncGenerator<Uint8Array, void, undefined> {
  const behind = layout === 'lines' ? '\n' : ''
  const added = pieceWriter(`,"_change":"added"}${behind}`)
  const changed = pieceWriter(`,"_change":"changed"}${behind}`)
  const full = fullLength(room)
  const newChunk = () => new ByteWriter(room.memory.take(room.chunkBytes))
  let chunk = newChunk()
  let isBehindOthers = false
  for await (const { marks, present } of batches()) {
    const copy = recordCopier(present)
    let next = 0
    for (let i = 0; i < marks.length; i++) {
      const mark = marks[i]!
      if (chunk.length >= full) {
        yield chunk.written()
        chunk = newChunk()
      }
      if (layout === 'array' && isBehindOthers) chunk.byte(COMMA)
      isBehindOthers = true
      if (typeof mark === 'string') {
        copy(next++, chunk)
        if (mark === 'added') added(chunk)
        else changed(chunk)
      } else {
        const key = keyNames.map((name, i) => `${JSON.stringify(name)}:${JSON.stringify(mark[i])}`)
        chunk.text(`{${key.join(',')},"_change":"removed"}${behind}`)
      }
    }
  }
  if (chunk.length > 0) yield chunk.written()
}

/** Copies the n-th record without its closing brace. */
function recordCopier({ json, rows }: FinishedRows): (place: number, to: ByteWriter) => void {
  const source = bufferOver(json.bytes)
  return (place, to) => {
    const row = rows.ids === null ? rows.from + place : rows.ids[rows.from + place]!
    const begin = json.offsets[row]!
    const end = json.fronts === null ? json.offsets[row + 1]! - 1 : begin + json.fronts[row]!
    to.copy(source, begin, end)
  }
}

async function* writeColumns(
  { of, keyNames, batches }: Changes,
  open: OpenChangeWriter,
  room: ChunkRoom,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { batch, end } = open(keyNames)(of, room)
  const read = rowReader(of)
  const removed = removedRow(of, keyNames)
  for await (const { marks, present } of batches()) {
    const records = read(consecutive(present))[Symbol.iterator]()
    const rows = marks.map((mark) =>
      typeof mark === 'string' ? (records.next().value as RecordRow) : removed(mark),
    )
    yield* batch(withChanges(encodeRows(rows, of), marks))
  }
  if (end !== undefined) yield* end()
}

/** Copies the records one after another, into memory of their own. */
export function consecutive(present: FinishedRows): FinishedBatch {
  const { count } = present.rows
  const lengthOf = recordLengths(present)
  const offsets = new Int32Array(count + 1)
  for (let place = 0; place < count; place++) offsets[place + 1] = offsets[place]! + lengthOf(place)
  const to = new ByteWriter(Buffer.allocUnsafeSlow(offsets[count]!))
  const copy = recordCopier(present)
  for (let place = 0; place < count; place++) {
    copy(place, to)
    to.byte(CLOSING_BRACE)
  }
  return { count, json: { bytes: to.written(), offsets, fronts: null } }
}

/** Bytes that the records take when they are {@link consecutive}. */
export function byteLengthOf(present: FinishedRows): number {
  const lengthOf = recordLengths(present)
  let sum = 0
  for (let place = 0; place < present.rows.count; place++) sum += lengthOf(place)
  return sum
}

/** The length of the n-th record, with its closing brace. */
function recordLengths({ json: { offsets, fronts }, rows }: FinishedRows): (place: number) => number {
  return (place) => {
    const row = rows.ids === null ? rows.from + place : rows.ids[rows.from + place]!
    return fronts === null ? offsets[row + 1]! - offsets[row]! : fronts[row]! + 1
  }
}

/** Values other than those of the identity only stand in: the columns of changes do not show them. */
function removedRow(of: RecordKind, keyNames: readonly string[]): (key: readonly string[]) => RecordRow {
  const { fields } = datasetsByName[of.dataset]
  const custom = of.labels.map(() => null)
  const { collections } = partsOf(of)
  return (key) => ({
    values: fields.map((field) => key[keyNames.indexOf(field.name)] ?? standIn(field)),
    custom,
    collections: collections.map(() => []),
    lists: [],
  })
}

const standIn = ({ type, nullable }: Field): FieldValue => (nullable ? null : standIns[type])

const standIns: { readonly [T in FieldType]: FieldValue } = {
  text: '',
  date: 0,
  minute: 0,
  integer: 0,
  decimal: 0,
  boolean: false,
}

function withChanges({ rows, collection }: EncodedRecords, marks: ChangeBatch['marks']): EncodedRecords {
  const codes = Int32Array.from(marks, (mark) =>
    changeNames.indexOf(typeof mark === 'string' ? mark : 'removed'),
  )
  const dictionary = { size: changeNames.length, text: (code: number) => changeNames[code] as string }
  const column: EncodedTexts = { type: 'text', codes, dictionary }
  return {
    kind: 'encoded',
    rows,
    collection: {
      get json() {
        return collection.json
      },
      columns: new Map([...collection.columns, [CHANGE_COLUMN, column]]),
      custom: collection.custom,
      nested: collection.nested,
      additional: collection.additional,
      nestedJson: collection.nestedJson,
      customJson: collection.customJson,
      fieldsJson: collection.fieldsJson,
    },
  }
}
