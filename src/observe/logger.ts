/**
 * Turns observations into the lines of the log: JSON for machines, or readable lines for a person at a terminal. The table in
 * `log-lines.ts` says what a line contains; nothing here can reach into a request, a response or an account.
 */
import { createRequire } from 'node:module'
import { type LogLine, levelOf, logLine } from './log-lines.ts'
import type { Observation } from './observation.ts'
import { requestLine } from './request-line.ts'

type LogFormat = 'auto' | 'json' | 'pretty'
export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'

/**
 * Takes whole lines, each with its line feed. It must neither throw nor wait. Lines that may wait can be held back for a tenth of
 * a second, together with everything after them.
 */
export type LogDestination = { readonly write: (lines: string, mayWait?: boolean) => void }

export type LogOptions = {
  readonly level: LogLevel
  /** `auto` is pretty on a terminal and JSON elsewhere. */
  readonly format: LogFormat
  /** Where the lines go. */
  readonly destination: LogDestination
  /** Whether a person at a terminal reads them. */
  readonly isTerminal?: boolean
}

export type Logger = {
  /** Writes the lines of the observations together. Those below the level of the log, or without a line, are left out. */
  readonly write: (observations: readonly Observation[], mayWait?: boolean) => void
}

const severity = { trace: 10, debug: 20, info: 30, warn: 40, error: 50, fatal: 60, silent: Infinity } as const

export function createLogger({ level, format, destination, isTerminal = false }: LogOptions): Logger {
  const isReadable = format === 'pretty' || (format === 'auto' && isTerminal)
  const readable = isReadable ? prettyLines(isTerminal) : asItIs
  const least = severity[level]
  const textOf = (observation: Observation, start: Starts): string => {
    if (observation.kind === 'request-answered') {
      const own = levelOf(observation)
      return severity[own] < least ? '' : requestLine(start[own], observation)
    }
    const line = logLine(observation)
    return line === null || severity[line.level] < least ? '' : jsonLine(line, start)
  }
  return {
    write: (observations, mayWait) => {
      // One time for all: a batch takes about a millisecond, and reading the clock is a part of what a line costs.
      const start = starts(Date.now())
      let lines = ''
      for (const observation of observations) {
        const line = textOf(observation, start)
        if (line !== '') lines += readable(line)
      }
      if (lines !== '') destination.write(lines, mayWait)
    },
  }
}

const asItIs = (line: string): string => line

function prettyLines(isTerminal: boolean): (line: string) => string {
  // Not imported at the top: only a log for a person needs it, and it costs every thread 30 ms.
  const { prettyFactory } = createRequire(import.meta.url)('pino-pretty') as typeof import('pino-pretty')
  const pretty = prettyFactory({ colorize: isTerminal, singleLine: true, errorLikeObjectKeys: ['cause'] })
  return (line) => pretty(line) ?? ''
}

/** The members between the start and the message are those of the table. */
const jsonLine = ({ level, message, members }: LogLine, start: Starts): string => {
  const own = JSON.stringify(members).slice(1, -1)
  return `${start[level]}${own === '' ? '' : `,${own}`},"msg":${JSON.stringify(message)}}\n`
}

type Starts = Readonly<Record<LogLine['level'], string>>

/** Under load many lines share a millisecond, and formatting the time would cost as much as the rest of a line. */
let told: Starts & { readonly at: number } = { at: Number.NaN, ...startsAt(0) }

function starts(now: number): Starts {
  if (now !== told.at) told = { at: now, ...startsAt(now) }
  return told
}

function startsAt(now: number): Starts {
  const time = `","time":"${new Date(now).toISOString()}"`
  const start = (level: string) => `{"level":"${level}${time}`
  return { debug: start('debug'), info: start('info'), warn: start('warn'), error: start('error') }
}
