/**
 * The command line: a table of commands over the same use cases as the HTTP edge. Every expected failure ends as one clear
 * line on standard error and exit code 1; wrong usage is explained by the command itself.
 */
import { Command, CommanderError } from 'commander'
import packageJson from '../../package.json' with { type: 'json' }
import { isForWantOfRoom, whyNotWritable } from '../directory/problems.ts'
import { Problem } from '../kernel/problem.ts'
import type { OpenTrialRunner } from './endpoints/endpoint-trial.ts'
import type { StartService } from './service.ts'

/**
 * @param startService handed in by the composition root, because only that may name an engine; as is the next
 * @returns the exit code
 */
export async function runCli(
  argv: readonly string[],
  startService: StartService,
  openTrialRunner: OpenTrialRunner,
): Promise<number> {
  const program = new Command('tripfolio')
    .description(
      'Bookings, invoices and itineraries of corporate clients, served from snapshots of a warehouse extract',
    )
    .version(packageJson.version)
  const [name = ''] = argv
  const load = commands[name]
  const loading = load === undefined ? Object.values(commands) : [load]
  for (const command of await Promise.all(loading.map((load) => load(startService, openTrialRunner)))) {
    program.addCommand(command)
  }
  for (const command of withSubcommands(program)) command.exitOverride().showHelpAfterError()
  try {
    await program.parseAsync(argv, { from: 'user' })
    return Number(process.exitCode ?? 0)
  } catch (error) {
    return explain(error)
  }
}

type LoadCommand = (startService: StartService, openTrialRunner: OpenTrialRunner) => Promise<Command>

/** Loaded when they are asked for; all of them for the help. */
const commands: Readonly<Record<string, LoadCommand>> = {
  serve: async (startService) => (await import('./serve-command.ts')).serveCommand(startService),
  ingest: async () => (await import('./ingest-command.ts')).ingestCommand(),
  demo: async () => (await import('./demo-command.ts')).demoCommand(),
  snapshot: async () => (await import('./snapshot-commands.ts')).snapshotCommands(),
  account: async () => (await import('./account-commands.ts')).accountCommands(),
  config: async () => (await import('./config-command.ts')).configCommand(),
  token: async () => (await import('./token-commands.ts')).tokenCommands(),
  endpoint: async (_, openTrialRunner) =>
    (await import('./endpoints/endpoint-commands.ts')).endpointCommands(openTrialRunner),
  script: async () => (await import('./script-commands.ts')).scriptCommands(),
  explain: async () => (await import('./explain-command.ts')).explainCommand(),
}

function withSubcommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)]
}

function explain(error: unknown): number {
  // Commander has already printed the help, the version or its complaint.
  if (error instanceof CommanderError) return error.exitCode
  if (!(error instanceof Problem)) throw error
  if (isForWantOfRoom(error)) {
    process.stderr.write(`tripfolio: ${whyNotWritable(error)}\n`)
    return 1
  }
  process.stderr.write(`tripfolio: ${error.message}\n`)
  if (error.hint !== undefined) process.stderr.write(`           ${error.hint}\n`)
  return 1
}
