/**
 * Runs of scripts in the process: the queue in front of the threads that run them, and what keeps the history within its
 * limits. The threads record what they run; here only what was lost with one of them. Part of the composition root.
 */
import { startPruning } from './automation/history-pruner.ts'
import { lostRun } from './automation/lost-run.ts'
import { RunProblem } from './automation/problems.ts'
import type { RunJob, RunReport } from './automation/run-job.ts'
import { RunQueue } from './automation/run-queue.ts'
import type { Config } from './config/load-config.ts'
import { historyPath, openHistory } from './directory/history/open-history.ts'
import { reportWriting } from './observe/service-health.ts'
import type { ScriptThreadData } from './script-thread.ts'
import type { RunReply } from './threads/messages.ts'
import { type ScriptThreads, startScriptThreads } from './threads/script-threads.ts'
import type { ThreadSupplies } from './threads/thread-group.ts'

export type Scripts = Pick<ScriptThreads, 'announce' | 'metricValues'> & {
  readonly run: (job: RunJob) => Promise<RunReply>
  /** Done when everything is written down. */
  readonly close: () => Promise<void>
}

type Parts = ThreadSupplies & {
  readonly config: Config
  readonly count: number
  readonly isTerminal: boolean
}

export async function startScripts({ config, count, isTerminal, ...supplies }: Parts): Promise<Scripts> {
  const { observe, files } = supplies
  const history = await openHistory(historyPath(config.data), {
    onWriting: reportWriting(supplies.observe, 'history'),
  })
  const retention = {
    days: config.historyDays,
    count: config.historyCount,
    bytes: config.historyBytes,
  }
  const stopPruning = startPruning({ history, retention, observe })
  const data: ScriptThreadData = { config, isTerminal, lastUses: files.lastUses.memory }
  const threads = startScriptThreads({
    ...supplies,
    count,
    script: new URL('script-thread.ts', import.meta.url),
    data,
  })
  const queue = new RunQueue({
    running: config.scriptConcurrency,
    runningOfOne: config.endpointConcurrency,
    waiting: config.scriptQueue,
    waitMilliseconds: config.scriptQueueMilliseconds,
  })

  /** Of runs that were lost, also with the threads that are closed. */
  const recordings = new Set<Promise<void>>()

  async function runNow(job: RunJob): Promise<RunReport> {
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
    const circumstances = { began, ended: Date.now(), bodyBytes: config.historyBodyBytes }
    await history.record([lostRun(job, problem, circumstances)]).catch((cause: Error) => {
      observe({ kind: 'history-lost', executions: 1, reason: cause.message })
    })
  }

  return {
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
      await threads.close()
      await Promise.all(recordings)
      await stopPruning()
      await history.close()
    },
  }
}
