import type { FastifyInstance } from 'fastify'
import { cannotListen } from './problems.ts'

/**
 * Starts listening and returns the address to call.
 *
 * @throws Problem SRV111 when the port is taken, or the address is not this machine's
 */
export async function listen(
  server: FastifyInstance,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<string> {
  try {
    return await server.listen({ host, port })
  } catch (cause) {
    throw cannotListen(host, port, cause as NodeJS.ErrnoException)
  }
}
