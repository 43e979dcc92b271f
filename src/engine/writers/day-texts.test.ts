import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { formatDate, formatMinute } from '../../kernel/calendar.ts'
import { ByteWriter } from './byte-writer.ts'
import { DayTexts } from './day-texts.ts'

function written(write: (to: ByteWriter) => void): string {
  const to = new ByteWriter(Buffer.alloc(0))
  write(to)
  return Buffer.from(to.written()).toString()
}

describe('texts of days', () => {
  it('are those of any days and minutes, also of days that share a slot', () => {
    const lastDay = 2_932_896
    const day = fc.integer({ min: -719_528, max: lastDay })
    const days = new DayTexts()
    fc.assert(
      fc.property(day, fc.nat(1439), (date, minute) => {
        const time = date * 1440 + minute
        for (const other of [date, date + 4096 > lastDay ? date : date + 4096, date]) {
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
})
