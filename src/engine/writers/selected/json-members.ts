/** Writes members of records as JSON from columns, or copies them where the finished JSON of the whole record has them. */
import {
  type ByteSpan,
  bufferOver,
  type EncodedCollection,
  elementsNamed,
  type FindMember,
} from '../../encoded-records.ts'
import type { RecordKind } from '../../engine.ts'
import { membersOf, type RecordMember } from '../../record-members.ts'
import type { DayTexts } from '../day-texts.ts'
import { columnNamed } from '../record-writer.ts'
import { jsonTexts, valueWriter, type WriteRow } from './json-values.ts'
import { pieceWriter } from './text-pieces.ts'

type MemberOf<Kind extends RecordMember['kind']> = Extract<RecordMember, { kind: Kind }>

const COMMA = 0x2c
const OPENING_BRACKET = 0x5b
const CLOSING_BRACKET = 0x5d
const CLOSING_BRACE = 0x7d

/** @param rowCount how many rows will be written in all */
export function recordWriter(
  of: RecordKind,
  collection: EncodedCollection,
  rowCount: number,
  days: DayTexts,
): WriteRow {
  const members = membersOf(of)
  const source = { collection, rowCount, days }
  const finished = finishedStart(of, members, collection)
  const writers = members
    .slice(finished.count)
    .map((member, i) =>
      memberWriter(member, `${finished.count + i === 0 ? '{' : ','}${JSON.stringify(member.name)}:`, source),
    )
  if (finished.find !== null) writers.unshift(finishedMember('', collection, finished.find))
  return (row, to) => {
    for (let i = 0; i < writers.length; i++) writers[i]!(row, to)
    to.byte(CLOSING_BRACE)
  }
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

/** Up to so many labels, writing each is cheaper than finding all of them in the finished JSON. */
const FEW_LABELS = 3

type Source = {
  readonly collection: EncodedCollection
  readonly rowCount: number
  readonly days: DayTexts
}

function memberWriter(member: RecordMember, prefix: string, source: Source): WriteRow {
  const { collection, rowCount, days } = source
  switch (member.kind) {
    case 'field':
      return valueWriter(columnNamed(collection.columns, member.name), prefix, rowCount, days)
    case 'labels':
      return member.areAll && member.labels.length > FEW_LABELS
        ? finishedMember(prefix, collection, collection.customJson())
        : labelsWriter(member, prefix, source)
    case 'elements':
      return member.isAsSpecified
        ? finishedMember(prefix, collection, collection.nestedJson())
        : behindPrefix(prefix, elementsWriter(member, collection, days))
    case 'list':
      throw new Error(`The member ${member.name} cannot be selected`)
  }
}

function finishedMember(prefix: string, { json }: EncodedCollection, find: FindMember): WriteRow {
  const source = bufferOver(json.bytes)
  const span: ByteSpan = { begin: 0, end: 0 }
  // In the finished JSON the same name is in front of the value, behind a comma.
  const ahead = prefix.startsWith('{') ? 0 : Buffer.byteLength(prefix)
  const write: WriteRow = (row, to) => {
    find(row, span)
    to.copy(source, span.begin - ahead, span.end)
  }
  return ahead > 0 || prefix === '' ? write : behindPrefix(prefix, write)
}

function behindPrefix(prefix: string, write: WriteRow): WriteRow {
  const name = pieceWriter(prefix)
  return (row, to) => {
    name(to)
    write(row, to)
  }
}

/** Labels without a value have no member, as in finished records. */
function labelsWriter(
  { labels }: MemberOf<'labels'>,
  prefix: string,
  { collection, rowCount }: Source,
): WriteRow {
  const open = pieceWriter(`${prefix}{`)
  const columns = labels.map((label) => {
    const column = columnNamed(collection.custom, label)
    const append = jsonTexts(column, `${JSON.stringify(label)}:`, rowCount)
    return { codes: column.codes, none: column.dictionary.size, append }
  })
  return (row, to) => {
    open(to)
    let isBehindOthers = false
    for (let i = 0; i < columns.length; i++) {
      const { codes, none, append } = columns[i]!
      const code = codes[row]!
      if (code === none) continue
      if (isBehindOthers) to.byte(COMMA)
      isBehindOthers = true
      append(code, to)
    }
    to.byte(CLOSING_BRACE)
  }
}

/** Writes the elements of a row with these fields only, brackets included. */
export function elementsWriter(
  { name, fields }: Pick<MemberOf<'elements'>, 'name' | 'fields'>,
  collection: EncodedCollection,
  days: DayTexts,
): WriteRow {
  const { offsets, columns, elementCount } = elementsNamed(collection, name)
  const writers = fields.map((field, i) =>
    valueWriter(
      columnNamed(columns, field.name),
      `${i === 0 ? '{' : ','}${JSON.stringify(field.name)}:`,
      elementCount,
      days,
    ),
  )
  return (row, to) => {
    const [first, end] = [offsets[row]!, offsets[row + 1]!]
    to.byte(OPENING_BRACKET)
    for (let element = first; element < end; element++) {
      if (element > first) to.byte(COMMA)
      for (let i = 0; i < writers.length; i++) writers[i]!(element, to)
      to.byte(CLOSING_BRACE)
    }
    to.byte(CLOSING_BRACKET)
  }
}
