/**
 * Supervises the threads that run scripts: each job goes to the thread with the fewest runs that work. The first job starts
 * them, unless they were started before. A watchdog ends a thread whose event loop has stopped turning; when a thread ends, its
 * runs are lost and another thread replaces it.
 */
import { MessageChannel } from 'node:worker_threads'
import { RunProblem, runLost } from '../automation/problems.ts'
import { rehearsal } from '../automation/runs/rehearsal.ts'
import type { RunReads } from '../automation/runs/run-reads.ts'
import type { RecordedRun, RunJob } from '../automation/runs/run-states.ts'
import type { MetricValues } from '../observe/metrics.ts'
import type { RunPlace } from '../script/script.ts'
import type { Manifest } from '../snapshot/manifest.ts'
import { openHeartbeats } from './heartbeats.ts'
import { type JobChannel, openJobChannel } from './job-channel.ts'
import type { AskedScriptThread, ForScriptRuns, ForScriptThreads, ThreadFunctions } from './messages.ts'
import { type Thread, ThreadGroup, type ThreadSupplies } from './thread-group.ts'
import { ThreadLoads } from './thread-loads.ts'

export type ScriptPoolOptions = ThreadSupplies & {
  readonly count: number
  /** The entry point of a thread. */
  readonly script: URL
  /** What a thread gets as its `workerData`, besides its number, its jobs and the memory of the heartbeats. */
  readonly data: object
  readonly functions: ForScriptThreads
  /** Called with each thread before its first run, which waits for the promise, if any, to be settled. */
  readonly beforeFirstRun?: (thread: AskedScriptThread) => Promise<void> | undefined
  /** How long a thread may go without a heartbeat. */
  readonly stuckMs?: number
  /** A thread with a larger heap ends. Values of scripts share a part of it. */
  readonly mostHeapMegabytes: number
}

export type ScriptPool = {
  /** Starts the threads, so that the first job does not wait for them. Resolves when each of them is warm or has ended. */
  readonly start: () => Promise<void>
  /** `reads` gets what the run reads, while it runs. @throws RunProblem END103 when the thread ends before the run does */
  readonly run: (job: RunJob, place?: RunPlace, reads?: RunReads) => Promise<RecordedRun>
  readonly announce: (manifest: Manifest) => Promise<void>
  readonly metricValues: () => Promise<readonly MetricValues[]>
  /** Cancels all runs. */
  readonly endRuns: () => void
  /** Asks every thread that is ready; one that ends meanwhile has no answer. */
  readonly ask: <T>(question: (thread: AskedScriptThread) => Promise<T>) => Promise<readonly T[]>
  /** Ends the threads that still have runs, which are lost with them. */
  readonly endBusy: () => void
  readonly close: () => Promise<void>
}

type Offered = ThreadFunctions & ForScriptRuns
type ScriptThread = Thread<Offered, JobChannel>

/** Longer than any step of a run that cannot be interrupted, such as compiling a large script (a second). */
const STUCK_MS = 10_000

/** Records of runs live for a tenth of a second, until they are written. A smaller heap would move them to the old generation. */
const YOUNG_HEAP_MB = 96

