/**
 * The composition root of one thread: wires catalogue, engine, use cases and HTTP edge into a whole server. The only place
 * that names an engine.
 */
import type { FastifyInstance } from 'fastify'
import { createAuthenticator, createVersion1Authenticator } from './auth/authenticate.ts'
import { createRateLimiter } from './auth/rate-limiter.ts'
import { type Config, queryLimits, rateLimits } from './config/load-config.ts'
import type { ControlStore } from './directory/control-store.ts'
import { createMemoryEngine } from './engine/memory/memory-engine.ts'
import { createServer, defaultHttpLimits } from './http/server.ts'
import type { Observe } from './observe/observation.ts'
import { answer } from './read/answer.ts'
import { warmClients, warmUp } from './read/warm-up.ts'
import type { OpenCollectionFiles } from './snapshot/collection-files.ts'
import type { Manifest } from './snapshot/manifest.ts'
import { SnapshotCatalogue } from './snapshot/snapshot-catalogue.ts'

export type ApiParts = {
  readonly config: Config
  readonly observe: Observe
  readonly store: ControlStore
  readonly openFiles: OpenCollectionFiles
  /** Of the whole process. */
  readonly metricsText: () => Promise<string>
  readonly rateMemories: RateMemories
}

/** What the rate limiters of several threads count in; a thread that is alone needs none. */
export type RateMemories = {
  readonly v1?: SharedArrayBuffer | undefined
  readonly v2?: SharedArrayBuffer | undefined
}

export type Api = {
  /** Not listening yet. */
  readonly server: FastifyInstance
  /** Answers from this snapshot from the next request on. */
  readonly announce: (manifest: Manifest) => Promise<void>
  readonly hasSnapshot: () => boolean
}

export function openApi({ config, observe, store, openFiles, metricsText, rateMemories }: ApiParts): Api {
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
  let newest: Manifest | null = null
  return {
    server,
    announce: async (manifest) => {
      if (catalogue.current()?.id === manifest.id) return
      newest = manifest
      // A share of the budget, so that what is in use until then is not pushed out.
      await catalogue.prepare(manifest, config.memoryBudget / 4)
      // A later one may have overtaken it.
      if (newest !== manifest) return
      const snapshot = catalogue.announce(manifest)
      if (config.warmUp === 'none') return
      const clients = warmClients(await store.accounts.list())
      // Not awaited: the first requests need not wait for clients that others ask for.
      void warmUp(snapshot, clients, config.memoryBudget, answering)
    },
    hasSnapshot: () => catalogue.current() !== null,
  }
}
