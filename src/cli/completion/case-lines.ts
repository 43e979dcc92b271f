/** The lines of the `case` statements of bash and zsh, which differ only in how a shell is told what to offer. */
import type { CommandWords, Expected, OptionWords } from './command-words.ts'
import { quoted, type ShellTables } from './shell-tables.ts'

/** The statement that offers something. */
export type Offers = {
  readonly value: (expected: Expected) => string
  readonly options: (options: readonly OptionWords[]) => string
  readonly commands: (commands: CommandWords['commands']) => string
}

export type CaseLines = {
  /** For `$at|$word`: a command, or an option whose value comes next. */
  readonly words: string
  /** For `$at|$option`. */
  readonly values: string
  /** For `$at`. */
  readonly options: string
  /** For `$at|$count`. */
  readonly arguments: string
}

export function caseLines(tables: ShellTables, offer: Offers): CaseLines {
  const { moves, values, options, commands, arguments: args } = tables
  return {
    words: lines([
      ...moves.map(({ key, path }) => [quoted(key), `at=${quoted(path)}`] as const),
      [values.map(({ key }) => quoted(key)).join(' | '), 'option=$word'],
    ]),
    values: lines(values.map(({ key, value }) => [quoted(key), offer.value(value)])),
    options: lines(options.map(({ path, options }) => [quoted(path), offer.options(options)])),
    arguments: lines([
      ...commands.map(({ path, commands }) => [quoted(`${path}|0`), offer.commands(commands)] as const),
      ...args.map(({ path, at, value }) => [`${quoted(`${path}|`)}${at}`, offer.value(value)] as const),
    ]),
  }
}

const lines = (cases: readonly (readonly [pattern: string, statement: string])[]): string =>
  cases.map(([pattern, statement]) => `      ${pattern}) ${statement} ;;`).join('\n')
