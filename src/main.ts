/**
 * The composition root of the process: hands the command line a service that runs in this thread alone, or in several that
 * this one supervises. What takes long to load is loaded beside the first thread, not before it.
 */
import { availableParallelism } from 'node:os'
import { createFailureMemory } from './auth/limits/failure-table.ts'
import { createRateLimiter } from './auth/limits/rate-limiter.ts'
import type { RunJob } from './automation/runs/run-job.ts'
import { runCli } from './cli/run-cli.ts'
import type { Service } from './cli/service.ts'
import { type Config, rateLimits } from './config/load-config.ts'
import type { ControlStore } from './directory/control-store.ts'
import { secretKey } from './directory/secrets/secret-key.ts'
import { openPlaces, placeLimits, placesMemory } from './http/connections/connection-places.ts'
import { listen, portToShare } from './http/connections/listen.ts'
import type { Refreshing, RefreshOptions } from './ingest/refresh/refresh-state.ts'
import { createRefreshes } from './ingest/refresh/refreshes.ts'
import { createLogger, standardOutput } from './observe/logger.ts'
import { createMetrics, metricsText } from './observe/metrics.ts'
import type { Observe } from './observe/observation.ts'
import { createObserver } from './observe/observer.ts'
import { openFileLimit, watchOpenFiles } from './observe/open-files.ts'
import { reportWriting, watchHealth } from './observe/service-health.ts'
import type { ThreadData } from './service/api-worker.ts'
import type { Scripts } from './service/script-runs.ts'
import { SharedFiles } from './snapshot/files/shared-files.ts'
import type { Manifest } from './snapshot/manifest.ts'
import { startApiPool } from './threads/api-pool.ts'
import { type RunReply, reportOf } from './threads/messages.ts'

process.exitCode = await runCli(process.argv.slice(2), startService, async (...parts) =>
  (await import('./service/trial-runner.ts')).openTestRunner(...parts),
)

