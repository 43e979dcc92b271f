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

/**
 * The port for several threads to share: the given one, or one that is free for 0. Null where the platform cannot share
 * ports. Whoever shares a port would not notice that another process listens there as well: hence the look beforehand.
 *
 * @throws Problem SRV111 when the port is taken, or the address is not this machine's
 */
export async function portToShare({ host, port }: Omit<ListenOptions, 'reusePort'>): Promise<number | null> {
  const free = await tryPort({ host, port }).catch((cause: unknown) => {
    throw cannotListen(host, port, cause as NodeJS.ErrnoException)
  })
  return tryPort({ host, port: free, reusePort: true }).catch(() => null)
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
