/** The admin API over real HTTP and a real control store; tokens are words that name the caller. */
import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { type AdminDeps, adminRoutes } from '../../src/admin/admin-routes.ts'
import { adminTags } from '../../src/admin/openapi-components.ts'
import { operatorRolesOf } from '../../src/auth/operator-roles.ts'
import type { VerifyToken } from '../../src/auth/tokens/verifier.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import type { ControlStore } from '../../src/directory/control-store.ts'
import { openControlStore } from '../../src/directory/open-stores.ts'
import { placeControlStore } from '../../src/directory/testing/store-files.ts'
import { createServer, defaultHttpLimits } from '../../src/http/server.ts'
import { anonymous } from '../../src/kernel/user.ts'
import type { Observation } from '../../src/observe/observation.ts'
import { targetRules } from '../../src/outbound/target.ts'
import type { AuditRecord } from '../../src/schema/directory-shapes.ts'
import { fileStepSource, stepsInDataFolder } from '../../src/snapshot/changes/stored-steps.ts'
import { Manifests } from '../../src/snapshot/manifests.ts'
import type { Json } from '../fixtures/json.ts'

export type Admin = {
  readonly url: string
  readonly server: FastifyInstance
  readonly store: ControlStore
  readonly dataFolder: string
  readonly observations: readonly Observation[]
  /** For example `GET /api/admin/v1/accounts/:id`. */
  readonly routes: readonly string[]
  /** Sends the token `admin` unless another is given, null sends none; and `If-Match: *` unless headers are given. */
  readonly send: (
    method: string,
    path: string,
    options?: {
      readonly body?: unknown
      readonly token?: string | null
      readonly signal?: AbortSignal
      readonly headers?: Readonly<Record<string, string>>
    },
  ) => Promise<Reply>
  /** The entries of the trail since the last call, oldest first. */
  readonly newAudit: () => Promise<readonly Pick<AuditRecord, 'actor' | 'action' | 'before' | 'after'>[]>
  readonly close: () => Promise<void>
}

export type Reply = { readonly status: number; readonly headers: Headers; readonly body: Json }

const roles: Readonly<Record<string, readonly string[]>> = {
  admin: ['admin'],
  author: ['author'],
  support: ['support'],
  viewer: ['viewer'],
  ben: ['admin'],
  user: ['reader'],
}

/** The names of roles, `ben` and `user` are people; `admin:5` is one whose token ends in five milliseconds; keys fail for `keyless`. */
const verifyToken: VerifyToken = (authorization) => {
  if (authorization === undefined) return { kind: 'none' }
  const [name = '', milliseconds = '3600000'] = authorization.replace('Bearer ', '').split(':')
  if (name === 'keyless') return { kind: 'unknown', reason: 'the keys are not available' }
  const known = roles[name]
  if (known === undefined) return { kind: 'invalid', reason: 'the token is unknown' }
  const expires = (Date.now() + Number(milliseconds)) / 1000
  return {
    kind: 'valid',
    user: {
      ...anonymous,
      isAuthenticated: true,
      name,
      principalId: `user:${name}@example.com`,
      roles: known,
      claims: [{ type: 'exp', value: String(expires) }],
    },
  }
}

const unused = (): never => {
  throw new Error('These tests do not come here')
}

export async function startAdmin(overrides: Partial<AdminDeps> = {}, folder?: string): Promise<Admin> {
  const dataFolder = folder ?? (await mkdtemp(join(tmpdir(), 'tripfolio-admin-')))
  await placeControlStore(dataFolder)
  const store = await openControlStore(dataFolder, { secretKey: () => Buffer.alloc(32, 7) })
  const observations: Observation[] = []
  const observe = (observation: Observation) => void observations.push(observation)
  const deps: Omit<AdminDeps, 'sendRecords'> = {
    verifyToken,
    operatorRoles: operatorRolesOf(null),
    config: loadConfig({ env: {}, flags: { data: dataFolder } }),
    threads: { api: 1, script: 2 },
    targetRules: targetRules('127.0.0.1'),
    store,
    history: {} as AdminDeps['history'],
    operations: {} as AdminDeps['operations'],
    live: {} as AdminDeps['live'],
    observe,
    dataFolder,
    manifests: new Manifests(dataFolder, observe),
    steps: fileStepSource(async () => stepsInDataFolder(dataFolder)),
    currentSnapshotId: () => null,
    refreshing: { state: async () => ({ state: 'none' }), start: async () => 'no-source' },
    ...overrides,
  }
  const routes: string[] = []
  const server = createServer({
    answer: unused,
    catalogue: { current: () => null },
    authenticate: () => null,
    authenticateVersion1: () => null,
    rateLimiters: { v1: null, v2: null },
    rotateOwnKey: async () => null,
    observe,
    limits: defaultHttpLimits,
    plugins: [
      (scope, { sendRecords }) => {
        scope.addHook('onRoute', ({ method, url }) => void routes.push(`${method} ${url}`))
        adminRoutes(scope, { sendRecords, ...deps })
      },
    ],
    tags: adminTags,
  })
  await server.listen({ port: 0, host: '127.0.0.1' })
  const url = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}/api/admin/v1`
  let told = 0
  return {
    url,
    server,
    store,
    dataFolder,
    observations,
    routes,
    send: async (method, path, { body, token = 'admin', signal, headers = { 'if-match': '*' } } = {}) => {
      const response = await fetch(url + path, {
        method,
        headers: {
          ...headers,
          ...(token !== null && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
        ...(signal !== undefined && { signal }),
      })
      const text = await response.text()
      return {
        status: response.status,
        headers: response.headers,
        body: text === '' ? null : JSON.parse(text),
      }
    },
    newAudit: async () => {
      const all = (await store.audit.list({ limit: 500 })).items.toReversed()
      const fresh = all.slice(told)
      told = all.length
      return fresh.map(({ actor, action, before, after }) => ({ actor, action, before, after }))
    },
    close: async () => {
      await server.close()
      await store.close()
      await rm(dataFolder, { recursive: true, force: true })
    },
  }
}
