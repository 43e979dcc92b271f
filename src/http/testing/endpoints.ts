/**
 * For the tests of dynamic endpoints: the real server over endpoints, tokens, secrets and deliveries in memory. Scripts are
 * functions. Everything between the socket and the job of a script is real.
 */
import type { TestContext } from 'node:test'
import type { TokenCheck } from '../../auth/tokens/verifier.ts'
import type { RecordedRun, RunJob, ScriptResponse } from '../../automation/runs/run-states.ts'
import type { PublishedEndpoint } from '../../directory/endpoints/published-endpoints.ts'
import type { DeliveryState } from '../../directory/history/history.ts'
import type { Soon } from '../../kernel/soon.ts'
import { anonymous, type User } from '../../kernel/user.ts'
import type { Execution } from '../../schema/execution-shapes.ts'
import type { DynamicRouteDeps } from '../dynamic/routes.ts'
import { startServer, type TestServer } from './server.ts'

export const PREFIX = '/api/dynamic/v1/'

export const endpoint = (
  method: PublishedEndpoint['method'],
  path: string,
  more: Partial<PublishedEndpoint> = {},
): PublishedEndpoint => ({
  id: `id of ${method} ${path}`,
  version: 3,
  name: `Name of ${path}`,
  category: 'Integration',
  method,
  path,
  requiresAuthentication: false,
  allowedRoles: [],
  allowedHosts: [],
  limits: {},
  signature: null,
  deduplication: null,
  record: 'full',
  maskedFields: [],
  ...more,
})

export const userWith = (...roles: string[]): User => ({
  ...anonymous,
  isAuthenticated: true,
  name: 'Ada',
  principalId: 'user:ada@example.com',
  roles,
})

/** A token is its own verdict: `valid`, `valid ROLE`, `unknown`; every other text is invalid. */
function checkToken(authorization: string | undefined): TokenCheck {
  if (authorization === undefined) return { kind: 'none' }
  const [kind, ...roles] = authorization.replace(/^Bearer /, '').split(' ')
  if (kind === 'valid') return { kind, user: userWith(...roles) }
  return kind === 'unknown' ? { kind, reason: 'no keys' } : { kind: 'invalid', reason: 'it has expired' }
}

type Script = (job: RunJob) => Partial<ScriptResponse> | Promise<Partial<ScriptResponse>>

export type EndpointStage = Partial<Omit<DynamicRouteDeps, 'endpoints'>> & {
  readonly endpoints?: readonly PublishedEndpoint[] | (() => Soon<readonly PublishedEndpoint[]>)
  readonly script?: Script
  readonly corsOrigins?: readonly string[]
  readonly trustedProxies?: string
  readonly basePath?: string
}

export type EndpointServer = TestServer & {
  readonly jobs: RunJob[]
  readonly claims: (readonly [endpointId: string, deliveryId: string, windowSeconds: number])[]
  readonly settled: (readonly [deliveryId: string, succeeded: boolean])[]
  /** Sends no API key. The path is appended to the prefix. */
  readonly call: (method: string, path: string, init?: RequestInit) => Promise<Response>
}

export async function startEndpoints(
  t: TestContext,
  {
    endpoints = [endpoint('POST', 'echo')],
    script = () => ({}),
    corsOrigins = [],
    trustedProxies,
    basePath,
    ...deps
  }: EndpointStage = {},
): Promise<EndpointServer> {
  const jobs: RunJob[] = []
  const claims: [string, string, number][] = []
  const settled: [string, boolean][] = []
  const states = new Map<string, DeliveryState>()
  const server: TestServer = await startServer(t, {
    corsOrigins,
    trustedProxies,
    basePath,
    dynamic: {
      endpoints: typeof endpoints === 'function' ? endpoints : () => endpoints,
      verifyToken: checkToken,
      run: async (job) => {
        jobs.push(job)
        return reportOf(job, await script(job))
      },
      readSecret: async (name) => (name === 'signing' ? 'the secret' : null),
      claimDelivery: async (endpointId, id, windowSeconds) => {
        claims.push([endpointId, id, windowSeconds])
        const state = states.get(id) ?? 'new'
        if (state === 'new') states.set(id, 'running')
        return state
      },
      settleDelivery: async (_endpointId, id, succeeded) => {
        settled.push([id, succeeded])
        if (succeeded) states.set(id, 'done')
        else states.delete(id)
      },
      observe: (observation) => server.observations.push(observation),
      maxBodyBytes: 1024,
      ...deps,
    },
  })
  const call = (method: string, path: string, init: RequestInit = {}) =>
    fetch(`${server.url}${PREFIX}${path}`, { redirect: 'manual', method, ...init })
  return { ...server, jobs, claims, settled, call }
}

function reportOf(job: RunJob, answered: Partial<ScriptResponse>): RecordedRun {
  const response = {
    status: 200,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: 'null',
    ...answered,
  }
  return { status: 'Success', response, execution: { id: job.executionId } as Execution, dryRunWrites: [] }
}
