/**
 * Runs the scripts of the process: owns the queue in front of the script threads, and the pruning that keeps the history
 * within its limits. The threads record their own runs; only runs that are lost with their thread are recorded here.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { failedRunRecord } from '../automation/history/failed-run-record.ts'
import { startPruning } from '../automation/history/pruner.ts'
import { RunProblem } from '../automation/problems.ts'
import { RunQueue } from '../automation/runs/run-queue.ts'
import type { RecordedRun, RunJob } from '../automation/runs/run-states.ts'
import type { Config } from '../config/load-config.ts'
import type { History } from '../directory/history/history.ts'
import type { WorkOnOneNode } from '../postgres/on-one-node.ts'
import type { RunReply } from '../threads/messages.ts'
import { openScriptPool, type ScriptPool } from '../threads/script-pool.ts'
import type { ThreadSupplies } from '../threads/thread-group.ts'
import type { WorkerData } from './open-worker.ts'

export type ScriptRuns = Pick<ScriptPool, 'announce' | 'metricValues'> & {
  /** Starts the threads before the first run does. */
  readonly startThreads: () => void
  readonly run: (job: RunJob) => Promise<RunReply>
  /** To be called when a stop begins: cancels the runs that do not end within some seconds, and answers their callers. */
  readonly endRunsSoon: () => void
  /** Resolves when every run has its record. */
  readonly close: () => Promise<void>
}

type Parts = ThreadSupplies & {
  readonly config: Config
  readonly count: number
  readonly isTerminal: boolean
  readonly history: History
  /** Prunes the history. */
  readonly scheduledWork: WorkOnOneNode
}

/** How long a run may continue after the service was told to stop. */
const END_RUNS_MS = 5000

/** How long a cancelled run may take to report its end; after that its thread is ended. */
const CANCELLED_RUN_MS = 3000

export function startScriptRuns({
  config,
  count,
  isTerminal,
  history,
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
  const data: WorkerData = { config, isTerminal, lruClock: files.lruClock.memory }
  const threads = openScriptPool({
    ...supplies,
    count,
    script: new URL('script-worker.ts', import.meta.url),
    data,
  })
  const queue = new RunQueue({
    running: config.scriptConcurrency,
    runningOfOne: config.endpointConcurrency,
    waiting: config.scriptQueue,
    waitMs: config.scriptQueueMilliseconds,
  })

  /** Records of lost runs that are being written, including runs whose thread a stop ends. */
  const recordings = new Set<Promise<void>>()

  async function runNow(job: RunJob): Promise<RecordedRun> {
    const began = Date.now()
    try {
      return await threads.run(job)
    } catch (problem) {
      if (problem instanceof RunProblem) {
        const recording = recordLost(job, problem, began).finally(() => recordings.delete(recording))
        recordings.add(recording)
      }
      throw problem
    }
  }

  async function recordLost(job: RunJob, problem: RunProblem, began: number): Promise<void> {
    const { historyBodyBytes: bodyBytes, cardNumbers } = config
    const circumstances = { began, ended: Date.now(), bodyBytes, cardNumbers }
    await history.record([failedRunRecord(job, problem, circumstances)]).catch((cause: Error) => {
      observe({ kind: 'history-lost', executions: 1, reason: cause.message })
    })
  }

  const { promise: runsAreEnded, resolve: endRuns } = Promise.withResolvers<void>()
  let ending: NodeJS.Timeout | undefined

  /** Afterwards each run has a record: of its own end, of its cancellation, or that it was lost with its thread. */
  async function endAllRuns(): Promise<void> {
    if (ending !== undefined) await Promise.race([queue.idle(), runsAreEnded])
    clearTimeout(ending)
    endRunsNow()
    const timeUp = delay(CANCELLED_RUN_MS, undefined, { ref: false })
    await Promise.race([queue.idle(), timeUp])
    threads.endBusy()
    await queue.idle()
    while (recordings.size > 0) await Promise.all(recordings)
  }

  let isEnding = false

  function endRunsNow(): void {
    const runs = queue.running + queue.waiting
    if (!isEnding && runs > 0) observe({ kind: 'runs-cut-off', runs, seconds: END_RUNS_MS / 1000 })
    isEnding = true
    queue.close()
    threads.endRuns()
    endRuns()
  }

  return {
    endRunsSoon: () => {
      ending ??= setTimeout(endRunsNow, END_RUNS_MS)
    },
    startThreads: threads.start,
    announce: threads.announce,
    metricValues: threads.metricValues,
    run: async (job) => {
      const { id, limits } = job.endpoint
      try {
        return { report: await queue.run(id, limits.concurrency, () => runNow(job)) }
      } catch (problem) {
        if (problem instanceof RunProblem) return { refused: problem.toPlain() }
        throw problem
      }
    },
    close: async () => {
      await endAllRuns()
      await threads.close()
      await stopPruning()
    },
  }
}
