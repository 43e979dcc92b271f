/**
 * Starts the service in phases; each of them is a file beside this one. What takes long to load is loaded beside the first
 * thread, not before it: several phases are under way at the same time, and each waits for what it needs.
 *
 * What a phase opens stands on one stack with what releases it. A start that fails half-way and a stop release the same
 * things in the same order.
 */
import type { Service } from '../cli/service.ts'
import type { Config } from '../config/load-config.ts'
import { placeLimits } from '../http/connections/connection-places.ts'
import { createRefreshes, type Refreshes } from '../ingest/refresh/refreshes.ts'
import { scheduleRefreshes } from '../ingest/refresh/schedule.ts'
import type { Observe } from '../observe/observation.ts'
import { openFileLimit, watchOpenFiles } from '../observe/open-files.ts'
import { SharedFiles } from '../snapshot/files/shared-files.ts'
import { createAnnouncements } from './announcements.ts'
import { type ListenParts, listenAlone, listenInThreads } from './listening.ts'
import { reservePort, scriptThreadsOf } from './reserve-port.ts'
import type { ScriptRuns } from './script-runs.ts'
import { observeService } from './service-observer.ts'

/** What runs beside the requests once the first thread listens. */
type Background = { readonly scripts: ScriptRuns; readonly refreshes: Refreshes }

/** @throws Problem when the port is taken, the data folder unusable or a store unreadable */
export async function startService(config: Config): Promise<Service> {
  const releases = new AsyncDisposableStack()
  const background = Promise.withResolvers<Background>()
  background.promise.catch(() => undefined)
  try {
    const observer = observeService(config)
    const { observe, writeLog, isTerminal } = observer
    releases.defer(observer.stop)

    const { sharedPort, apiThreads, release } = await reservePort(config, observe)
    releases.defer(release)

    const opening = releasedLater(releases, openData(config, observe), ({ stores }) => stores.close())
    const stores = opening.then((opened) => opened.stores)
    const announcements = createAnnouncements({ observe, snapshots: opening })
    const { currentManifest } = announcements

    // On the stack before the threads that answer requests, and so released after them: a request in flight may need a script.
    releasedLater(releases, background.promise, ({ scripts }) => scripts.close())

    const files = new SharedFiles(config.data, observe, config.memoryBudget)
    const scriptThreads = scriptThreadsOf(config)
    const fileLimit = openFileLimit()
    const parts: ListenParts = {
      config,
      observer,
      files,
      stores,
      currentManifest,
      placeLimits: placeLimits(config, { limit: fileLimit, apiThreads, scriptThreads }),
      runScript: async (job) => (await background.promise).scripts.run(job),
      refreshing: {
        state: async () => (await background.promise).refreshes.state(),
        start: async (by, options) => (await background.promise).refreshes.start(by, options),
      },
      scriptMetrics: async () => (await background.promise).scripts.metricValues(),
    }
    const listening = releasedLater(
      releases,
      sharedPort === null ? listenAlone(parts) : listenInThreads(parts, sharedPort, apiThreads),
      ({ close }) => close(),
    )
    releasedLater(releases, background.promise, ({ scripts }) => scripts.endRunsSoon())
    releases.defer(watchOpenFiles({ observe, limit: fileLimit }))

    const { store, history } = await stores
    const { address, announce } = await listening
    announcements.tell(announce)
    await announcements.announceFirst()

    // Not before: requests for records go first.
    const { startScriptRuns } = await import('./script-runs.ts')
    const supplies = { files, currentManifest, writeLog, observe }
    const scripts = startScriptRuns({ config, count: scriptThreads, isTerminal, history, ...supplies })
    announcements.tell(scripts.announce)

    const lookForSnapshot = announcements.announceNewer
    const refreshes = createRefreshes({ config, observe, published: lookForSnapshot })
    releases.defer(refreshes.stop)
    background.resolve({ scripts, refreshes })

    const running = { hasSnapshot: announcements.hasSnapshot, store, observe, lookForSnapshot }
    return {
      ...running,
      address,
      refreshes,
      firstRun: async (onStep, signal) => {
        const { firstRun } = await import('./first-run/first-run.ts')
        return firstRun(config, running, onStep, signal)
      },
      keepFresh: (onFailure) => {
        const ends = [
          announcements.watch(onFailure),
          scheduleRefreshes(config.refresh, refreshes, onFailure),
          refreshes.stop,
        ]
        return () => {
          for (const end of ends) end()
        }
      },
      close: async () => {
        await releases.disposeAsync()
        return { requestsCutOff: observer.requestsCutOff() }
      },
    }
  } catch (error) {
    // Requests that wait for scripts would keep the server from closing.
    background.reject(error)
    await releases.disposeAsync()
    throw error
  }
}

/** The stores and the snapshots of the data folder. Lookups see a change of another process in their next turn. */
async function openData(config: Config, observe: Observe) {
  const { openStores } = await import('./stores.ts')
  const { announcementOf, Manifests } = await import('../snapshot/manifests.ts')
  const stores = await openStores(config, { observe, freshness: 'turn', repairHistory: true })
  return { stores, manifests: new Manifests(config.data, observe), announcementOf }
}

/** Something that is under way: it is released also when it comes only after the start has failed. */
function releasedLater<T>(
  releases: AsyncDisposableStack,
  pending: Promise<T>,
  release: (opened: T) => unknown,
): Promise<T> {
  // The start rejects with the first failure. What waits for the same thing fails with it, and is handled here.
  pending.catch(() => undefined)
  releases.defer(async () => {
    await pending.then(release, () => undefined)
  })
  return pending
}
