/**
 * The composition root: the only place that names an engine. It wires stores, use cases and edges into a service and
 * hands that to the command line. With several threads, the main one supervises and each of the others runs this file
 * again, to be a whole server of its own. Imported by nobody.
 */
import { availableParallelism } from 'node:os'
import { isMainThread, workerData } from 'node:worker_threads'
import type { FastifyInstance } from 'fastify'
import { createAuthenticator, createVersion1Authenticator } from './auth/authenticate.ts'
import { createRateLimiter } from './auth/rate-limiter.ts'
import { runCli } from './cli/run-cli.ts'
import type { Service } from './cli/service.ts'
import { type Config, queryLimits, rateLimits } from './config/load-config.ts'
import { type ControlStore, controlStorePath, openControlStore } from './directory/control-store.ts'
import { createMemoryEngine } from './engine/memory/memory-engine.ts'
import { listen, portToShare } from './http/listen.ts'
import { createServer, defaultHttpLimits } from './http/server.ts'
import { createLogger, standardOutput } from './observe/logger.ts'
import { createMetrics, createRequestMetrics, metricsText } from './observe/metrics.ts'
import type { Observe } from './observe/observation.ts'
import { createObserver } from './observe/observer.ts'
import { answer } from './read/answer.ts'
import { warmClients, warmUp } from './read/warm-up.ts'
import type { OpenCollectionFiles } from './snapshot/collection-files.ts'
import type { Manifest } from './snapshot/manifest.ts'
import { announcementOf } from './snapshot/manifests.ts'
import { SharedFiles } from './snapshot/shared-files.ts'
import { SnapshotCatalogue } from './snapshot/snapshot-catalogue.ts'
import { startApiThreads } from './threads/api-threads.ts'
import { superviseThread } from './threads/supervised-thread.ts'

/** What a thread needs to know; the memory in it is the same for all of them. */
type ThreadData = {
  readonly config: Config
  readonly port: number
  readonly isTerminal: boolean
  readonly lastUses: SharedArrayBuffer
  readonly rateMemories: RateMemories
}

type RateMemories = {
  readonly v1?: SharedArrayBuffer | undefined
  readonly v2?: SharedArrayBuffer | undefined
}

if (isMainThread) process.exitCode = await runCli(process.argv.slice(2), startService)
else await runThread(workerData as ThreadData)

async function startService(config: Config): Promise<Service> {
  const output = standardOutput()
  const isTerminal = process.stdout.isTTY === true
  const metrics = createMetrics()
  const logger = createLogger({
    level: config.logLevel,
    format: config.logFormat,
    destination: output,
    isTerminal,
  })
  const observe = createObserver({ logger, metrics })
  const store = await openControlStore(controlStorePath(config.data), { freshness: 'turn' })
  const files = new SharedFiles(config.data, observe, config.memoryBudget)
  const wanted = config.threads ?? availableParallelism()
  try {
    const port = wanted === 1 ? null : await portToShare(config)
    if (port === null && wanted > 1) {
      const reason = 'this platform cannot share a port between threads (SO_REUSEPORT)'
      observe({ kind: 'threads-limited', wanted, reason })
    }
    const start = port === null ? startAlone : () => startThreads(port)
    const { catalogue, address, announce, close } = await start()
    const lookForSnapshot = async () => {
      const manifest = await catalogue.refresh()
      if (manifest === null) return
      await announce(manifest)
      observe(announcementOf(manifest))
    }
    await lookForSnapshot()
    return { address, catalogue, store, observe, lookForSnapshot, close: () => close().then(store.close) }
  } catch (error) {
    await store.close()
    throw error
  }

  async function startAlone() {
    const text = async () => metricsText([await metrics.values()])
    const api = openApi({
      config,
      observe,
      store,
      openFiles: files.open,
      metricsText: text,
      rateMemories: {},
    })
    const address = await listen(api.server, config)
    const { catalogue, server } = api
    return { catalogue, address, announce: api.warm, close: () => server.close() }
  }

  async function startThreads(port: number) {
    const catalogue = new SnapshotCatalogue(config.data, observe, files.open)
    // Beside the start of the threads, which takes longer.
    const found = catalogue.refresh()
    let current = found
    const limits = rateLimits(config)
    const threads = await startApiThreads({
      count: wanted,
      script: new URL(import.meta.url),
      data: {
        config,
        port,
        isTerminal,
        lastUses: files.lastUses.memory,
        rateMemories: {
          v1: createRateLimiter(limits.v1)?.memory,
          v2: createRateLimiter(limits.v2)?.memory,
        },
      } satisfies ThreadData,
      files,
      currentManifest: () => current,
      writeLog: (lines) => output.write(lines),
      metricValues: metrics.values,
      observe,
    })
    const announce = (manifest: Manifest) => {
      current = Promise.resolve(manifest)
      return threads.announce(manifest)
    }
    const first = await found
    if (first !== null) observe(announcementOf(first))
    return { catalogue, address: threads.address, announce, close: threads.close }
  }
}

