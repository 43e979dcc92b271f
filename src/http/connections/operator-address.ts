/**
 * The address for operators: a listener of its own whose connections become connections of the one server, and the paths that
 * are then hidden from the public address.
 */
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { pathOf } from '../allowed-methods.ts'
import { cannotListenForOperators } from '../problems.ts'

export type OperatorAddress = { readonly host: string; readonly port: number }

const operatorSockets = new WeakSet<Socket>()

/**
 * To be called before the server listens. What it returns starts listening for operators, and is called afterwards: before that,
 * Fastify throws at a request. The listening ends when the server closes.
 *
 * @returns a function that resolves to the address to call, and throws Problem SRV251 when the port is taken, or the address is
 * not this machine's
 */
export function prepareForOperators(
  server: FastifyInstance,
  { host, port, reusePort = false }: OperatorAddress & { readonly reusePort?: boolean },
): () => Promise<string> {
  const listener = connectionsFor(server)
  let closed: Promise<unknown> = Promise.resolve()
  // After the drain: a load balancer may ask for the readiness here.
  server.addHook('preClose', async () => {
    closed = new Promise((resolve) => listener.close(resolve))
  })
  server.addHook('onClose', () => closed.then(() => undefined))
  return async () => {
    await new Promise<void>((resolve, reject) => {
      listener.once('error', reject).listen({ host, port, reusePort }, resolve)
    }).catch((cause) => {
      throw cannotListenForOperators(host, port, cause)
    })
    listener.on('error', (cause) => server.server.emit('error', cause))
    return operatorUrl(host, (listener.address() as AddressInfo).port)
  }
}

/** With the options of node's HTTP server. */
function connectionsFor({ server }: FastifyInstance): Server {
  const listener = createServer({ allowHalfOpen: true, noDelay: true })
  listener.on('connection', (socket) => {
    operatorSockets.add(socket)
    server.emit('connection', socket)
  })
  return listener
}

export const operatorUrl = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`

/** Whether the request came over the public address and asks for what only operators get. */
export function isHiddenFromPublic({ raw }: FastifyRequest): boolean {
  const { url = '', socket } = raw
  // Requests for records need no closer look.
  if (url.startsWith('/api/') || operatorSockets.has(socket)) return false
  const path = pathOf(url)
  return operatorPaths.has(path) || path.startsWith('/docs/')
}

/** The start page leads to the reference. */
const operatorPaths: ReadonlySet<string> = new Set(['/', '/docs', '/openapi.json', '/metrics', '/console'])
