/**
 * Runs the command line: a table of commands over the same use cases as the HTTP edge. Every expected failure prints one clear
 * line to standard error and ends with exit code 1; for wrong usage the command prints its help.
 */
import { Command, CommanderError } from 'commander'
import packageJson from '../../package.json' with { type: 'json' }
import { isNotWritable, whyNotWritable } from '../directory/problems.ts'
import { Problem } from '../kernel/problem.ts'
import type { CliIo } from './cli-io.ts'
import type { OpenTrialRunner } from './endpoints/endpoint-trial.ts'
import { Invocation } from './invocation.ts'
import type { StartService } from './service.ts'

/** The composition root hands these in, because only it may name an engine. */
export type Composition = {
  readonly startService: StartService
  readonly openTrialRunner: OpenTrialRunner
}

/** @returns the exit code */
export async function runCli(argv: readonly string[], io: CliIo, composition: Composition): Promise<number> {
  const cli = new Invocation(io)
  const program = new Command('tripfolio')
    .description(
      'Serves bookings, invoices and itineraries of corporate clients from snapshots of a warehouse extract',
    )
    .version(packageJson.version)
  const [name = ''] = argv
  const load = commands[name]
  const loading = load === undefined ? Object.values(commands) : [load]
  for (const command of await Promise.all(loading.map((load) => load(cli, composition)))) {
    program.addCommand(command)
  }
  for (const command of withSubcommands(program)) {
    command
      .exitOverride()
      .showHelpAfterError()
      .configureOutput({ writeOut: (text) => cli.print(text), writeErr: (text) => cli.printError(text) })
  }
  try {
    await program.parseAsync(argv, { from: 'user' })
    return cli.exitCode
  } catch (error) {
    return explain(error, cli)
  }
}

type LoadCommand = (cli: Invocation, composition: Composition) => Promise<Command>

/** A command is loaded when it is called; the help loads all of them. */
const commands: Readonly<Record<string, LoadCommand>> = {
  serve: async (cli, { startService }) =>
    (await import('./serve-command.ts')).serveCommand(cli, startService),
  ingest: async (cli) => (await import('./ingest-command.ts')).ingestCommand(cli),
  demo: async (cli) => (await import('./demo-command.ts')).demoCommand(cli),
  snapshot: async (cli) => (await import('./snapshot-commands.ts')).snapshotCommands(cli),
  account: async (cli) => (await import('./account-commands.ts')).accountCommands(cli),
  config: async (cli) => (await import('./config-command.ts')).configCommand(cli),
  token: async (cli) => (await import('./token-commands.ts')).tokenCommands(cli),
  endpoint: async (cli, { openTrialRunner }) =>
    (await import('./endpoints/endpoint-commands.ts')).endpointCommands(cli, openTrialRunner),
  script: async (cli) => (await import('./script-commands.ts')).scriptCommands(cli),
  explain: async (cli) => (await import('./explain-command.ts')).explainCommand(cli),
}

function withSubcommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)]
}

function explain(error: unknown, cli: Invocation): number {
  // Commander has already printed the help, the version or its error message.
  if (error instanceof CommanderError) return error.exitCode
  if (!(error instanceof Problem)) throw error
  if (isNotWritable(error)) {
    cli.printError(`tripfolio: ${whyNotWritable(error)}\n`)
    return 1
  }
  // The causes of a refusal and the messages of the database have several lines.
  cli.printError(`tripfolio: ${error.message.replaceAll('\n', '\n           ')}\n`)
  if (error.hint !== undefined) cli.printError(`           ${error.hint}\n`)
  return 1
}
