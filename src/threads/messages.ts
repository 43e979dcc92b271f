/** The functions that the supervisor and a thread call on each other. Arguments and results are plain data or shared memory. */
import type { LiveControl } from '../automation/live/live-control.ts'
import type { CountsOfRuns } from '../automation/live/live-runs.ts'
import type { LoggedLine } from '../automation/live/running-scripts.ts'
import { type CancelReason, type PlainRunProblem, RunProblem } from '../automation/problems.ts'
import type { RecordedRun, RunJob } from '../automation/runs/run-states.ts'
import type { Refreshing } from '../ingest/refresh/refresh-state.ts'
import { Problem } from '../kernel/problem.ts'
import type { MetricValues } from '../observe/metrics.ts'
import type { Observation } from '../observe/observation.ts'
import type { Readiness } from '../observe/service-health.ts'
import type { CollectionFile, HeldFile } from '../snapshot/files/collection-files.ts'
import type { Manifest } from '../snapshot/manifest.ts'
import { isUnavailable } from '../snapshot/problems.ts'

/** Offered by the supervisor to every thread. */
export type SupervisorFunctions = {
  /** The manifest of the snapshot to announce before the first request; null while there is none. */
  readonly currentManifest: () => Promise<Manifest | null>
  /** The thread is working; a thread that answers requests listens at this address. */
  readonly ready: (address: string) => void
  readonly loadFile: (file: CollectionFile) => Promise<HeldFile | UnavailableFile>
  readonly keepOnly: (checksums: readonly string[]) => void
  /** Answers are read from this copy of a file from now on. */
  readonly hold: (copy: number, bytes: number) => void
  /** No answer is read from this copy any longer. */
  readonly release: (copy: number) => void
  /** For observations about the whole process, which are counted there. */
  readonly report: (observation: Observation) => void
  readonly writeLog: (lines: string) => void
}

/** Why a file cannot be read at the moment. A problem is sent as data, because an error loses its class on the way. */
export type UnavailableFile = {
  readonly unavailable: Pick<Problem, 'code' | 'message' | 'hint'>
}

export const unavailableFile = (cause: unknown): UnavailableFile => {
  if (!isUnavailable(cause)) throw cause
  const { code, message, hint } = cause
  return { unavailable: { code, message, hint } }
}

/** @throws Problem when the file cannot be read at the moment */
export function heldFile(reply: HeldFile | UnavailableFile): HeldFile {
  if (!('unavailable' in reply)) return reply
  const { code, message, hint } = reply.unavailable
  throw new Problem(code, message, { hint })
}

/** Offered to the threads that answer requests. */
export type ForApiThreads = {
  readonly liveRuns: LiveControl['list']
  readonly openLiveRuns: LiveControl['open']
  readonly liveEvents: LiveControl['events']
  readonly cancelRuns: LiveControl['cancel']
  /** The metrics of the whole process. */
  readonly metricsText: () => Promise<string>
  /** The readiness of the whole process. */
  readonly readiness: () => Readiness
  readonly runScript: (job: RunJob) => Promise<RunReply>
  readonly refreshState: Refreshing['state']
  readonly startRefresh: Refreshing['start']
}

/** Problems are sent as data, because an error loses its class on the way from thread to thread. */
export type RunReply = { readonly report: RecordedRun } | { readonly refused: PlainRunProblem }

/** @throws RunProblem when the run was refused */
export function reportOf(reply: RunReply): RecordedRun {
  if ('refused' in reply) throw new RunProblem(reply.refused)
  return reply.report
}

/** Offered by the threads that run scripts. */
export type ForScriptRuns = {
  /** Cancels all current and future runs: they are answered and recorded as cancelled for this reason. */
  readonly endRuns: (reason: CancelReason) => void
  /** False when no run of the thread has the id. */
  readonly cancelRun: (id: string, reason: CancelReason) => boolean
  readonly runCounts: () => CountsOfRuns
  /** Reports each line of a log for this long. */
  readonly watchRuns: (milliseconds: number) => void
}

/** The same, as the supervisor calls them. */
export type AskedScriptThread = {
  readonly [Name in keyof ForScriptRuns]: (
    ...args: Parameters<ForScriptRuns[Name]>
  ) => Promise<ReturnType<ForScriptRuns[Name]>>
}

/** Offered to the threads that run scripts. */
export type ForScriptThreads = {
  /** Lines of logs, while somebody watches. */
  readonly runsLogged: (lines: readonly LoggedLine[]) => void
  /** The records of these runs are written, or were given up. */
  readonly runsSettled: (ids: readonly string[]) => void
}

/** Offered by every thread. */
export type ThreadFunctions = {
  /** Resolves when the next request is answered from the snapshot. */
  readonly announce: (manifest: Manifest) => Promise<void>
  readonly evict: (sha256: string) => void
  /** Ends answers whose readers have taken nothing for this long, because the memory that they hold is needed. */
  readonly cutOff: (stalledMs: number) => void
  readonly metricValues: () => Promise<MetricValues>
  /** Lets requests in flight finish, and ends the thread. */
  readonly close: () => Promise<void>
}
