/** The types of DuckDB, which reads Parquet files and the views of a mapping, as texts of an extract. */
import type { ExtractColumn } from '../../schema/extract-tables.ts'
import { name } from '../sql-text.ts'
import {
  DAY,
  DOUBLE_LIMIT,
  FLOAT_LIMIT,
  type Lost,
  type TextCast,
  type TextForm,
  type TypedText,
  WHOLE,
} from './text-types.ts'

const wholeBelow =
  (limit: number) =>
  (x: string): string =>
    `CASE WHEN ${x} = trunc(${x}) AND abs(${x}) < ${limit} THEN ${x}::BIGINT::VARCHAR ELSE ${x}::VARCHAR END`

const WITHOUT_ZEROS = `'\\.0+$', ''`

/** A whole number without its zeros, any other one with the digits that it has. */
function castOfNumber(x: string, { areRounded, areInfinite }: Lost): TextCast | null {
  if (areRounded) return null
  const sql = `regexp_replace(${x}::VARCHAR, ${WITHOUT_ZEROS})`
  return areInfinite
    ? { sql: `CASE WHEN isfinite(${x}) THEN ${sql} END`, note: 'makes NaN and Infinity null' }
    : { sql }
}

const fraction = (limit: number): TextForm => ({
  family: 'number',
  read: wholeBelow(limit),
  plain: WHOLE,
  isFraction: true,
  castOf: castOfNumber,
})

const refused = (castOf: (x: string) => TextCast): TextForm => ({ family: 'other', plain: null, castOf })

const asMinute = (x: string): string => `strftime(${x}, '%Y-%m-%dT%H:%M')`

/** The first one that matches counts. */
const forms: readonly (readonly [type: RegExp, form: TextForm | ((type: string) => TextForm)])[] = [
  [/\[\d*\]$/, refused((x) => ({ sql: `array_to_string(${x}, ', ')` }))],
  [/^(VARCHAR|ENUM|UUID|"NULL")/, { family: 'text' }],
  [/^(U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER|BIGNUM|DECIMAL\(\d+,0\))$/, { family: 'number' }],
  [/^DOUBLE/, fraction(DOUBLE_LIMIT)],
  [/^FLOAT/, fraction(FLOAT_LIMIT)],
  [
    /^DECIMAL/,
    {
      family: 'number',
      plain: WHOLE,
      castOf: (x) => ({
        sql: `regexp_replace(${x}::VARCHAR, ${WITHOUT_ZEROS})`,
        note: 'leaves out the zeros behind the point of whole numbers',
      }),
    },
  ],
  [
    /^DATE$/,
    {
      family: 'date',
      plain: DAY,
      castOf: (x) => ({ sql: `CASE WHEN isfinite(${x}) THEN ${x}::VARCHAR END` }),
    },
  ],
  [/^BOOLEAN/, refused((x) => ({ sql: `${x}::VARCHAR`, note: 'writes true or false' }))],
  [
    /^TIMESTAMP WITH TIME ZONE/,
    refused((x) => ({ sql: asMinute(`${x} AT TIME ZONE 'UTC'`), note: 'writes the time in UTC' })),
  ],
  [/^TIMESTAMP/, refused((x) => ({ sql: asMinute(x), note: 'leaves out the seconds' }))],
  [/^TIME/, refused((x) => ({ sql: `left(${x}::VARCHAR, 5)`, note: 'leaves out the seconds' }))],
  [/^JSON/, refused((x) => ({ sql: `${x} ->> '$'` }))],
  [/^BLOB/, refused((x) => ({ sql: `decode(${x})` }))],
  [
    /^MAP/,
    refused((x) => ({
      sql: `array_to_string(map_values(${x}), ', ')`,
      note: 'leaves out the keys',
      loses: true,
    })),
  ],
  [
    /^STRUCT/,
    (type) =>
      refused((x) => ({ sql: `${x}.${firstMember(type)}::VARCHAR`, note: 'keeps one member', loses: true })),
  ],
  [/^/, refused((x) => ({ sql: `${x}::VARCHAR` }))],
]

/** `STRUCT("last" VARCHAR, tags VARCHAR[])` begins with a member `last`. */
const firstMember = (type: string): string => /^STRUCT\(("(?:[^"]|"")*"|[^ ]+)/.exec(type)?.[1] ?? '...'

const formOf = (type: string): TextForm => {
  const [, form] = forms.find(([pattern]) => pattern.test(type)) as (typeof forms)[number]
  return typeof form === 'function' ? form(type) : form
}

/** @param found the name in the source */
export function typedText(
  { column, masked }: ExtractColumn,
  found: string,
  type: string,
): TypedText & { readonly text: string } {
  const { read = (x) => `${x}::VARCHAR`, castOf = () => null, ...form } = formOf(type)
  const x = name(found)
  const typed = { ...form, column, type, castOf: (lost: Lost) => castOf(x, lost) }
  if (masked !== 'number') return { ...typed, text: read(x) }
  // A card number is a whole number, and nobody misses zeros in front of it: without `.0` its last four digits stay visible.
  const isDecimal = type.startsWith('DECIMAL')
  const whole = `CASE WHEN ${x} = trunc(${x}) THEN ${x}::HUGEINT::VARCHAR ELSE ${x}::VARCHAR END`
  return { ...typed, isFraction: false, text: isDecimal ? whole : read(x) }
}
