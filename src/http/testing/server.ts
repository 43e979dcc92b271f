/**
 * For the tests of `http`: the real server on a free port, over small stand-ins that keep the contracts of the real answer,
 * catalogue and directory.
 */
import { type AddressInfo, connect } from 'node:net'
import type { TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { Problem, QueryProblem } from '../../kernel/problem.ts'
import type { Observation } from '../../observe/observation.ts'
import type { Answer, DataRequest } from '../../read/answer.ts'
import { notReady } from '../../read/problems.ts'
import type { Snapshot } from '../../snapshot/snapshot.ts'
import type { AuthenticatedAccount } from '../request-report.ts'
import { createServer, defaultHttpLimits, type ServerDeps } from '../server.ts'

export const apiKey = 'q83vASNFZ4mrze8BI0VniavN7wEjRWeJq83vASNFZ4mrze8BI0VniavN7wEjRWeJ'

export const psk = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'

export const account: AuthenticatedAccount = {
  accountId: '0b7f4a52-8f0e-4c61-9d0c-3a5d0f6d9a11',
  accountName: 'ERP export',
  clientNumber: 'C01234',
  keyHash: 'hash-of-the-key',
}

export const snapshot: Snapshot = {
  id: '20260102T030405678Z-1f3a',
  extractedAt: new Date('2026-01-02T03:04:05Z'),
  publishedAt: new Date('2026-01-02T03:06:00Z'),
  currentSince: new Date('2026-01-02T03:06:00Z'),
  clients: async () => [],
  byteLength: () => 0,
  partition: () => Promise.reject(new Error('The stand-in has no partitions')),
}

export type TestServer = {
  readonly url: string
  readonly port: number
  readonly server: FastifyInstance
  readonly observations: Observation[]
  /** The requests that the stand-in for `answer` received. */
  readonly asked: DataRequest[]
  readonly pulled: Pulled
  readonly get: (path: string, init?: RequestInit) => Promise<Response>
}

/** How much of the records was read so far. */
export type Pulled = { chunks: number; bytes: number; ended: boolean }

export type Stage = Partial<ServerDeps> & {
  /** Records of the client; ten by default. */
  readonly recordCount?: number
  /** Listens on 127.0.0.1 by default. */
  readonly listening?: (server: FastifyInstance) => Promise<unknown>
}

export async function startServer(
  t: TestContext,
  { recordCount = 10, listening = listenHere, ...stage }: Stage = {},
): Promise<TestServer> {
  const observations: Observation[] = []
  const asked: DataRequest[] = []
  const pulled: Pulled = { chunks: 0, bytes: 0, ended: false }
  const catalogue = stage.catalogue ?? { current: () => snapshot }
  const server = createServer({
    answer: async (request) => {
      asked.push(request)
      if (catalogue.current() === null) throw notReady()
      return standInAnswer(request, recordCount, pulled)
    },
    catalogue,
    authenticate: (header) => (header === apiKey ? account : null),
    authenticateVersion1: ({ psk: given, 'x-api-key': header }) =>
      given === psk || (given === undefined && header === apiKey) ? account : null,
    rateLimiters: { v1: null, v2: null },
    rotateOwnKey: async () => ({
      id: account.accountId,
      name: account.accountName,
      apiKey: apiKey.replace('q83v', 'AAAA'),
      rotatedAt: '2026-01-20T03:04:05.678Z',
    }),
    limits: defaultHttpLimits,
    ...stage,
    observe: (observation) => {
      observations.push(observation)
      stage.observe?.(observation)
    },
  })
  t.after(() => server.close())
  await listening(server)
  const { port } = server.server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  const get = (path: string, init: RequestInit = {}) =>
    fetch(url + path, {
      redirect: 'manual',
      ...init,
      // Fetch asks for gzip by default.
      headers: { 'X-API-Key': apiKey, 'Accept-Encoding': 'identity', ...init.headers },
    })
  return { url, port, server, observations, asked, pulled, get }
}

const listenHere = (server: FastifyInstance) => server.listen({ port: 0, host: '127.0.0.1' })

/** One record of about 600 bytes. */
export function record(row: number): object {
  return { clientNumber: 'C01234', recordLocator: `R${row}`, filler: 'x'.repeat(540) }
}

/** Sends the text as it is, and returns what arrives until the server ends the connection. */
export async function exchange(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.write(text)
  const received: Buffer[] = []
  for await (const chunk of socket) received.push(chunk)
  return Buffer.concat(received).toString()
}

/** Waits until the condition holds. */
export async function until(happened: () => boolean): Promise<void> {
  while (!happened()) await setTimeout(1)
}

/** Understands paging; `$filter=wrong` cannot be parsed; `damaged`, `defect` and `breaks-off` fail in the service. */
export function standInAnswer(
  { version, list, parameters: given }: DataRequest,
  total: number,
  pulled: Pulled,
): Answer {
  const parameters = given()
  const value = (name: string) => parameters.find(([given]) => given === name)?.[1]
  const filter = value('$filter')
  if (filter === 'wrong') {
    throw new QueryProblem('QRY101', { parameter: '$filter', column: 0, input: filter }, 'Expected a field')
  }
  if (filter === 'damaged') throw new Problem('SNP301', 'No intact file at /secret/place')
  const pageSize = value('$pageSize') === undefined ? undefined : Number(value('$pageSize'))
  const count = Math.min(total, pageSize ?? total)
  return {
    version,
    list,
    member: list,
    ignored: version === 1 ? parameters.map(([name]) => name).filter((name) => name.startsWith('x')) : [],
    clientNumber: 'C01234',
    snapshotId: snapshot.id,
    format: version === 1 ? 'json' : ((value('$format') as Answer['format'] | undefined) ?? null),
    lastModified: snapshot.extractedAt,
    currentSince: snapshot.currentSince,
    page: pageSize === undefined ? null : { page: 1, pageSize },
    slice: null,
    // Like the real tag, it depends on everything that the body depends on except the client.
    etag: `"${[version, list, ...parameters.flat().map(encodeURIComponent)].join('-')}"`,
    meta: () => {
      if (parameters.length === 0 || version === 1) return null
      const totals = { filteredCount: total, total }
      return pageSize === undefined
        ? totals
        : { ...totals, totalPages: Math.ceil(total / pageSize), pageSize, page: 1 }
    },
    isRemembered: () => false,
    hold: () => () => undefined,
    execute: async () => {
      if (filter === 'defect') throw new TypeError('Cannot read /secret/place')
      return {
        total,
        count,
        chunks: (_format, bytes) => standInChunks(count, bytes, pulled, filter === 'breaks-off'),
      }
    },
  }
}

function* standInChunks(
  count: number,
  chunkBytes: number,
  pulled: Pulled,
  breaksOff: boolean,
): Generator<Uint8Array> {
  try {
    for (let row = 0; row < count; ) {
      let text = ''
      while (text.length < chunkBytes && row < count)
        text += JSON.stringify(record(row++)) + (row < count ? ',' : '')
      if (breaksOff && pulled.chunks === 20) throw new TypeError('Cannot read /secret/place')
      pulled.chunks++
      pulled.bytes += text.length
      yield Buffer.from(text)
    }
  } finally {
    pulled.ended = true
  }
}
