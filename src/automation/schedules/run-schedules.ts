/**
 * Runs the schedules of published endpoints, on one node. Each look decides about every schedule (due-run.ts) and starts what is due:
 *
 *     claim the due time -> run the script -> write its record into the history -> note its end
 *
 * A run whose process ended before its end was noted is recorded as lost, and is not started again: what it did is not known.
 */
import type { ControlStore } from '../../directory/control-store.ts'
import type { History } from '../../directory/history/history.ts'
import type { Held } from '../../directory/holds/held.ts'
import { quietNow } from '../../directory/holds/quiet.ts'
import type { OpenRun, StoredSchedule } from '../../directory/schedules/stored-schedule.ts'
import type { Observe } from '../../observe/observation.ts'
import type { Execution } from '../../schema/execution-shapes.ts'
import { unfinishedRunRecord } from '../history/unfinished-run-record.ts'
import { RunProblem } from '../problems.ts'
import type { RedactionOptions } from '../redaction/redaction.ts'
import { newExecutionId } from '../runs/execution-id.ts'
import type { RunJob, RunScript } from '../runs/run-states.ts'
import { decide } from './due-run.ts'
import { notifyOfFailures } from './notify-of-failures.ts'
import { lostWithProcess } from './problems.ts'
import { scheduledJob } from './scheduled-job.ts'

export type ScheduleDeps = {
  readonly store: Pick<ControlStore, 'schedules' | 'notifications' | 'holds'> & {
    readonly endpoints: Pick<ControlStore['endpoints'], 'version'>
  }
  readonly history: Pick<History, 'record' | 'find'>
  readonly run: RunScript
  readonly observe: Observe
  /** Why this node is quiet since its start; null by default. */
  readonly startedQuiet?: Held | null | undefined
  /** The most bytes of a body that are recorded. */
  readonly historyBodyBytes: number
  readonly cardNumbers?: RedactionOptions['cardNumbers']
  /** How often the schedules are looked at; each second by default. */
  readonly lookMs?: number
  /** Milliseconds since 1970; by default the clock of the machine. */
  readonly now?: () => number
}

/** How long a run counts as alive after its node said so. Longer than a node may hang without being lost. */
export const ALIVE_MS = 30_000
const RENEW_MS = 5000
const LOOK_MS = 1000

export type ScheduleWork = {
  /** Looks at the schedules until the function that it returns is called. Runs that are under way then go on. */
  readonly start: (lost: AbortSignal) => () => Promise<void>
  /** Resolves when the end of every run is noted. To be called when no look and no run begins any more. */
  readonly close: () => Promise<void>
}

export function createScheduleWork(deps: ScheduleDeps): ScheduleWork {
  const { lookMs = LOOK_MS, observe } = deps
  const runner = createScheduleRunner(deps)
  const renewing = setInterval(() => void runner.renew().catch(() => undefined), RENEW_MS).unref()
  let isFailing = false

  async function look(stopped: AbortSignal): Promise<void> {
    try {
      await runner.look(stopped)
      isFailing = false
    } catch (cause) {
      // Once, and not every second.
      if (!isFailing) observe({ kind: 'schedules-failed', cause })
      isFailing = true
    }
  }

  return {
    start: (lost) => {
      const stop = new AbortController()
      const stopped = AbortSignal.any([lost, stop.signal])
      let looking: Promise<void> | null = null
      const lookOnce = () => {
        if (stopped.aborted) return
        looking ??= look(stopped).finally(() => {
          looking = null
        })
      }
      lookOnce()
      const timer = setInterval(lookOnce, lookMs)
      stopped.addEventListener('abort', () => clearInterval(timer), { once: true })
      return async () => {
        stop.abort()
        await looking
      }
    },
    close: async () => {
      await runner.idle()
      clearInterval(renewing)
    },
  }
}

export type ScheduleRunner = {
  /** Starts what is due, without waiting for its end. */
  readonly look: (stopped: AbortSignal) => Promise<void>
  /** Says that the runs of this node are alive. */
  readonly renew: () => Promise<void>
  /** Resolves when the end of every run of this node is noted. */
  readonly idle: () => Promise<void>
}

