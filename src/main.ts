/**
 * The composition root: the only place that names an engine. It wires stores, use cases and edges into a service and
 * hands that to the command line. Imported by nobody.
 */
import { createAuthenticator, createVersion1Authenticator } from './auth/authenticate.ts'
import { createRateLimiter } from './auth/rate-limiter.ts'
import { runCli } from './cli/run-cli.ts'
import type { Service } from './cli/service.ts'
import { type Config, queryLimits, rateLimits } from './config/load-config.ts'
import { controlStorePath, openControlStore } from './directory/control-store.ts'
import { createMemoryEngine } from './engine/memory/memory-engine.ts'
import { listen } from './http/listen.ts'
import { createServer, defaultHttpLimits } from './http/server.ts'
import { createLogger } from './observe/logger.ts'
import { createMetrics } from './observe/metrics.ts'
import { createObserver } from './observe/observer.ts'
import { answer } from './read/answer.ts'
import { warmClients, warmUp } from './read/warm-up.ts'
import { SnapshotCatalogue } from './snapshot/snapshot-catalogue.ts'

process.exitCode = await runCli(process.argv.slice(2), startService)

async function startService(config: Config): Promise<Service> {
  const metrics = createMetrics()
  const logger = createLogger({ level: config.logLevel, format: config.logFormat })
  const observe = createObserver({ logger, metrics })
  const store = await openControlStore(controlStorePath(config.data), { freshness: 'turn' })
  const catalogue = new SnapshotCatalogue(config.data, observe, config.memoryBudget)
  const answering = { catalogue, engine: createMemoryEngine(), limits: queryLimits(config), observe }
  const limits = rateLimits(config)
  const server = createServer({
    answer: (request) => answer(request, answering),
    catalogue,
    authenticate: createAuthenticator(store.accounts),
    authenticateVersion1: createVersion1Authenticator(store.accounts),
    rateLimiters: { v1: createRateLimiter(limits.v1), v2: createRateLimiter(limits.v2) },
    rotateOwnKey: store.accounts.rotateOwnKey,
    observe,
    metrics,
    limits: { ...defaultHttpLimits, requestLineBytes: config.requestLineBytes },
  })
  const close = async () => {
    await server.close()
    await store.close()
  }
  const lookForSnapshot = async () => {
    const before = catalogue.current()
    const snapshot = await catalogue.refresh()
    if (snapshot === null || snapshot === before || config.warmUp === 'none') return
    const clients = warmClients(await store.accounts.list())
    // Not awaited: the first requests need not wait for clients that others ask for.
    void warmUp(snapshot, clients, config.memoryBudget, answering)
  }
  try {
    const address = await listen(server, config)
    await lookForSnapshot()
    return { address, catalogue, store, observe, lookForSnapshot, close }
  } catch (error) {
    await close()
    throw error
  }
}
