/** One call of the command line: its settings, what it prints, and its exit code. */
import { type Config, loadConfig } from '../config/load-config.ts'
import type { Problem } from '../kernel/problem.ts'
import type { CliIo } from './cli-io.ts'
import { exitCodes } from './failures/exit-codes.ts'
import { problemLines, warningJson } from './failures/problem-text.ts'
import { outputNotWritten } from './failures/problems.ts'
import { type Row, tableText } from './table-text.ts'

export class Invocation {
  /** 0 unless the command sets another one of `failures/exit-codes.ts`. A problem that is thrown sets that of its kind. */
  exitCode: number = exitCodes.done
  readonly io: CliIo
  /** Whether a program reads what is printed: errors and warnings are JSON, too. */
  readonly json: boolean

  readonly #folders = new Set<string>()
  #written: Promise<unknown> = Promise.resolve()
  #outputFault: Error | undefined
  #lost: ((reason: string) => Problem) | undefined

  constructor(io: CliIo, { json = false }: { readonly json?: boolean } = {}) {
    this.io = io
    this.json = json
  }

  /** The data folders that the command has asked for. */
  get folders(): readonly string[] {
    return [...this.#folders]
  }

  /** @throws SettingsProblem when a setting is unknown or invalid */
  config(flags: Readonly<Record<string, unknown>>): Config {
    // Not a setting: the token of the operator for commands on a service elsewhere.
    const { TRIPFOLIO_TOKEN, ...env } = this.io.env
    const config = loadConfig({ env, flags })
    this.#folders.add(config.data)
    return config
  }

  /** Writes the text to standard output unchanged. Whether that worked is known when the command ends. */
  print(text: string): void {
    const { stdout } = this.io
    ignoreErrors(stdout)
    this.#written = new Promise<void>((resolve) => {
      stdout.write(text, (error) => {
        this.#outputFault ??= error ?? undefined
        resolve()
      })
    })
  }

  /** What is printed next cannot be shown again: the problem says what to do when it could not be written. */
  printsOnce(lost: (reason: string) => Problem): void {
    this.#lost = lost
  }

  /** Waits for what was printed. Undefined when it was written, or when its reader has ended and misses nothing. */
  async outputProblem(): Promise<Problem | undefined> {
    await this.#written
    const fault = this.#outputFault
    if (fault === undefined) return undefined
    if (this.#lost !== undefined) return this.#lost(fault.message)
    return 'code' in fault && fault.code === 'EPIPE' ? undefined : outputNotWritten(fault)
  }

  printJson(value: unknown): void {
    this.print(`${JSON.stringify(value, null, 2)}\n`)
  }

  /** Prints rows as JSON or as a table; a table without rows prints `empty`. */
  printRows(
    rows: readonly Row[],
    { json, empty }: { readonly json: boolean | undefined; readonly empty: string },
  ): void {
    if (json) this.printJson(rows)
    else this.print(rows.length === 0 ? `${empty}\n` : tableText(rows))
  }

  /** Prints a problem that does not stop the command. */
  async warn(problem: Problem): Promise<void> {
    this.printError(this.json ? await warningJson(problem) : problemLines(problem, 'warning: '))
  }

  /** Writes the text to standard error unchanged. */
  printError(text: string): void {
    ignoreErrors(this.io.stderr)
    this.io.stderr.write(text)
  }
}

/** A stream without a listener ends the process with a stack. */
function ignoreErrors(stream: NodeJS.WritableStream): void {
  if (!stream.listeners('error').includes(ignore)) stream.on('error', ignore)
}

const ignore = (): void => undefined
