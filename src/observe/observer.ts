/**
 * Sends every observation to the metrics and to the log. Stages get the returned function and know neither. Requests and
 * their stages are reported in batches: one by one, between two requests, reports cost several times as much, because the
 * code and data of serving and of reporting evict each other from the caches of the processor.
 */
import type { Logger } from './logger.ts'
import type { Metrics } from './metrics.ts'
import type { Observation, Observe } from './observation.ts'

/** A request is counted at most this late; a batch takes about a millisecond. */
const batchMs = 20
const batchSize = 1000
/** Kinds that may occur thousands of times per second. */
const batched: ReadonlySet<Observation['kind']> = new Set([
  'request-answered',
  'stage-timed',
  'token-refused',
  'delivery-refused',
  'rotated-signature',
])

export function createObserver({ logger, metrics }: { logger: Logger; metrics: Metrics }): Observe {
  let waiting: Observation[] = []
  let timer: NodeJS.Timeout | undefined

  const report = (observations: readonly Observation[], mayWait: boolean) => {
    for (const observation of observations) metrics.record(observation)
    logger.write(observations, mayWait)
  }
  const drain = () => {
    clearTimeout(timer)
    process.removeListener('exit', drain)
    const batch = waiting
    waiting = []
    report(batch, true)
  }
  return (observation) => {
    if (!batched.has(observation.kind)) {
      // Log lines have the order of the events.
      if (waiting.length > 0) drain()
      report([observation], false)
      return
    }
    const length = waiting.push(observation)
    if (length === batchSize) drain()
    if (length > 1) return
    timer = setTimeout(drain, batchMs).unref()
    // Runs before the listener of the logger, which flushes its batch.
    process.prependListener('exit', drain)
  }
}

/** Whether the observation is about requests: the thread that serves them counts and logs it. */
export const isOfRequest = ({ kind }: Observation): boolean => requestKinds.has(kind)

const requestKinds: ReadonlySet<Observation['kind']> = new Set([
  'request-answered',
  'request-failed',
  'stage-timed',
  'load-measured',
  'requests-shed',
  'key-rotated',
  'script-logged',
  'script-failed',
  'script-sent',
  'script-defect',
  'token-not-checked',
  'token-refused',
  'delivery-refused',
  'authentication-failed',
  'authentication-failures',
  'readers-cut-off',
  'connections-open',
  'connections-refused',
  'signing-secret-missing',
  'rotated-signature',
])
