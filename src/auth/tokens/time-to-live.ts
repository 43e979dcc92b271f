/** Reads the time to live of a token (`30m`, `1h`, `7d`) as seconds. Refuses anything else. */
import { badTimeToLive } from '../problems.ts'

const LONGEST_DAYS = 366

const units: Readonly<Record<string, number>> = { m: 60, h: 3600, d: 86_400 }

/** @throws Problem when the text is not a time to live */
export function readTimeToLive(text: string): number {
  const [, count = '', unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? []
  const seconds = Number(count) * (units[unit] ?? 0)
  if (seconds < 60 || seconds > LONGEST_DAYS * 86_400) throw badTimeToLive(text, LONGEST_DAYS)
  return seconds
}
