/** One thread that answers requests: wires stores, use cases and edges into a whole server. */
import type { FastifyInstance } from 'fastify'
import { type AdminDeps, adminRoutes } from '../admin/admin-routes.ts'
import { adminTags } from '../admin/openapi-components.ts'
import { createAuthenticator, createVersion1Authenticator } from '../auth/authenticate.ts'
import { createCallRates } from '../auth/limits/call-rates.ts'
import { createFailures } from '../auth/limits/failures.ts'
import { createRateLimiter } from '../auth/limits/rate-limiter.ts'
import { operatorRolesOf } from '../auth/operator-roles.ts'
import { openTokenVerifier } from '../auth/tokens/verifier.ts'
import { routeTable } from '../automation/endpoint/route-table.ts'
import { createRefusals } from '../automation/history/refusals.ts'
import { createHistoryWriter } from '../automation/history/writer.ts'
import { createEndpointOperations } from '../automation/operations/endpoint-operations.ts'
import type { RunScript } from '../automation/runs/run-states.ts'
import {
  adminRoles,
  admissionLimits,
  type Config,
  corsOrigins,
  failedAuthLimit,
  rateLimits,
} from '../config/load-config.ts'
import { signInOrigins } from '../config/operator-settings.ts'
import type { ControlStore } from '../directory/control-store.ts'
import { checkedWebhooks } from '../events/checked-webhooks.ts'
import type { Places } from '../http/connections/connection-places.ts'
import { createRefuseCaller } from '../http/refuse-caller.ts'
import { createServer, defaultHttpLimits } from '../http/server.ts'
import { watchEventLoopDelay } from '../observe/event-loop-delay.ts'
import type { Observe } from '../observe/observation.ts'
import type { Readiness } from '../observe/service-health.ts'
import { targetRules } from '../outbound/target.ts'
import { Admission } from '../read/admission.ts'
import { loadReport } from '../read/report-load.ts'
import { warmClients } from '../read/warm-up.ts'
import type { Manifest } from '../snapshot/manifest.ts'
import { Manifests } from '../snapshot/manifests.ts'
import { countingUsage } from './figures/account-usage.ts'
import type { ThreadServices } from './open-thread.ts'
import { scriptThreadsOf } from './reserve-port.ts'

/** How often the failed authentications and refusals of past minutes are written down. */
const FAILURES_TOLD_EVERY_MS = 5000

/** The largest body of a request to an endpoint; a larger one is refused with 413. */
const MOST_BODY_BYTES = 2 ** 20

/** What a thread that answers requests uses from the rest of the process. */
type ProcessServices = Pick<AdminDeps, 'refreshing' | 'live'> & {
  /** Runs a script in the thread with the fewest runs. */
  readonly runScript: RunScript
  /** The metrics of the whole process. */
  readonly metricsText: () => Promise<string>
  /** The readiness of the whole process. */
  readonly readiness: () => Promise<Readiness>
  readonly rateMemories: RateMemories
  readonly places: Places
  /** How many threads answer requests. */
  readonly apiThreads: number
}

/** Shared memory in which the rate limiters of several threads count; a single thread needs none. */
export type RateMemories = {
  readonly v1?: SharedArrayBuffer | undefined
  readonly v2?: SharedArrayBuffer | undefined
  readonly failures?: SharedArrayBuffer | undefined
  readonly calls?: SharedArrayBuffer | undefined
}

export type Api = {
  /** Not listening yet. */
  readonly server: FastifyInstance
  /** Answers from this snapshot from the next request on. */
  readonly announce: (manifest: Manifest) => Promise<void>
}