async function startService(config: Config): Promise<Service> {
  const output = standardOutput()
  const isTerminal = process.stdout.isTTY === true
  const { logLevel: level, logFormat: format } = config
  const metrics = createMetrics()
  const health = watchHealth(
    createObserver({ logger: createLogger({ level, format, destination: output, isTerminal }), metrics }),
  )
  let requestsCutOff = 0
  const observe: Observe = (observation) => {
    if (observation.kind === 'requests-cut-off') requestsCutOff += observation.requests
    health.observe(observation)
  }
  const files = new SharedFiles(config.data, observe, config.memoryBudget)
  const wanted = config.threads ?? availableParallelism()
  const shared = wanted === 1 ? null : await portToShare(config)
  if (shared === null && wanted > 1) {
    const reason = 'this platform cannot share a port between threads (SO_REUSEPORT)'
    observe({ kind: 'threads-limited', wanted, reason })
  }
  // Two at least, so that a single script in the way of the others is not in the way of all.
  const scriptThreads = config.scriptThreads ?? Math.max(2, Math.ceil(availableParallelism() / 2))
  const fileLimit = openFileLimit()
  const apiThreads = shared === null ? 1 : wanted
  const limits = placeLimits(config, { limit: fileLimit, apiThreads, scriptThreads })
  const endWatch = watchOpenFiles({ observe, limit: fileLimit })
  const opening = openStores()
  let scripts: Scripts | null = null
  const scriptsRunning = Promise.withResolvers<Scripts>()
  const refreshing = Promise.withResolvers<Refreshing>()
  const refresh = {
    refreshState: async () => (await refreshing.promise).state(),
    startRefresh: async (by: string, options?: RefreshOptions) =>
      (await refreshing.promise).start(by, options),
  }
  let current = opening.then(({ manifests }) => manifests.successorOf(undefined))
  const starting = shared === null ? startAlone() : startThreads(shared.port)
  // Whichever fails first is told below; the others then fail for want of it.
  for (const promise of [current, starting, scriptsRunning.promise]) promise.catch(() => undefined)
  try {
    const { store, manifests, announcementOf } = await opening
    const running = await starting
    let announced: Manifest | null = null
    const announce = async (manifest: Manifest | null) => {
      if (manifest === null || manifest.id === announced?.id) return
      announced = manifest
      current = Promise.resolve(manifest)
      await Promise.all([running.announce(manifest), scripts?.announce(manifest)])
      for (const fact of announcementOf(manifest)) observe(fact)
    }
    await announce(await current)
    // Not before: whoever asks for records goes first.
    scripts = await startScripts()
    scriptsRunning.resolve(scripts)
    const lookForSnapshot = async () => announce(await manifests.successorOf(announced?.id))
    const refreshes = createRefreshes({ config, observe, published: lookForSnapshot })
    refreshing.resolve(refreshes)
    return {
      address: running.address,
      hasSnapshot: () => announced !== null,
      store,
      observe,
      lookForSnapshot,
      refreshes,
      close: async () => {
        endWatch()
        scripts?.endRunsSoon()
        await running.close()
        await scripts?.close()
        health.stop()
        shared?.giveBack()
        await store.close()
        return { requestsCutOff }
      },
    }
  } catch (error) {
    endWatch()
    // Requests that wait for scripts would keep the server from closing.
    scriptsRunning.reject(error)
    await starting.then(
      ({ close }) => close(),
      () => undefined,
    )
    shared?.giveBack()
    await opening.then(
      ({ store }) => store.close(),
      () => undefined,
    )
    throw error
  }

  async function openStores() {
    const { controlStorePath, openControlStore } = await import('./directory/control-store.ts')
    const { announcementOf, Manifests } = await import('./snapshot/manifests.ts')
    const { historyPath } = await import('./directory/history/open-history.ts')
    const { readableHistory } = await import('./directory/history/readable-history.ts')
    const store: ControlStore = await openControlStore(controlStorePath(config.data), {
      freshness: 'turn',
      onWriting: reportWriting(observe, 'control'),
      secretKey: () => secretKey(config),
    })
    await readableHistory(historyPath(config.data), observe)
    return { store, manifests: new Manifests(config.data, observe), announcementOf }
  }

  /** After the first thread listens: whoever wants to run a script before that waits. */
  async function startScripts(): Promise<Scripts> {
    const { startScripts } = await import('./service/script-runs.ts')
    const writeLog = (lines: string) => void output.write(lines)
    return startScripts({
      config,
      count: scriptThreads,
      isTerminal,
      files,
      currentManifest: () => current,
      writeLog,
      observe,
    })
  }

  async function runScript(job: RunJob): Promise<RunReply> {
    return (await scriptsRunning.promise).run(job)
  }

  async function startAlone(): Promise<Running> {
    const { openApi } = await import('./service/api.ts')
    const { historyPath, openHistory } = await import('./directory/history/open-history.ts')
    const { store } = await opening
    const history = await openHistory(historyPath(config.data), {
      onWriting: reportWriting(observe, 'history'),
    })
    const text = async () =>
      metricsText([await metrics.values(), ...(await (await scriptsRunning.promise).metricValues())])
    const { server, announce } = openApi({
      config,
      observe,
      store,
      history,
      runScript: async (job) => reportOf(await runScript(job)),
      admin: { refreshing: { state: refresh.refreshState, start: refresh.startRefresh } },
      openFiles: files.open,
      metricsText: text,
      readiness: async () => health.readiness(),
      rateMemories: {},
      places: openPlaces(limits),
    })
    const close = async () => {
      await server.close()
      await history.close()
    }
    return { address: await listen(server, config), announce, close }
  }

  function startThreads(port: number): Promise<Running> {
    const rates = rateLimits(config)
    const rateMemories = {
      v1: createRateLimiter(rates.v1)?.memory,
      v2: createRateLimiter(rates.v2)?.memory,
      failures: createFailureMemory(),
    }
    const places = { limits, memory: placesMemory(wanted) }
    const data: ThreadData = {
      config,
      port,
      isTerminal,
      lruClock: files.lruClock.memory,
      rateMemories,
      places,
    }
    return startApiPool({
      count: wanted,
      script: new URL('service/api-worker.ts', import.meta.url),
      data,
      files,
      currentManifest: () => current,
      writeLog: (lines) => output.write(lines),
      metricValues: async () => [
        await metrics.values(),
        ...(await (await scriptsRunning.promise).metricValues()),
      ],
      functions: { runScript, readiness: health.readiness, ...refresh },
      observe,
    })
  }
}

/** However many threads it takes. */
type Running = Pick<Awaited<ReturnType<typeof startApiPool>>, 'address' | 'announce' | 'close'>
