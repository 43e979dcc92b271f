/**
 * A server of S3 for tests: the one that TRIPFOLIO_TEST_S3 names (`http://key:secret@host:port/bucket`), or one in this
 * process. Every request goes through a proxy that counts it and can break it.
 */
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline, Readable } from 'node:stream'
import S3rver from 's3rver'

/** What happens to the answer of a request. */
export type Fault =
  /** The server fails, or asks to slow down. */
  | { readonly kind: 'status'; readonly status: 500 | 503 }
  /** The answer ends after half of its bytes, with or without an error of the connection. */
  | { readonly kind: 'truncated' }
  /** One byte differs, of what is uploaded or of the answer. */
  | { readonly kind: 'altered' }
  | { readonly kind: 'slow'; readonly milliseconds: number }
  /** The answer is sent later. */
  | { readonly kind: 'held'; readonly until: Promise<unknown> }
  /** Another answer; its chunks come as fast as they are read. */
  | {
      readonly kind: 'replaced'
      readonly status?: number
      readonly headers?: Readonly<Record<string, string>>
      readonly body: (stored: Buffer) => Iterable<Buffer> | AsyncIterable<Buffer>
    }
  /** There is no answer at all. */
  | { readonly kind: 'hangs' }

export type S3Request = { readonly method: string; readonly path: string; readonly query: string }

export type S3Server = {
  /** Variables of the AWS SDK for this server. */
  readonly env: Readonly<Record<string, string>>
  /** The setting `snapshots` for a new prefix. */
  readonly location: () => string
  /** All requests so far. */
  readonly requests: S3Request[]
  /** Decides what breaks; null for nothing. */
  breaks: (request: S3Request) => Fault | null
  /** Connections that are open at the moment. */
  readonly connections: () => number
  /** Accepts no connection, and ends those that are open. */
  readonly refuse: () => Promise<void>
  readonly restore: () => Promise<void>
  readonly stop: () => Promise<void>
}

/**
 * The server of all tests in this process: the AWS SDK finds a server by the environment, of which a process has one. The last
 * `stop` ends it.
 */
export async function takeS3(): Promise<S3Server> {
  users++
  taken ??= startS3().then((s3) => {
    const before = Object.keys(s3.env).map((name) => [name, process.env[name]] as const)
    Object.assign(process.env, s3.env)
    const end = s3.stop
    const stop = async () => {
      if (--users > 0) return
      taken = undefined
      for (const [name, value] of before) {
        if (value === undefined) delete process.env[name]
        else process.env[name] = value
      }
      await end()
    }
    return Object.assign(s3, { stop })
  })
  return taken
}

let taken: Promise<S3Server> | undefined
let users = 0

const BUCKET = 'tripfolio'
const OWN_KEY = 'S3RVER'

export async function startS3(): Promise<S3Server> {
  const given = process.env.TRIPFOLIO_TEST_S3
  const server = given === undefined ? await startOwn() : ofUrl(new URL(given))
  const requests: S3Request[] = []
  const sockets = new Set<Socket>()
  const running: S3Server = {
    env: {},
    location: () => `s3://${server.bucket}/test-${crypto.randomUUID()}`,
    requests,
    breaks: () => null,
    connections: () => sockets.size,
    refuse: async () => {
      const closed = once(proxy, 'close')
      proxy.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
    restore: async () => {
      proxy.listen(port, '127.0.0.1')
      await once(proxy, 'listening')
    },
    stop: async () => {
      if (proxy.listening) await running.refuse()
      await server.stop()
    },
  }
  const proxy = createServer((incoming, answer) => {
    const { pathname, search } = new URL(incoming.url ?? '', 'http://host')
    const made = { method: incoming.method ?? '', path: pathname, query: search }
    requests.push(made)
    pass(incoming, answer, server.url, running.breaks(made))
  })
  proxy.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const { port } = proxy.address() as AddressInfo
  const env = {
    AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}`,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: server.key,
    AWS_SECRET_ACCESS_KEY: server.secret,
  }
  return Object.assign(running, { env })
}

type Server = {
  readonly url: string
  readonly bucket: string
  readonly key: string
  readonly secret: string
  readonly stop: () => Promise<void>
}

async function startOwn(): Promise<Server> {
  const directory = await mkdtemp(join(tmpdir(), 'tripfolio-s3-'))
  const options = { address: '127.0.0.1', port: 0, silent: true, vhostBuckets: false }
  const server = new S3rver({ ...options, directory, configureBuckets: [{ name: BUCKET }] })
  const { port } = await server.run()
  const stop = async () => {
    await server.close()
    await rm(directory, { recursive: true, force: true })
  }
  return { url: `http://127.0.0.1:${port}`, bucket: BUCKET, key: OWN_KEY, secret: OWN_KEY, stop }
}

const ofUrl = ({ origin, pathname, username, password }: URL): Server => ({
  url: origin,
  bucket: pathname.slice(1),
  key: decodeURIComponent(username),
  secret: decodeURIComponent(password),
  stop: async () => undefined,
})

function pass(incoming: IncomingMessage, answer: ServerResponse, target: string, fault: Fault | null): void {
  if (fault?.kind === 'hangs') return
  if (fault?.kind === 'status') {
    incoming.resume().on('end', () => {
      answer.writeHead(fault.status, { 'content-type': 'application/xml' })
      answer.end(`<Error><Code>${fault.status === 503 ? 'SlowDown' : 'InternalError'}</Code></Error>`)
    })
    return
  }
  const { url: path, method, headers } = incoming
  const onward = request(target, { path, method, headers, agent: false }, (found) => {
    const chunks: Buffer[] = []
    found.on('data', (chunk: Buffer) => chunks.push(chunk))
    found.on('end', () => {
      const body = Buffer.concat(chunks)
      const send = () => respond(answer, found, body, fault)
      if (fault?.kind === 'slow') setTimeout(send, fault.milliseconds)
      else if (fault?.kind === 'held') void fault.until.then(send)
      else send()
    })
  })
  onward.on('error', () => answer.destroy())
  if (fault?.kind !== 'altered' || method !== 'PUT') incoming.pipe(onward)
  else {
    incoming.on('data', (chunk: Buffer) => onward.write(altered(chunk)))
    incoming.on('end', () => onward.end())
  }
}

function respond(answer: ServerResponse, found: IncomingMessage, body: Buffer, fault: Fault | null): void {
  if (fault?.kind === 'replaced') {
    answer.writeHead(fault.status ?? 200, { 'content-type': 'application/xml', ...fault.headers })
    // A reader may leave in the middle.
    pipeline(Readable.from(fault.body(body)), answer, () => undefined)
    return
  }
  answer.writeHead(found.statusCode ?? 500, found.rawHeaders)
  if (fault?.kind !== 'truncated') answer.end(fault?.kind === 'altered' ? altered(body) : body)
  else answer.write(body.subarray(0, body.length >> 1), () => answer.destroy())
}

function altered(body: Buffer): Buffer {
  const [middle, copy] = [body.length >> 1, Buffer.from(body)]
  if (copy.length > 0) copy.writeUInt8(copy.readUInt8(middle) ^ 0xff, middle)
  return copy
}
