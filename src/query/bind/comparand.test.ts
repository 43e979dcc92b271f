import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseDecimal } from '../../kernel/decimal.ts'
import type { FieldType } from '../../schema/field.ts'
import type { Comparand } from '../bound-query.ts'
import { comparandFor } from './comparand.ts'

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

const types: readonly FieldType[] = ['text', 'date', 'minute', 'integer', 'decimal', 'boolean']

describe('comparandFor', () => {
  type Literal = Parameters<typeof comparandFor>[0]
  const everywhere = (comparand: Comparand) => types.map(() => comparand)
  const rows: readonly (readonly [
    name: string,
    literal: Literal,
    byType: readonly (Comparand | undefined)[],
  ])[] = [
    [
      'a number',
      number('1.50e1'),
      [asNumberOrText('15', '15'), asText('15'), asText('15'), asNumber('15'), asNumber('15'), asText('15')],
    ],
    [
      'a number of exact text',
      number('-0.000010'),
      [
        asNumberOrText('-0.00001', '-0.00001'),
        asText('-0.00001'),
        asText('-0.00001'),
        asNumber('-0.00001'),
        asNumber('-0.00001'),
        asText('-0.00001'),
      ],
    ],
    ['true', boolean(true), [asBoolean(true), undefined, undefined, undefined, undefined, asBoolean(true)]],
    [
      'false',
      boolean(false),
      [asBoolean(false), undefined, undefined, undefined, undefined, asBoolean(false)],
    ],
    [
      'a date',
      text('2026-01-31'),
      [
        asInstantOrText('2026-01-31', '2026-01-31'),
        asInstant('2026-01-31'),
        asInstant('2026-01-31'),
        asText('2026-01-31'),
        asText('2026-01-31'),
        asText('2026-01-31'),
      ],
    ],
    [
      'a date-time with a zone',
      text('2026-01-31T10:00:30.5+02:00'),
      [
        asInstantOrText('2026-01-31T08:00:30.500Z', '2026-01-31t10:00:30.5+02:00'),
        asInstant('2026-01-31T08:00:30.500Z'),
        asInstant('2026-01-31T08:00:30.500Z'),
        asText('2026-01-31t10:00:30.5+02:00'),
        asText('2026-01-31t10:00:30.5+02:00'),
        asText('2026-01-31t10:00:30.5+02:00'),
      ],
    ],
    ['a day that does not exist', text('2026-02-30'), everywhere(asText('2026-02-30'))],
    [
      'a text that is a number',
      text('1e2'),
      [asText('1e2'), asText('1e2'), asText('1e2'), asNumber('100'), asNumber('100'), asText('1e2')],
    ],
    ['a text with a number in it', text(' 1'), everywhere(asText(' 1'))],
    ['a text that says true', text('TRUE'), everywhere(asText('true'))],
    ['any other text', text('SYDNEY ΟΔΟΣ'), everywhere(asText('sydney οδοσ'))],
    ['the empty text', text(''), everywhere(asText(''))],
  ]
  for (const [name, literal, byType] of rows) {
    for (const [i, type] of types.entries()) {
      it(`types ${name} for a ${type} column`, () => assert.deepEqual(comparandFor(literal, type), byType[i]))
    }
  }
})