export function openScriptPool(options: ScriptPoolOptions): ScriptPool {
  const {
    count,
    data,
    functions,
    beforeFirstRun,
    stuckMs = STUCK_MS,
    mostHeapMegabytes,
    ...supplies
  } = options
  const heartbeats = openHeartbeats(count)
  const group = new ThreadGroup<Offered, ForScriptThreads, JobChannel>({
    ...supplies,
    name: 'script',
    equip: (number) => {
      const { port1, port2: jobs } = new MessageChannel()
      const own = openJobChannel(port1)
      const ended = (reason: unknown) => own.close(asError(reason))
      return { data: { ...data, number, heartbeats: heartbeats.memory, jobs }, transfer: [jobs], own, ended }
    },
    functions,
    resourceLimits: { maxOldGenerationSizeMb: mostHeapMegabytes, maxYoungGenerationSizeMb: YOUNG_HEAP_MB },
  })
  const loads = new ThreadLoads<ScriptThread>()
  const prepared = new WeakMap<ScriptThread, Promise<void>>()
  const watchdog = watch(group, heartbeats.silence, stuckMs)
  let isClosing = false

  function start(): void {
    if (isClosing || group.threads.length > 0) return
    while (group.threads.length < count) group.start()
    group.watchOver()
  }

  /** A thread that is still starting comes last, so that no run waits for it without need. */
  function leastBusy(): ScriptThread | undefined {
    const load = (thread: ScriptThread) => loads.of(thread) + (thread.isReady() ? 0 : 1_000_000)
    const [first, ...others] = group.threads.filter(({ hasEnded }) => !hasEnded())
    return others.reduce(
      (best, other) => (best !== undefined && load(other) < load(best) ? other : best),
      first,
    )
  }

  function prepare(thread: ScriptThread): Promise<void> {
    const known = prepared.get(thread)
    if (known !== undefined) return known
    // The run itself tells why a thread has ended.
    const preparing = thread.ready.then(() => beforeFirstRun?.(thread.rpc)?.catch(() => undefined))
    prepared.set(thread, preparing)
    return preparing
  }

  async function run(job: RunJob, place?: RunPlace, reads?: RunReads): Promise<RecordedRun> {
    start()
    let thread = leastBusy()
    while (thread === undefined) {
      if (isClosing) throw lost(job, STOPPED)
      await group.nextStart()
      thread = leastBusy()
    }
    const { own: channel } = thread
    const load = loads.begin(thread)
    const counted: RunPlace = {
      leave: () => {
        load.leave()
        place?.leave()
      },
      retake: async () => {
        await place?.retake()
        load.return()
      },
    }
    try {
      await prepare(thread)
      return await channel.run(job, counted, reads)
    } catch (cause) {
      if (cause instanceof RunProblem) throw cause
      throw lost(job, isClosing ? STOPPED : asError(cause).message)
    } finally {
      load.end()
    }
  }

  return {
    start: async () => {
      start()
      await Promise.allSettled(group.threads.map(rehearse))
    },
    run,
    announce: (manifest) => group.announce(manifest),
    metricValues: () => group.metricValues(),
    endRuns: () => {
      for (const { rpc, isReady } of group.threads) {
        if (isReady()) rpc.endRuns({ kind: 'stopping' }).catch(() => undefined)
      }
    },
    ask: async (question) => {
      const asked = group.threads.filter(({ isReady, hasEnded }) => isReady() && !hasEnded())
      const answers = await Promise.allSettled(asked.map(async ({ rpc }) => question(rpc)))
      return answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
    },
    endBusy: () => {
      isClosing = true
      for (const thread of loads.busy) thread.end(new Error(STOPPED))
    },
    close: async () => {
      isClosing = true
      clearInterval(watchdog)
      await group.close()
    },
  }
}

const STOPPED = 'the service was stopped'

const lost = (job: RunJob, reason: string): RunProblem => runLost(job.executionId, reason)

const asError = (cause: unknown): Error => (cause instanceof Error ? cause : new Error(String(cause)))

const stuck = (milliseconds: number): Error =>
  new Error(`The thread showed no sign of life for ${milliseconds} ms and was ended`)

/** After these runs, the first call of an endpoint finds the way to its thread and back as fast as later calls. */
async function rehearse({ own, ready }: ScriptThread): Promise<void> {
  await ready
  for (let run = 0; run < REHEARSALS; run++) await own.run(rehearsal())
}

const REHEARSALS = 5

/** How often the watchdog reads the heartbeats. */
const CHECK_EVERY_MS = 250

function watch(
  group: ThreadGroup<Offered, ForScriptThreads, JobChannel>,
  silence: (number: number) => number,
  stuckMs: number,
): NodeJS.Timeout {
  let lookedAt = performance.now()
  return setInterval(() => {
    const now = performance.now()
    // When this thread itself was delayed, e.g. because the machine slept, silence says nothing about the others.
    const wasHeldUp = now - lookedAt > 4 * CHECK_EVERY_MS
    lookedAt = now
    if (wasHeldUp) return
    for (const { number, end, isReady } of group.threads) {
      if (isReady() && silence(number) > stuckMs) end(stuck(stuckMs))
    }
  }, CHECK_EVERY_MS).unref()
}
