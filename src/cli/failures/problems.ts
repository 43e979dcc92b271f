/** What can go wrong with a call of the command line, whatever the command is. */
import type { Command, CommanderError } from 'commander'
import { closest } from '../../kernel/closest.ts'
import { Problem } from '../../kernel/problem.ts'

/** `tripfolio account create`. */
const nameOf = (command: Command): string =>
  command.parent === null ? command.name() : `${nameOf(command.parent)} ${command.name()}`

const helpOf = (command: Command): string =>
  `\`${nameOf(command)} --help\` lists its ${command.commands.length > 0 ? 'commands' : 'arguments and options'}.`

/** `tripfolio schedule resume ENDPOINT`: without both it would end the hold of all schedules. */
export const scheduleNotNamed = (endpoint: string): Problem =>
  new Problem('CFG225', `Expected the name of a schedule after '${endpoint}', found none`, {
    hint: '`tripfolio schedule list` shows the schedules. Without endpoint and schedule, `schedule resume` ends `schedule hold`.',
  })

/** Commander found that the command line does not fit the command. */
export function wrongCall(command: Command, { code, message }: CommanderError): Problem {
  if (code === 'commander.excessArguments') return excessArguments(command)
  const [found = '', suggestion = ''] = message.replace(/^error: /, '').split('\n')
  const option = /^unknown option '(.*)'$/.exec(found)?.[1]
  const owner = option === undefined ? undefined : ownerOf(command, option)
  if (owner !== undefined) {
    return new Problem('CFG220', `Expected a command before '${option}'`, {
      hint: `\`${nameOf(owner)} ${option}\` may be meant. ${helpOf(command)}`,
    })
  }
  const didYouMean = /^\((.*)\)$/.exec(suggestion)?.[1]
  return new Problem('CFG220', `${found.charAt(0).toUpperCase()}${found.slice(1).replace(/\.$/, '')}`, {
    hint: didYouMean === undefined ? helpOf(command) : `${didYouMean} ${helpOf(command)}`,
  })
}

/** What is most often written without its option, by command. */
const optionsOfOperands: ReadonlyMap<string, string> = new Map([
  ['ingest', '--source'],
  ['explain', '--v1'],
])

/** `tripfolio ingest FOLDER`, `tripfolio refresh histroy`, `tripfolio account rotate Nightly export` */
function excessArguments(command: Command): Problem {
  const accepted = command.args.slice(0, command.registeredArguments.length)
  const first = command.args[accepted.length] ?? ''
  const option = optionsOfOperands.get(command.name())
  const nearest = closest(
    first,
    command.commands.map((each) => each.name()),
  )
  const meant = option === undefined ? nearest : `${option} '${first}'`
  const quotes = accepted.length > 0 ? 'A name with blanks is written in quotes. ' : ''
  return new Problem('CFG220', `Expected no '${first}' after '${[nameOf(command), ...accepted].join(' ')}'`, {
    hint: `${meant === undefined ? quotes : `Did you mean ${meant}? `}${helpOf(command)}`,
  })
}

/** The command below that has the option: `serve` when it is one of several. */
function ownerOf({ commands }: Command, name: string): Command | undefined {
  const owners = commands.filter(({ options }) =>
    options.some(({ long, short }) => [long, short].includes(name)),
  )
  return owners.find((each) => each.name() === 'serve') ?? owners[0]
}

/** The name of a group of commands, without one of them. */
export function subcommandMissing(command: Command): Problem {
  const names = command.commands.map((each) => each.name()).join(', ')
  return new Problem('CFG221', `Expected a command after '${nameOf(command)}': ${names}`, {
    hint: helpOf(command),
  })
}

export const runOrEndpointExpected = (): Problem =>
  new Problem('CFG220', 'Expected either the id of a run or --endpoint', {
    hint: '`tripfolio execution live` lists the runs with their ids.',
  })

/** Anything that is thrown and is not a problem. */
export const unexpected = (cause: unknown): Problem =>
  new Problem('CFG222', `The command failed: ${cause instanceof Error ? cause.message : String(cause)}`, {
    hint: 'This is a defect of Tripfolio: please report it, with the lines below.',
    cause,
  })

export const outputNotWritten = (cause: Error): Problem =>
  new Problem('CFG223', `Standard output cannot be written: ${cause.message}`, {
    hint: 'The command itself was carried out. Give its output a place with room.',
    cause,
  })

/** @param done what the command has changed; @param secret what only its output had */
export const secretNotWritten = (done: string, secret: string, reason: string, again: string): Problem =>
  new Problem('CFG224', `${done}, but the ${secret} could not be written: ${reason}`, {
    hint: `It cannot be shown again. ${again}`,
  })

export const directoryFileUnreadable = (file: string, cause: Error): Problem =>
  new Problem(
    'DIR318',
    `${file === '-' ? 'Standard input' : file} cannot be read: ${
      cause instanceof TypeError ? 'it is not UTF-8' : cause.message
    }`,
    { cause, hint: 'Give a CSV file in UTF-8.' },
  )

export const sealWhat = () =>
  new Problem('DIR469', 'Expected an account or --all, found neither or both', {
    hint: 'Name one account, or give --all. `tripfolio store verify` lists the accounts that do not match their checksums.',
  })

export const ambiguousId = (reference: string, matches: readonly { readonly id: string }[]): Problem =>
  new Problem('DIR659', `${matches.length} ids begin with '${reference}'`, {
    hint: `Give more of one of: ${matches.map(({ id }) => id).join(', ')}.`,
  })
