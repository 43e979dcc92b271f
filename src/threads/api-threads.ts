/**
 * The supervisor: starts the threads that answer requests, keeps them supplied with snapshots and files, and puts another
 * one in the place of a thread that dies. A thread that dies again and again is started ever more slowly, never given up.
 */
import { Worker } from 'node:worker_threads'
import { type BirpcReturn, createBirpc } from 'birpc'
import { type MetricValues, metricsText } from '../observe/metrics.ts'
import type { Observe } from '../observe/observation.ts'
import type { Manifest } from '../snapshot/manifest.ts'
import type { LeavableFiles, SharedFiles } from '../snapshot/shared-files.ts'
import type { SupervisorFunctions, ThreadFunctions } from './messages.ts'
import { ThreadMetrics } from './thread-metrics.ts'

export type ApiThreadsOptions = {
  readonly count: number
  /** What a thread runs. */
  readonly script: URL
  /** What it finds as its `workerData`. */
  readonly data: object
  readonly files: SharedFiles
  readonly currentManifest: () => Promise<Manifest | null>
  readonly writeLog: (lines: string) => void
  /** What the main thread has counted. */
  readonly metricValues: () => Promise<MetricValues>
  readonly observe: Observe
}

export type ApiThreads = {
  /** Where all of them listen, e.g. `http://127.0.0.1:8080`. */
  readonly address: string
  /** Done when every thread answers from the snapshot. */
  readonly announce: (manifest: Manifest) => Promise<void>
  readonly close: () => Promise<void>
  /** Those that run at the moment, in the order of their numbers. */
  readonly workers: () => readonly Worker[]
  /** What those that ended have counted, then what each of these has. */
  readonly metricValues: () => Promise<readonly MetricValues[]>
}

type Thread = {
  readonly worker: Worker
  readonly rpc: BirpcReturn<ThreadFunctions, SupervisorFunctions>
  /** The address, or the reason why there is none. */
  readonly listening: Promise<string>
  readonly isListening: () => boolean
  /** Why it ended. */
  readonly ended: Promise<unknown>
}

/** A thread that lived for less than this is not replaced at once. */
const SHORT_LIFE_MS = 10_000
const FIRST_DELAY_MS = 100
const LONGEST_DELAY_MS = 30_000

/**
 * Done as soon as one of the threads listens: it answers everybody until the others do.
 *
 * @throws what keeps the first thread from listening; then none is left running
 */
export async function startApiThreads(options: ApiThreadsOptions): Promise<ApiThreads> {
  const threads: Thread[] = []
  let closing = false
  const metrics = new ThreadMetrics()
  const metricValues = () => metrics.collect(threads.map(({ rpc }) => rpc.metricValues))
  const textOf = async () => metricsText([await options.metricValues(), ...(await metricValues())])

  async function close(): Promise<void> {
    closing = true
    await Promise.all(
      threads.map(async ({ rpc, worker, ended, isListening }) => {
        // One that is still loading its code has nothing to finish.
        if (isListening()) await rpc.close().catch(() => worker.terminate())
        else await worker.terminate()
        await ended
      }),
    )
  }
  async function keepRunning(number: number, delay = 0): Promise<void> {
    const started = performance.now()
    const cause = await (threads[number] as Thread).ended
    if (closing) return
    options.observe({ kind: 'thread-ended', thread: number, cause })
    await metrics.threadEnded(number)
    const lifetime = performance.now() - started
    const wait =
      lifetime > SHORT_LIFE_MS ? 0 : Math.min(Math.max(delay * 2, FIRST_DELAY_MS), LONGEST_DELAY_MS)
    await new Promise((resolve) => setTimeout(resolve, wait).unref())
    if (closing) return
    threads[number] = startThread(number, options, textOf)
    void keepRunning(number, wait)
  }

  try {
    const first = startThread(0, options, textOf)
    threads.push(first)
    const address = await first.listening
    // Not before: several that load their code at the same time take longer for it, each of them.
    while (threads.length < options.count) threads.push(startThread(threads.length, options, textOf))
    for (const number of threads.keys()) void keepRunning(number)
    return {
      address,
      announce: async (manifest) => {
        const announced = threads.map(async ({ rpc, isListening }) => {
          const done = rpc.announce(manifest).catch(() => undefined)
          // One that is still loading its code asks for the snapshot before it listens.
          if (isListening()) await done
        })
        await Promise.all(announced)
      },
      close,
      workers: () => threads.map(({ worker }) => worker),
      metricValues,
    }
  } catch (cause) {
    await Promise.all(threads.map(({ worker }) => worker.terminate()))
    throw cause
  }
}

function startThread(
  number: number,
  { script, data, files, currentManifest, writeLog, observe }: ApiThreadsOptions,
  text: () => Promise<string>,
): Thread {
  const worker = new Worker(script, { name: `api-${number}`, workerData: data })
  const held: LeavableFiles = files.open((sha256) => void rpc.letGo(sha256).catch(() => undefined))
  const { promise: listening, resolve, reject } = Promise.withResolvers<string>()
  let isListening = false
  // Whoever waits for it is told; when it is a later thread, nobody does.
  listening.catch(() => undefined)
  const functions: SupervisorFunctions = {
    currentManifest,
    listening: (address) => {
      isListening = true
      resolve(address)
    },
    loadFile: held.load,
    keepOnly: held.keepOnly,
    report: observe,
    writeLog,
    metricsText: text,
  }
  const rpc = createBirpc<ThreadFunctions, SupervisorFunctions>(functions, {
    post: (message) => worker.postMessage(message),
    on: (receive) => worker.on('message', receive),
    eventNames: ['letGo'],
    bind: 'functions',
    timeout: -1,
  })
  const ended = new Promise<unknown>((resolveEnd) => {
    let reason: unknown = null
    worker.once('error', (cause) => {
      reason = cause
    })
    worker.once('exit', (code) => {
      reason ??= new Error(`It ended by itself with code ${code}`)
      held.leave()
      rpc.$close()
      reject(reason)
      resolveEnd(reason)
    })
  })
  return { worker, rpc, listening, isListening: () => isListening, ended }
}
