import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { formatDate, formatMinute } from '../../../kernel/calendar.ts'
import { formatScaled } from '../../../kernel/decimal.ts'
import { ByteWriter } from '../byte-writer.ts'
import { DayTexts } from '../day-texts.ts'
import { amountBytes, integerBytes } from './number-bytes.ts'
import { TextPieces } from './text-pieces.ts'

/** Writes into room that is too small at first. */
function written(write: (to: ByteWriter) => void): string {
  const to = new ByteWriter(Buffer.alloc(0))
  write(to)
  return Buffer.from(to.written()).toString()
}

const amount = fc.oneof(
  fc.maxSafeInteger(),
  fc.integer(),
  fc.constantFrom(
    0,
    -0,
    1,
    -1,
    99_999,
    100_000,
    -100_001,
    10_010_000,
    2 ** 31 * 100_000,
    0x7fffffff * 100_000,
  ),
)

describe('bytes of values', () => {
  it('are the digits of any whole number', () => {
    const whole = fc.oneof(fc.integer(), fc.constantFrom(0, 9, 10, 99, 100, -10, 0x7fffffff, -0x7fffffff))
    fc.assert(
      fc.property(whole, (value) =>
        assert.equal(
          written((to) => integerBytes(value, to)),
          String(value),
        ),
      ),
    )
  })

  it('are the canonical text of any amount', () => {
    fc.assert(
      fc.property(amount, (scaled) =>
        assert.equal(
          written((to) => amountBytes(scaled, to)),
          formatScaled(scaled),
        ),
      ),
      { numRuns: 1000 },
    )
  })

  it('are the texts of any days and minutes, also of those that share a slot', () => {
    const day = fc.integer({ min: -719_528, max: 2_932_896 })
    const days = new DayTexts()
    fc.assert(
      fc.property(day, fc.nat(1439), (date, minute) => {
        const time = date * 1440 + minute
        for (const other of [date, date + 4096 > 2_932_896 ? date : date + 4096, date]) {
          assert.equal(
            written((to) => days.date(other, to)),
            formatDate(other),
          )
        }
        assert.equal(
          written((to) => days.minute(time, to)),
          formatMinute(time),
        )
      }),
    )
  })

  it('are pieces of texts, in any order and of any length', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1, maxLength: 20 }), (texts) => {
        const pieces = new TextPieces(texts.length)
        for (const [i, text] of texts.entries()) {
          assert.equal(pieces.has(i), false)
          pieces.add(i, text)
        }
        const all = written((to) => {
          for (const i of [...texts.keys()].reverse()) pieces.write(i, to)
        })
        assert.equal(all, texts.toReversed().join(''))
      }),
    )
  })
})
