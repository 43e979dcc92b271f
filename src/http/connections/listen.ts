import { lookup } from 'node:dns/promises'
import { type AddressInfo, createServer } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { cannotListen } from '../problems.ts'

export type ListenOptions = {
  readonly host: string
  readonly port: number
  /** Whether other threads listen on the same port, each with a queue of its own (SO_REUSEPORT). */
  readonly reusePort?: boolean
}

/**
 * Starts listening and returns the address to call.
 *
 * @throws Problem SRV111 when the port is taken, or the address is not this machine's
 */
export async function listen(
  server: FastifyInstance,
  { host, port, reusePort = false }: ListenOptions,
  addressesOf: (name: string) => Promise<readonly string[]> = allAddresses,
): Promise<string> {
  try {
    const [first = host, ...others] = host === 'localhost' ? await addressesOf(host) : [host]
    const listenOnOthers = prepareOthers(server, others)
    // Fastify passes options that it does not know to node.
    const options = { host: first, port, reusePort }
    const address = await server.listen(options)
    await listenOnOthers({ port: (server.server.address() as AddressInfo).port, reusePort })
    return address
  } catch (cause) {
    throw cannotListen(host, port, cause as NodeJS.ErrnoException)
  }
}

const allAddresses = async (name: string): Promise<readonly string[]> =>
  (await lookup(name, { all: true })).map(({ address }) => address)

/**
 * Listens on the other addresses of `localhost`. Fastify would open a second server there, without the limits on connections
 * and without the drain. Here their connections become connections of the one server.
 */
function prepareOthers(server: FastifyInstance, hosts: readonly string[]) {
  const listeners = hosts.map((host) => {
    // The options of node's HTTP server.
    const listener = createServer({ allowHalfOpen: true, noDelay: true })
    listener.on('connection', (socket) => server.server.emit('connection', socket))
    listener.on('error', (cause) => server.server.emit('error', cause))
    return { host, listener }
  })
  let closed: Promise<unknown> = Promise.resolve()
  if (hosts.length > 0) {
    server.addHook('preClose', async () => {
      closed = Promise.all(listeners.map(({ listener }) => new Promise((resolve) => listener.close(resolve))))
    })
    server.addHook('onClose', () => closed.then(() => undefined))
  }
  // An address that cannot be listened on is left out, such as an IPv6 address on a machine without IPv6.
  return (options: { readonly port: number; readonly reusePort: boolean }) =>
    Promise.all(
      listeners.map(
        ({ host, listener }) =>
          new Promise((resolve) => {
            listener.once('error', resolve).listen({ host, ...options }, () => resolve(null))
          }),
      ),
    )
}

/** A port for several threads, reserved against other services until it is released. */
type SharedPort = { readonly port: number; readonly release: () => void }

/**
 * Finds the port for several threads: the given one, or for 0 a free one. Null when the platform cannot share ports. A
 * thread that shares a port does not notice that another process listens on it too: hence the try beforehand, and a claim
 * that excludes a second service which tries at the same time.
 *
 * @throws Problem SRV111 when the port is taken, or the address is not this machine's
 */
export async function portToShare(
  { host, port }: Omit<ListenOptions, 'reusePort'>,
  problem: typeof cannotListen = cannotListen,
): Promise<SharedPort | null> {
  const refuse = (cause: unknown) => {
    throw problem(host, port, cause as NodeJS.ErrnoException)
  }
  const free = await tryPort({ host, port }).catch(refuse)
  const release = await claim(`tripfolio ${host} ${free}`).catch(refuse)
  // Another process may have begun to listen between the try and the claim.
  await tryPort({ host, port: free }).catch((cause) => {
    release()
    refuse(cause)
  })
  const isShareable = await tryPort({ host, port: free, reusePort: true }).then(
    () => true,
    () => false,
  )
  if (isShareable) return { port: free, release }
  release()
  return null
}

function tryPort(options: ListenOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(options, () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
}

/** Claims a name for one process, until the process ends, however it ends: an abstract socket of Linux. */
function claim(name: string): Promise<() => void> {
  if (process.platform !== 'linux') return Promise.resolve(() => undefined)
  return new Promise((resolve, reject) => {
    const server = createServer((connection) => connection.destroy())
    server.once('error', reject)
    server.listen(`\0${name}`, () => {
      server.unref()
      resolve(() => server.close())
    })
  })
}
