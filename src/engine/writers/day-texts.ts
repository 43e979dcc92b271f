/**
 * Writes days and minutes as text bytes, `2026-01-31` and `2026-01-31T09:05`. The days of a collection are close together: the
 * text of a day is made once and then found by the last bits of its number.
 */
import { formatDate, MINUTES_PER_DAY } from '../../kernel/calendar.ts'
import type { ByteWriter } from './byte-writer.ts'

/** More than eleven years of days; a power of two. */
const SLOTS = 4096
const DATE_BYTES = 10
const MINUTE_BYTES = 16

const ZERO = 0x30
const COLON = 0x3a
const LETTER_T = 0x54

export class DayTexts {
  /** The day whose text is in each slot. No day has the initial number. */
  readonly #days = new Int32Array(SLOTS).fill(-0x80000000)
  readonly #texts = Buffer.alloc(SLOTS * DATE_BYTES)

  date(day: number, to: ByteWriter): void {
    const slot = day & (SLOTS - 1)
    if (this.#days[slot] !== day) {
      this.#texts.write(formatDate(day), slot * DATE_BYTES, 'latin1')
      this.#days[slot] = day
    }
    to.copy(this.#texts, slot * DATE_BYTES, (slot + 1) * DATE_BYTES)
  }

  minute(minute: number, to: ByteWriter): void {
    const day = Math.floor(minute / MINUTES_PER_DAY)
    const rest = minute - day * MINUTES_PER_DAY
    const hour = Math.floor(rest / 60)
    to.reserve(MINUTE_BYTES)
    this.date(day, to)
    const { bytes, length } = to
    bytes[length] = LETTER_T
    twoDigits(hour, bytes, length + 1)
    bytes[length + 3] = COLON
    twoDigits(rest - hour * 60, bytes, length + 4)
    to.length += MINUTE_BYTES - DATE_BYTES
  }
}

function twoDigits(value: number, bytes: Buffer, at: number): void {
  const tens = Math.floor(value / 10)
  bytes[at] = ZERO + tens
  bytes[at + 1] = ZERO + value - 10 * tens
}
