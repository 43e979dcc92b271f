/** Decides what to do with the due times of one schedule: run one of them, drop them, or wait. */
import { LRUCache } from 'lru-cache'
import type { StoredSchedule } from '../../directory/schedules/stored-schedule.ts'
import type { Schedule } from '../../schema/endpoint-shapes.ts'
import { type DueTimes, dueTimes } from './cron.ts'

/** A due time that is not older is run late; an older one was missed. A change of the node takes 10 s. */
export const LATE_MS = 60_000

/** The most due times that `all` runs one by one. */
export const MOST_MISSED = 100

/**
 * The clock was wrong before when due times further ahead than this were handled. A smaller step back only delays the next run, so that
 * no due time is run twice.
 */
export const CLOCK_STEP_MS = 3_600_000

export type Decision =
  /** Due times up to this one are handled with it. */
  | { readonly kind: 'run'; readonly dueAt: number }
  | { readonly kind: 'skip'; readonly until: number }
  | { readonly kind: 'wait' }

type State = Pick<StoredSchedule, 'schedule' | 'isOn' | 'pausedAt' | 'handledUntil'>

/** @param hasOpenRun a run of this schedule is under way or was asked for */
export function decide(
  { schedule, isOn, pausedAt, handledUntil }: State,
  hasOpenRun: boolean,
  now: number,
): Decision {
  if (!isOn || pausedAt !== null) return { kind: 'wait' }
  const handled = Date.parse(handledUntil)
  if (handled > now + CLOCK_STEP_MS) return { kind: 'skip', until: now }
  // Due times during a run are decided about when it has ended.
  if (hasOpenRun && !schedule.overlap) return { kind: 'wait' }
  const first = nextAfter(schedule, handled)
  if (first === null || first > now) return { kind: 'wait' }
  const due = timesOf(schedule).between(handled, now, schedule.missedRuns === 'all' ? MOST_MISSED : 1)
  const newest = due.at(-1)
  if (newest === undefined) return { kind: 'wait' }
  const isFresh = now - newest <= LATE_MS
  if (schedule.missedRuns === 'skip') {
    return isFresh ? { kind: 'run', dueAt: newest } : { kind: 'skip', until: newest }
  }
  if (schedule.missedRuns === 'once') return { kind: 'run', dueAt: newest }
  const oldest = due[0] as number
  // What was missed is made up for one by one, even where runs may overlap.
  return hasOpenRun && now - oldest > LATE_MS ? { kind: 'wait' } : { kind: 'run', dueAt: oldest }
}

/** Null while it is paused or inactive. */
export function nextRunAt({ schedule, isOn, pausedAt, handledUntil }: State, now: number): string | null {
  if (!isOn || pausedAt !== null) return null
  const handled = Date.parse(handledUntil)
  const from = handled > now + CLOCK_STEP_MS ? now : Math.max(handled, now)
  const next = nextAfter(schedule, from)
  return next === null ? null : new Date(next).toISOString()
}

type Times = Pick<Schedule, 'cron' | 'timeZone'>

const timesOf = ({ cron, timeZone }: Times): DueTimes => dueTimes(cron, timeZone)

/** The node looks at every schedule each second, and a next due time costs some 20 µs. */
const known = new LRUCache<string, { readonly next: number | null }>({ max: 5000 })

function nextAfter(times: Times, moment: number): number | null {
  const key = `${moment} ${times.timeZone} ${times.cron}`
  const there = known.get(key)
  if (there !== undefined) return there.next
  const next = timesOf(times).nextAfter(moment)
  known.set(key, { next })
  return next
}
