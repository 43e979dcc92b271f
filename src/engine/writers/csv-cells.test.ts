import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { formatDate, formatMinute } from '../../kernel/calendar.ts'
import { NULL_INTEGER } from '../../schema/field.ts'
import type { EncodedColumn } from '../encoded-records.ts'
import { dictionaryOf } from '../memory/testing/partitions.ts'
import { ByteWriter } from './byte-writer.ts'
import { cellsOf } from './csv-cells.ts'
import { DayTexts } from './day-texts.ts'

/** All cells of a column, each in brackets. */
function written(column: EncodedColumn, rows: number): string {
  const write = cellsOf(column, rows, new DayTexts())
  const to = new ByteWriter(Buffer.alloc(1))
  for (let row = 0; row < rows; row++) {
    to.text('[')
    write(row, to)
    to.text(']')
  }
  return Buffer.from(to.written()).toString()
}

describe('a column as cells', () => {
  const days = [0, -1, 20_000, NULL_INTEGER, 4096, 20_000, 2_932_896, -719_528, 0]
  const minutes = days.map((day, i) => (day === NULL_INTEGER ? day : day * 1440 + ((i * 607) % 1440)))

  it('writes dates as in JSON, however far apart, and null as an empty cell', () => {
    const expected = days.map((day) => (day === NULL_INTEGER ? '[]' : `[${formatDate(day)}]`)).join('')
    assert.equal(written({ type: 'date', values: Int32Array.from(days) }, days.length), expected)
  })

  it('writes minutes as in JSON, including the year 9999', () => {
    const texts = minutes.map((minute) => (minute === NULL_INTEGER ? '[]' : `[${formatMinute(minute)}]`))
    const wide = Float64Array.from(minutes, (minute) => (minute === NULL_INTEGER ? Number.NaN : minute))
    assert.equal(written({ type: 'wide-minute', values: wide }, minutes.length), texts.join(''))
    const narrow = minutes.slice(0, 6)
    assert.equal(written({ type: 'minute', values: Int32Array.from(narrow) }, 6), texts.slice(0, 6).join(''))
  })

  it('writes every minute of a day', () => {
    const values = Int32Array.from({ length: 1440 }, (_, i) => i - 1440)
    const expected = [...values].map((minute) => `[${formatMinute(minute)}]`).join('')
    assert.equal(written({ type: 'minute', values }, 1440), expected)
  })

  it('writes numbers, amounts and booleans as in JSON', () => {
    assert.equal(written({ type: 'integer', values: Int32Array.of(-3, NULL_INTEGER, 7) }, 3), '[-3][][7]')
    const amounts = Float64Array.of(-1, Number.NaN, 100_000, 150_000)
    assert.equal(written({ type: 'decimal', values: amounts }, 4), '[-0.00001][][1][1.5]')
    assert.equal(written({ type: 'boolean', bits: Uint8Array.of(0b101) }, 3), '[true][false][true]')
  })

  it('writes texts alike, whether they come once or often', () => {
    const dictionary = dictionaryOf(['', '=x', 'a "b"', 'é'.repeat(40), 'x'.repeat(40)])
    const once = Int32Array.from([5, 0, 1, 2, 3, 4])
    const cells = ['[]', '[""]', "['=x]", '["a ""b"""]', `[${'x'.repeat(40)}]`, `[${'é'.repeat(40)}]`].join(
      '',
    )
    assert.equal(written({ type: 'text', codes: once, dictionary }, 6), cells)
    const often = Int32Array.from({ length: 60 }, (_, i) => once[i % 6] ?? 0)
    assert.equal(written({ type: 'text', codes: often, dictionary }, 60), cells.repeat(10))
  })
})
