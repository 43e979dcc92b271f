/** What a thread that answers requests runs, told by its supervisor what to do. Started by main.ts. */
import { workerData } from 'node:worker_threads'
import type { Config } from '../config/load-config.ts'
import { controlStorePath, openControlStore } from '../directory/control-store.ts'
import { historyPath, openHistory } from '../directory/history/open-history.ts'
import { secretKey } from '../directory/secrets/secret-key.ts'
import { openPlaces, type PlaceLimits } from '../http/connections/connection-places.ts'
import { listen } from '../http/connections/listen.ts'
import { createLogger } from '../observe/logger.ts'
import { createRequestMetrics } from '../observe/metrics.ts'
import { isOfRequest, type Observe } from '../observe/observation.ts'
import { createObserver } from '../observe/observer.ts'
import { reportWriting } from '../observe/service-health.ts'
import { type ForApiThreads, reportOf } from '../threads/messages.ts'
import { superviseThread } from '../threads/supervised-thread.ts'
import { openApi, type RateMemories } from './api.ts'

/** What a thread needs to know; the memory in it is the same for all of them. */
export type ThreadData = {
  readonly config: Config
  readonly port: number
  /** Whether the log is read by a person at a terminal. */
  readonly isTerminal: boolean
  readonly lruClock: SharedArrayBuffer
  readonly rateMemories: RateMemories
  readonly places: { readonly limits: PlaceLimits; readonly memory: SharedArrayBuffer }
}

const data = workerData as ThreadData & { readonly number: number }
const { config, port, isTerminal, lruClock, rateMemories, places } = data
const { supervisor, openFiles, log, serve } = superviseThread<ForApiThreads>(lruClock)
const metrics = createRequestMetrics()
const logger = createLogger({
  level: config.logLevel,
  format: config.logFormat,
  destination: log,
  isTerminal,
})
const observeRequests = createObserver({ logger, metrics })
const observe: Observe = (observation) =>
  isOfRequest(observation) ? observeRequests(observation) : void supervisor.report(observation)
// Only to wait: the supervisor answers when it has brought the store up to date.
await supervisor.currentManifest()
const [store, history] = await Promise.all([
  openControlStore(controlStorePath(config.data), {
    freshness: 'turn',
    secretKey: () => secretKey(config),
    onWriting: reportWriting(observe, 'control'),
  }),
  openHistory(historyPath(config.data), { onWriting: reportWriting(observe, 'history') }),
])
const api = openApi({
  config,
  observe,
  store,
  history,
  runScript: async (job) => reportOf(await supervisor.runScript(job)),
  admin: { refreshing: { state: supervisor.refreshState, start: supervisor.startRefresh } },
  openFiles,
  metricsText: () => supervisor.metricsText(),
  readiness: () => supervisor.readiness(),
  rateMemories,
  places: openPlaces(places.limits, places.memory, data.number),
})
serve({
  announce: api.announce,
  metricValues: metrics.values,
  close: async () => {
    await api.server.close()
    await history.close()
    await store.close()
  },
})
// What is announced from now on comes by itself.
const manifest = await supervisor.currentManifest()
if (manifest !== null && !api.hasSnapshot()) await api.announce(manifest)
await supervisor.ready(await listen(api.server, { host: config.host, port, reusePort: true }))
