/**
 * The logger of a process: JSON lines for machines, or readable lines for a person at a terminal. It writes the lines of the
 * table in `log-lines.ts`; no serializer can reach into a request, a response or an account.
 */
import { createRequire } from 'node:module'
import pino, { type DestinationStream, type Logger, type LoggerOptions } from 'pino'

type LogFormat = 'auto' | 'json' | 'pretty'
export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'

export type LogOptions = {
  readonly level: LogLevel
  /** `auto` is pretty on a terminal and JSON elsewhere. */
  readonly format: LogFormat
  /** Where the lines go. */
  readonly destination: DestinationStream
  /** Whether a person at a terminal reads them. */
  readonly isTerminal?: boolean
}

export function createLogger({ level, format, destination, isTerminal = false }: LogOptions): Logger {
  const options: LoggerOptions = {
    level,
    base: null,
    timestamp,
    formatters: { level: (label) => ({ level: label }) },
  }
  const isReadable = format === 'pretty' || (format === 'auto' && isTerminal)
  if (!isReadable) return pino(options, destination)
  // Not imported at the top: only a log for a person needs it, and it costs every thread 30 ms.
  const { prettyFactory } = createRequire(import.meta.url)('pino-pretty') as typeof import('pino-pretty')
  const readable = prettyFactory({ colorize: isTerminal, singleLine: true, errorLikeObjectKeys: ['cause'] })
  return pino(options, { write: (line) => destination.write(readable(line)) })
}

/** Under load many lines share a millisecond, and formatting the time costs as much as the rest of a line. */
let told = { at: Number.NaN, text: '' }

function timestamp(): string {
  const now = Date.now()
  if (now !== told.at) told = { at: now, text: `,"time":"${new Date(now).toISOString()}"` }
  return told.text
}

/** A pipe writes this much atomically (PIPE_BUF), so that lines of several processes do not mix. */
const batchLength = 4096
const batchMs = 200

/** Lines in batches, except on a terminal: a system call for each line would cost more than the rest of logging it. */
export function standardOutput(): DestinationStream {
  const output = process.stdout
  if (output.isTTY) return output
  let batch = ''
  let timer: NodeJS.Timeout | undefined
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    if (batch !== '') output.write(batch)
    batch = ''
  }
  // The service continues when the reader of the log has closed the pipe.
  output.on('error', () => undefined)
  process.once('exit', flush)
  return {
    write: (line) => {
      if (batch.length + line.length > batchLength) flush()
      batch += line
      timer ??= setTimeout(flush, batchMs).unref()
    },
  }
}
