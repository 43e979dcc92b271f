/** `tripfolio execution live | cancel`: the runs that wait or run at the moment, on all nodes. */
import type { Command } from 'commander'
import type { LiveRun } from '../../schema/execution-shapes.ts'
import { runOrEndpointExpected } from '../failures/problems.ts'
import type { Invocation } from '../invocation.ts'
import { operator } from '../operator.ts'
import { type ServiceOptions, withEndpointService, withServiceOptions } from '../remote/with-service.ts'

type Options = ServiceOptions & { readonly endpoint?: string }

/** Adds the commands to the group. */
export function liveRunCommands(cli: Invocation, command: Command): void {
  subcommand(command, 'live', 'List the runs that wait or run')
    .option('--endpoint <name>', 'only runs of this endpoint, by name or id')
    .action((options: Options) => list(cli, options))
  subcommand(command, 'cancel', 'Cancel a run, or all runs of an endpoint')
    .argument('[id]', 'id of the run')
    .option('--endpoint <name>', 'cancel all runs of this endpoint, by name or id')
    .action((id: string | undefined, options: Options) => cancel(cli, id, options))
}

const subcommand = (parent: Command, verb: string, description: string): Command =>
  withServiceOptions(parent.command(verb).description(description))

const list = (cli: Invocation, options: Options): Promise<void> =>
  withEndpointService(cli, options, { create: false }, async ({ endpoints, liveRuns }) => {
    const { endpoint, json } = options
    const id = endpoint === undefined ? undefined : (await endpoints.find(endpoint)).id
    const { runs, silent } = await liveRuns.list()
    const shown = runs.filter(({ endpointId }) => endpointId === (id ?? endpointId))
    printSilent(cli, silent, options)
    if (json) cli.printJson(shown)
    else cli.printRows(shown.map(rowOf), { json, empty: 'No run waits or runs.' })
  })

function printSilent(cli: Invocation, silent: readonly string[], { json = false }: Options): void {
  if (silent.length > 0 && !json) {
    cli.printError(`tripfolio: these nodes did not answer: ${silent.join(', ')}\n`)
  }
}

const rowOf = (run: LiveRun) => ({
  id: run.id,
  endpoint: run.endpointName,
  state: run.state,
  age: `${(run.ageMs / 1000).toFixed(1)} s`,
  caller: run.principalId ?? '',
  statements: run.statementCount === null ? '' : String(run.statementCount),
  node: run.node,
})

const cancel = (cli: Invocation, id: string | undefined, options: Options): Promise<void> => {
  const { endpoint, json } = options
  if ((id === undefined) === (endpoint === undefined)) throw runOrEndpointExpected()
  return withEndpointService(cli, options, { create: false }, async ({ endpoints, liveRuns }) => {
    const target =
      endpoint === undefined ? { id: id ?? '' } : { endpointId: (await endpoints.find(endpoint)).id }
    const { cancelled, silent } = await liveRuns.cancel(target, operator())
    printSilent(cli, silent, options)
    if (json) cli.printJson({ cancelled })
    else cli.print(`${cancelled.length} ${cancelled.length === 1 ? 'run ends' : 'runs end'} soon.\n`)
  })
}
