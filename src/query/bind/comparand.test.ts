import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseDecimal } from '../../kernel/decimal.ts'
import type { FieldType } from '../../schema/field.ts'
import type { ColumnRef, Comparand } from '../bound-query.ts'
import { comparandFor, type ValueLiteral } from './comparand.ts'

const span = { start: 0, end: 0 }
const text = (value: string) => ({ kind: 'text', value, span }) as const
const number = (digits: string) => ({ kind: 'number', text: digits, span }) as const
const boolean = (value: boolean) => ({ kind: 'boolean', value, span }) as const

function decimal(digits: string) {
  const value = parseDecimal(digits)
  assert.ok(value)
  return value
}

const asText = (folded: string): Comparand => ({ as: 'text', folded })
const asNumber = (digits: string): Comparand => ({ as: 'number', value: decimal(digits) })
const asNumberOrText = (digits: string, folded: string): Comparand => ({
  as: 'number-or-text',
  value: decimal(digits),
  folded,
})
const asInstant = (instant: string): Comparand => ({ as: 'instant', instant: Date.parse(instant) })
const asInstantOrText = (instant: string, folded: string): Comparand => ({
  as: 'instant-or-text',
  instant: Date.parse(instant),
  folded,
})
const asBoolean = (value: boolean): Comparand => ({ as: 'boolean', value })

const label: ColumnRef = { kind: 'custom', label: 'Label', type: 'text' }
const field = (type: FieldType): ColumnRef => ({ kind: 'field', name: type, type })
const utc: ColumnRef = { kind: 'field', name: 'tripStartUtc', type: 'minute' }
const fieldTypes: readonly FieldType[] = ['text', 'date', 'minute', 'integer', 'decimal', 'boolean']

/** The comparands of one literal by column; a column that is left out refuses it. */
type ByColumn = { readonly [Column in FieldType | 'label' | 'utc']?: Comparand }

const inNumbers = (digits: string): ByColumn => ({ integer: asNumber(digits), decimal: asNumber(digits) })
const inTimes = (instant: string): ByColumn => ({
  date: asInstant(instant),
  minute: asInstant(instant),
  utc: asInstant(instant),
})
const inTexts = (folded: string): ByColumn => ({ label: asText(folded), text: asText(folded) })

describe('comparandFor', () => {
  const rows: readonly (readonly [name: string, literal: ValueLiteral, byColumn: ByColumn])[] = [
    [
      'a number',
      number('1.50e1'),
      { label: asNumberOrText('15', '1.50e1'), text: asNumber('15'), ...inNumbers('15') },
    ],
    [
      'a number of exact text',
      number('-0.000010'),
      {
        label: asNumberOrText('-0.00001', '-0.000010'),
        text: asNumber('-0.00001'),
        ...inNumbers('-0.00001'),
      },
    ],
    [
      '1',
      number('1.0'),
      { label: asNumberOrText('1', '1.0'), text: asNumber('1'), ...inNumbers('1'), boolean: asBoolean(true) },
    ],
    [
      '0',
      number('-0'),
      { label: asNumberOrText('0', '-0'), text: asNumber('0'), ...inNumbers('0'), boolean: asBoolean(false) },
    ],
    ['true', boolean(true), { label: asBoolean(true), boolean: asBoolean(true) }],
    ['false', boolean(false), { label: asBoolean(false), boolean: asBoolean(false) }],
    [
      'a date',
      text('2026-01-31'),
      {
        label: asInstantOrText('2026-01-31', '2026-01-31'),
        text: asText('2026-01-31'),
        ...inTimes('2026-01-31'),
      },
    ],
    [
      'a date-time with an offset',
      text('2026-01-31T10:00:30.5+02:00'),
      {
        ...inTexts('2026-01-31t10:00:30.5+02:00'),
        utc: asInstant('2026-01-31T08:00:30.500Z'),
      },
    ],
    [
      'a date-time with the offset zero',
      text('2026-01-31T10:00-00:00'),
      {
        label: asInstantOrText('2026-01-31T10:00Z', '2026-01-31t10:00-00:00'),
        text: asText('2026-01-31t10:00-00:00'),
        ...inTimes('2026-01-31T10:00Z'),
      },
    ],
    [
      'a date-time with a blank',
      text('2026-01-31 10:00'),
      {
        label: asInstantOrText('2026-01-31T10:00Z', '2026-01-31 10:00'),
        text: asText('2026-01-31 10:00'),
        ...inTimes('2026-01-31T10:00Z'),
      },
    ],
    ['a date-time in lower case', text('2026-01-31t10:00z'), inTexts('2026-01-31t10:00z')],
    ['a day that does not exist', text('2026-02-30'), inTexts('2026-02-30')],
    ['a date in another form', text('01/02/2025'), inTexts('01/02/2025')],
    ['a date without dashes', text('20250201'), { ...inTexts('20250201'), ...inNumbers('20250201') }],
    ['a date without zeros', text('2025-2-1'), inTexts('2025-2-1')],
    ['a text that is a number', text('1e2'), { ...inTexts('1e2'), ...inNumbers('100') }],
    ['a text that is a number too large', text('1e10000'), inTexts('1e10000')],
    ['a text with a number in it', text(' 1'), inTexts(' 1')],
    [`'1'`, text('1'), { ...inTexts('1'), ...inNumbers('1'), boolean: asBoolean(true) }],
    [`'0'`, text('0'), { ...inTexts('0'), ...inNumbers('0'), boolean: asBoolean(false) }],
    [`'1.0'`, text('1.0'), { ...inTexts('1.0'), ...inNumbers('1') }],
    ['a text that says true', text('TRUE'), { ...inTexts('true'), boolean: asBoolean(true) }],
    ['a text that says false', text('False'), { ...inTexts('false'), boolean: asBoolean(false) }],
    ['a text that says yes', text('yes'), inTexts('yes')],
    ['any other text', text('SYDNEY ΟΔΟΣ'), inTexts('sydney οδοσ')],
    ['the empty text', text(''), inTexts('')],
  ]
  for (const [name, literal, byColumn] of rows) {
    it(`types ${name} for a label`, () => assert.deepEqual(comparandFor(literal, label), byColumn.label))
    it(`${byColumn.utc === undefined ? 'refuses' : 'types'} ${name} for a field in UTC`, () =>
      assert.deepEqual(comparandFor(literal, utc), byColumn.utc))
    for (const type of fieldTypes) {
      const does = byColumn[type] === undefined ? 'refuses' : 'types'
      it(`${does} ${name} for a ${type} field`, () =>
        assert.deepEqual(comparandFor(literal, field(type)), byColumn[type]))
    }
  }
})
