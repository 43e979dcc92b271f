/**
 * The parts of records with selected members as JSON, in their order: values from columns, and what the finished JSON of the whole
 * record has. A part serves a block of rows at a time.
 */
import { type ByteSpan, bufferOver, type EncodedCollection, type FindMember } from '../../encoded-records.ts'
import type { RecordKind } from '../../engine.ts'
import { membersOf, type RecordMember } from '../../record-members.ts'
import { columnNamed } from '../record-writer.ts'
import { type Around, type RecordPart, type ValueColumn, writePlaces } from './blocks.ts'
import { elementsPart } from './elements-part.ts'
import { textColumn } from './text-columns.ts'
import { pieceWriter } from './text-pieces.ts'
import { valueColumns } from './value-columns.ts'

/**
 * @param around what is ahead of each record and behind it
 * @param rowCount how many rows will be written in all
 */
export function recordParts(
  of: RecordKind,
  collection: EncodedCollection,
  { ahead, behind }: Around,
  rowCount: number,
): readonly RecordPart[] {
  const members = membersOf(of)
  const finished = finishedStart(of, members, collection)
  const parts: RecordPart[] = []
  if (finished.find !== null) {
    const end = finished.count === members.length ? `}${behind}` : ''
    parts.push(finishedPart({ ahead, behind: end }, 0, collection, finished.find))
  }
  let values: ValueColumn[] = []
  const endValues = () => {
    if (values.length > 0) parts.push(valuesPart(values))
    values = []
  }
  for (const [i, member] of members.entries()) {
    if (i < finished.count) continue
    const around = {
      ahead: `${i === 0 ? `${ahead}{` : ','}${JSON.stringify(member.name)}:`,
      behind: i === members.length - 1 ? `}${behind}` : '',
    }
    if (member.kind === 'field') {
      values.push(...valueColumns(columnNamed(collection.columns, member.name), around, rowCount))
    } else {
      endValues()
      parts.push(memberPart(member, { ...around, isFirst: i === 0 }, collection, rowCount))
    }
  }
  endValues()
  return parts
}

/** How many of the first members are one piece of the finished JSON: all of the record as specified, or all of its fields. */
function finishedStart(
  { dataset, labels }: RecordKind,
  members: readonly RecordMember[],
  collection: EncodedCollection,
): { readonly count: number; readonly find: FindMember | null } {
  const specified = membersOf({ dataset, labels, shape: null })
  const isAsSpecified = ({ name }: RecordMember, i: number): boolean => {
    const member = members[i]
    return member !== undefined && member.name === name && isWhole(member)
  }
  if (specified.every(isAsSpecified)) return { count: specified.length, find: wholeRecord(collection) }
  const fields = specified.filter(({ kind }) => kind === 'field')
  if (fields.every(isAsSpecified)) return { count: fields.length, find: collection.fieldsJson() }
  return { count: 0, find: null }
}

function isWhole(member: RecordMember): boolean {
  if (member.kind === 'labels') return member.areAll
  return member.kind !== 'elements' || member.isAsSpecified
}

/** The record without its closing brace. */
const wholeRecord =
  ({ json: { offsets, fronts } }: EncodedCollection): FindMember =>
  (row, span) => {
    span.begin = offsets[row]!
    span.end = fronts === null ? offsets[row + 1]! - 1 : span.begin + fronts[row]!
  }

type Place = Around & { readonly isFirst: boolean }

function memberPart(
  member: Exclude<RecordMember, { kind: 'field' }>,
  place: Place,
  collection: EncodedCollection,
  rowCount: number,
): RecordPart {
  switch (member.kind) {
    case 'labels':
      return member.areAll && isFound(member.labels, rowCount)
        ? finishedMember(place, collection, collection.customJson())
        : labelsPart(member.labels, place, collection, rowCount)
    case 'elements':
      return member.isAsSpecified
        ? finishedMember(place, collection, collection.nestedJson())
        : elementsPart(member, place, collection, rowCount)
    case 'list':
      throw new Error(`The member ${member.name} cannot be selected`)
  }
}

/**
 * Finding the labels in the finished JSON takes 0.3 µs per record, whatever their number. Writing each takes 20 ns, after 5 µs of preparation.
 */
const MOST_LABELS = 16
const LEAST_ROWS_PER_LABEL = 32

const isFound = (labels: readonly string[], rowCount: number): boolean =>
  labels.length > MOST_LABELS || rowCount < LEAST_ROWS_PER_LABEL * labels.length

/** Members one behind the other. */
function valuesPart(columns: readonly ValueColumn[]): RecordPart {
  const pieces = columns.map((column) => column.pieces)
  return {
    columnCount: columns.length,
    begin(rows, count) {
      for (const { find } of columns) find(rows, count)
    },
    write: (place, to) => writePlaces(pieces, place, 1, to),
  }
}

/** A member behind others has its name, and the comma ahead of that, in the finished JSON too. */
const finishedMember = (
  { ahead, behind, isFirst }: Place,
  collection: EncodedCollection,
  find: FindMember,
): RecordPart =>
  isFirst
    ? finishedPart({ ahead, behind }, 0, collection, find)
    : finishedPart({ ahead: '', behind }, Buffer.byteLength(ahead), collection, find)

/** @param more how many bytes ahead of what is found are copied too */
function finishedPart(
  { ahead, behind }: Around,
  more: number,
  { json }: EncodedCollection,
  find: FindMember,
): RecordPart {
  const source = bufferOver(json.bytes)
  const span: ByteSpan = { begin: 0, end: 0 }
  const [open, close] = [pieceWriter(ahead), pieceWriter(behind)]
  let blockRows: Int32Array = new Int32Array(0)
  return {
    columnCount: 0,
    begin(rows) {
      blockRows = rows
    },
    write(place, to) {
      find(blockRows[place]!, span)
      open(to)
      to.copy(source, span.begin - more, span.end)
      close(to)
    },
  }
}

const OPENING_BRACE = 0x7b

/** Labels without a value have no member, as in finished records. */
function labelsPart(
  labels: readonly string[],
  { ahead, behind }: Around,
  { custom }: EncodedCollection,
  rowCount: number,
): RecordPart {
  const [open, close] = [pieceWriter(ahead), pieceWriter(`}${behind}`)]
  const values = valuesPart(
    labels.map((label) => {
      const around = { ahead: `,${JSON.stringify(label)}:`, behind: '' }
      return textColumn(columnNamed(custom, label), around, '', rowCount)
    }),
  )
  return {
    columnCount: labels.length,
    begin: values.begin,
    write(place, to) {
      open(to)
      const start = to.length
      values.write(place, to)
      // The comma in front of the first one becomes the brace.
      if (to.length === start) to.byte(OPENING_BRACE)
      else to.bytes[start] = OPENING_BRACE
      close(to)
    },
  }
}
