/** Reserves the ports, and decides how many threads answer requests on it and how many run scripts. */
import { availableParallelism } from 'node:os'
import { type Config, operatorAddress } from '../config/load-config.ts'
import { portToShare } from '../http/connections/listen.ts'
import type { OperatorAddress } from '../http/connections/operator-address.ts'
import { cannotListenForOperators } from '../http/problems.ts'
import type { Observe } from '../observe/observation.ts'

export type ReservedPort = {
  /** Null when one thread listens alone: it takes the port itself. */
  readonly sharedPort: number | null
  /** Where operators have an address of their own; null where they have none. */
  readonly operators: OperatorAddress | null
  /** How many threads answer requests. */
  readonly apiThreads: number
  /** Lets other services use the port again. */
  readonly release: () => void
}

/**
 * Takes the port before anything else, so that a start on a port in use fails at once.
 *
 * @throws Problem SRV111 or SRV251 when the port is taken, or the address does not belong to this machine
 */
export async function reservePort(config: Config, observe: Observe): Promise<ReservedPort> {
  const wanted = config.threads ?? availableParallelism()
  const operators = operatorAddress(config)
  const alone = { sharedPort: null, operators, apiThreads: 1, release: () => undefined }
  if (wanted === 1) return alone
  const shared = await portToShare(config)
  if (shared !== null) {
    const own = await operatorPort(operators).catch((cause) => {
      shared.release()
      throw cause
    })
    const release = () => {
      own?.release()
      shared.release()
    }
    return {
      sharedPort: shared.port,
      operators: own && operators && { host: operators.host, port: own.port },
      apiThreads: wanted,
      release,
    }
  }
  const reason = 'this platform cannot share a port between threads (SO_REUSEPORT)'
  observe({ kind: 'threads-limited', wanted, reason })
  return alone
}

const operatorPort = async (operators: OperatorAddress | null) =>
  operators === null ? null : portToShare(operators, cannotListenForOperators)

/** At least two, so that one slow script does not delay all others. */
export const scriptThreadsOf = ({ scriptThreads }: Config): number =>
  scriptThreads ?? Math.max(2, Math.ceil(availableParallelism() / 2))
