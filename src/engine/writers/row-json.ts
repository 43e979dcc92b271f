/** Turns rows of values into finished JSON, member by member in the order of the record. */
import { formatDate, formatMinute } from '../../kernel/calendar.ts'
import { formatScaled } from '../../kernel/decimal.ts'
import type { DatasetName } from '../../schema/datasets.ts'
import type { Field, FieldType, FieldValue } from '../../schema/field.ts'
import type { ByteSpan, EncodedJson } from '../encoded-records.ts'
import type { RecordKind, RecordRow } from '../engine.ts'
import { membersOf, type RecordMember } from '../record-members.ts'
import { ByteWriter } from './byte-writer.ts'

/** Finished JSON with the position of each row's nested collection, if there is one. */
export type RowJson = EncodedJson & { readonly nested: readonly ByteSpan[] }

export function jsonOf(rows: readonly RecordRow[], of: RecordKind): RowJson {
  const members = writableMembers(of)
  const to = new ByteWriter(Buffer.alloc(0))
  const offsets = new Int32Array(rows.length + 1)
  const nested: ByteSpan[] = []
  rows.forEach((row, r) => {
    let json = '{'
    for (const { prefix, isNested, write } of members) {
      json += prefix
      if (isNested) {
        to.text(json)
        const begin = to.length
        to.text(write(row))
        nested.push({ begin, end: to.length })
        json = ''
      } else json += write(row)
    }
    to.text(`${json}}`)
    offsets[r + 1] = to.length
  })
  return { bytes: to.written(), offsets, fronts: null, nested }
}

type Member = {
  readonly prefix: string
  readonly isNested: boolean
  readonly write: (row: RecordRow) => string
}

function writableMembers(of: RecordKind): readonly Member[] {
  return membersOf(of).map((member, i) => ({
    prefix: `${i === 0 ? '' : ','}${JSON.stringify(member.name)}:`,
    isNested: member.kind === 'elements' && member.isAsSpecified,
    write: memberWriter(member, of.dataset),
  }))
}

function memberWriter(member: RecordMember, dataset: DatasetName): Member['write'] {
  const { name } = member
  switch (member.kind) {
    case 'field':
      return ({ values }) => fieldJson(member.field, values[member.at])
    case 'labels':
      return customWriter(member.labels)
    case 'elements':
      return elementsWriter(member.fields, member.at)
    case 'list':
      return ({ lists }) => lists[member.at] ?? missing(name, dataset)
  }
}

/** Labels without a value have no member. */
function customWriter(labels: readonly string[]): Member['write'] {
  const prefixes = labels.map((label) => `${JSON.stringify(label)}:`)
  return ({ custom }) => {
    let json = ''
    for (const [i, prefix] of prefixes.entries()) {
      const value = custom[i] ?? null
      if (value !== null) json += (json === '' ? '' : ',') + prefix + JSON.stringify(value)
    }
    return `{${json}}`
  }
}

function elementsWriter(fields: readonly Field[], at: number): Member['write'] {
  const members = fields.map((field, i) => ({
    field,
    prefix: `${i === 0 ? '' : ','}${JSON.stringify(field.name)}:`,
  }))
  const elementJson = (element: RecordRow['values']): string => {
    let json = ''
    for (const [i, { field, prefix }] of members.entries()) json += prefix + fieldJson(field, element[i])
    return `{${json}}`
  }
  return ({ collections }) => `[${(collections[at] ?? []).map(elementJson).join(',')}]`
}

function fieldJson({ name, type, nullable }: Field, value: FieldValue | undefined): string {
  if (value === undefined || (value === null && !nullable)) return missing(name, type)
  return value === null ? 'null' : valueJson[type](value)
}

/** A value other than null, as JSON. */
const valueJson: { readonly [T in FieldType]: (value: NonNullable<FieldValue>) => string } = {
  text: JSON.stringify,
  date: (day) => `"${formatDate(Number(day))}"`,
  minute: (minute) => `"${formatMinute(Number(minute))}"`,
  integer: String,
  decimal: (scaled) => formatScaled(Number(scaled)),
  boolean: String,
}

/** The engine returned a row that does not fit the dataset, which is a defect. */
function missing(name: string, of: string): never {
  throw new Error(`A row has no ${name} (${of})`)
}
