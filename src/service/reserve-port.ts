/** How many threads the service has, and whether those that answer requests can share its port. */
import { availableParallelism } from 'node:os'
import type { Config } from '../config/load-config.ts'
import { portToShare } from '../http/connections/listen.ts'
import type { Observe } from '../observe/observation.ts'

export type ReservedPort = {
  /** Null where one thread listens alone, which takes the port itself. */
  readonly sharedPort: number | null
  /** Threads that answer requests. */
  readonly apiThreads: number
  /** Gives the port back to other services. */
  readonly release: () => void
}

/**
 * Takes the port before anything else, so that a port in use is known at once.
 *
 * @throws Problem SRV111 when the port is taken, or the address is not this machine's
 */
export async function reservePort(config: Config, observe: Observe): Promise<ReservedPort> {
  const wanted = config.threads ?? availableParallelism()
  const alone = { sharedPort: null, apiThreads: 1, release: () => undefined }
  if (wanted === 1) return alone
  const shared = await portToShare(config)
  if (shared !== null) return { sharedPort: shared.port, apiThreads: wanted, release: shared.release }
  const reason = 'this platform cannot share a port between threads (SO_REUSEPORT)'
  observe({ kind: 'threads-limited', wanted, reason })
  return alone
}

/** At least two, so that one script that takes long does not hold up all others. */
export const scriptThreadsOf = ({ scriptThreads }: Config): number =>
  scriptThreads ?? Math.max(2, Math.ceil(availableParallelism() / 2))
