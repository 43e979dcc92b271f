/**
 * Runs the scripts of the process: owns the queue in front of the script threads, the list of live runs with their journal, and
 * the pruning that keeps the history within its limits. The threads record their own runs; only runs that are lost with their
 * thread, or cancelled while they wait, are recorded here.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { startPruning } from '../automation/history/pruner.ts'
import { unfinishedRunRecord } from '../automation/history/unfinished-run-record.ts'
import type { LiveControl } from '../automation/live/live-control.ts'
import { LEASE_MS } from '../automation/live/live-feed.ts'
import { type CountsOfRuns, type KnownRun, LiveRuns } from '../automation/live/live-runs.ts'
import { openRunJournal } from '../automation/live/run-journal.ts'
import { type CancelReason, RunProblem, runCancelledFor } from '../automation/problems.ts'
import { RunQueue } from '../automation/runs/run-queue.ts'
import type { RecordedRun, RunJob } from '../automation/runs/run-states.ts'
import type { Config } from '../config/load-config.ts'
import type { History } from '../directory/history/history.ts'
import type { WorkOnOneNode } from '../postgres/on-one-node.ts'
import type { RunPlace } from '../script/script.ts'
import type { RunReply } from '../threads/messages.ts'
import { openScriptPool, type ScriptPool } from '../threads/script-pool.ts'
import type { ThreadSupplies } from '../threads/thread-group.ts'
import type { WorkerData } from './open-worker.ts'

export type ScriptRuns = Pick<ScriptPool, 'announce' | 'metricValues'> & {
  /** Starts the threads before the first run does. Resolves when each of them is ready or has ended. */
  readonly startThreads: () => Promise<void>
  readonly run: (job: RunJob) => Promise<RunReply>
  /** The runs of this process. */
  readonly live: LiveControl
  /** To be called when a stop begins: cancels the runs that do not end in time, and answers their callers. */
  readonly endRunsSoon: () => void
  /** Resolves when every run has its record. */
  readonly close: () => Promise<void>
}

type Parts = ThreadSupplies & {
  readonly config: Config
  readonly count: number
  readonly isTerminal: boolean
  readonly history: History
  /** The name of this process among those that share the stores. */
  readonly node: string
  /** Prunes the history. */
  readonly scheduledWork: WorkOnOneNode
}

/** The end of `stopSeconds` that is left for cancelled runs to end, and for their callers to be answered. */
const ANSWER_MS = 4000

/** How long a cancelled run may take to report its end; after that its thread is ended. */
const CANCELLED_RUN_MS = 3000

/** How long a thread may take to say what its runs have counted; a step that cannot be interrupted may take longer. */
const COUNTS_MS = 200

/** Between two attempts to cancel a run that is on its way to its thread. */
const CANCEL_AGAIN_MS = 20

/** Runs have most of the time that a stop gives to requests. */
function graceOf({ stopSeconds }: Pick<Config, 'stopSeconds'>) {
  const stopMs = 1000 * stopSeconds
  const runMs = Math.max(stopMs - ANSWER_MS, stopMs / 2)
  return { runMs, cancelledMs: Math.min(CANCELLED_RUN_MS, (stopMs - runMs) * 0.75) }
}

