/**
 * Threads that do the same work: starts them, keeps them supplied with snapshots and files, and puts another one in the place
 * of a thread that dies. A thread that dies again and again is started ever more slowly, never given up.
 */
import { type MessagePort, type ResourceLimits, Worker } from 'node:worker_threads'
import { type BirpcReturn, createBirpc } from 'birpc'
import type { MetricValues } from '../observe/metrics.ts'
import type { Observe } from '../observe/observation.ts'
import type { RemoteFiles, SharedFiles } from '../snapshot/files/shared-files.ts'
import type { Manifest } from '../snapshot/manifest.ts'
import type { SupervisorFunctions, ThreadFunctions } from './messages.ts'
import { ThreadMetrics } from './thread-metrics.ts'

/** What threads of every kind are supplied with. */
export type ThreadSupplies = {
  readonly files: SharedFiles
  readonly currentManifest: () => Promise<Manifest | null>
  readonly writeLog: (lines: string) => void
  readonly observe: Observe
}

/** What one thread is started with, and what stays on this side of it. */
type Equipment<Own> = {
  /** What it finds as its `workerData`. */
  readonly data: object
  readonly transfer?: readonly MessagePort[]
  readonly own: Own
  /** Told when the thread has ended, and why. */
  readonly ended?: (reason: unknown) => void
}

type GroupOptions<Extra extends object, Own> = ThreadSupplies & {
  readonly name: 'api' | 'script'
  /** What a thread runs. */
  readonly script: URL
  /** For the thread of this number. */
  readonly equip: (number: number) => Equipment<Own>
  /** What threads of this kind may ask for beside what all of them may. */
  readonly functions: Extra
  readonly resourceLimits?: ResourceLimits
}

export type Thread<Offered extends ThreadFunctions, Own> = {
  readonly own: Own
  readonly number: number
  readonly worker: Worker
  readonly rpc: BirpcReturn<Offered, object>
  /** Its address, or the reason why it never got ready. */
  readonly ready: Promise<string>
  readonly isReady: () => boolean
  readonly hasEnded: () => boolean
  /** Why it ended. */
  readonly ended: Promise<unknown>
  /** Ends it for this reason, whatever it is doing. */
  readonly end: (reason: Error) => void
}

/** A thread that lived for less than this is not replaced at once. */
const SHORT_LIFE_MS = 10_000
const FIRST_DELAY_MS = 100
const LONGEST_DELAY_MS = 30_000

export class ThreadGroup<Offered extends ThreadFunctions, Extra extends object, Own = null> {
  readonly #options: GroupOptions<Extra, Own>
  readonly #threads: Thread<Offered, Own>[] = []
  readonly #metrics = new ThreadMetrics()
  #isClosing = false
  /** Resolved when another thread is started, or none will be any more. */
  #nextStart = Promise.withResolvers<void>()

  constructor(options: GroupOptions<Extra, Own>) {
    this.#options = options
  }

  /** Those that run at the moment, in the order of their numbers. */
  get threads(): readonly Thread<Offered, Own>[] {
    return this.#threads
  }

  /** One more, which is not watched over yet. */
  start(): Thread<Offered, Own> {
    const thread = startThread<Offered, Extra, Own>(this.#threads.length, this.#options)
    this.#threads.push(thread)
    return thread
  }

  /** Done when the next thread is started in the place of one that ended, or when the group is closed. */
  nextStart(): Promise<void> {
    return this.#nextStart.promise
  }

  /** From now on whatever ends is replaced. */
  watchOver(): void {
    for (const number of this.#threads.keys()) void this.#keepRunning(number)
  }

  /** Done when every thread answers from the snapshot. */
  async announce(manifest: Manifest): Promise<void> {
    const announced = this.#threads.map(async ({ rpc, isReady }) => {
      const done = rpc.announce(manifest).catch(() => undefined)
      // One that is still loading its code asks for the snapshot before it gets ready.
      if (isReady()) await done
    })
    await Promise.all(announced)
  }

