/**
 * `tripfolio execution live | cancel`: the runs that wait or run in the services of this installation. The commands ask the services through the
 * store, so they need neither an address nor a token.
 */
import type { Command } from 'commander'
import { type AnswersOfNodes, askNodes } from '../../automation/live/other-nodes.ts'
import { noLiveRun, noServiceAnswered } from '../../automation/problems.ts'
import type { Config } from '../../config/load-config.ts'
import type { ControlStore } from '../../directory/control-store.ts'
import { openControlStore, openHistory, showStores } from '../../directory/open-stores.ts'
import { serviceRuns } from '../../directory/service-lock.ts'
import type { LiveRun } from '../../schema/execution-shapes.ts'
import { runOrEndpointExpected } from '../failures/problems.ts'
import type { Invocation } from '../invocation.ts'
import { operator } from '../operator.ts'
import { type StoreOptions, withStoreOptions } from '../with-store.ts'

type Options = StoreOptions & { readonly endpoint?: string }

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
  withStoreOptions(parent.command(verb).description(description)).option('--json', 'print JSON')

type Opened = {
  readonly store: ControlStore
  /** @throws Problem ADM135 when no service answers */
  readonly ask: (question: Parameters<typeof askNodes>[1]) => Promise<AnswersOfNodes>
}

async function withServices(
  cli: Invocation,
  { data, store: url, json = false }: Options,
  work: (opened: Opened) => Promise<void>,
): Promise<void> {
  const config: Config = cli.config({ data, store: url })
  const stores = showStores(config)
  if (config.store === undefined && !serviceRuns(config.data)) throw noServiceAnswered(stores)
  if (config.store !== undefined && !json) cli.printError(`tripfolio: on the database ${stores}\n`)
  const store = await openControlStore(config, { create: false })
  try {
    const history = await openHistory(config)
    const ask: Opened['ask'] = async (question) => {
      const answers = await askNodes(history.live, question)
      if (answers.silent.length === answers.nodes.length) throw noServiceAnswered(stores)
      if (answers.silent.length > 0 && !json) {
        cli.printError(`tripfolio: these nodes did not answer: ${answers.silent.join(', ')}\n`)
      }
      return answers
    }
    await work({ store, ask }).finally(history.close)
  } finally {
    await store.close()
  }
}

const list = (cli: Invocation, options: Options): Promise<void> =>
  withServices(cli, options, async ({ store, ask }) => {
    const { endpoint, json } = options
    const id = endpoint === undefined ? undefined : (await store.endpoints.find(endpoint)).id
    const { runs } = await ask({ kind: 'list' })
    const shown = runs.filter(({ endpointId }) => endpointId === (id ?? endpointId))
    if (json) cli.printJson(shown)
    else cli.printRows(shown.map(rowOf), { json, empty: 'No run waits or runs.' })
  })

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
  return withServices(cli, options, async ({ store, ask }) => {
    const reason = { kind: 'operator', by: operator() } as const
    const endpointId = endpoint === undefined ? undefined : (await store.endpoints.find(endpoint)).id
    const target = endpointId === undefined ? { id: id ?? '' } : { endpointId }
    const { cancelled } = await ask({ kind: 'cancel', target, reason })
    if (endpointId === undefined && cancelled.length === 0) throw noLiveRun(id ?? '')
    await store.audit.note(
      endpointId === undefined
        ? { actor: reason.by, action: 'execution.cancel', subjectId: id ?? '', after: null }
        : {
            actor: reason.by,
            action: 'endpoint.cancel-runs',
            subjectId: endpointId,
            after: { executionIds: cancelled },
          },
    )
    if (json) cli.printJson({ cancelled })
    else cli.print(`${cancelled.length} ${cancelled.length === 1 ? 'run ends' : 'runs end'} soon.\n`)
  })
}
