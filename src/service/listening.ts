/** Makes the service listen: in this thread alone, or in several threads that share one port and that this one supervises. */
import { createFailureMemory } from '../auth/limits/failure-table.ts'
import { createRateLimiter } from '../auth/limits/rate-limiter.ts'
import type { LiveControl } from '../automation/live/live-control.ts'
import type { RunJob } from '../automation/runs/run-states.ts'
import { type Config, rateLimits } from '../config/load-config.ts'
import { openPlaces, type PlaceLimits, placesMemory } from '../http/connections/connection-places.ts'
import { listen } from '../http/connections/listen.ts'
import {
  type OperatorAddress,
  operatorUrl,
  prepareForOperators,
} from '../http/connections/operator-address.ts'
import type { Refreshing } from '../ingest/refresh/refresh-state.ts'
import { type MetricValues, metricsText } from '../observe/metrics.ts'
import { changeReadersMemory } from '../read/changes/change-readers.ts'
import type { SharedFiles } from '../snapshot/files/shared-files.ts'
import type { Manifest } from '../snapshot/manifest.ts'
import type { OpenSnapshots } from '../snapshot/open-snapshots.ts'
import { type ApiPool, startApiPool } from '../threads/api-pool.ts'
import { type RunReply, reportOf } from '../threads/messages.ts'
import type { ApiWorkerData } from './api-worker.ts'
import type { ServiceObserver } from './service-observer.ts'
import type { Stores } from './stores.ts'

export type Listening = Pick<ApiPool, 'address' | 'announce' | 'close' | 'metricValues'> & {
  /** Null unless operators have an address of their own. */
  readonly operatorAddress: string | null
}

export type ListenParts = {
  readonly config: Config
  readonly observer: ServiceObserver
  readonly snapshots: OpenSnapshots
  readonly files: SharedFiles
  readonly operators: OperatorAddress | null
  readonly openedStores: () => Promise<Stores>
  readonly currentManifest: () => Promise<Manifest | null>
  readonly placeLimits: PlaceLimits
  /** These wait until the background work (scripts and refreshes) has started. */
  readonly runScript: (job: RunJob) => Promise<RunReply>
  readonly live: LiveControl
  readonly refreshing: Refreshing
  readonly scriptMetrics: () => Promise<readonly MetricValues[]>
}

/** @throws Problem SRV111 or SRV251 when the port is taken, or the address does not belong to this machine */
export async function listenAlone(parts: ListenParts): Promise<Listening> {
  const {
    config,
    observer,
    snapshots,
    files,
    operators,
    openedStores,
    placeLimits,
    runScript,
    live,
    refreshing,
  } = parts
  const { openApi } = await import('./api.ts')
  const { openThread } = await import('./open-thread.ts')
  const { observe } = observer
  const stores = await openedStores()
  const manifests = snapshots.manifests(stores.control.snapshots)
  const thread = await openThread({ config, observe, openFiles: files.open, manifests, stores })
  const { server, announce } = openApi(thread, {
    runScript: async (job) => reportOf(await runScript(job)),
    live,
    refreshing,
    metricsText: async () => metricsText(await metricValues(parts)),
    readiness: async () => observer.readiness(),
    rateMemories: {},
    apiThreads: 1,
    places: openPlaces(placeLimits),
  })
  const close = async () => {
    await server.close()
    await thread.readServices.close()
  }
  try {
    const listenForOperators = operators && prepareForOperators(server, operators)
    const address = await listen(server, config)
    return {
      address,
      operatorAddress: listenForOperators && (await listenForOperators()),
      announce,
      close,
      metricValues: async () => [await observer.metricValues()],
    }
  } catch (cause) {
    // One of the two may listen already.
    await close()
    throw cause
  }
}

/** Resolves as soon as one of the threads listens. */
export async function listenInThreads(parts: ListenParts, port: number, count: number): Promise<Listening> {
  const { config, observer, files, operators, currentManifest, placeLimits, runScript, live, refreshing } =
    parts
  const { observe, writeLog, isTerminal, readiness } = observer
  const rates = rateLimits(config)
  const data: ApiWorkerData = {
    config,
    port,
    operators: operators ?? undefined,
    isTerminal,
    lruClock: files.lruClock.memory,
    changeReaders: changeReadersMemory(),
    rateMemories: {
      v1: createRateLimiter(rates.v1)?.memory,
      v2: createRateLimiter(rates.v2)?.memory,
      failures: createFailureMemory(),
      calls: createFailureMemory(),
    },
    apiThreads: count,
    places: { limits: placeLimits, memory: placesMemory(count) },
  }
  const pool = await startApiPool({
    count,
    script: new URL('api-worker.ts', import.meta.url),
    data,
    files,
    currentManifest,
    writeLog,
    metricValues: () => metricValues(parts),
    functions: {
      runScript,
      liveRuns: live.list,
      openLiveRuns: live.open,
      liveEvents: live.events,
      cancelRuns: live.cancel,
      readiness,
      refreshState: refreshing.state,
      startRefresh: refreshing.start,
    },
    observe,
  })
  return { ...pool, operatorAddress: operators && operatorUrl(operators.host, operators.port) }
}

/** What the process has counted, without the counts of the threads that answer requests. */
async function metricValues({ observer, scriptMetrics }: ListenParts): Promise<readonly MetricValues[]> {
  // First, because the observer is told of the runs meanwhile.
  const ofScripts = await scriptMetrics()
  return [await observer.metricValues(), ...ofScripts]
}