export function createScheduleRunner(deps: ScheduleDeps): ScheduleRunner {
  const { store, now = Date.now, startedQuiet = null } = deps
  const { schedules } = store
  const running = new Map<string, Promise<void>>()
  const aliveUntil = () => new Date(now() + ALIVE_MS).toISOString()

  function start(run: StartedRun): void {
    const ended = runToItsEnd(run, deps, now)
      .catch((cause: unknown) => deps.observe({ kind: 'schedules-failed', cause }))
      .finally(() => running.delete(run.executionId))
    running.set(run.executionId, ended)
  }

  async function startDue(stored: StoredSchedule, hasOpenRun: boolean): Promise<void> {
    const { endpointId, endpointName, handledUntil } = stored
    const { name } = stored.schedule
    const decision = decide(stored, hasOpenRun, now())
    if (decision.kind === 'wait') return
    if (decision.kind === 'skip') {
      const until = new Date(decision.until).toISOString()
      if (!(await schedules.skip({ endpointId, name }, handledUntil, until))) return
      deps.observe({ kind: 'schedule-skipped', endpoint: endpointName, schedule: name, until })
      return
    }
    const run = {
      executionId: newExecutionId(now()),
      dueAt: new Date(decision.dueAt).toISOString(),
      requestedBy: null,
      handledUntil,
      startedAt: new Date(now()).toISOString(),
    }
    const claim = { ...run, endpointId, name, at: run.startedAt, aliveUntil: aliveUntil() }
    const claimed = await schedules.claim(claim)
    if (claimed !== null) start({ ...claimed, ...run })
  }

  async function startRequested({ executionId, dueAt, requestedBy }: OpenRun): Promise<void> {
    const startedAt = new Date(now()).toISOString()
    const begun = await schedules.begin(executionId, startedAt, aliveUntil())
    if (begun !== null) start({ ...begun, executionId, dueAt, requestedBy, handledUntil: null, startedAt })
  }

  /** What is due waits while schedules are held, and so do runs that were asked for while the node is quiet. */
  async function looksAt(): Promise<{ readonly due: boolean; readonly requested: boolean }> {
    const requested = (await quietNow({ holds: store.holds, startedQuiet })) === null
    return { requested, due: requested && (await store.holds.find('schedules')).held === null }
  }

  async function lookAt(
    stored: StoredSchedule,
    openRuns: readonly OpenRun[],
    { due, requested }: Awaited<ReturnType<typeof looksAt>>,
  ): Promise<void> {
    const own = openRuns.filter((run) => isOf(stored, run))
    const waiting = own.find(({ startedAt }) => startedAt === null)
    if (waiting !== undefined && requested) await startRequested(waiting)
    else if (waiting === undefined && due) await startDue(stored, own.length > 0)
  }

  return {
    look: async (stopped) => {
      const [all, openRuns] = [await schedules.list(), await schedules.openRuns()]
      const looks = await looksAt()
      const lost = openRuns.filter((run) => isLost(run, now()) && !running.has(run.executionId))
      const steps = [
        ...all.map((stored) => () => lookAt(stored, openRuns, looks)),
        ...lost.map((run) => () => endLost(run, deps, now)),
      ]
      const faults: unknown[] = []
      for (const step of steps) {
        if (stopped.aborted) return
        // One that cannot be read keeps no other from running.
        await step().catch((cause: unknown) => faults.push(cause))
      }
      if (faults.length > 0) throw faults[0]
    },
    renew: () => schedules.renew([...running.keys()], aliveUntil()),
    idle: async () => {
      while (running.size > 0) await Promise.all(running.values())
    },
  }
}

const isOf = ({ endpointId, schedule }: StoredSchedule, run: OpenRun): boolean =>
  run.endpointId === endpointId && run.schedule === schedule.name

const isLost = ({ aliveUntil }: OpenRun, now: number): boolean =>
  aliveUntil !== null && Date.parse(aliveUntil) < now