export function openApi(thread: ThreadServices, ofProcess: ProcessServices): Api {
  const { config, observe, store, history, manifests, readServices } = thread
  const { runScript, live, refreshing, metricsText, readiness, rateMemories, places, apiThreads } = ofProcess
  const { catalogue } = readServices
  const limits = rateLimits(config)
  const rules = targetRules(config.trustedHosts)
  const verifyToken = openTokenVerifier(config)
  const { deliveries } = history
  const failures = createFailures({ limit: failedAuthLimit(config), observe, memory: rateMemories.failures })
  const refuseCaller = createRefuseCaller(failures)
  const writer = createHistoryWriter({ history, observe })
  const refusals = createRefusals({ writer, cardNumbers: config.cardNumbers })
  const shedding = openAdmission(config, observe)
  const server = createServer({
    answer: readServices.answer,
    changes: readServices.changes,
    admission: shedding?.admission,
    catalogue,
    authenticate: createAuthenticator(store.accounts),
    authenticateVersion1: createVersion1Authenticator(store.accounts),
    rateLimiters: {
      v1: createRateLimiter(limits.v1, { memory: rateMemories.v1 }),
      v2: createRateLimiter(limits.v2, { memory: rateMemories.v2 }),
    },
    rotateOwnKey: store.accounts.rotateOwnKey,
    observe: countingUsage(observe, store.accounts.noteAnswer),
    metricsText,
    readiness,
    limits: {
      ...defaultHttpLimits,
      requestLineBytes: config.requestLineBytes,
      mostCallDepth: config.scriptCallDepth,
      readerIdleMs: 1000 * config.readerIdleSeconds,
      drainMs: config.drainMilliseconds,
      stopMs: 1000 * config.stopSeconds,
    },
    places,
    tags: adminTags,
    refuseCaller,
    basePath: config.basePath,
    trustedProxies: config.trustedProxies,
    hasOperatorAddress: config.operatorListen !== undefined,
    corsOrigins: corsOrigins(config),
    signInOrigins: signInOrigins(config),
    dynamic: {
      endpoints: store.endpoints.current,
      verifyToken,
      run: runScript,
      cancelRun: (id, reason) => void live.cancel({ id }, reason),
      readSecret: store.secrets.read,
      claimDelivery: deliveries.claim,
      settleDelivery: deliveries.settle,
      observe,
      refuseCaller,
      noteRefusal: refusals.note,
      callRates: createCallRates({ memory: rateMemories.calls }),
      maxBodyBytes: MOST_BODY_BYTES,
    },
    events: {
      webhooks: checkedWebhooks(store.webhooks, rules),
      mayRegister: config.clientWebhooks === 'allow',
      dataChanges: store.dataChanges,
      streamLimits: {
        streams: config.eventStreams,
        ofClient: config.eventStreamsPerClient,
        ofAccount: config.eventStreamsPerAccount,
      },
    },
    plugins: [
      (scope, { sendRecords }) =>
        adminRoutes(scope, {
          sendRecords,
          refreshing,
          live,
          targetRules: rules,
          verifyToken,
          operatorRoles: operatorRolesOf(adminRoles(config)),
          config,
          threads: { api: apiThreads, script: scriptThreadsOf(config) },
          refuse: (request, authorization, refusal) => refuseCaller(request, 'admin', authorization, refusal),
          store,
          history,
          observe,
          currentSnapshotId: () => catalogue.current()?.id ?? null,
          dataFolder: config.data,
          manifests: new Manifests(manifests, observe),
          steps: readServices.steps,
          operations: createEndpointOperations({
            endpoints: store.endpoints,
            modules: store.modules,
            history,
            run: runScript,
            audit: store.audit,
          }),
        }),
    ],
  })
  warmRoutes(store.endpoints)
  const telling = setInterval(() => {
    failures.tellPast()
    refusals.tellPast()
  }, FAILURES_TOLD_EVERY_MS).unref()
  server.addHook('onClose', async () => {
    clearInterval(telling)
    failures.tellAll()
    refusals.tellAll()
    await writer.close()
  })
  if (shedding !== null) server.addHook('onClose', shedding.close)
  return {
    server,
    announce: async (manifest) => {
      const announced = await readServices.announce(manifest)
      if (announced === null || config.warmUp === 'none') return
      const clients = warmClients(await store.accounts.list())
      // Not awaited: the first requests need not wait until the records of other clients are warm.
      void announced.warmUp(clients)
    },
  }
}

/** Spares the first call of an endpoint the reading of all endpoints. What keeps them from being read is for callers to see. */
function warmRoutes({ current }: Pick<ControlStore['endpoints'], 'current'>): void {
  Promise.resolve(current()).then(routeTable, () => undefined)
}

const REPORT_LOAD_EVERY_MS = 1000

/** Null when `accountConcurrency` is 0: then no request waits. */
function openAdmission(config: Config, observe: Observe) {
  const limits = admissionLimits(config)
  if (limits === null) return null
  const delay = watchEventLoopDelay()
  const clock = () => performance.now()
  const nextTurn = (callback: () => void) => void setImmediate(callback)
  const admission = new Admission(limits, { clock, delayMs: delay.milliseconds, nextTurn })
  const counts = () => admission.counts
  const report = loadReport({ counts, eventLoopDelayMs: delay.milliseconds, observe })
  const reporting = setInterval(report, REPORT_LOAD_EVERY_MS).unref()
  const close = async () => {
    clearInterval(reporting)
    delay.stop()
  }
  return { admission, close }
}
