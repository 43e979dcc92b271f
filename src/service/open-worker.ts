/**
 * How a thread with a supervisor begins, whatever it does then: its line to the supervisor, an observer that counts requests
 * here and hands everything else on, and what {@link openThread} opens.
 */
import type { Config } from '../config/load-config.ts'
import type { Freshness } from '../directory/database.ts'
import { createLogger } from '../observe/logger.ts'
import { createRequestMetrics } from '../observe/metrics.ts'
import { isOfRequest, type Observe } from '../observe/observation.ts'
import { createObserver } from '../observe/observer.ts'
import type { Manifest } from '../snapshot/manifest.ts'
import type { ThreadFunctions } from '../threads/messages.ts'
import { superviseThread } from '../threads/supervised-thread.ts'
import { openThread } from './open-thread.ts'
import { openStores } from './stores.ts'

/** What every worker is started with. */
export type WorkerData = {
  readonly config: Config
  /** Whether the log is read by a person at a terminal. */
  readonly isTerminal: boolean
  readonly lruClock: SharedArrayBuffer
}

/** `Asked` is what workers of this kind ask of the supervisor beside what all of them ask, `Offered` what they do for it. */
export async function openWorker<Asked extends object, Offered extends ThreadFunctions = ThreadFunctions>(
  { config, isTerminal, lruClock }: WorkerData,
  freshness: Freshness,
) {
  const { supervisor, openFiles, log, serve } = superviseThread<Asked, Offered>(lruClock)
  const metrics = createRequestMetrics()
  const { logLevel: level, logFormat: format } = config
  const logger = createLogger({ level, format, destination: log, isTerminal })
  const observeRequests = createObserver({ logger, metrics })
  const observe: Observe = (observation) =>
    isOfRequest(observation) ? observeRequests(observation) : void supervisor.report(observation)
  // Only to wait: the supervisor answers when it has brought the stores up to date.
  await supervisor.currentManifest()
  const stores = await openStores(config, { observe, freshness })
  const thread = openThread({ config, observe, openFiles, stores })
  return {
    thread,
    supervisor,
    /** From now on the worker does what the supervisor asks. */
    serve,
    metricValues: metrics.values,
    closeStores: stores.close,
    /** To be called after `serve`: what is announced later comes by itself. */
    announceCurrent: async (announce: (manifest: Manifest) => Promise<void>) => {
      const manifest = await supervisor.currentManifest()
      if (manifest !== null && thread.readServices.catalogue.current() === null) await announce(manifest)
    },
  }
}