export function startScriptRuns({
  config,
  count,
  isTerminal,
  history,
  node,
  scheduledWork,
  ...supplies
}: Parts): ScriptRuns {
  const { observe, files } = supplies
  const retention = {
    days: config.historyDays,
    count: config.historyCount,
    bytes: config.historyBytes,
    figures: {
      minute: config.historyMinuteFiguresDays,
      hour: config.historyHourFiguresDays,
      day: config.historyDayFiguresDays,
    },
  }
  const stopPruning = scheduledWork.add(() => startPruning({ history, retention, observe }))
  const grace = graceOf(config)
  const { cardNumbers } = config
  const live = new LiveRuns(node, { cardNumbers })
  const journal = openRunJournal({
    dataFolder: config.data,
    cardNumbers,
    onFailure: ({ message: reason }) => observe({ kind: 'run-journal-failed', reason }),
  })
  const data: WorkerData = { config, isTerminal, lruClock: files.lruClock.memory }
  const threads = openScriptPool({
    ...supplies,
    count,
    script: new URL('script-worker.ts', import.meta.url),
    mostHeapMegabytes: Math.ceil(config.scriptThreadMemory / 2 ** 20),
    data,
    functions: { runsLogged: (lines) => live.logged(lines), runsSettled: journal.settled },
    // It was not ready when those that were there were told.
    beforeFirstRun: (thread) => (live.feed.isWatched ? thread.watchRuns(LEASE_MS) : undefined),
  })
  const queue = new RunQueue({
    running: config.scriptConcurrency,
    existing: Math.max(config.scriptRuns, config.scriptConcurrency),
    runningOfOne: config.endpointConcurrency,
    waiting: config.scriptQueue,
    waitMs: config.scriptQueueMilliseconds,
  })

  /** Records of unfinished runs that are being written, including runs whose thread a stop ends. */
  const recordings = new Set<Promise<void>>()
  let isEnding = false

  async function run(job: RunJob): Promise<RunReply> {
    const { id, limits } = job.endpoint
    const known = live.queued(job)
    const { executionId } = job
    try {
      const work = (place: RunPlace) => runNow(known, place)
      const report = await queue.run(id, limits.concurrency, work, wait(known))
      // Only calls leave a record when their body was rejected.
      if (report.status === 'Rejected' && job.type !== 'DynamicEndpoint') journal.settled([executionId])
      live.ended(known, report)
      return { report }
    } catch (problem) {
      if (!(problem instanceof RunProblem)) {
        live.ended(known, null)
        throw problem
      }
      // A run that was refused, or that could not begin, needs no record. It was never begun, or its record is written here.
      if (problem.executionId === undefined) journal.settled([executionId])
      live.ended(known, problem)
      return { refused: problem.toPlain() }
    }
  }

  const wait = (known: KnownRun) => (refuse: (reason: Error) => void) => {
    journal.begun(known.job)
    known.refuse = (problem) => {
      recordUnfinished(known, problem)
      refuse(problem)
    }
  }

  async function runNow(known: KnownRun, place: RunPlace): Promise<RecordedRun> {
    const { job } = known
    // One that has waited is in the journal.
    if (known.refuse === null) journal.begun(job)
    live.started(known)
    try {
      return await threads.run(job, place, known.reads)
    } catch (problem) {
      if (!(problem instanceof RunProblem)) throw problem
      // A thread is ended with its runs when they do not end by themselves.
      const ended = isEnding ? runCancelledFor({ kind: 'stopping' }, job.executionId) : problem
      const reason = new RunProblem({ ...ended.toPlain(), read: known.reads.read })
      recordUnfinished(known, reason)
      throw reason
    }
  }

  function recordUnfinished(known: KnownRun, problem: RunProblem): void {
    const recording = writeUnfinished(known, problem).finally(() => recordings.delete(recording))
    recordings.add(recording)
  }

  async function writeUnfinished({ job, startedAt, reads }: KnownRun, problem: RunProblem): Promise<void> {
    const ended = Date.now()
    const began = startedAt ?? ended
    const execution = unfinishedRunRecord(job, problem, {
      began,
      ended,
      usedMs: ended - began,
      bodyBytes: config.historyBodyBytes,
      read: reads.read,
      cardNumbers,
    })
    try {
      await history.record([execution])
      journal.settled([job.executionId])
    } catch (cause) {
      // The run stays in the journal: the next start records it.
      observe({ kind: 'history-lost', executions: 1, reason: (cause as Error).message })
    }
  }

  function cancel(known: KnownRun, reason: CancelReason): void {
    const { executionId } = known.job
    if (known.refuse !== null) known.refuse(runCancelledFor(reason, executionId))
    else void cancelRunning(known, reason)
  }

  /** The job may still be on its way to its thread. */
  async function cancelRunning({ job: { executionId } }: KnownRun, reason: CancelReason): Promise<void> {
    while (live.has(executionId)) {
      const found = await threads.ask((thread) => thread.cancelRun(executionId, reason))
      if (found.includes(true)) return
      await delay(CANCEL_AGAIN_MS, undefined, { ref: false })
    }
  }

  async function counts(): Promise<CountsOfRuns> {
    const late = delay(COUNTS_MS, undefined, { ref: false })
    const asked = threads.ask((thread) => Promise.race([thread.runCounts(), late]))
    return Object.assign({}, ...(await asked))
  }

  /** Threads stop to report by themselves when they are not told again. */
  const watchThreads = () => threads.ask((thread) => thread.watchRuns(LEASE_MS))

  const control: LiveControl = {
    list: async () => ({ runs: live.list(await counts()), silent: [] }),
    open: async () => {
      live.feed.watch()
      await Promise.race([watchThreads(), delay(COUNTS_MS, undefined, { ref: false })])
      const counted = await counts()
      return { node, sequence: live.feed.sequence, runs: live.list(counted) }
    },
    events: (after) => {
      void watchThreads()
      return live.feed.after(after)
    },
    cancel: async (target, reason) => {
      const chosen = live
        .all()
        .filter(({ job }) =>
          'id' in target ? job.executionId === target.id : job.endpoint.id === target.endpointId,
        )
      for (const known of chosen) cancel(known, reason)
      return chosen.map(({ job }) => job.executionId)
    },
  }

  const { promise: runsAreEnded, resolve: endRuns } = Promise.withResolvers<void>()
  let ending: NodeJS.Timeout | undefined

  /** Afterwards each run has a record: of its own end, of its cancellation, or that it was lost with its thread. */
  async function endAllRuns(): Promise<void> {
    if (ending !== undefined) await Promise.race([queue.idle(), runsAreEnded])
    clearTimeout(ending)
    endRunsNow()
    const timeUp = delay(grace.cancelledMs, undefined, { ref: false })
    await Promise.race([queue.idle(), timeUp])
    threads.endBusy()
    await queue.idle()
    while (recordings.size > 0) await Promise.all(recordings)
  }

  function endRunsNow(): void {
    const runs = queue.running + queue.waiting
    if (!isEnding && runs > 0) observe({ kind: 'runs-cut-off', runs, seconds: grace.runMs / 1000 })
    isEnding = true
    for (const known of live.all()) {
      // A run by schedule that has not begun is refused with the queue: it is due again at the next start, or on another node.
      if (known.refuse !== null && known.job.type !== 'ScheduledScript') cancel(known, { kind: 'stopping' })
    }
    queue.close()
    threads.endRuns()
    endRuns()
  }

  /** The callers of runs that do not end when they are cancelled wait for their answer, too. */
  function endRunsThenThreads(): void {
    endRunsNow()
    setTimeout(() => threads.endBusy(), grace.cancelledMs).unref()
  }

  return {
    endRunsSoon: () => {
      ending ??= setTimeout(endRunsThenThreads, grace.runMs)
    },
    startThreads: threads.start,
    announce: threads.announce,
    metricValues: () => {
      observe({ kind: 'runs-counted', ...queue.counts })
      return threads.metricValues()
    },
    run,
    live: control,
    close: async () => {
      await endAllRuns()
      await threads.close()
      await stopPruning()
      live.feed.close()
      journal.close()
    },
  }
}
