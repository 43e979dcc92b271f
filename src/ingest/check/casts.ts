/**
 * The casts that are tried for a column whose values do not fit: notations of dates, times, numbers and booleans that
 * warehouses and spreadsheets write. A cast is proposed only when its notation is that of the values.
 */
import type { FieldType } from '../../schema/field.ts'
import { literal } from '../sql-text.ts'

export type Cast = {
  /** The notation of the texts that it reads. */
  readonly shape: RegExp
  /** The cast, for a reader. It may fail for other texts. */
  readonly plain: (x: string) => string
  /** The same for a mapping: another text stays as it is, so that a refresh sets its row aside and shows it. */
  readonly keeping: (x: string) => string
  /** What the cast changes in addition to the notation. */
  readonly note?: string
  /** Whether it leaves out a part of the value that may matter. */
  readonly loses?: true
  /** What it assumes where a text can be read in two ways, such as 02/03/2026 or 1,234. */
  readonly style?: Style
}

export type Style = 'day first' | 'month first' | 'decimal comma' | 'thousands comma'

/** What the drafted mapping defines, because its casts use it. */
export const castMacros: Readonly<Record<string, string>> = {
  date_in: `CREATE OR REPLACE MACRO date_in(x, form) AS coalesce(strftime(try_strptime(x, form), '%Y-%m-%d'), x);`,
  minute_in: `CREATE OR REPLACE MACRO minute_in(x, form) AS coalesce(strftime(try_strptime(x, form), '%Y-%m-%dT%H:%M'), x);`,
}

const same = (shape: RegExp, sql: (x: string) => string, note?: string): Cast => ({
  shape,
  plain: sql,
  keeping: sql,
  ...(note === undefined ? {} : { note }),
})

/** What a format of `strptime` reads. */
const tokens: Readonly<Record<string, string>> = {
  '%d': '\\d{1,2}',
  '%m': '\\d{1,2}',
  '%Y': '\\d{4}',
  '%y': '\\d{2}',
  '%b': '\\p{L}{3}',
  '%B': '\\p{L}{4,}',
  '%H': '\\d{1,2}',
  '%I': '\\d{1,2}',
  '%M': '\\d{2}',
  '%S': '\\d{2}',
  '%f': '\\d{1,6}',
  '%p': '[AaPp][Mm]',
}

const shapeOf = (format: string): RegExp =>
  new RegExp(`^${format.replace(/%\w|[.*+?^$()[\]{}|\\]/g, (part) => tokens[part] ?? `\\${part}`)}$`, 'u')

/** Where two of them read the same text, the first one is proposed and the other one is named. */
const dates = [
  '%d/%m/%Y',
  '%m/%d/%Y',
  '%d.%m.%Y',
  '%d-%m-%Y',
  '%m-%d-%Y',
  '%Y/%m/%d',
  '%Y.%m.%d',
  '%Y%m%d',
  '%d/%m/%y',
  '%m/%d/%y',
  '%d.%m.%y',
  '%d%b%Y',
  '%d%b%y',
  '%d-%b-%Y',
  '%d-%b-%y',
  '%d %b %Y',
  '%d %B %Y',
  '%b %d, %Y',
  '%B %d, %Y',
  '%Y-%m-%d',
] as const
const times = ['%H:%M', '%H:%M:%S', '%H:%M:%S.%f', '%I:%M %p', '%I:%M:%S %p', '%H%M'] as const
const moments = dates.flatMap((date) => times.flatMap((time) => [`${date} ${time}`, `${date}T${time}`]))

const styleOf = (format: string): { readonly style?: Style } => {
  const [day, month] = [format.indexOf('%d'), format.indexOf('%m')]
  if (month < 0 || format.startsWith('%Y')) return {}
  return { style: day < month ? 'day first' : 'month first' }
}

const strptime = (x: string, format: string): string => `strptime(${x}, ${literal(format)})`

const dateIn = (format: string, cut = ''): Cast => ({
  shape: shapeOf(format),
  plain: (x) => strptime(x, format) + cut,
  keeping: (x) => `date_in(${x}, ${literal(format)})`,
  ...(cut === '' ? {} : { note: 'leaves out the time' }),
  ...styleOf(format),
})

const minuteIn = (format: string, note?: string): Cast => ({
  shape: shapeOf(format),
  plain: (x) => strptime(x, format),
  keeping: (x) => `minute_in(${x}, ${literal(format)})`,
  ...(note === undefined ? {} : { note }),
  ...styleOf(format),
})

const ISO_MOMENT = /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d([.,]\d+)?)?( ?(Z|[+-]\d\d(:?\d\d)?))?$/

const either = (yes: string, no: string): Cast =>
  same(
    new RegExp(`^(${yes}|${no})$`, 'i'),
    (x) => `CASE upper(${x}) WHEN '${yes}' THEN 'true' WHEN '${no}' THEN 'false' ELSE ${x} END`,
  )