type RunOfSchedule = Pick<OpenRun, 'executionId' | 'dueAt' | 'requestedBy'> & { readonly startedAt: string }

type StartedRun = Omit<StoredSchedule, 'handledUntil'> &
  RunOfSchedule & {
    /** As it was before the claim; null for a run that was asked for. */
    readonly handledUntil: string | null
  }

async function runToItsEnd(run: StartedRun, deps: ScheduleDeps, now: () => number): Promise<void> {
  const { endpointId, version, schedule, executionId, dueAt } = run
  const { definition } = await deps.store.endpoints.version(endpointId, version)
  const due = { schedule: schedule.name, dueAt, input: schedule.input }
  const began = now()
  const job = scheduledJob(executionId, { endpointId, version, definition }, due, began)
  const execution = await executionOf(job, deps).catch((problem: unknown) => {
    if (!(problem instanceof RunProblem)) throw problem
    // Nothing ran, because the queue is full or the service stops: it is due again, here or on another node.
    if (problem.kind === 'unavailable' && problem.executionId === undefined) return null
    return recordOfUnfinished(job, problem, began, deps, now)
  })
  if (execution === null) await deps.store.schedules.release(executionId, run.handledUntil)
  else await noteEnd({ ...run, name: schedule.name }, execution, deps, now)
}

async function executionOf(job: RunJob, { run }: ScheduleDeps): Promise<Execution> {
  const { execution } = await run(job)
  if (execution === null) throw new Error(`The scheduled run ${job.executionId} came back without its record`)
  return execution
}

/** The history may know its end, which was not noted here. Otherwise nothing is known but that it began. */
async function endLost(run: OpenRun, deps: ScheduleDeps, now: () => number): Promise<void> {
  const { endpointId, version, executionId, dueAt, schedule: name } = run
  const startedAt = run.startedAt ?? dueAt
  const { definition } = await deps.store.endpoints.version(endpointId, version)
  const input = definition.schedules.find((one) => one.name === name)?.input ?? null
  const began = Date.parse(startedAt)
  const job = scheduledJob(
    executionId,
    { endpointId, version, definition },
    { schedule: name, dueAt, input },
    began,
  )
  const execution =
    (await deps.history.find(executionId)) ??
    recordOfUnfinished(job, lostWithProcess(executionId), began, deps, now)
  await noteEnd({ ...run, name, endpointName: definition.name, startedAt }, execution, deps, now)
}

/** Lost, or cancelled by an operator or by a stop that it did not survive. */
function recordOfUnfinished(
  job: RunJob,
  problem: RunProblem,
  began: number,
  { historyBodyBytes: bodyBytes, cardNumbers }: ScheduleDeps,
  now: () => number,
): Execution {
  const ended = now()
  const { read = null } = problem
  const times = { began, ended, usedMs: ended - began }
  return unfinishedRunRecord(job, problem, { ...times, bodyBytes, read, cardNumbers })
}

type EndingRun = RunOfSchedule &
  Pick<StoredSchedule, 'endpointId' | 'endpointName'> & {
    /** Of the schedule. */
    readonly name: string
  }

/** The record comes first: a run whose end is noted can be looked up. The history keeps one record of a run. */
async function noteEnd(
  { name, endpointId, endpointName: endpoint, executionId, dueAt, requestedBy, startedAt }: EndingRun,
  execution: Execution,
  { history, store, observe }: ScheduleDeps,
  now: () => number,
): Promise<void> {
  await history.record([execution]).catch((cause: Error) => {
    observe({ kind: 'history-lost', executions: 1, reason: cause.message })
  })
  const { status, errorMessage, cancellationReason } = execution
  const error = errorMessage ?? cancellationReason
  const failures = await store.schedules.end({
    ...{ executionId, dueAt, requestedBy, status, startedAt, error },
    endedAt: new Date(now()).toISOString(),
  })
  if (failures === null || status !== 'Failed') return
  await notifyOfFailures({ endpointId, endpoint, schedule: name, failures, error }, store.notifications)
}
