/** Observes the process: turns every observation into log lines, counters and the answer of `/readyz`. */
import type { DestinationStream } from 'pino'
import type { Config } from '../config/load-config.ts'
import { createLogger, standardOutput } from '../observe/logger.ts'
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
  readonly metricValues: () => Promise<MetricValues>
  /** How many requests were ended before their answer was complete. */
  readonly requestsCutOff: () => number
  /** Logs what has been counted but not logged yet. */
  readonly stop: () => void
}

export function observeService(
  { logLevel: level, logFormat: format }: Config,
  destination: DestinationStream = standardOutput(),
): ServiceObserver {
  const isTerminal = process.stdout.isTTY === true
  const metrics = createMetrics()
  const logger = createLogger({ level, format, destination, isTerminal })
  const health = watchHealth(createObserver({ logger, metrics }))
  let requestsCutOff = 0
  return {
    observe: (observation) => {
      if (observation.kind === 'requests-cut-off') requestsCutOff += observation.requests
      health.observe(observation)
    },
    isTerminal,
    writeLog: (lines) => void destination.write(lines),
    readiness: health.readiness,
    metricValues: metrics.values,
    requestsCutOff: () => requestsCutOff,
    stop: health.stop,
  }
}