  /** What those that ended have counted, then what each of these has. */
  metricValues(): Promise<readonly MetricValues[]> {
    return this.#metrics.collect(
      this.#threads.map(({ rpc }) => rpc.metricValues as () => Promise<MetricValues>),
    )
  }

  async close(): Promise<void> {
    this.#isClosing = true
    this.#nextStart.resolve()
    await Promise.all(
      this.#threads.map(async ({ rpc, worker, ended, isReady }) => {
        // One that is still loading its code has nothing to finish.
        if (isReady()) await rpc.close().catch(() => worker.terminate())
        else await worker.terminate()
        await ended
      }),
    )
  }

  async terminate(): Promise<void> {
    this.#isClosing = true
    await Promise.all(this.#threads.map(({ worker }) => worker.terminate()))
  }

  async #keepRunning(number: number, delay = 0): Promise<void> {
    const started = performance.now()
    const cause = await (this.#threads[number] as Thread<Offered, Own>).ended
    if (this.#isClosing) return
    this.#options.observe({ kind: 'thread-ended', group: this.#options.name, thread: number, cause })
    await this.#metrics.threadEnded(number)
    const lifetime = performance.now() - started
    const wait =
      lifetime > SHORT_LIFE_MS ? 0 : Math.min(Math.max(delay * 2, FIRST_DELAY_MS), LONGEST_DELAY_MS)
    await new Promise((resolve) => setTimeout(resolve, wait).unref())
    if (this.#isClosing) return
    this.#threads[number] = startThread(number, this.#options)
    this.#nextStart.resolve()
    this.#nextStart = Promise.withResolvers<void>()
    void this.#keepRunning(number, wait)
  }
}

function startThread<Offered extends ThreadFunctions, Extra extends object, Own>(
  number: number,
  options: GroupOptions<Extra, Own>,
): Thread<Offered, Own> {
  const { name, script, equip, resourceLimits = {}, files, currentManifest, writeLog, observe } = options
  const { data: workerData, transfer = [], own, ended: tellEnd } = equip(number)
  const worker = new Worker(script, {
    name: `${name}-${number}`,
    workerData,
    transferList: [...transfer],
    resourceLimits,
  })
  const told = () => rpc as BirpcReturn<ThreadFunctions>
  const held: RemoteFiles = files.openRemote({
    evict: (sha256) =>
      void told()
        .evict(sha256)
        .catch(() => undefined),
    cutOff: (milliseconds) =>
      void told()
        .cutOff(milliseconds)
        .catch(() => undefined),
  })
  const { promise: ready, resolve, reject } = Promise.withResolvers<string>()
  let isReady = false
  let hasEnded = false
  // The start waits for the first thread only; for the others, nothing handles a rejection.
  ready.catch(() => undefined)
  const functions: SupervisorFunctions & Extra = {
    ...options.functions,
    currentManifest,
    ready: (address) => {
      isReady = true
      resolve(address)
    },
    loadFile: held.load,
    keepOnly: held.keepOnly,
    hold: held.hold,
    release: held.release,
    report: observe,
    writeLog,
  }
  const rpc: BirpcReturn<Offered, object> = createBirpc<Offered, object>(functions, {
    post: (message) => worker.postMessage(message),
    on: (receive) => worker.on('message', receive),
    eventNames: ['evict' as keyof Offered, 'cutOff' as keyof Offered],
    bind: 'functions',
    timeout: -1,
  })
  let reason: unknown = null
  const ended = new Promise<unknown>((resolveEnd) => {
    worker.once('error', (cause) => {
      reason = cause
    })
    worker.once('exit', (code) => {
      reason ??= new Error(`It ended by itself with code ${code}`)
      hasEnded = true
      held.leave()
      tellEnd?.(reason)
      rpc.$close(reason instanceof Error ? reason : undefined)
      reject(reason)
      resolveEnd(reason)
    })
  })
  const end = (why: Error) => {
    reason ??= why
    void worker.terminate()
  }
  return { own, number, worker, rpc, ready, isReady: () => isReady, hasEnded: () => hasEnded, ended, end }
}
