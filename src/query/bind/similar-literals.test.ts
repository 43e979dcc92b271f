import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { remarkOn, similarLiterals } from './similar-literals.ts'

type Rows = readonly (readonly [written: string, ...proposals: readonly string[]])[]

const dates: Rows = [
  ['20250201', "'2025-02-01'"],
  ['2025-2-1', "'2025-02-01'"],
  ['2025/02/01', "'2025-02-01'"],
  ['2025.2.1', "'2025-02-01'"],
  [' 2025-02-01 ', "'2025-02-01'"],
  // day and month cannot be told apart
  ['01/02/2025', "'2025-01-02'", "'2025-02-01'"],
  ['1-2-2025', "'2025-01-02'", "'2025-02-01'"],
  // or can, because there are twelve months, both are the same, or dots stand for day first
  ['13/02/2025', "'2025-02-13'"],
  ['02/13/2025', "'2025-02-13'"],
  ['02/02/2025', "'2025-02-02'"],
  ['01.02.2025', "'2025-02-01'"],
  // months by name
  ['1 Feb 2025', "'2025-02-01'"],
  ['01-FEB-2025', "'2025-02-01'"],
  ['1st February, 2025', "'2025-02-01'"],
  ['Sept. 3, 2025', "'2025-09-03'"],
  ['March 3rd 2025', "'2025-03-03'"],
  // with a time
  ['2025-2-1 9:30', "'2025-02-01T09:30'"],
  ['2025-02-01t09:30z', "'2025-02-01T09:30Z'"],
  ['2025-02-01T09:30:00.1234567Z', "'2025-02-01T09:30:00.123Z'"],
  ['2025-02-01T09:30:00+0200', "'2025-02-01T09:30:00'"],
  ['2025-02-01T09:30 02:00', "'2025-02-01T09:30'"],
  ['01/02/2025 09:30', "'2025-01-02T09:30'", "'2025-02-01T09:30'"],
  ['31/12/2025, 9:30 PM', "'2025-12-31T21:30'"],
  ['31/12/2025 12:05 am', "'2025-12-31T00:05'"],
  // nothing to propose
  ['yesterday'],
  [''],
  ['2025'],
  ['2025-02'],
  ['2025-02-30'],
  ['2025-13-01'],
  ['20250230'],
  ['1 Foo 2025'],
  ['01/02/25'],
  ['2025-02-01T25:00'],
  ['2025-02-01T09:30 noon'],
  ['1738368000'],
  [`${' '.repeat(60)}20250201`],
]

const numbers: Rows = [
  ['1,000.50', '1000.50'],
  ['1,000,000', '1000000'],
  ['1.000,50', '1000.50'],
  ['1 000,5', '1000.5'],
  ["12'345", '12345'],
  ['12,5', '12.5'],
  ['1,000', '1000', '1.000'],
  ['$12.50', '12.50'],
  ['12.50 €', '12.50'],
  ['10%', '10'],
  ['+5', '5'],
  ['.5', '0.5'],
  ['5.', '5'],
  [' 7 ', '7'],
  ['abc'],
  ['2025-02-01'],
  ['1e10000'],
  [''],
  ['true'],
  [`1,${'0'.repeat(60)}`],
]

const booleans: Rows = [
  ['yes', 'true'],
  ['Y', 'true'],
  [' TRUE ', 'true'],
  ['on', 'true'],
  ['No', 'false'],
  ['off', 'false'],
  ['2'],
  ['maybe'],
  [''],
]

const tables = [
  ['date', dates],
  ['minute', dates],
  ['decimal', numbers],
  ['integer', numbers],
  ['boolean', booleans],
  ['text', [['true', "'true'"]]],
] as const satisfies readonly (readonly [string, Rows])[]

for (const [type, rows] of tables) {
  describe(`the literals of a ${type} that are like`, () => {
    for (const [written, ...proposals] of rows) {
      it(`'${written}' are ${proposals.join(', ') || 'none'}`, () =>
        assert.deepEqual(similarLiterals(type, written, false), proposals))
    }
  })
}

it('keeps the offset for a field in UTC', () =>
  assert.deepEqual(similarLiterals('minute', '2025-02-01T09:30 02:00', true), ["'2025-02-01T09:30+02:00'"]))

describe('a remark', () => {
  const rows = [
    ['2025', "for a whole year or month write startswith(dueDate, '2025'), for its first day '2025-01-01'"],
    [
      '2025-02',
      "for a whole year or month write startswith(dueDate, '2025-02'), for its first day '2025-02-01'",
    ],
    ['2025-02-30', 'the calendar has no 2025-02-30'],
    ['2025-02-30T09:30', 'the calendar has no 2025-02-30'],
    ['2025-13', undefined],
    ['soon', undefined],
  ] as const
  for (const [written, remark] of rows) {
    it(`on '${written}' is ${remark ?? 'not needed'}`, () =>
      assert.equal(remarkOn(written, 'dueDate', 'date'), remark))
  }
  it('is for dates only', () => assert.equal(remarkOn('2025', 'quantity', 'decimal'), undefined))
})
