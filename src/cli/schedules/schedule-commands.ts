/** `tripfolio schedule list | run | pause | resume | hold`: the operator's commands for schedules. The service runs the scripts. */
import { Command } from 'commander'
import type { ScheduleStatus } from '../../schema/schedule-shapes.ts'
import { scheduleNotNamed } from '../failures/problems.ts'
import type { Invocation } from '../invocation.ts'
import { holdCommand, resumeHold } from '../operations/hold-commands.ts'
import { operator } from '../operator.ts'
import {
  type ServiceOptions as Options,
  withEndpointService,
  withServiceOptions,
} from '../remote/with-service.ts'

export function scheduleCommands(cli: Invocation): Command {
  const command = new Command('schedule').description('See and control when endpoints run by themselves')
  subcommand(command, 'list', 'List the schedules of published endpoints')
    .option('--text <text>', 'only schedules with this text in their name or the name of the endpoint')
    .action((options: Options & { readonly text?: string }) => list(cli, options))
  ofOne(command, 'run', 'Run a schedule now; a running service begins it within seconds').action(
    (endpoint: string, name: string, options: Options) => run(cli, { endpoint, name }, options),
  )
  ofOne(command, 'pause', 'Begin no more runs of a schedule until it is resumed').action(
    (endpoint: string, name: string, options: Options) => setPaused(cli, { endpoint, name }, true, options),
  )
  subcommand(
    command,
    'resume',
    'End `schedule hold`; with the names of endpoint and schedule, let a paused schedule go on with its next due time',
  )
    .argument('[endpoint]', 'name or id of the endpoint')
    .argument('[schedule]', 'name of the schedule')
    .action((endpoint: string | undefined, name: string | undefined, options: Options) => {
      if (endpoint === undefined) return resumeHold(cli, 'schedules', options)
      if (name === undefined) throw scheduleNotNamed(endpoint)
      return setPaused(cli, { endpoint, name }, false, options)
    })
  command.addCommand(
    holdCommand(cli, 'schedules', 'Begin no runs of any schedule until `tripfolio schedule resume`'),
  )
  return command
}

const subcommand = (parent: Command, verb: string, description: string): Command =>
  withServiceOptions(parent.command(verb).description(description))

const ofOne = (parent: Command, verb: string, description: string): Command =>
  subcommand(parent, verb, description)
    .argument('<endpoint>', 'name or id of the endpoint')
    .argument('<schedule>', 'name of the schedule')

type Named = { readonly endpoint: string; readonly name: string }

const existing = { create: false } as const

const list = (cli: Invocation, { text, ...options }: Options & { readonly text?: string }): Promise<void> =>
  withEndpointService(cli, options, existing, async ({ schedules }) =>
    printSchedules(cli, await schedules.list({ text }), options),
  )

const run = (cli: Invocation, { endpoint, name }: Named, options: Options): Promise<void> =>
  withEndpointService(cli, options, existing, async ({ schedules, endpoints }) => {
    const { id: endpointId } = await endpoints.find(endpoint)
    const asked = await schedules.run({ endpointId, name }, operator())
    if (options.json) cli.printJson(asked)
    else cli.print(`Run ${asked.executionId} begins as soon as a service runs.\n`)
  })

const setPaused = (
  cli: Invocation,
  { endpoint, name }: Named,
  paused: boolean,
  options: Options,
): Promise<void> =>
  withEndpointService(cli, options, existing, async ({ schedules, endpoints }) => {
    const { id: endpointId } = await endpoints.find(endpoint)
    const changed = await schedules.setPaused({ endpointId, name }, paused, operator())
    printSchedules(cli, [changed], options)
  })

function printSchedules(cli: Invocation, found: readonly ScheduleStatus[], { json }: Options): void {
  const rows = json ? found : found.map(rowOf)
  const empty = 'There is no schedule yet. The definition of an endpoint may have `schedules`.'
  cli.printRows(rows, { json, empty })
}

const rowOf = (schedule: ScheduleStatus) => ({
  endpoint: schedule.endpointName,
  schedule: schedule.name,
  cron: schedule.cron,
  zone: schedule.timeZone,
  state: schedule.openRuns.length > 0 ? 'running' : schedule.state.toLowerCase(),
  next: schedule.nextRunAt ?? '',
  last: schedule.lastRun?.dueAt ?? '',
  outcome: schedule.lastRun?.status ?? '',
  error: schedule.lastRun?.error ?? '',
})
