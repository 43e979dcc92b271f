/** Reserves the port, and decides how many threads answer requests on it and how many run scripts. */
import { availableParallelism } from 'node:os'
import type { Config } from '../config/load-config.ts'
import { portToShare } from '../http/connections/listen.ts'
import type { Observe } from '../observe/observation.ts'

export type ReservedPort = {
  /** Null when one thread listens alone: it takes the port itself. */
  readonly sharedPort: number | null
  /** How many threads answer requests. */
  readonly apiThreads: number
  /** Lets other services use the port again. */
  readonly release: () => void
}

/**
 * Takes the port before anything else, so that a start on a port in use fails at once.
 *
 * @throws Problem SRV111 when the port is taken, or the address does not belong to this machine
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

/** At least two, so that one slow script does not delay all others. */
export const scriptThreadsOf = ({ scriptThreads }: Config): number =>
  scriptThreads ?? Math.max(2, Math.ceil(availableParallelism() / 2))
