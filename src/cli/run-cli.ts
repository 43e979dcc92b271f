/**
 * The command line: a table of commands over the same use cases as the HTTP edge. Every expected failure ends as one clear
 * line on standard error and exit code 1; wrong usage is explained by the command itself.
 */
import { Command, CommanderError } from 'commander'
import packageJson from '../../package.json' with { type: 'json' }
import { Problem } from '../kernel/problem.ts'
import { accountCommands } from './account-commands.ts'
import { configCommand } from './config-command.ts'
import { demoCommand } from './demo-command.ts'
import { explainCommand } from './explain-command.ts'
import { ingestCommand } from './ingest-command.ts'
import { serveCommand } from './serve-command.ts'
import type { StartService } from './service.ts'
import { snapshotCommands } from './snapshot-commands.ts'

/**
 * @param startService handed in by the composition root, because only that may name an engine
 * @returns the exit code
 */
export async function runCli(argv: readonly string[], startService: StartService): Promise<number> {
  const program = new Command('tripfolio')
    .description(
      'Bookings, invoices and itineraries of corporate clients, served from snapshots of a warehouse extract',
    )
    .version(packageJson.version)
    .addCommand(serveCommand(startService))
    .addCommand(ingestCommand())
    .addCommand(demoCommand())
    .addCommand(snapshotCommands())
    .addCommand(accountCommands())
    .addCommand(configCommand())
    .addCommand(explainCommand())
  for (const command of withSubcommands(program)) command.exitOverride().showHelpAfterError()
  try {
    await program.parseAsync(argv, { from: 'user' })
    return Number(process.exitCode ?? 0)
  } catch (error) {
    return explain(error)
  }
}

function withSubcommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)]
}

function explain(error: unknown): number {
  // Commander has already printed the help, the version or its complaint.
  if (error instanceof CommanderError) return error.exitCode
  if (!(error instanceof Problem)) throw error
  process.stderr.write(`tripfolio: ${error.message}\n`)
  if (error.hint !== undefined) process.stderr.write(`           ${error.hint}\n`)
  return 1
}
