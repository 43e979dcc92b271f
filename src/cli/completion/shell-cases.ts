/** The parts of the scripts of bash and zsh that are the same, but for how a shell is told what to offer. */
import type { CommandWords, Expected, OptionWords } from './command-words.ts'
import { quoted, type ShellTables } from './shell-tables.ts'

/** The statement that offers something. */
export type Offers = {
  readonly value: (expected: Expected) => string
  readonly options: (options: readonly OptionWords[]) => string
  readonly commands: (commands: CommandWords['commands']) => string
}

/** For each `$word` before the cursor: it leads to the command `$at`, is the `$option` whose value comes next, or counts. */
export const wordCases = ({ moves, values }: ShellTables): string => `\
    case "$at|$word" in
${lines([
  ...moves.map(({ key, path }) => [quoted(key), `at=${quoted(path)}`] as const),
  [values.map(({ key }) => quoted(key)).join(' | '), 'option=$word'],
])}
      *'|-'*) ;;
      *) count=$((count + 1)) ;;
    esac`

/** Offers values of `$option`, the options of the command `$at`, or its commands and arguments. */
export const offerCases = (
  { values, options, commands, arguments: args }: ShellTables,
  offer: Offers,
): string => `\
  if [[ -n $option ]]; then
    case "$at|$option" in
${lines(values.map(({ key, value }) => [quoted(key), offer.value(value)]))}
    esac
  elif [[ $current == -* ]]; then
    case "$at" in
${lines(options.map(({ path, options }) => [quoted(path), offer.options(options)]))}
    esac
  else
    case "$at|$count" in
${lines([
  ...commands.map(({ path, commands }) => [quoted(`${path}|0`), offer.commands(commands)] as const),
  ...args.map(({ path, at, value }) => [`${quoted(`${path}|`)}${at}`, offer.value(value)] as const),
])}
    esac
  fi`

const lines = (cases: readonly (readonly [pattern: string, statement: string])[]): string =>
  cases.map(([pattern, statement]) => `      ${pattern}) ${statement} ;;`).join('\n')
