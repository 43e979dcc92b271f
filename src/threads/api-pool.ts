/** Starts and supervises the threads that answer requests, all at one address. */
import type { Worker } from 'node:worker_threads'
import { type MetricValues, metricsText } from '../observe/metrics.ts'
import type { Manifest } from '../snapshot/manifest.ts'
import type { ForApiThreads, ThreadFunctions } from './messages.ts'
import { ThreadGroup, type ThreadSupplies } from './thread-group.ts'

export type ApiPoolOptions = ThreadSupplies & {
  readonly count: number
  /** The entry point of a thread. */
  readonly script: URL
  /** What a thread gets as its `workerData`, besides its number. */
  readonly data: object
  /** The metrics of the rest of the process. */
  readonly metricValues: () => Promise<readonly MetricValues[]>
  readonly functions: Omit<ForApiThreads, 'metricsText'>
}

export type ApiPool = {
  /** Where all threads listen, e.g. `http://127.0.0.1:8080`. */
  readonly address: string
  /** Resolves when every thread answers from the snapshot. */
  readonly announce: (manifest: Manifest) => Promise<void>
  readonly close: () => Promise<void>
  /** The threads that are running, in the order of their numbers. */
  readonly workers: () => readonly Worker[]
  /** The metrics of ended threads, then those of each running thread. */
  readonly metricValues: () => Promise<readonly MetricValues[]>
}

/**
 * Resolves as soon as one thread listens: it answers all requests until the others listen too.
 *
 * @throws the reason why the first thread cannot listen; then no thread is left running
 */
export async function startApiPool(options: ApiPoolOptions): Promise<ApiPool> {
  const { count, data, metricValues, functions, ...supplies } = options
  const group: ThreadGroup<ThreadFunctions, ForApiThreads> = new ThreadGroup({
    ...supplies,
    name: 'api',
    equip: (number) => ({ data: { ...data, number }, own: null }),
    functions: {
      ...functions,
      metricsText: async () => metricsText([...(await metricValues()), ...(await group.metricValues())]),
    },
  })
  try {
    const address = await group.start().ready
    // Not earlier: when several threads load their code at the same time, each of them takes longer.
    while (group.threads.length < count) group.start()
    group.watchOver()
    return {
      address,
      announce: (manifest) => group.announce(manifest),
      close: () => group.close(),
      workers: () => group.threads.map(({ worker }) => worker),
      metricValues: () => group.metricValues(),
    }
  } catch (cause) {
    await group.terminate()
    throw cause
  }
}
