/**
 * Dynamic endpoints over real HTTP in this process: real stores, real tokens, the real runner. Scripts run in this thread, and
 * their executions are recorded at once.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { issueToken } from '../../src/auth/tokens/issuer.ts'
import type { TokenRules } from '../../src/auth/tokens/rules.ts'
import { createTokenVerifier } from '../../src/auth/tokens/verifier.ts'
import { createScriptRunner } from '../../src/automation/runs/run-endpoint.ts'
import { outboundServices } from '../../src/automation/testing/outbound-services.ts'
import type { ControlStore } from '../../src/directory/control-store.ts'
import type { History } from '../../src/directory/history/history.ts'
import { openControlStore, openHistory } from '../../src/directory/open-stores.ts'
import { placeControlStore, placeHistory } from '../../src/directory/testing/store-files.ts'
import type { NoteRefusal } from '../../src/http/dynamic/note-refusal.ts'
import type { RefuseCaller } from '../../src/http/refuse-caller.ts'
import { createServer, defaultHttpLimits } from '../../src/http/server.ts'
import type { Observation } from '../../src/observe/observation.ts'
import type { EndpointDefinition } from '../../src/schema/endpoint-shapes.ts'

export type Endpoints = {
  readonly url: string
  readonly store: ControlStore
  readonly history: History
  readonly observations: readonly Observation[]
  /** Publishes an endpoint that runs this script, at `POST`, public and with a new path unless given. */
  readonly publish: (script: string, more?: Partial<EndpointDefinition>) => Promise<Published>
  /** The value of an `Authorization` header. */
  readonly tokenOf: (...roles: string[]) => Promise<string>
  readonly close: () => Promise<void>
}

export type Published = {
  readonly id: string
  readonly url: string
  readonly call: (init?: RequestInit, after?: string) => Promise<Response>
}

export async function startEndpoints({
  refuseCaller,
  noteRefusal,
}: {
  readonly refuseCaller?: RefuseCaller
  /** Without it, refusals leave no row. */
  readonly noteRefusal?: NoteRefusal
} = {}): Promise<Endpoints> {
  const folder = await mkdtemp(join(tmpdir(), 'tripfolio-endpoints-'))
  await placeControlStore(folder)
  const store = await openControlStore(folder, {
    freshness: 'turn',
    secretKey: () => Buffer.alloc(32, 7),
  })
  await placeHistory(folder)
  const history = await openHistory(folder)
  const observations: Observation[] = []
  const observe = (observation: Observation) => void observations.push(observation)
  const rules: TokenRules = {
    keys: { kind: 'local', path: join(folder, 'token.key') },
    algorithms: ['HS256'],
    issuer: 'tripfolio',
    audience: undefined,
    rolesClaim: 'roles',
    identityClaim: 'sub',
    verifyingIssuers: [],
    namesIssuer: false,
  }
  const run = createScriptRunner({
    store,
    notepads: history.notepads,
    records: () => ({ query: async () => ({ count: 0, meta: null, chunks: () => [] }), snapshot: null }),
    outbound: outboundServices(),
    observe,
    historyBodyBytes: 65_536,
  })
  const server = createServer({
    answer: () => Promise.reject(new Error('These tests do not read records')),
    catalogue: { current: () => null },
    authenticate: () => null,
    authenticateVersion1: () => null,
    rateLimiters: { v1: null, v2: null },
    rotateOwnKey: async () => null,
    observe,
    limits: defaultHttpLimits,
    dynamic: {
      endpoints: store.endpoints.current,
      verifyToken: createTokenVerifier(rules),
      run: async (job) => {
        const report = await run(job)
        if (report.execution !== null) await history.record([report.execution])
        return report
      },
      readSecret: store.secrets.read,
      noteRefusal,
      claimDelivery: history.deliveries.claim,
      settleDelivery: history.deliveries.settle,
      observe,
      refuseCaller,
      maxBodyBytes: 2 ** 20,
    },
  })
  await server.listen({ port: 0, host: '127.0.0.1' })
  const url = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`
  let published = 0
  return {
    url,
    store,
    history,
    observations,
    publish: async (script, more = {}) => {
      published++
      const definition: EndpointDefinition = {
        name: `Endpoint ${published}`,
        description: '',
        category: 'Integration',
        method: 'POST',
        path: `test/number-${published}`,
        requiresAuthentication: false,
        allowedRoles: [],
        allowedHosts: [],
        limits: {},
        signature: null,
        deduplication: null,
        record: 'full',
        maskedFields: [],
        schedules: [],
        script,
        ...more,
      }
      const { id } = await store.endpoints.create(definition, 'test')
      await store.endpoints.publish(id, 'test')
      const address = `${url}/api/dynamic/v1/${definition.path}`
      const { method } = definition
      return {
        id,
        url: address,
        call: (init, after = '') =>
          fetch(address + after, { redirect: 'manual', method: String(method), ...init }),
      }
    },
    tokenOf: async (...roles) => {
      const { token } = await issueToken(rules, { name: 'Ada', email: 'ada@example.com', roles }, 60)
      return `Bearer ${token}`
    },
    close: async () => {
      await server.close()
      await history.close()
      await store.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
