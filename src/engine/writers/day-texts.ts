/**
 * Writes days and minutes as text bytes, `2026-01-31` and `2026-01-31T09:05`. The days of a collection are close together: the
 * text of a day is made once and then found by the last bits of its number.
 */
import { formatDate, MINUTES_PER_DAY } from '../../kernel/calendar.ts'
import type { ByteWriter } from './byte-writer.ts'

/** More than eleven years of days; a power of two. */
const SLOTS = 4096
const DATE_BYTES = 10
/** With room for what {@link ByteWriter.piece} reads beyond the text. */
const SLOT_BYTES = 16

export class DayTexts {
  /** The day whose text is in each slot. No day has the initial number. */
  readonly #days = new Int32Array(SLOTS).fill(-0x80000000)
  readonly #texts = Buffer.alloc(SLOTS * SLOT_BYTES)
  readonly #source = new DataView(this.#texts.buffer, this.#texts.byteOffset, this.#texts.byteLength)

  date(day: number, to: ByteWriter): void {
    const slot = day & (SLOTS - 1)
    if (this.#days[slot] !== day) {
      this.#texts.write(formatDate(day), slot * SLOT_BYTES, 'latin1')
      this.#days[slot] = day
    }
    to.piece(this.#source, slot * SLOT_BYTES, DATE_BYTES)
  }

  minute(minute: number, to: ByteWriter): void {
    const day = Math.floor(minute / MINUTES_PER_DAY)
    this.date(day, to)
    to.piece(timesOfDay(), (minute - day * MINUTES_PER_DAY) * BYTES_PER_TIME, TIME_BYTES)
  }
}

/** `T09:05"`: a quote follows, for those who write it too. */
export const TIME_BYTES = 6
export const BYTES_PER_TIME = 8

let madeTimes: DataView | null = null

/** The times of a day in their order, {@link BYTES_PER_TIME} apart: {@link TIME_BYTES}, and a quote. */
export function timesOfDay(): DataView {
  if (madeTimes === null) {
    const texts = Buffer.alloc(BYTES_PER_TIME * MINUTES_PER_DAY)
    for (let minute = 0; minute < MINUTES_PER_DAY; minute++) {
      const text = `T${twoDigits(Math.floor(minute / 60))}:${twoDigits(minute % 60)}"`
      texts.write(text, BYTES_PER_TIME * minute, 'latin1')
    }
    madeTimes = new DataView(texts.buffer, texts.byteOffset, texts.byteLength)
  }
  return madeTimes
}

const twoDigits = (value: number): string => String(value).padStart(2, '0')
