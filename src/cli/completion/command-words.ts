/**
 * What may follow each word of a command line, read from the definition of the commands: a new command, option or choice is
 * completed without an edit here.
 */
import type { Argument, Command, Option } from 'commander'

/** What a value is. What a shell cannot know is `free`. */
export type Expected =
  | { readonly kind: 'choices'; readonly words: readonly string[] }
  | { readonly kind: 'file' | 'folder' | 'free' }

export type OptionWords = {
  /** `--version` and, where there is one, the short form `-V`. */
  readonly names: readonly string[]
  readonly description: string
  /** Null when no value has to follow. */
  readonly value: Expected | null
}

export type CommandWords = {
  /** `account create`; empty for the program itself. */
  readonly path: string
  readonly commands: readonly { readonly name: string; readonly description: string }[]
  readonly options: readonly OptionWords[]
  /** The last one may be repeated when it is variadic. */
  readonly arguments: readonly (Expected & { readonly isVariadic: boolean })[]
}

/** The program, its commands and theirs. A command with an alias stands there under both names. */
export function commandWords(program: Command): readonly CommandWords[] {
  return wordsBelow(program, '')
}

function wordsBelow(command: Command, path: string): readonly CommandWords[] {
  const help = command.createHelp()
  const named = help
    .visibleCommands(command)
    .flatMap((each) => [each.name(), ...each.aliases()].map((name) => ({ name, command: each })))
  const own: CommandWords = {
    path,
    commands: named.map(({ name, command: each }) => ({ name, description: each.description() })),
    options: help.visibleOptions(command).map(optionWords),
    arguments: command.registeredArguments.map(argumentWords),
  }
  const names = named.map(({ name }) => name)
  return [
    own,
    ...named.flatMap(({ name, command: each }) => {
      const below = `${path} ${name}`.trimStart()
      return isHelp(each) ? [helpWords(below, names)] : wordsBelow(each, below)
    }),
  ]
}

/** The help command that commander adds to each group; it takes a command of the group. */
const isHelp = (command: Command): boolean => command.name() === 'help'

const helpWords = (path: string, names: readonly string[]): CommandWords => ({
  path,
  commands: [],
  options: [],
  arguments: [{ kind: 'choices', words: names.filter((name) => name !== 'help'), isVariadic: false }],
})

const optionWords = (option: Option): OptionWords => ({
  names: [option.long, option.short].filter((name) => name !== undefined),
  description: option.description,
  value: option.required ? expected(option.argChoices, option.flags) : null,
})

const argumentWords = (argument: Argument) => ({
  ...expected(argument.argChoices, argument.name()),
  isVariadic: argument.variadic,
})

/** @param placeholder the name of the value in the help, such as `folder` or `--out <folder>` */
function expected(choices: readonly string[] | undefined, placeholder: string): Expected {
  if (choices !== undefined) return { kind: 'choices', words: choices }
  const name = /<(.*)>/.exec(placeholder)?.[1] ?? placeholder
  if (/\bfile\b/.test(name)) return { kind: 'file' }
  return { kind: /\bfolder\b/.test(name) ? 'folder' : 'free' }
}
