/**
 * The log of a run. It is cleaned of secrets when the run is over, because a script may log a secret before it reads it. It keeps
 * a bounded part, and its last line says how many lines are missing.
 */
import { fold } from '../../kernel/text.ts'
import { heldSince, isTurnDue, turn } from '../../kernel/turns.ts'
import { type LogEntry, type LogLevel, logLevels } from '../../schema/execution-shapes.ts'
import { cutToBytes, detachedString } from '../history/detached-string.ts'

const MOST_LINES = 1000
const MOST_BYTES = 4096

/** More of a message than is shown, so that a secret across the cut is found as a whole. */
const MOST_UNITS = MOST_BYTES + 16_384

/** All messages together, while the run goes on. */
const MOST_UNITS_IN_ALL = 2 ** 23

/** Longer texts are no level, and folding them would take time. */
const LONGEST_LEVEL = 20

type Line = { readonly at: number; readonly level: LogLevel; readonly message: string }

export class RunLog {
  readonly #now: () => number
  readonly #lines: Line[] = []
  #units = 0
  #dropped = 0

  constructor(now: () => number) {
    this.#now = now
  }

  /** Characters of all messages that are kept. */
  get size(): number {
    return this.#units
  }

  /** @param level in any case; an unknown one is `Information` */
  add(level: string, message: string): void {
    const units = Math.min(message.length, MOST_UNITS)
    if (this.#lines.length >= MOST_LINES || this.#units + units > MOST_UNITS_IN_ALL) {
      this.#dropped++
      return
    }
    this.#units += units
    const kept = message.length > MOST_UNITS ? detachedString(message.slice(0, MOST_UNITS)) : message
    this.#lines.push({
      at: this.#now(),
      level: levels.get(fold(level.slice(0, LONGEST_LEVEL))) ?? 'Information',
      message: kept,
    })
  }

  /** @param clean takes secrets out of a text, one line after the other with turns for others in between */
  async entries(clean: (text: string) => string): Promise<LogEntry[]> {
    const entries: LogEntry[] = []
    for (const { at, level, message } of this.#lines) {
      if (isTurnDue()) await turn()
      const began = performance.now()
      entries.push({ time: new Date(at).toISOString(), level, message: told(clean(message)) })
      heldSince(began)
    }
    if (this.#dropped === 0) return entries
    const message = `The log is cut here: ${this.#dropped} more lines were not kept`
    return [...entries, { time: new Date(this.#now()).toISOString(), level: 'Warning', message }]
  }
}

const levels: ReadonlyMap<string, LogLevel> = new Map<string, LogLevel>([
  ...logLevels.map((level) => [fold(level), level] as const),
  ['info', 'Information'],
  ['warn', 'Warning'],
])

function told(message: string): string {
  const { text, wasCut } = cutToBytes(message, MOST_BYTES)
  return wasCut ? `${text} [cut]` : text
}
