/**
 * Runs the command line: a table of commands over the same use cases as the HTTP edge. Every failure prints what is wrong and
 * what to do to standard error, with `--json` as one line of JSON, and ends with the exit code of its kind. Names and options
 * of commands are declared only to commander: messages, help and completion are derived from that.
 */
import { Command, CommanderError } from 'commander'
import { version } from '../kernel/files/version.ts'
import { Problem } from '../kernel/problem.ts'
import type { CliIo } from './cli-io.ts'
import type { OpenTrialRunner } from './endpoints/endpoint-trial.ts'
import { exitCodeOf, exitCodes } from './failures/exit-codes.ts'
import { Interrupted } from './failures/interrupted.ts'
import { machineFault } from './failures/machine-fault.ts'
import { errorJson, problemLines } from './failures/problem-text.ts'
import { subcommandMissing, unexpected, wrongCall } from './failures/problems.ts'
import { Invocation } from './invocation.ts'
import type { StartService } from './service.ts'

/** The composition root hands these in, because only it may name an engine. */
export type Composition = {
  readonly startService: StartService
  readonly openTrialRunner: OpenTrialRunner
}

/** @returns the exit code */
export async function runCli(argv: readonly string[], io: CliIo, composition: Composition): Promise<number> {
  const cli = new Invocation(io, { json: asksForJson(argv) })
  const [name = ''] = argv
  const load = commands[name]
  const program = await programOf(load === undefined ? Object.values(commands) : [load], cli, composition)
  for (const command of withSubcommands(program)) failWithProblems(command, cli)
  try {
    await program.parseAsync(argv, { from: 'user' })
  } catch (error) {
    cli.exitCode = await explain(error, cli)
  }
  const problem = await cli.outputProblem()
  return problem === undefined ? cli.exitCode : await explain(problem, cli)
}

async function programOf(
  loading: readonly LoadCommand[],
  cli: Invocation,
  composition: Composition,
): Promise<Command> {
  const program = new Command('tripfolio')
    .description(
      'Serves bookings, invoices and itineraries of corporate clients from snapshots of a warehouse extract',
    )
    .version(version)
    // Otherwise `refresh` would get the options of `refresh history`.
    .enablePositionalOptions()
  for (const command of await Promise.all(loading.map((load) => load(cli, composition)))) {
    program.addCommand(command)
  }
  return program
}

type LoadCommand = (cli: Invocation, composition: Composition) => Promise<Command>

/** A command is loaded when it is called; the help loads all of them. */
const commands: Readonly<Record<string, LoadCommand>> = {
  serve: async (cli, { startService }) =>
    (await import('./serve-command.ts')).serveCommand(cli, startService),
  ingest: async (cli) => (await import('./ingest-command.ts')).ingestCommand(cli),
  demo: async (cli) => (await import('./demo-command.ts')).demoCommand(cli),
  snapshot: async (cli) => (await import('./snapshot-commands.ts')).snapshotCommands(cli),
  refresh: async (cli) => (await import('./operations/refresh-command.ts')).refreshCommand(cli),
  backup: async (cli) => (await import('./operations/backup-commands.ts')).backupCommand(cli),
  restore: async (cli) => (await import('./operations/backup-commands.ts')).restoreCommand(cli),
  quiet: async (cli) => (await import('./operations/quiet-commands.ts')).quietCommand(cli),
  resume: async (cli) => (await import('./operations/quiet-commands.ts')).resumeCommand(cli),
  store: async (cli) => (await import('./operations/store-commands.ts')).storeCommands(cli),
  secret: async (cli) => (await import('./operations/secret-commands.ts')).secretCommands(cli),
  account: async (cli) => (await import('./account-commands.ts')).accountCommands(cli),
  directory: async (cli) => (await import('./operations/directory-commands.ts')).directoryCommands(cli),
  webhook: async (cli) => (await import('./operations/webhook-commands.ts')).webhookCommands(cli),
  config: async (cli) => (await import('./config-command.ts')).configCommand(cli),
  token: async (cli) => (await import('./token-commands.ts')).tokenCommands(cli),
  endpoint: async (cli, { openTrialRunner }) =>
    (await import('./endpoints/endpoint-commands.ts')).endpointCommands(cli, openTrialRunner),
  execution: async (cli) => (await import('./endpoints/execution-commands.ts')).executionCommands(cli),
  schedule: async (cli) => (await import('./schedules/schedule-commands.ts')).scheduleCommands(cli),
  script: async (cli) => (await import('./scripts/script-commands.ts')).scriptCommands(cli),
  explain: async (cli) => (await import('./explain-command.ts')).explainCommand(cli),
  completion: async (cli, composition) =>
    (await import('./completion/completion-command.ts')).completionCommand(cli, () =>
      programOf(Object.values(commands), cli, composition),
    ),
}

function withSubcommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)]
}

/** Whether a result as JSON was asked for, also when the command line cannot be parsed. After `--` there are no options. */
function asksForJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--')
  return argv.slice(0, end === -1 ? argv.length : end).includes('--json')
}

/** What commander would print about a wrong call becomes a problem. It prints only help that was asked for, and the version. */
function failWithProblems(command: Command, cli: Invocation): void {
  const isRoot = command.parent === null
  command
    .exitOverride((error) => {
      if (error.exitCode === 0 || (isRoot && isHelp(error))) throw error
      throw isHelp(error) ? subcommandMissing(command) : wrongCall(command, error)
    })
    .configureOutput({
      writeOut: (text) => cli.print(text),
      // The help of the whole: a newcomer called it without a command.
      writeErr: isRoot ? (text) => cli.printError(text) : () => undefined,
      outputError: () => undefined,
    })
}

const isHelp = ({ code }: CommanderError): boolean => code === 'commander.help'

/** A problem that says that this program failed may have the machine as its cause. */
function problemOf(error: unknown, { folders }: Invocation): Problem {
  if (error instanceof Problem && error.kind !== 'defect') return error
  return machineFault(error, folders) ?? (error instanceof Problem ? error : unexpected(error))
}

async function explain(error: unknown, cli: Invocation): Promise<number> {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage
  if (error instanceof Interrupted) return Interrupted.exitCode
  const problem = problemOf(error, cli)
  if (cli.json) cli.printError(await errorJson(problem))
  else {
    cli.printError(problemLines(problem))
    const isUnexpected = problem.kind === 'defect' && problem !== error
    if (isUnexpected) cli.printError(`${error instanceof Error ? error.stack : String(error)}\n`)
  }
  return exitCodeOf(problem)
}
