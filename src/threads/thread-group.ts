/**
 * Supervises threads that do the same work: starts them, supplies them with snapshots and files, and replaces a thread that
 * dies. When a thread keeps dying, the delay before the next start grows up to a limit; the group never stops trying.
 */
import { type MessagePort, type ResourceLimits, Worker } from 'node:worker_threads'
import { type BirpcReturn, createBirpc } from 'birpc'
import type { MetricValues } from '../observe/metrics.ts'
import type { Observe } from '../observe/observation.ts'
import type { RemoteFiles, SharedFiles } from '../snapshot/files/shared-files.ts'
import type { Manifest } from '../snapshot/manifest.ts'
import { type SupervisorFunctions, type ThreadFunctions, unavailableFile } from './messages.ts'
import { ThreadMetrics } from './thread-metrics.ts'

/** What the supervisor needs for threads of any kind. */
export type ThreadSupplies = {
  readonly files: SharedFiles
  readonly currentManifest: () => Promise<Manifest | null>
  readonly writeLog: (lines: string) => void
  readonly observe: Observe
}

/** What one thread is started with, and what the supervisor keeps for it. */
type Equipment<Own> = {
  /** What the thread gets as its `workerData`. */
  readonly data: object
  readonly transfer?: readonly MessagePort[]
  readonly own: Own
  /** Called with the reason when the thread has ended. */
  readonly ended?: (reason: unknown) => void
}

type GroupOptions<Extra extends object, Own> = ThreadSupplies & {
  readonly name: 'api' | 'script'
  /** The entry point of a thread. */
  readonly script: URL
  /** Equips the thread with this number. */
  readonly equip: (number: number) => Equipment<Own>
  /** Functions that only threads of this kind may call. */
  readonly functions: Extra
  readonly resourceLimits?: ResourceLimits
}

export type Thread<Offered extends ThreadFunctions, Own> = {
  readonly own: Own
  readonly number: number
  readonly worker: Worker
  readonly rpc: BirpcReturn<Offered, object>
  /** Resolves with the address of the thread; rejects with the reason when it ends before it is ready. */
  readonly ready: Promise<string>
  readonly isReady: () => boolean
  readonly hasEnded: () => boolean
  /** Resolves with the reason when the thread has ended. */
  readonly ended: Promise<unknown>
  /** Ends the thread at once, for this reason. */
  readonly end: (reason: Error) => void
}

/** A thread that lived for a shorter time is replaced only after a delay. */
const SHORT_LIFE_MS = 10_000
const FIRST_DELAY_MS = 100
const LONGEST_DELAY_MS = 30_000

export class ThreadGroup<Offered extends ThreadFunctions, Extra extends object, Own = null> {
  readonly #options: GroupOptions<Extra, Own>
  readonly #threads: Thread<Offered, Own>[] = []
  readonly #metrics = new ThreadMetrics()
  #isClosing = false
  /** Resolves when another thread is started, or when the group is closed. */
  #nextStart = Promise.withResolvers<void>()

  constructor(options: GroupOptions<Extra, Own>) {
    this.#options = options
  }

  /** The threads in the order of their numbers; one that has ended stays until it is replaced. */
  get threads(): readonly Thread<Offered, Own>[] {
    return this.#threads
  }

  /** Starts one more thread, which is not watched over yet. */
  start(): Thread<Offered, Own> {
    const thread = startThread<Offered, Extra, Own>(this.#threads.length, this.#options)
    this.#threads.push(thread)
    return thread
  }

  /** Resolves when the next ended thread has been replaced, or when the group is closed. */
  nextStart(): Promise<void> {
    return this.#nextStart.promise
  }

  /** From now on every thread that ends is replaced. */
  watchOver(): void {
    for (const number of this.#threads.keys()) void this.#keepRunning(number)
  }

  /** Resolves when every ready thread answers from the snapshot. */
  async announce(manifest: Manifest): Promise<void> {
    const announced = this.#threads.map(async ({ rpc, isReady }) => {
      const done = rpc.announce(manifest).catch(() => undefined)
      // A thread that is still loading its code asks for the snapshot before it is ready.
      if (isReady()) await done
    })
    await Promise.all(announced)
  }

  /** The metrics of ended threads, then those of each running thread. */
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
        // A thread that is still loading its code has nothing to finish.
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
  const worker = new Worker(new URL('thread-entry.ts', import.meta.url), {
    name: `${name}-${number}`,
    workerData: { ...workerData, entry: script.href },
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
  // The start waits only for the first thread; nothing else would handle a rejection of the others.
  ready.catch(() => undefined)
  const functions: SupervisorFunctions & Extra = {
    ...options.functions,
    currentManifest,
    ready: (address) => {
      isReady = true
      resolve(address)
    },
    loadFile: (file) => held.load(file).catch(unavailableFile),
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
