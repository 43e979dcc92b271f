/**
 * The log of a run. Secrets are redacted when the run is over, because a script may log a value before it reads it as a secret.
 * The size of the log is bounded; its last line says how many lines are missing.
 */
import { cutToBytes, detachedString } from '../../kernel/detached-string.ts'
import { fold } from '../../kernel/text.ts'
import { heldSince, isTurnDue, turn } from '../../kernel/turns.ts'
import { type LogEntry, type LogLevel, logLevels } from '../../schema/execution-shapes.ts'

const MOST_LINES = 1000
const MOST_BYTES = 4096

/** More of a message is kept than is shown, so that a secret across the cut is still found whole. */
const MOST_UNITS = MOST_BYTES + 16_384

/** The length of all messages together during the run. */
const MOST_UNITS_IN_ALL = 2 ** 23

/** Longer texts are not levels, and folding them would take time. */
const LONGEST_LEVEL = 20

type Line = { readonly at: number; readonly level: LogLevel; readonly message: string }

/** Who watches the log while the run goes on. */
type LogWatch = {
  readonly control: { readonly onLogLine?: ((line: LogEntry) => void) | undefined }
  /** Takes out the secrets that are known so far. */
  readonly clean: (text: string) => string
}

export class RunLog {
  readonly #now: () => number
  readonly #watch: LogWatch | undefined
  readonly #lines: Line[] = []
  #units = 0
  #dropped = 0

  constructor(now: () => number, watch?: LogWatch) {
    this.#now = now
    this.#watch = watch
  }

  /** All lines, kept or not. */
  get lineCount(): number {
    return this.#lines.length + this.#dropped
  }

  /** The length of all kept messages, in UTF-16 code units. */
  get size(): number {
    return this.#units
  }

  /** @param level in any letter case; an unknown level counts as `Information` */
  add(level: string, message: string): void {
    const units = Math.min(message.length, MOST_UNITS)
    if (this.#lines.length >= MOST_LINES || this.#units + units > MOST_UNITS_IN_ALL) {
      this.#dropped++
      return
    }
    this.#units += units
    // Makes a text flat that was concatenated: its pieces would take up to 32 times the memory.
    message.charCodeAt(0)
    const kept = message.length > MOST_UNITS ? detachedString(message.slice(0, MOST_UNITS)) : message
    const line: Line = {
      at: this.#now(),
      level: levels.get(fold(level.slice(0, LONGEST_LEVEL))) ?? 'Information',
      message: kept,
    }
    this.#lines.push(line)
    if (this.#watch?.control.onLogLine !== undefined) {
      this.#watch.control.onLogLine(entryOf(line, this.#watch.clean))
    }
  }

  /** Redacts line by line, and lets other runs have a turn in between. @param clean takes secrets out of a text */
  async entries(clean: (text: string) => string): Promise<LogEntry[]> {
    const entries: LogEntry[] = []
    for (const line of this.#lines) {
      if (isTurnDue()) await turn()
      const began = performance.now()
      entries.push(entryOf(line, clean))
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

const entryOf = ({ at, level, message }: Line, clean: (text: string) => string): LogEntry => ({
  time: new Date(at).toISOString(),
  level,
  message: shortened(clean(message)),
})

function shortened(message: string): string {
  const { text, wasCut } = cutToBytes(message, MOST_BYTES)
  return wasCut ? `${text} [cut]` : text
}
