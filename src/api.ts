/** The composition root of one thread that answers requests: wires stores, use cases and edges into a whole server. */
import type { FastifyInstance } from 'fastify'
import { type AdminDeps, adminRoutes } from './admin/admin-routes.ts'
import { adminTags } from './admin/openapi-components.ts'
import { openAnswering } from './answering.ts'
import { createAuthenticator, createVersion1Authenticator } from './auth/authenticate.ts'
import { createRateLimiter } from './auth/rate-limiter.ts'
import { openTokenVerifier } from './auth/token-verifier.ts'
import { createEndpointOperations } from './automation/operations.ts'
import type { RunScript } from './automation/run-job.ts'
import { type Config, rateLimits } from './config/load-config.ts'
import type { ControlStore } from './directory/control-store.ts'
import type { History } from './directory/history/history.ts'
import { createServer, defaultHttpLimits } from './http/server.ts'
import type { Observe } from './observe/observation.ts'
import type { Readiness } from './observe/service-health.ts'
import { answer } from './read/answer.ts'
import { warmClients, warmUp } from './read/warm-up.ts'
import type { OpenCollectionFiles } from './snapshot/collection-files.ts'
import type { Manifest } from './snapshot/manifest.ts'
import { Manifests } from './snapshot/manifests.ts'

/** Of a request to an endpoint; a longer one is refused with 413. */
const MOST_BODY_BYTES = 2 ** 20

export type ApiParts = {
  readonly config: Config
  readonly observe: Observe
  readonly store: ControlStore
  readonly openFiles: OpenCollectionFiles
  readonly history: History
  /** Wherever scripts run. */
  readonly runScript: RunScript
  /** What operators ask of the whole process. */
  readonly admin: Pick<AdminDeps, 'refreshing'>
  /** Of the whole process. */
  readonly metricsText: () => Promise<string>
  /** Of the whole process. */
  readonly readiness: () => Promise<Readiness>
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

export function openApi(parts: ApiParts): Api {
  const { config, observe, store, history, openFiles, metricsText, rateMemories, runScript } = parts
  const answering = openAnswering({ config, observe, openFiles })
  const { catalogue } = answering
  const limits = rateLimits(config)
  const verifyToken = openTokenVerifier(config)
  const { deliveries } = history
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
    readiness: parts.readiness,
    limits: { ...defaultHttpLimits, requestLineBytes: config.requestLineBytes },
    tags: adminTags,
    dynamic: {
      endpoints: store.endpoints.current,
      verifyToken,
      run: runScript,
      readSecret: store.secrets.read,
      claimDelivery: deliveries.claim,
      settleDelivery: deliveries.settle,
      observe,
      maxBodyBytes: MOST_BODY_BYTES,
    },
    plugins: [
      (scope) =>
        adminRoutes(scope, {
          ...parts.admin,
          verifyToken,
          store,
          history,
          observe,
          currentSnapshotId: () => catalogue.current()?.id ?? null,
          dataFolder: config.data,
          manifests: new Manifests(config.data, observe),
          operations: createEndpointOperations({
            endpoints: store.endpoints,
            history,
            run: runScript,
            audit: store.audit,
          }),
        }),
    ],
  })
  return {
    server,
    announce: async (manifest) => {
      const snapshot = await answering.announce(manifest)
      if (snapshot === null || config.warmUp === 'none') return
      const clients = warmClients(await store.accounts.list())
      // Not awaited: the first requests need not wait for clients that others ask for.
      void warmUp(snapshot, clients, config.memoryBudget, answering)
    },
    hasSnapshot: () => catalogue.current() !== null,
  }
}
