/** The limit as a contender: a bare node:http server that sends the same bytes with the same headers to every request. */
import { addressOf, startScript } from './child.ts'
import type { Server } from './server.ts'

export type FixedAnswer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** When set, the body is sent in pieces of this size, as fast as the reader takes them, instead of at once. */
  readonly chunkBytes?: number
}

const script = new URL('limit-server.ts', import.meta.url)

export async function startLimit({ body, ...answer }: FixedAnswer): Promise<Server> {
  const began = performance.now()
  const child = startScript(script, [], { ...answer, body: Buffer.from(body).toString('base64') })
  const address = await addressOf(child)
  return {
    name: 'limit',
    address,
    pids: [child.pid],
    readyMs: performance.now() - began,
    stop: child.stop,
  }
}

/** Sends a request to a server and keeps the answer, so that the limit can send the same. */
export async function recordAnswer(
  server: Server,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<FixedAnswer> {
  // By default fetch requests compressed answers and decodes them silently.
  const response = await fetch(server.address + path, {
    headers: { 'Accept-Encoding': 'identity', ...headers },
  })
  const body = new Uint8Array(await response.arrayBuffer())
  if (response.status >= 400) throw new Error(`${response.status} for ${path}: ${Buffer.from(body)}`)
  const kept = [...response.headers].filter(([name]) => !perConnection.has(name))
  return { status: response.status, headers: Object.fromEntries(kept), body }
}

/** Headers that each server creates itself. */
const perConnection: ReadonlySet<string> = new Set(['date', 'connection', 'keep-alive', 'transfer-encoding'])
