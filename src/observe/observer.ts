/** Sends every observation to the log and to the metrics. Stages are handed the returned function and know neither. */
import type { Logger } from 'pino'
import { type LogLine, logLine } from './log-lines.ts'
import type { Metrics } from './metrics.ts'
import type { Observe } from './observation.ts'

export function createObserver({ logger, metrics }: { logger: Logger; metrics: Metrics }): Observe {
  return (observation) => {
    metrics.record(observation)
    const line = logLine(observation)
    if (line !== null) write(logger, line)
  }
}

function write(logger: Logger, { level, message, members }: LogLine): void {
  logger[level](members, message)
}
