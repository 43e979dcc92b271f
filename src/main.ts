/**
 * The composition root of the process: hands the command line a service that runs in this thread alone, or in several that
 * this one supervises. What a command does not need is not loaded: it would cost more time than all the rest of a start.
 */
import { availableParallelism } from 'node:os'
import type { ThreadData } from './api-thread.ts'
import { createRateLimiter } from './auth/rate-limiter.ts'
import { runCli } from './cli/run-cli.ts'
import type { Service } from './cli/service.ts'
import { type Config, rateLimits } from './config/load-config.ts'
import { controlStorePath, openControlStore } from './directory/control-store.ts'
import { listen, portToShare } from './http/listen.ts'
import { createLogger, standardOutput } from './observe/logger.ts'
import { createMetrics, metricsText } from './observe/metrics.ts'
import { createObserver } from './observe/observer.ts'
import type { Manifest } from './snapshot/manifest.ts'
import { announcementOf, Manifests } from './snapshot/manifests.ts'
import { SharedFiles } from './snapshot/shared-files.ts'
import { startApiThreads } from './threads/api-threads.ts'

process.exitCode = await runCli(process.argv.slice(2), startService)

async function startService(config: Config): Promise<Service> {
  const output = standardOutput()
  const isTerminal = process.stdout.isTTY === true
  const { logLevel: level, logFormat: format } = config
  const metrics = createMetrics()
  const observe = createObserver({
    logger: createLogger({ level, format, destination: output, isTerminal }),
    metrics,
  })
  const store = await openControlStore(controlStorePath(config.data), { freshness: 'turn' })
  const files = new SharedFiles(config.data, observe, config.memoryBudget)
  const manifests = new Manifests(config.data, observe)
  try {
    const wanted = config.threads ?? availableParallelism()
    const shared = wanted === 1 ? null : await portToShare(config)
    if (shared === null && wanted > 1) {
      const reason = 'this platform cannot share a port between threads (SO_REUSEPORT)'
      observe({ kind: 'threads-limited', wanted, reason })
    }
    // Beside the start of the threads, which takes longer.
    let current = manifests.successorOf(undefined)
    const running = await (shared === null ? startAlone() : startThreads(shared.port, wanted, () => current))
    let announced: Manifest | null = null
    const announce = async (manifest: Manifest | null) => {
      if (manifest === null || manifest.id === announced?.id) return
      announced = manifest
      current = Promise.resolve(manifest)
      await running.announce(manifest)
      observe(announcementOf(manifest))
    }
    await announce(await current)
    return {
      address: running.address,
      hasSnapshot: () => announced !== null,
      store,
      observe,
      lookForSnapshot: async () => announce(await manifests.successorOf(announced?.id)),
      close: async () => {
        await running.close()
        shared?.giveBack()
        await store.close()
      },
    }
  } catch (error) {
    await store.close()
    throw error
  }

  async function startAlone(): Promise<Running> {
    const { openApi } = await import('./api.ts')
    const text = async () => metricsText([await metrics.values()])
    const parts = { config, observe, store, openFiles: files.open, metricsText: text, rateMemories: {} }
    const { server, announce } = openApi(parts)
    return { address: await listen(server, config), announce, close: () => server.close() }
  }

  function startThreads(
    port: number,
    count: number,
    currentManifest: () => Promise<Manifest | null>,
  ): Promise<Running> {
    const limits = rateLimits(config)
    const rateMemories = {
      v1: createRateLimiter(limits.v1)?.memory,
      v2: createRateLimiter(limits.v2)?.memory,
    }
    const data: ThreadData = { config, port, isTerminal, lastUses: files.lastUses.memory, rateMemories }
    return startApiThreads({
      count,
      script: new URL('api-thread.ts', import.meta.url),
      data,
      files,
      currentManifest,
      writeLog: (lines) => output.write(lines),
      metricValues: metrics.values,
      observe,
    })
  }
}

/** However many threads it takes. */
type Running = Pick<Awaited<ReturnType<typeof startApiThreads>>, 'address' | 'announce' | 'close'>
