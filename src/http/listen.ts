import { type AddressInfo, createServer } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { cannotListen } from './problems.ts'

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
export async function listen(server: FastifyInstance, options: ListenOptions): Promise<string> {
  try {
    // Fastify hands on what it does not know to node.
    return await server.listen({ ...options })
  } catch (cause) {
    throw cannotListen(options.host, options.port, cause as NodeJS.ErrnoException)
  }
}

/** A port for several threads, kept from other services until it is given back. */
type SharedPort = { readonly port: number; readonly giveBack: () => void }

/**
 * The port for several threads to share: the given one, or one that is free for 0. Null where the platform cannot share
 * ports. Whoever shares a port would not notice that another process listens there as well: hence the look beforehand, and a
 * claim that keeps out a second service which looks at the same time.
 *
 * @throws Problem SRV111 when the port is taken, or the address is not this machine's
 */
export async function portToShare({
  host,
  port,
}: Omit<ListenOptions, 'reusePort'>): Promise<SharedPort | null> {
  const refuse = (cause: unknown) => {
    throw cannotListen(host, port, cause as NodeJS.ErrnoException)
  }
  const free = await tryPort({ host, port }).catch(refuse)
  const giveBack = await claim(`tripfolio ${host} ${free}`).catch(refuse)
  // Somebody may have begun to listen between the look and the claim.
  await tryPort({ host, port: free }).catch((cause) => {
    giveBack()
    refuse(cause)
  })
  const isShareable = await tryPort({ host, port: free, reusePort: true }).then(
    () => true,
    () => false,
  )
  if (isShareable) return { port: free, giveBack }
  giveBack()
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

/** A name that one process at a time can have, and that is free again however the process ends: an abstract socket of Linux. */
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
