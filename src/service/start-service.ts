/**
 * Starts the service in phases, each in its own file in this folder. Code that takes long to load is loaded while the first
 * thread starts, not before it: several phases run at the same time, and each waits for what it needs.
 *
 * One stack holds how to release what the phases opened. A start that fails half-way and a stop release the same things in
 * the same order.
 */
import { hostname } from 'node:os'
import { resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { RunScript } from '../automation/runs/run-states.ts'
import type { ScheduleWork } from '../automation/schedules/run-schedules.ts'
import type { Service } from '../cli/service.ts'
import type { Config } from '../config/load-config.ts'
import { startingQuiet } from '../directory/holds/quiet.ts'
import { type HoldWatch, watchHolds } from '../directory/holds/watch-holds.ts'
import { placeLimits } from '../http/connections/connection-places.ts'
import { answerRefreshRequests } from '../ingest/refresh/refresh-requests.ts'
import { createRefreshes, type Refreshes } from '../ingest/refresh/refreshes.ts'
import { scheduleRefreshes } from '../ingest/refresh/schedule.ts'
import { settleLostRefreshes } from '../ingest/refresh/settle-lost.ts'
import { version } from '../kernel/files/version.ts'
import type { LogDestination } from '../observe/logger.ts'
import { openFileLimit, watchOpenFiles } from '../observe/open-files.ts'
import type { WorkOnOneNode } from '../postgres/on-one-node.ts'
import { SharedFiles } from '../snapshot/files/shared-files.ts'
import type { Manifests } from '../snapshot/manifests.ts'
import { type OpenSnapshots, openSnapshots } from '../snapshot/open-snapshots.ts'
import { checkAccounts } from './account-checks.ts'
import { type Announcements, createAnnouncements } from './announcements.ts'
import { type Listening, type ListenParts, listenAlone, listenInThreads } from './listening.ts'
import { type ReservedPort, reservePort, scriptThreadsOf } from './reserve-port.ts'
import { repeatRuns, whoRefreshes } from './scheduled-work.ts'
import type { ScriptRuns } from './script-runs.ts'
import { observeService, type ServiceObserver } from './service-observer.ts'
import type { Stores } from './stores.ts'

/** What every phase needs. */
type Start = {
  readonly config: Config
  readonly observer: ServiceObserver
  readonly snapshots: OpenSnapshots
  readonly files: SharedFiles
  readonly releases: AsyncDisposableStack
}

/** What runs in the background once the first thread listens. */
type Background = {
  readonly scripts: ScriptRuns
  readonly schedules: ScheduleWork
  readonly refreshes: Refreshes
}

/**
 * @param log where the lines of the log go; to standard output unless given
 * @throws Problem when the port is taken, the data folder unusable or a store unreadable
 */
export async function startService(given: Config, log?: LogDestination): Promise<Service> {
  const config = startingQuiet(given)
  const releases = new AsyncDisposableStack()
  const background = Promise.withResolvers<Background>()
  background.promise.catch(() => undefined)
  try {
    const start = observe(config, releases, log)
    const { observer } = start
    const scriptsReady = Promise.withResolvers<void>()
    observer.holdReadiness(scriptsReady.promise)
    const port = await takePort(start)
    const data = openData(start)
    const announcements = createAnnouncements({ observe: start.observer.observe, snapshots: data })
    const listening = listen(start, port, { data, announcements, background: background.promise })

    const { stores, manifests } = await data
    const startsScripts = await mayBeCalled(stores.control)
    if (!startsScripts) scriptsReady.resolve()
    const { isQuiet, resumed } = await watchHolds({ ...start, ...observer, holds: stores.control.holds })
    const scheduledWork = await scheduleWork(start, resumed)
    const { address, operatorAddress, announce, metricValues } = await listening
    announcements.tell(announce)
    await announcements.announceFirst()

    // Not earlier: the threads that answer requests start first.
    const scripts = await runScripts(start, { stores, announcements, scheduledWork, isQuiet })
    await recordLost(start, await data)
    if (startsScripts) scriptsReady.resolve(readySoon(scripts))
    const schedules = await runSchedules(start, { stores, scripts, scheduledWork })
    const refreshes = await refresh(start, { stores, announcements })
    await tellOfChanges(start, { manifests, stores, announcements, scheduledWork, isQuiet })
    background.resolve({ scripts, schedules, refreshes })
    const { keepRequestMinutes } = await import('./figures/request-minutes.ts')
    const { requestMinutes } = stores.control
    start.releases.defer(keepRequestMinutes({ metricValues, requestMinutes }))
    const { adoptKeyOfSecrets } = await import('./stores.ts')
    await adoptKeyOfSecrets(stores.control, observer.observe)
    start.releases.defer(await checkAccounts(stores.control.accounts, observer.observe))
    observer.observe({
      kind: 'service-started',
      version,
      address,
      operatorAddress,
      threads: port.apiThreads,
      scriptThreads: scriptThreadsOf(config),
      dataFolder: resolve(config.data),
    })
    const opened = {
      address,
      operatorAddress,
      store: stores.control,
      announcements,
      refreshes,
      scheduledWork,
    }
    return serviceOf(start, opened)
  } catch (error) {
    // Requests that wait for a script must fail now: otherwise the server would not close.
    background.reject(error)
    await releases.disposeAsync()
    throw error
  }
}

function observe(config: Config, releases: AsyncDisposableStack, log: LogDestination | undefined): Start {
  const observer = observeService(config, log)
  releases.defer(observer.stop)
  const snapshots = openSnapshots(config, observer.observe)
  releases.defer(snapshots.close)
  const files = new SharedFiles(snapshots.files, observer.observe, config.memoryBudget)
  return { config, observer, snapshots, files, releases }
}

async function takePort({ config, observer, releases }: Start): Promise<ReservedPort> {
  const port = await reservePort(config, observer.observe)
  releases.defer(port.release)
  return port
}

/** Opens the stores and the snapshots of the data folder. Lookups see a change by another process in the next turn. */
function openData({ config, observer: { observe }, snapshots, releases }: Start) {
  const open = async () => {
    const { openStores } = await import('./stores.ts')
    const { announcementOf, Manifests } = await import('../snapshot/manifests.ts')
    const stores = await openStores(config, { observe, freshness: 'turn', repairHistory: true })
    const { holdServiceLock } = await import('../directory/service-lock.ts')
    const lock = await holdServiceLock(config.data)
    if (lock?.hasOther) observe({ kind: 'data-folder-shared', dataFolder: resolve(config.data) })
    const manifests = new Manifests(snapshots.manifests(stores.control.snapshots), observe)
    return { lock, stores, manifests, announcementOf }
  }
  return releasedLater(releases, open(), async ({ stores, lock }) => {
    await stores.close()
    lock?.release()
  })
}

type Beside = {
  readonly data: ReturnType<typeof openData>
  readonly announcements: Announcements
  readonly background: Promise<Background>
}

function listen(
  { config, observer, snapshots, files, releases }: Start,
  { sharedPort, operators, apiThreads }: ReservedPort,
  { data, announcements, background }: Beside,
): Promise<Listening> {
  const fileLimit = openFileLimit()
  const scriptThreads = scriptThreadsOf(config)
  const parts: ListenParts = {
    config,
    observer,
    snapshots,
    files,
    operators,
    openedStores: async () => (await data).stores,
    currentManifest: announcements.currentManifest,
    placeLimits: placeLimits(config, { limit: fileLimit, apiThreads, scriptThreads }),
    runScript: async (job) => (await background).scripts.run(job),
    live: {
      list: async () => (await background).scripts.live.list(),
      open: async () => (await background).scripts.live.open(),
      events: async (after) => (await background).scripts.live.events(after),
      cancel: async (target, reason) => (await background).scripts.live.cancel(target, reason),
    },
    refreshing: {
      state: async () => (await background).refreshes.state(),
      start: async (by, options) => (await background).refreshes.start(by, options),
    },
    scriptMetrics: async () => (await background).scripts.metricValues(),
  }
  // Put on the stack before the threads that answer requests, so it is released after them: their requests may need a script.
  // Runs by schedule note their end after the scripts have ended.
  releasedLater(releases, background, ({ schedules }) => schedules.close())
  releasedLater(releases, background, ({ scripts }) => scripts.close())
  const listening = sharedPort === null ? listenAlone(parts) : listenInThreads(parts, sharedPort, apiThreads)
  releasedLater(releases, listening, ({ close }) => close())
  releasedLater(releases, background, ({ scripts }) => scripts.endRunsSoon())
  releases.defer(watchOpenFiles({ observe: observer.observe, limit: fileLimit }))
  return listening
}

/** Not earlier than the stores: a database that is away is theirs to report. */
async function scheduleWork({ config, observer, releases }: Start, resumed: Promise<void>) {
  const { openScheduledWork } = await import('./scheduled-work.ts')
  const work = await openScheduledWork(config, observer.observe, resumed)
  releases.defer(work.close)
  return work
}

type BesideScripts = {
  readonly stores: Stores
  readonly announcements: Announcements
  readonly scheduledWork: WorkOnOneNode
  readonly isQuiet: HoldWatch['isQuiet']
}

/** Requests that need a script wait until this is done. */
async function runScripts(
  { config, observer, files, releases }: Start,
  {
    stores: { control, history },
    announcements: { currentManifest, tell },
    scheduledWork,
    isQuiet,
  }: BesideScripts,
): Promise<ScriptRuns> {
  const { startScriptRuns } = await import('./script-runs.ts')
  const { answerQuestions, withOtherNodes } = await import('../automation/live/other-nodes.ts')
  const { observe, writeLog, isTerminal } = observer
  const supplies = { files, currentManifest, writeLog, observe }
  const count = scriptThreadsOf(config)
  const node = `${hostname()}-${process.pid}`
  const own = startScriptRuns({ config, count, isTerminal, history, node, scheduledWork, ...supplies })
  releases.defer(answerQuestions(own.live, history.live, node))
  // With stores in the data folder there is one node.
  const isShared = config.store !== undefined
  const scripts = isShared ? { ...own, live: withOtherNodes(own.live, history.live, node) } : own
  tell(scripts.announce)
  const stopReruns = await repeatRuns({ control, history, scheduledWork, scripts, observe, isQuiet })
  return { ...scripts, close: async () => void (await Promise.all([scripts.close(), stopReruns()])) }
}

/**
 * Records the runs that a killed process has left without a record; nothing waits for it. While another service runs on the folder,
 * the journal may be that of the other one: then the next start does it.
 */
async function recordLost(
  { config, observer: { observe }, releases }: Start,
  { lock, stores }: Awaited<ReturnType<typeof openData>>,
): Promise<void> {
  if (lock === null || lock.hasOther) return
  const { recordLostRuns } = await import('../automation/live/lost-runs.ts')
  const before = Date.now() - 1000 * process.uptime()
  const { data: dataFolder, cardNumbers } = config
  const recording = recordLostRuns({ dataFolder, history: stores.history, before, cardNumbers }).then(
    (runs) => {
      if (runs > 0) observe({ kind: 'runs-lost', runs })
    },
    (cause: Error) => observe({ kind: 'run-journal-failed', reason: cause.message }),
  )
  releases.defer(() => recording)
}

type BesideSchedules = {
  readonly stores: Stores
  readonly scripts: Pick<ScriptRuns, 'run'>
  readonly scheduledWork: WorkOnOneNode
}

async function runSchedules(
  { config, observer: { observe }, releases }: Start,
  { stores: { control: store, history }, scripts, scheduledWork }: BesideSchedules,
): Promise<ScheduleWork> {
  const { createScheduleWork } = await import('../automation/schedules/run-schedules.ts')
  const { reportOf } = await import('../threads/messages.ts')
  const { historyBodyBytes, cardNumbers, startedQuiet } = config
  const run: RunScript = async (job) => reportOf(await scripts.run(job))
  const schedules = createScheduleWork({
    ...{ store, history, run, observe },
    ...{ startedQuiet, historyBodyBytes, cardNumbers },
  })
  releases.defer(scheduledWork.add(schedules.start))
  return schedules
}

/** Records what changes from snapshot to snapshot, and delivers webhooks. */
async function tellOfChanges(
  { config, observer: { observe }, releases }: Start,
  { stores, announcements, ...parts }: BesideScripts & { readonly manifests: Manifests },
): Promise<void> {
  const { startEventWork } = await import('./event-work.ts')
  const { currentManifest } = announcements
  const { control: store, history } = stores
  releases.defer(startEventWork({ config, observe, store, history, currentManifest, ...parts }))
}

/** The first call of an endpoint should not wait for threads; but threads that do not start must not keep the service from answering. */
async function readySoon({ startThreads }: ScriptRuns): Promise<void> {
  await Promise.race([startThreads(), delay(MOST_START_MS, undefined, { ref: false })])
}

/** How long `/readyz` waits for the threads that run scripts. */
export const MOST_START_MS = 10_000

/** Whether there is an endpoint to call. Endpoints that cannot be read are for their callers to report. */
const mayBeCalled = async ({ endpoints }: Stores['control']): Promise<boolean> => {
  try {
    return (await endpoints.current()).length > 0
  } catch {
    return true
  }
}

async function refresh(
  { config, observer: { observe }, releases }: Start,
  { stores, announcements }: Pick<BesideScripts, 'stores' | 'announcements'>,
): Promise<Refreshes> {
  const { refreshes: history, holds } = stores.control
  releases.defer(await settleLostRefreshes({ config, history, observe }))
  const published = announcements.announceNewer
  const refreshes = createRefreshes({ config, observe, history, holds, published })
  // Before the stores are closed: it records how the refresh ended.
  releases.defer(refreshes.stop)
  return refreshes
}

type Opened = Pick<Service, 'address' | 'operatorAddress' | 'store' | 'refreshes'> & {
  readonly announcements: Announcements
  readonly scheduledWork: WorkOnOneNode
}

function serviceOf(
  { config, observer, releases }: Start,
  { announcements, scheduledWork, ...opened }: Opened,
): Service {
  const { observe, cutOff } = observer
  const { hasSnapshot, announceNewer: lookForSnapshot, watch } = announcements
  const { store, refreshes } = opened
  return {
    ...opened,
    observe,
    hasSnapshot,
    firstRun: async (onStep, signal) => {
      const { firstRun } = await import('./first-run/first-run.ts')
      return firstRun(config, { store, observe, hasSnapshot, lookForSnapshot }, onStep, signal)
    },
    keepFresh: (onFailure) => {
      const endWatch = watch(onFailure)
      const endSchedule = whoRefreshes(config, scheduledWork).add((lost) =>
        scheduleRefreshes(config.refresh, refreshes, { onFailure, signal: lost }),
      )
      const asked = { dataFolder: config.data, refreshes, hasSource: config.source !== undefined }
      const endRequests = answerRefreshRequests({ ...asked, audit: store.audit }, onFailure)
      return () => {
        endWatch()
        endSchedule().catch(onFailure)
        endRequests()
        void refreshes.stop()
      }
    },
    close: async (reason = 'the service was closed') => {
      const began = performance.now()
      observe({ kind: 'service-stopping', reason })
      await releases.disposeAsync()
      const milliseconds = performance.now() - began
      observe({ kind: 'service-stopped', reason, milliseconds, ...cutOff() })
      return { requestsCutOff: cutOff().requestsCutOff }
    },
  }
}

/** Releases what `pending` resolves to, even when it resolves only after the start has failed. */
function releasedLater<T>(
  releases: AsyncDisposableStack,
  pending: Promise<T>,
  release: (opened: T) => unknown,
): Promise<T> {
  // The start rejects with the first failure. The same failure may reject this promise too, and is handled here.
  pending.catch(() => undefined)
  releases.defer(async () => {
    await pending.then(release, () => undefined)
  })
  return pending
}
