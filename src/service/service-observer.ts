/** Observes the process: turns every observation into log lines, counters and the answer of `/readyz`. */
import type { Config } from '../config/load-config.ts'
import { standardOutput } from '../observe/log-output.ts'
import { createLogger, type LogDestination } from '../observe/logger.ts'
import type { MetricValues } from '../observe/metrics.ts'
import type { Observe } from '../observe/observation.ts'
import { createObserver } from '../observe/observer.ts'
import { type Readiness, watchHealth } from '../observe/service-health.ts'
import { createMetrics } from '../observe/service-metrics.ts'

export type ServiceObserver = {
  readonly observe: Observe
  /** Whether the log goes to a terminal, where a person reads it. */
  readonly isTerminal: boolean
  /** Writes the log lines that threads send. */
  readonly writeLog: (lines: string) => void
  readonly readiness: () => Readiness
  /** Until this is settled, the service is not ready. */
  readonly holdReadiness: (until: Promise<unknown>) => void
  readonly metricValues: () => Promise<MetricValues>
  /** What a stop did not wait for any longer: requests without a complete answer, and runs of scripts. */
  readonly cutOff: () => CutOff
  /** Logs what has been counted but not logged yet. */
  readonly stop: () => void
}

type CutOff = { readonly requestsCutOff: number; readonly runsCutOff: number }

/** @param log where the lines of the log go; to standard output unless given */
export function observeService(
  { logLevel: level, logFormat: format, logBufferBytes: mostWaitingBytes }: Config,
  log?: LogDestination,
): ServiceObserver {
  const destination =
    log ?? standardOutput({ mostWaitingBytes, observe: (observation) => health.observe(observation) })
  const isTerminal = process.stdout.isTTY === true
  const metrics = createMetrics()
  const logger = createLogger({ level, format, destination, isTerminal })
  const health = watchHealth(createObserver({ logger, metrics }))
  let isStarting = false
  let cutOff: CutOff = { requestsCutOff: 0, runsCutOff: 0 }
  return {
    observe: (observation) => {
      if (observation.kind === 'requests-cut-off') {
        cutOff = { ...cutOff, requestsCutOff: cutOff.requestsCutOff + observation.requests }
      } else if (observation.kind === 'runs-cut-off') {
        cutOff = { ...cutOff, runsCutOff: cutOff.runsCutOff + observation.runs }
      }
      health.observe(observation)
    },
    isTerminal,
    writeLog: (lines) => destination.write(lines),
    readiness: () => ({ ...health.readiness(), ...(isStarting && { isStarting }) }),
    holdReadiness: (until) => {
      isStarting = true
      const release = () => {
        isStarting = false
      }
      until.then(release, release)
    },
    metricValues: metrics.values,
    cutOff: () => cutOff,
    stop: health.stop,
  }
}
