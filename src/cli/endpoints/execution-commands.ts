/** `tripfolio execution list | show | rerun | live | cancel`: the history of runs, on a data folder or on a service elsewhere. */
import { Command, InvalidArgumentError, Option } from 'commander'
import { unknownExecution } from '../../automation/operations/problems.ts'
import type { ExecutionFilter } from '../../directory/history/history.ts'
import { parseInstant } from '../../kernel/calendar.ts'
import {
  type Execution,
  type ExecutionSummary,
  executionStatuses,
  executionTypes,
} from '../../schema/execution-shapes.ts'
import { printable } from '../../script/problems.ts'
import { exitCodes } from '../failures/exit-codes.ts'
import type { Invocation } from '../invocation.ts'
import { type ServiceOptions, withEndpointService, withServiceOptions } from '../remote/with-service.ts'
import { liveRunCommands } from './live-run-commands.ts'

type ListOptions = ServiceOptions &
  Pick<ExecutionFilter, 'status' | 'type' | 'text' | 'from' | 'to'> & {
    readonly endpoint?: string
    readonly limit: number
  }

type RerunOptions = ServiceOptions & { readonly edition: 'original' | 'current' }

export function executionCommands(cli: Invocation): Command {
  const command = new Command('execution').description('List, show, repeat, watch and stop runs of endpoints')
  subcommand(command, 'list', 'List runs, newest first')
    .addOption(new Option('--status <status>', 'only runs that ended like this').choices(executionStatuses))
    .addOption(new Option('--type <type>', 'only runs of this type').choices(executionTypes))
    .option('--endpoint <endpoint>', 'only runs of this endpoint: its name, or its id')
    .option('--text <text>', 'only runs with this text in the name of the endpoint, path or error')
    .option('--from <date>', 'only runs that began then or later: a date or date and time', instant)
    .option('--to <date>', 'only runs that began before', instant)
    .option('--limit <count>', 'the most runs to list', count, 50)
    .action((options: ListOptions) => list(cli, options))
  subcommand(command, 'show', 'Show a run with its request, response and log')
    .argument('<id>', 'id of the run, the X-Execution-Id of the answer')
    .action((id: string, options: ServiceOptions) => show(cli, id, options))
  subcommand(command, 'rerun', 'Run a recorded request again on a service; its writes stay')
    .argument('<id>', 'id of the run')
    .addOption(
      new Option('--edition <edition>', 'the version that ran, or the version that is published now')
        .choices(['original', 'current'])
        .default('original'),
    )
    .action((id: string, options: RerunOptions) => rerun(cli, id, options))
  liveRunCommands(cli, command)
  return command
}

const subcommand = (parent: Command, verb: string, description: string): Command =>
  withServiceOptions(parent.command(verb).description(description))

function instant(text: string): string {
  const moment = parseInstant(text)
  if (moment !== undefined) return new Date(moment).toISOString()
  throw new InvalidArgumentError('Expected a date or date-time such as 2026-01-31T12:00Z.')
}

const MOST_RUNS = 10_000
const PAGE = 500

function count(text: string): number {
  if (/^[1-9]\d{0,4}$/.test(text) && Number(text) <= MOST_RUNS) return Number(text)
  throw new InvalidArgumentError(`Expected a whole number from 1 to ${MOST_RUNS}.`)
}

async function list(cli: Invocation, options: ListOptions): Promise<void> {
  const { status, type, text, from, to, endpoint, limit, json } = options
  const runs = await withEndpointService(cli, options, { create: false }, async (service) => {
    const endpointId = endpoint === undefined ? undefined : (await service.endpoints.find(endpoint)).id
    const filter = { status, type, text, from, to, endpointId }
    const found: ExecutionSummary[] = []
    let after: string | undefined
    do {
      const page = await service.executions.list(filter, {
        limit: Math.min(PAGE, limit - found.length),
        after,
      })
      found.push(...page.items)
      after = page.next ?? undefined
    } while (after !== undefined && found.length < limit)
    return found
  })
  cli.printRows(json ? runs : runs.map(tableRow), { json, empty: 'There are no such runs.' })
}

const tableRow = (run: ExecutionSummary) => ({
  started: run.startedAt,
  id: run.id,
  endpoint: run.endpointName,
  type: run.type,
  status: run.status,
  answer: run.responseStatus,
  ms: Math.round(run.executionTimeMs),
  caller: run.principalId,
  error: run.errorMessage === null ? null : printable(run.errorMessage),
})

async function show(cli: Invocation, id: string, options: ServiceOptions): Promise<void> {
  const run = await withEndpointService(cli, options, { create: false }, ({ executions }) =>
    executions.find(id),
  )
  if (run === null) throw unknownExecution(id)
  if (options.json) cli.printJson(run)
  else cli.print(shown(run))
}

function shown(run: Execution): string {
  const { request, response, log, error } = run
  const facts: readonly (readonly [string, string | null])[] = [
    ['id', run.id],
    ['endpoint', `${run.endpointName}, ${run.version === null ? 'draft' : `version ${run.version}`}`],
    ['type', run.type],
    ['status', run.status],
    ['started', run.startedAt],
    ['duration', `${run.executionTimeMs} ms after ${run.queuedMs} ms in the queue`],
    ['work', `${run.statementCount} statements, ${run.loopCount} rounds`],
    ['caller', run.principalId],
    ['request id', run.requestId],
    ['rerun of', run.rerunOf],
    ['reason', run.cancellationReason],
    ['error', error && `${error.code} ${error.message}${error.line === null ? '' : `, line ${error.line}`}`],
  ]
  return [
    ...facts.flatMap(([name, value]) => (value === null ? [] : [`${name.padEnd(10)}  ${printable(value)}`])),
    '',
    printable(`${request.method} ${request.path}${request.queryString}`),
    ...parts(request),
    '',
    `${response.status}`,
    ...parts(response),
    ...(log.length === 0 ? [] : ['', 'Log:']),
    ...log.map(({ time, level, message }) => `  ${time}  ${level.padEnd(11)}  ${printable(message)}`),
    '',
  ].join('\n')
}

type Part = Pick<Execution['request'], 'headers' | 'body' | 'truncated'>

const parts = ({ headers, body, truncated }: Part): string[] => [
  ...Object.entries(headers).map(([name, value]) => printable(`${name}: ${value}`)),
  ...(body === null ? [] : ['', ...body.split('\n').map(printable)]),
  ...(truncated ? ['(the rest was not recorded)'] : []),
]

async function rerun(cli: Invocation, id: string, { edition, ...options }: RerunOptions): Promise<void> {
  const report = await withEndpointService(cli, options, { create: false }, ({ executions }) =>
    executions.rerun(id, edition),
  )
  const { execution, response } = report
  if (options.json) cli.printJson(report)
  else cli.print(execution === null ? `${response.status}: nothing ran.\n` : shown(execution))
  cli.exitCode = response.status < 500 ? exitCodes.done : exitCodes.refused
}
