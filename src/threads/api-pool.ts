/** The threads that answer requests, all at one address. */
import type { Worker } from 'node:worker_threads'
import { type MetricValues, metricsText } from '../observe/metrics.ts'
import type { Manifest } from '../snapshot/manifest.ts'
import type { ForApiThreads, ThreadFunctions } from './messages.ts'
import { ThreadGroup, type ThreadSupplies } from './thread-group.ts'

export type ApiPoolOptions = ThreadSupplies & {
  readonly count: number
  /** What a thread runs. */
  readonly script: URL
  /** What it finds as its `workerData`, beside its number. */
  readonly data: object
  /** What the rest of the process has counted. */
  readonly metricValues: () => Promise<readonly MetricValues[]>
  readonly functions: Omit<ForApiThreads, 'metricsText'>
}

export type ApiPool = {
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

/**
 * Resolves as soon as one thread listens: it answers every request until the others listen too.
 *
 * @throws what keeps the first thread from listening; then none is left running
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
    // Not before: several that load their code at the same time take longer for it, each of them.
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
