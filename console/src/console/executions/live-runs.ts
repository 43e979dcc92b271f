/**
 * What a page knows of the runs that wait and run, from the events of the stream: `list` first, then `queued`, `started`, `log`
 * and `ended`. A run that has ended stays for a minute, so that one can see how it ended.
 */
import type { paths } from '../../../generated/api.d.ts'

export type LiveRun =
  paths['/api/admin/v1/executions/live']['get']['responses'][200]['content']['application/json']['items'][number]

type LogLine = { readonly time: string; readonly level: string; readonly message: string }

type EndedRun = {
  readonly endedAt: string
  readonly status: 'Success' | 'Failed' | 'Cancelled' | 'Refused'
  readonly responseStatus: number | null
  readonly code: string | null
}

export type ShownRun = { readonly run: LiveRun; readonly log: readonly LogLine[]; readonly ended?: EndedRun }

export type LiveState = {
  /** By id, in the order of arrival. */
  readonly runs: ReadonlyMap<string, ShownRun>
  /** Events that this reader was too slow for. */
  readonly missed: number
}

export const nothingRuns: LiveState = { runs: new Map(), missed: 0 }

/** Lines that are shown of one run. */
const MOST_LINES = 100
const SHOWN_MS = 60_000

type Started = { readonly id: string; readonly startedAt: string; readonly queuedMs: number }

/** @param data the JSON of the event; events with other names change nothing */
export function afterEvent(state: LiveState, event: string, data: string, nowMs: number): LiveState {
  const runs = new Map([...state.runs].filter(([, shown]) => !isOver(shown, nowMs)))
  const change = (id: string, next: (shown: ShownRun) => ShownRun) => {
    const shown = runs.get(id)
    if (shown !== undefined) runs.set(id, next(shown))
  }
  switch (event) {
    case 'list': {
      const { runs: listed } = JSON.parse(data) as { readonly runs: readonly LiveRun[] }
      const ended = [...runs].filter(([, shown]) => shown.ended !== undefined)
      const known = listed.map((run) => [run.id, { run, log: runs.get(run.id)?.log ?? [] }] as const)
      return { ...state, runs: new Map<string, ShownRun>([...ended, ...known]) }
    }
    case 'missed': {
      const { events } = JSON.parse(data) as { readonly events: number }
      return { ...state, missed: state.missed + events }
    }
    case 'queued': {
      const run = JSON.parse(data) as LiveRun
      runs.set(run.id, { run, log: [] })
      break
    }
    case 'started': {
      const { id, startedAt, queuedMs } = JSON.parse(data) as Started
      change(id, (shown) => ({ ...shown, run: { ...shown.run, state: 'running', startedAt, queuedMs } }))
      break
    }
    case 'log': {
      const { id, time, level, message } = JSON.parse(data) as LogLine & { readonly id: string }
      change(id, (shown) => ({ ...shown, log: [...shown.log, { time, level, message }].slice(-MOST_LINES) }))
      break
    }
    case 'ended': {
      const { id, ...ended } = JSON.parse(data) as EndedRun & { readonly id: string }
      change(id, (shown) => ({ ...shown, ended }))
      break
    }
    default:
      return state
  }
  return { ...state, runs }
}

/** Those that run or wait, and those that have ended within the last minute. */
export const runsAt = (runs: LiveState['runs'], nowMs: number): readonly ShownRun[] =>
  [...runs.values()].filter((shown) => !isOver(shown, nowMs))

const isOver = ({ ended }: ShownRun, nowMs: number): boolean =>
  ended !== undefined && nowMs - Date.parse(ended.endedAt) > SHOWN_MS
