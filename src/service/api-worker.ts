/** Entry point of a thread that answers requests. Its supervisor controls it; listening.ts starts it. */
import { workerData } from 'node:worker_threads'
import { openPlaces, type PlaceLimits } from '../http/connections/connection-places.ts'
import { listen } from '../http/connections/listen.ts'
import { type OperatorAddress, prepareForOperators } from '../http/connections/operator-address.ts'
import { type ForApiThreads, reportOf } from '../threads/messages.ts'
import { openApi, type RateMemories } from './api.ts'
import { openWorker, type WorkerData } from './open-worker.ts'

/** All threads share the memory in it. */
export type ApiWorkerData = WorkerData & {
  readonly port: number
  /** Given when operators have an address of their own. */
  readonly operators?: OperatorAddress | undefined
  readonly rateMemories: RateMemories
  readonly apiThreads: number
  readonly places: { readonly limits: PlaceLimits; readonly memory: SharedArrayBuffer }
}

const data = workerData as ApiWorkerData & { readonly number: number }
const { config, port, operators, rateMemories, places, apiThreads } = data
const { thread, supervisor, serve, metricValues, closeStores, announceCurrent } =
  await openWorker<ForApiThreads>(data, 'turn')
const { server, announce } = openApi(thread, {
  runScript: async (job) => reportOf(await supervisor.runScript(job)),
  live: {
    list: supervisor.liveRuns,
    open: supervisor.openLiveRuns,
    events: supervisor.liveEvents,
    cancel: supervisor.cancelRuns,
  },
  refreshing: { state: supervisor.refreshState, start: supervisor.startRefresh },
  metricsText: () => supervisor.metricsText(),
  readiness: () => supervisor.readiness(),
  rateMemories,
  apiThreads,
  places: openPlaces(places.limits, places.memory, data.number),
})
serve({
  announce,
  metricValues,
  close: async () => {
    await server.close()
    await closeStores()
  },
})
await announceCurrent(announce)
const listenForOperators = operators && prepareForOperators(server, { ...operators, reusePort: true })
const address = await listen(server, { host: config.host, port, reusePort: true })
await listenForOperators?.()
await supervisor.ready(address)
