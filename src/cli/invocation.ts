/** One call of the command line: what its command reads and prints, and the exit code it comes to. */
import { type Config, loadConfig } from '../config/load-config.ts'
import type { CliIo } from './cli-io.ts'
import { type Row, tableText } from './table-text.ts'

export class Invocation {
  /** 0 unless the command says otherwise. */
  exitCode = 0
  readonly io: CliIo

  constructor(io: CliIo) {
    this.io = io
  }

  /** @throws SettingsProblem for settings that are unknown or bad */
  config(flags: Readonly<Record<string, unknown>>): Config {
    return loadConfig({ env: this.io.env, flags })
  }

  /** To standard output, as it is. */
  print(text: string): void {
    this.io.stdout.write(text)
  }

  printJson(value: unknown): void {
    this.print(`${JSON.stringify(value, null, 2)}\n`)
  }

  /** JSON for programs, a table for people. */
  printRows(
    rows: readonly Row[],
    { json, empty }: { readonly json: boolean | undefined; readonly empty: string },
  ): void {
    if (json) this.printJson(rows)
    else this.print(rows.length === 0 ? `${empty}\n` : tableText(rows))
  }

  /** To standard error, as it is. */
  printError(text: string): void {
    this.io.stderr.write(text)
  }
}
