/** The days of a chart of usage: also those without a request, which the API leaves out. */
export type UsageDay = { readonly day: string; readonly requests: number; readonly bytes: number }

const DAY_MS = 86_400_000

/** @returns the last `count` days up to today, in UTC, oldest first */
export function lastDays(used: readonly UsageDay[], count: number, nowMs = Date.now()): readonly UsageDay[] {
  const byDay = new Map(used.map((one) => [one.day, one]))
  return Array.from({ length: count }, (_, index) => {
    const day = dayBefore(nowMs, count - 1 - index)
    return byDay.get(day) ?? { day, requests: 0, bytes: 0 }
  })
}

export const dayBefore = (nowMs: number, days: number): string =>
  new Date(nowMs - days * DAY_MS).toISOString().slice(0, 10)
