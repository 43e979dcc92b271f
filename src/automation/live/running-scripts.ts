/**
 * The runs of one thread that runs scripts: cancels them, reads their counts, and passes on the lines of their logs while somebody
 * watches. Lines of one turn of the event loop go together; a run that logs faster than that loses lines, which are counted.
 */
import type { LogEntry } from '../../schema/execution-shapes.ts'
import type { CancelReason } from '../problems.ts'
import type { RunControl, RunCounts } from '../runs/run-endpoint.ts'

/** A line of the log, with the id of its run. */
export type LoggedLine = LogEntry & { readonly id: string }

/** The most lines that are passed on at once. */
const MOST_LINES = 500

type Tell = (lines: readonly LoggedLine[]) => Promise<void>

export class RunningScripts {
  readonly #controls = new Map<string, Control>()
  readonly #tell: Tell
  #cancelledAll: CancelReason | null = null
  #watch: NodeJS.Timeout | undefined
  #lines: LoggedLine[] = []
  #left = 0
  #telling: Promise<void> | null = null

  /** @param tell passes lines on; resolves when they have arrived */
  constructor(tell: Tell) {
    this.#tell = tell
  }

  begin(id: string, onRead?: RunControl['onRead']): RunControl {
    const control = new Control(id, this, onRead)
    this.#controls.set(id, control)
    if (this.#cancelledAll !== null) control.cancel(this.#cancelledAll)
    return control
  }

  end(id: string): void {
    this.#controls.delete(id)
  }

  /** Returns false when no run of this thread has the id. */
  cancel(id: string, reason: CancelReason): boolean {
    const control = this.#controls.get(id)
    control?.cancel(reason)
    return control !== undefined
  }

  /** Also cancels runs that begin later. */
  cancelAll(reason: CancelReason): void {
    this.#cancelledAll = reason
    for (const control of this.#controls.values()) control.cancel(reason)
  }

  counts(): Record<string, RunCounts> {
    const counts: Record<string, RunCounts> = {}
    for (const [id, control] of this.#controls) {
      const { run, log } = control
      if (run === undefined || log === undefined) continue
      const { statements, rounds: loops } = run.counts
      counts[id] = { statements, loops, logLines: log.lineCount, hostCalls: run.hostCalls }
    }
    return counts
  }

  get isWatched(): boolean {
    return this.#watch !== undefined
  }

  /** Passes on lines for this long. */
  watch(milliseconds: number): void {
    clearTimeout(this.#watch)
    this.#watch = setTimeout(() => {
      this.#watch = undefined
    }, milliseconds).unref()
  }

  add(line: LoggedLine): void {
    if (this.#lines.length >= MOST_LINES) {
      this.#left++
      return
    }
    this.#lines.push(line)
    if (this.#lines.length === 1) setImmediate(() => void this.told())
  }

  /** Resolves when all lines so far have arrived: the end of a run must not be told before its lines. */
  async told(): Promise<void> {
    while (this.#telling !== null || this.#lines.length > 0) {
      this.#telling ??= this.#send().finally(() => {
        this.#telling = null
      })
      await this.#telling
    }
  }

  async #send(): Promise<void> {
    const lines = this.#lines
    const last = lines.at(-1)
    if (last !== undefined && this.#left > 0) {
      const message = `${this.#left} more lines are not shown here; the record of the run has them`
      lines.push({ ...last, level: 'Warning', message })
    }
    this.#lines = []
    this.#left = 0
    // The supervisor may be gone: then nobody watches any more.
    await this.#tell(lines).catch(() => undefined)
  }
}

class Control implements RunControl {
  aborted = false
  reason: CancelReason | undefined
  run: RunControl['run']
  log: RunControl['log']
  readonly onRead: RunControl['onRead']
  readonly #id: string
  readonly #scripts: RunningScripts

  constructor(id: string, scripts: RunningScripts, onRead: RunControl['onRead']) {
    this.onRead = onRead
    this.#id = id
    this.#scripts = scripts
  }

  /** The first reason counts. */
  cancel(reason: CancelReason): void {
    this.reason ??= reason
    this.aborted = true
  }

  get onLogLine(): ((line: LogEntry) => void) | undefined {
    if (!this.#scripts.isWatched) return undefined
    return (line) => this.#scripts.add({ id: this.#id, ...line })
  }
}
