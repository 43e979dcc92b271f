/**
 * Starts any thread that has a supervisor: connects it to the supervisor, makes an observer that counts requests here and
 * passes all other observations on, and opens what {@link openThread} opens.
 */
import type { Config } from '../config/load-config.ts'
import type { Freshness } from '../directory/database.ts'
import { createLogger } from '../observe/logger.ts'
import { createRequestMetrics } from '../observe/metrics.ts'
import type { Observe } from '../observe/observation.ts'
import { createObserver, isOfRequest } from '../observe/observer.ts'
import type { Manifest } from '../snapshot/manifest.ts'
import { openSnapshots } from '../snapshot/open-snapshots.ts'
import type { ThreadFunctions } from '../threads/messages.ts'
import { superviseThread } from '../threads/supervised-thread.ts'
import { openThread } from './open-thread.ts'
import { openStores } from './stores.ts'

/** What every worker is started with. */
export type WorkerData = {
  readonly config: Config
  /** Whether the log goes to a terminal, where a person reads it. */
  readonly isTerminal: boolean
  readonly lruClock: SharedArrayBuffer
  /** Given to threads that answer requests for changes. */
  readonly changeReaders?: SharedArrayBuffer
}

/** `Asked`: functions of the supervisor for this kind of worker only. `Offered`: functions that the worker offers to it. */
export async function openWorker<Asked extends object, Offered extends ThreadFunctions = ThreadFunctions>(
  { config, isTerminal, lruClock, changeReaders }: WorkerData,
  freshness: Freshness,
) {
  const { supervisor, openFiles, log, serve } = superviseThread<Asked, Offered>(lruClock)
  const metrics = createRequestMetrics()
  const { logLevel: level, logFormat: format } = config
  const logger = createLogger({ level, format, destination: log, isTerminal })
  const observeRequests = createObserver({ logger, metrics })
  const observe: Observe = (observation) =>
    isOfRequest(observation) ? observeRequests(observation) : void supervisor.report(observation)
  // Only to wait: the supervisor answers after it has migrated the stores.
  await supervisor.currentManifest()
  const stores = await openStores(config, { observe, freshness })
  const snapshots = openSnapshots(config, observe)
  const manifests = snapshots.manifests(stores.control.snapshots)
  const thread = await openThread({ config, observe, openFiles, manifests, stores, changeReaders })
  return {
    thread,
    supervisor,
    /** Starts to serve calls of the supervisor. */
    serve,
    metricValues: metrics.values,
    closeStores: async () => {
      snapshots.close()
      await Promise.all([thread.readServices.close(), stores.close()])
    },
    /** To be called after `serve`, which receives later announcements. */
    announceCurrent: async (announce: (manifest: Manifest) => Promise<void>) => {
      const manifest = await supervisor.currentManifest()
      if (manifest !== null && thread.readServices.catalogue.current() === null) await announce(manifest)
    },
  }
}
