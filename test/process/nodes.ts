/**
 * Several nodes of one installation: services that share the stores of a PostgreSQL database, each with a data folder of its
 * own. They run in the process of the test, where they have one name; a node that is killed, or that must
 * be apart from the others, is a process of `bin/tripfolio serve`.
 */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { issueToken } from '../../src/auth/tokens/issuer.ts'
import { tokenRules } from '../../src/auth/tokens/rules.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { openStores, type Stores } from '../../src/directory/open-stores.ts'
import { type TestDatabase, testDatabase } from '../../src/postgres/testing/postgres-server.ts'
import { fixtureExtract } from '../fixtures/fixture-extract.ts'
import type { Json } from '../fixtures/json.ts'
import { publishExtract } from '../fixtures/published-extract.ts'
import { type ServingHere, serveHere } from './service-in-process.ts'
import { type Serving, whileServing } from './tripfolio-process.ts'

/** What all nodes of an installation share. */
const SHARED = {
  TRIPFOLIO_SECRET_KEY: '7'.repeat(64),
  TRIPFOLIO_JWT_SECRET: 'a secret of tests for the tokens of operators',
  // Tests call with dead keys thousands of times.
  TRIPFOLIO_FAILED_AUTH_PER_MINUTE: '0',
} as const

export const clientNumber = fixtureExtract.clients[0]?.client_number as string

export type Installation = {
  readonly database: string
  /** The stores as a node sees them, in the process of the test. */
  readonly stores: Stores
  /** A token of an operator. */
  readonly token: string
  /** A data folder with the snapshot that all nodes have. */
  readonly newFolder: () => Promise<string>
  /** Starts a node in the process of the test. */
  readonly startNode: (options?: NodeOptions) => Promise<NodeHere>
  /** Starts a node in a process of its own. */
  readonly startProcess: (options?: NodeOptions) => Promise<NodeProcess>
  /** Ends the nodes, and removes their folders and the database. */
  readonly close: () => Promise<void>
}

type NodeOptions = { readonly env?: Readonly<Record<string, string>>; readonly data?: string }

export type Node = Pick<Serving, 'address' | 'output' | 'until'> & {
  readonly call: (path: string, options?: CallOptions) => Promise<Answer>
  /** Sends a request of an operator, which must be carried out. */
  readonly operate: (method: string, path: string, body?: object) => Promise<Json>
}

type NodeHere = Node & Pick<ServingHere, 'close'>

export type NodeProcess = Node & Pick<Serving, 'kill'>

type CallOptions = {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export type Answer = {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** @param given an empty database; otherwise the server of this run of tests makes one */
export async function openInstallation(given?: TestDatabase): Promise<Installation> {
  const folder = await mkdtemp(join(tmpdir(), 'tripfolio-nodes-'))
  const { url: database, drop } = given ?? (await testDatabase())
  const env = { ...SHARED, TRIPFOLIO_STORE: database }
  const config = loadConfig({ env, flags: { data: join(folder, 'operator') } })
  const stores = await openStores(config, {
    control: { secretKey: () => Buffer.from(SHARED.TRIPFOLIO_SECRET_KEY, 'hex') },
  })
  const operator = { name: 'Operator', email: 'operator@example.com', roles: ['admin'] }
  const { token } = await issueToken(tokenRules(config), operator, 3600)
  const running: (() => Promise<unknown>)[] = []
  let folders = 0
  const newFolder = async () => {
    const data = join(folder, `node-${++folders}`)
    await publishExtract({ data }, fixtureExtract)
    return data
  }
  const withCalls = <T extends Pick<Serving, 'address'>>(node: T) => {
    const { call, close } = caller(node.address)
    running.push(async () => close())
    const headers = {
      authorization: `Bearer ${token}`,
      'if-match': '*',
      'content-type': 'application/json',
    }
    const operate: Node['operate'] = async (method, path, body) => {
      const sent = body === undefined ? {} : { body: JSON.stringify(body) }
      const { status, body: text } = await call(`/api/admin/v1${path}`, { method, headers, ...sent })
      assert.ok(status < 300, `${method} ${path}: ${status} ${text}`)
      return text === '' ? null : JSON.parse(text)
    }
    return { ...node, call, operate }
  }
  return {
    close: async () => {
      await Promise.all(running.map((end) => end()))
      await stores.close()
      await drop()
      await rm(folder, { recursive: true, force: true })
    },
    database,
    stores,
    token,
    newFolder,
    startNode: async ({ env: more = {}, data } = {}) => {
      const node = await serveHere(data ?? (await newFolder()), { env: { ...env, ...more } })
      running.push(node.close)
      return withCalls(node)
    },
    startProcess: async ({ env: more = {}, data } = {}) => {
      const started = Promise.withResolvers<Serving>()
      const ending = Promise.withResolvers<void>()
      const serving = whileServing(
        data ?? (await newFolder()),
        async (node) => {
          started.resolve(node)
          await ending.promise
        },
        { env: { ...env, ...more } },
      )
      serving.catch(started.reject)
      running.push(() => {
        ending.resolve()
        return serving.catch(() => undefined)
      })
      return withCalls(await started.promise)
    },
  }
}

/** Connections stay open, so that thousands of calls cost little. */
function caller(address: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const call: Node['call'] = (path, { method = 'GET', headers = {}, body } = {}) =>
    new Promise((resolve, reject) => {
      const sent = request(`${address}${path}`, { agent, method, headers }, (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.on('error', reject)
        answer.on('end', () =>
          resolve({
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            body: Buffer.concat(chunks).toString(),
          }),
        )
      })
      sent.on('error', reject)
      sent.end(body)
    })
  return { call, close: () => agent.destroy() }
}
