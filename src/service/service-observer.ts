/** What the process observes of itself: every fact becomes log lines, counters and what `/readyz` tells. */
import type { DestinationStream } from 'pino'
import type { Config } from '../config/load-config.ts'
import { createLogger, standardOutput } from '../observe/logger.ts'
import { createMetrics, type MetricValues } from '../observe/metrics.ts'
import type { Observe } from '../observe/observation.ts'
import { createObserver } from '../observe/observer.ts'
import { type Readiness, watchHealth } from '../observe/service-health.ts'

export type ServiceObserver = {
  readonly observe: Observe
  /** Whether the log is read by a person at a terminal. */
  readonly isTerminal: boolean
  /** For threads, which send the lines of their own log. */
  readonly writeLog: (lines: string) => void
  readonly readiness: () => Readiness
  readonly metricValues: () => Promise<MetricValues>
  /** How many requests were ended before they were answered. */
  readonly requestsCutOff: () => number
  /** Logs what was only counted so far. */
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
