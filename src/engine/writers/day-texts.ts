/**
 * Writes days and minutes as text bytes, `2026-01-31` and `2026-01-31T09:05`. The days of a collection are close together: the
 * text of a day is made once and then found by the last bits of its number. Texts are laid out in words of four bytes.
 */
import { formatDate, MINUTES_PER_DAY } from '../../kernel/calendar.ts'
import type { ByteWriter } from './byte-writer.ts'

/** More than eleven years of days; a power of two. */
const SLOTS = 4096
const DATE_BYTES = 10
const WORDS_PER_DATE = 3

/** `T09:05` */
const TIME_BYTES = 6
const WORDS_PER_TIME = 2

export class DayTexts {
  /** The day whose text is in each slot. No day has the initial number. */
  readonly #days = new Int32Array(SLOTS).fill(-0x80000000)
  readonly #words = new Int32Array(SLOTS * WORDS_PER_DATE)
  readonly #texts = Buffer.from(this.#words.buffer)

  date(day: number, to: ByteWriter): void {
    const slot = day & (SLOTS - 1)
    if (this.#days[slot] !== day) {
      this.#texts.write(formatDate(day), slot * WORDS_PER_DATE * 4, 'latin1')
      this.#days[slot] = day
    }
    to.words(this.#words, slot * WORDS_PER_DATE, DATE_BYTES)
  }

  minute(minute: number, to: ByteWriter): void {
    const day = Math.floor(minute / MINUTES_PER_DAY)
    this.date(day, to)
    to.words(times(), (minute - day * MINUTES_PER_DAY) * WORDS_PER_TIME, TIME_BYTES)
  }
}

let madeTimes: Int32Array | null = null

/** The times of a day, in their order. */
function times(): Int32Array {
  if (madeTimes === null) {
    madeTimes = new Int32Array(MINUTES_PER_DAY * WORDS_PER_TIME)
    const texts = Buffer.from(madeTimes.buffer)
    for (let minute = 0; minute < MINUTES_PER_DAY; minute++) {
      texts.write(
        `T${twoDigits(Math.floor(minute / 60))}:${twoDigits(minute % 60)}`,
        4 * WORDS_PER_TIME * minute,
      )
    }
  }
  return madeTimes
}

const twoDigits = (value: number): string => String(value).padStart(2, '0')
