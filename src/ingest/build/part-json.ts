/**
 * Writes the parts of a record (its lines, travellers or payments) as a JSON array. Members have the order of their shape.
 * Members that come from the record itself are equal in every part, so their text is made once per record.
 */
import type { TObject } from 'typebox'
import { formatDate, formatMinute } from '../../kernel/calendar.ts'
import { formatScaled } from '../../kernel/decimal.ts'
import { type FieldType, type FieldValue, fieldsOf } from '../../schema/field.ts'
import type { PartColumns, PartSource, Reader, Row } from './version-1-sources.ts'

/** @returns the parts of a record as JSON, brackets included */
export type WriteParts = (record: Row, parts: readonly Row[]) => string

/** @throws RangeError when a source has no column, or one of another type than its member */
export function partWriter(
  shape: TObject,
  sources: Readonly<Record<string, PartSource>>,
  columns: PartColumns,
): WriteParts {
  const runs = runsOf(membersOf(shape, sources, columns))
  return (record, parts) => {
    if (parts.length === 0) return '[]'
    const fixed = runs.map((run) => (run.from === 'record' ? textOf(run, record) : ''))
    let json = ''
    for (const part of parts) {
      json += json === '' ? '[{' : ',{'
      for (let i = 0; i < runs.length; i++) {
        const run = runs[i] as Run
        json += run.from === 'record' ? fixed[i] : textOf(run, part)
      }
      json += '}'
    }
    return `${json}]`
  }
}

type Member = Reader & {
  /** The quoted name and a colon, with a comma before it unless it is the first. */
  readonly prefix: string
  readonly write: (value: FieldValue) => string
}

function membersOf(
  shape: TObject,
  sources: Readonly<Record<string, PartSource>>,
  columns: PartColumns,
): readonly Member[] {
  return fieldsOf(shape).map(({ name, type }, i) => {
    const reader = sources[name]?.(columns)
    if (reader?.type !== type) {
      throw new RangeError(`Expected a ${type} for ${name}, found ${reader?.type ?? 'no source'}`)
    }
    return { ...reader, prefix: `${i === 0 ? '' : ','}${JSON.stringify(name)}:`, write: jsonOf[type] }
  })
}

/** Consecutive members that come from the same row. */
type Run = { readonly from: keyof PartColumns; readonly members: readonly Member[] }

function runsOf(members: readonly Member[]): readonly Run[] {
  const runs: { from: keyof PartColumns; members: Member[] }[] = []
  for (const member of members) {
    const last = runs.at(-1)
    if (last?.from === member.from) last.members.push(member)
    else runs.push({ from: member.from, members: [member] })
  }
  return runs
}

function textOf({ members }: Run, row: Row): string {
  let json = ''
  for (let i = 0; i < members.length; i++) {
    const { prefix, read, write } = members[i] as Member
    const value = read(row)
    json += prefix + (value === null ? 'null' : write(value))
  }
  return json
}

const jsonOf: { readonly [Type in FieldType]: (value: FieldValue) => string } = {
  text: JSON.stringify,
  date: (day) => `"${formatDate(day as number)}"`,
  minute: (minute) => `"${formatMinute(minute as number)}"`,
  boolean: String,
  integer: String,
  decimal: (scaled) => formatScaled(scaled as number),
}