const numbers: readonly Cast[] = [
  { ...same(/^-?\d+(,\d+)?$/, (x) => `replace(${x}, ',', '.')`), style: 'decimal comma' },
  { ...same(/^-?\d{1,3}(,\d{3})*(\.\d+)?$/, (x) => `replace(${x}, ',', '')`), style: 'thousands comma' },
  {
    ...same(/^-?\d{1,3}(\.\d{3})*(,\d+)?$/, (x) => `replace(replace(${x}, '.', ''), ',', '.')`),
    style: 'decimal comma',
  },
  same(
    /^-?\d{1,3}([ '’\u00a0\u202f]\d{3})*([.,]\d+)?$/,
    (x) => `replace(regexp_replace(${x}, '[ ''’\u00a0\u202f]', '', 'g'), ',', '.')`,
  ),
  same(
    /^(\(\d+(\.\d+)?\)|-?\d+(\.\d+)?)$/,
    (x) => `regexp_replace(${x}, '^\\((.*)\\)$', '-\\1')`,
    'reads a number in brackets as negative',
  ),
  {
    ...same(
      /^(?=.*[\p{Sc}\p{L}%])(\p{Sc}|[A-Z]{3})? ?-?\d{1,3}(,?\d{3})*(\.\d+)? ?(\p{Sc}|[A-Z]{3}|%)?$/u,
      (x) => `regexp_replace(${x}, '[^0-9.-]', '', 'g')`,
      'leaves out the unit',
    ),
    loses: true,
  },
]

/** What is left of sums of doubles, such as 0.30000000000000004 or 5.5e-17. */
const rounded: Cast = {
  shape: /^-?\d+(\.\d{6,}|(\.\d+)?[eE]-\d+)$/,
  plain: (x) => `round(${x}::DECIMAL(38, 10), 5)`,
  keeping: (x) => `coalesce(round(try_cast(${x} AS DECIMAL(38, 10)), 5)::VARCHAR, ${x})`,
  note: 'rounds to 5 decimal places',
}

const SINCE_1970 = 'since 1970, in UTC'

/** Moments as numbers, with the `.0` of a column of floats. */
const epoch = (unit: string, digits: string, asTimestamp: (number: string) => string) => ({
  unit,
  shape: new RegExp(`^\\d{${digits}}(\\.0+)?$`),
  asTimestamp,
})

const epochs = [
  epoch('seconds', '9,10', (number) => `epoch_ms(1000 * ${number})`),
  epoch('milliseconds', '12,13', (number) => `epoch_ms(${number})`),
  epoch('microseconds', '15,16', (number) => `make_timestamp(${number})`),
  epoch('nanoseconds', '18,19', (number) => `make_timestamp(${number} // 1000)`),
]

const epochAs = (format: string, cut = ''): readonly Cast[] =>
  epochs.map(({ unit, shape, asTimestamp }) => ({
    shape,
    plain: (x) => asTimestamp(`${x}::BIGINT`) + cut,
    keeping: (x) => `coalesce(strftime(${asTimestamp(`try_cast(${x} AS BIGINT)`)}, '${format}'), ${x})`,
    note: `reads ${unit} ${SINCE_1970}`,
  }))

export const casts: { readonly [Type in FieldType]: readonly Cast[] } = {
  text: [],
  date: [
    same(ISO_MOMENT, (x) => `left(${x}, 10)`, 'leaves out the time'),
    ...dates.map((format) => dateIn(format)),
    ...moments.map((format) => dateIn(format, '::DATE')),
    ...epochAs('%Y-%m-%d', '::DATE'),
  ],
  minute: [
    same(
      ISO_MOMENT,
      (x) => `replace(left(${x}, 16), ' ', 'T')`,
      'leaves out the seconds, and an offset: the written time is kept',
    ),
    ...moments.map((format) => minuteIn(format)),
    ...dates.map((format) => minuteIn(format, 'the time is midnight')),
    ...epochAs('%Y-%m-%dT%H:%M'),
  ],
  boolean: [
    either('Y', 'N'),
    either('YES', 'NO'),
    either('J', 'N'),
    either('JA', 'NEIN'),
    either('O', 'N'),
    either('OUI', 'NON'),
    either('S', 'N'),
    either('SI', 'NO'),
    either('ON', 'OFF'),
  ],
  integer: numbers,
  decimal: [...numbers, rounded],
}

/** How warehouses write that there is no value. */
export const nullTexts: ReadonlySet<string> = new Set([
  '\\N',
  'NULL',
  'null',
  'None',
  'none',
  'NaN',
  'nan',
  'Infinity',
  '-Infinity',
  'inf',
  '-inf',
  'NaT',
  'N/A',
  'n/a',
  'NA',
  '-',
  '--',
  '?',
  // bcp writes an empty text so, and nothing for null.
  '\0',
  '0000-00-00',
  '00/00/0000',
  '0000-00-00 00:00:00',
])
