/**
 * The words of all commands as the cases of a shell: the scripts of all shells walk over the words before the cursor in the
 * same way, from command to command, and then look up what may come next.
 */
import type { CommandWords, Expected, OptionWords } from './command-words.ts'

export type ShellTables = {
  /** `account|create` leads to `account create`. */
  readonly moves: readonly { readonly key: string; readonly path: string }[]
  /** `demo|--format` and what its value is. */
  readonly values: readonly { readonly key: string; readonly value: Expected }[]
  readonly options: readonly { readonly path: string; readonly options: readonly OptionWords[] }[]
  /** The commands below a command. */
  readonly commands: readonly Pick<CommandWords, 'path' | 'commands'>[]
  /** `endpoint pull|0` is its first argument; a number of `*` stands for any. */
  readonly arguments: readonly { readonly path: string; readonly at: string; readonly value: Expected }[]
}

export function shellTables(words: readonly CommandWords[]): ShellTables {
  return {
    moves: words.flatMap(({ path, commands }) =>
      commands.map(({ name }) => ({ key: `${path}|${name}`, path: `${path} ${name}`.trimStart() })),
    ),
    values: words.flatMap(({ path, options }) =>
      options.flatMap(({ names, value }) =>
        value === null ? [] : names.map((name) => ({ key: `${path}|${name}`, value })),
      ),
    ),
    options: words,
    commands: words.filter(({ commands }) => commands.length > 0),
    arguments: words.flatMap(({ path, arguments: values }) =>
      values.map((value, index) => ({ path, at: value.isVariadic ? '*' : `${index}`, value })),
    ),
  }
}

/** In single quotes, as sh, bash, zsh and fish read them. */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