async function runThread({ config, port, isTerminal, lastUses, rateMemories }: ThreadData): Promise<void> {
  const { supervisor, openFiles, log, obey } = superviseThread(lastUses)
  const metrics = createRequestMetrics()
  const format = config.logFormat === 'auto' && isTerminal ? 'pretty' : config.logFormat
  const logger = createLogger({ level: config.logLevel, format, destination: log, isTerminal })
  const observe = createObserver({ logger, metrics })
  const store = await openControlStore(controlStorePath(config.data), { freshness: 'turn' })
  const api = openApi({
    config,
    observe,
    store,
    openFiles,
    metricsText: () => supervisor.metricsText(),
    rateMemories,
  })
  const announce = async (manifest: Manifest) => {
    api.catalogue.announce(manifest)
    await api.warm()
  }
  obey({
    announce,
    metricValues: metrics.values,
    close: async () => {
      await api.server.close()
      await store.close()
    },
  })
  const manifest = await supervisor.currentManifest()
  // Another one may have been announced in the meantime.
  if (manifest !== null && api.catalogue.current() === null) await announce(manifest)
  await supervisor.listening(await listen(api.server, { host: config.host, port, reusePort: true }))
}

type ApiParts = {
  readonly config: Config
  readonly observe: Observe
  readonly store: ControlStore
  readonly openFiles: OpenCollectionFiles
  readonly metricsText: () => Promise<string>
  readonly rateMemories: RateMemories
}

type Api = {
  readonly server: FastifyInstance
  readonly catalogue: SnapshotCatalogue
  /** Makes the current snapshot's clients quick to answer. Does not wait until they are. */
  readonly warm: () => Promise<void>
}

/** A whole server that is not listening yet. */
function openApi({ config, observe, store, openFiles, metricsText, rateMemories }: ApiParts): Api {
  const catalogue = new SnapshotCatalogue(config.data, observe, openFiles)
  const answering = { catalogue, engine: createMemoryEngine(), limits: queryLimits(config), observe }
  const limits = rateLimits(config)
  const server = createServer({
    answer: (request) => answer(request, answering),
    catalogue,
    authenticate: createAuthenticator(store.accounts),
    authenticateVersion1: createVersion1Authenticator(store.accounts),
    rateLimiters: {
      v1: createRateLimiter(limits.v1, { memory: rateMemories.v1 }),
      v2: createRateLimiter(limits.v2, { memory: rateMemories.v2 }),
    },
    rotateOwnKey: store.accounts.rotateOwnKey,
    observe,
    metricsText,
    limits: { ...defaultHttpLimits, requestLineBytes: config.requestLineBytes },
  })
  const warm = async () => {
    const snapshot = catalogue.current()
    if (snapshot === null || config.warmUp === 'none') return
    const clients = warmClients(await store.accounts.list())
    // Not awaited: the first requests need not wait for clients that others ask for.
    void warmUp(snapshot, clients, config.memoryBudget, answering)
  }
  return { server, catalogue, warm }
}
