/**
 * `tripfolio endpoint list | push | pull | trial`: endpoints as files, straight on the control store of the data folder, with the
 * service running or not. What is published answers from the next request.
 */
import { Command, Option } from 'commander'
import type { EndpointFilter, EndpointState } from '../../directory/endpoints/endpoints.ts'
import { type Endpoint, endpointCategories } from '../../schema/endpoint-shapes.ts'
import type { Invocation } from '../invocation.ts'
import { type StoreOptions as Options, withStore } from '../with-store.ts'
import { type OpenTrialRunner, tryEndpoint } from './endpoint-trial.ts'
import { pull, push } from './transfer.ts'

/** @param openTrialRunner handed in by the composition root, because only that may name an engine */
export function endpointCommands(cli: Invocation, openTrialRunner: OpenTrialRunner): Command {
  const command = new Command('endpoint').description('List, push, pull and try dynamic endpoints')
  const states: readonly EndpointState[] = ['active', 'inactive', 'draft', 'changed']
  subcommand(command, 'list', 'List the endpoints')
    .addOption(new Option('--category <category>', 'of this category only').choices(endpointCategories))
    .option('--text <text>', 'with this in name, description or path')
    .addOption(new Option('--state <state>', 'in this state only').choices(states))
    .action((options: ListOptions) => list(cli, options))
  subcommand(command, 'push', 'Save endpoints from files as drafts, after all of them were checked')
    .argument('<file or folder...>', 'YAML files, each with its script beside it, or folders of them')
    .option('--publish', 'publish what differs from the published version')
    .option('--note <text>', 'why it is published')
    .option('--dry-run', 'change nothing, and say what would be changed')
    .action((paths: readonly string[], options: Parameters<typeof push>[2]) => push(cli, paths, options))
  subcommand(command, 'pull', 'Write endpoints into files; other files are left alone')
    .argument('[folder]', 'where to write them', 'endpoints')
    .argument('[name...]', 'names or ids of endpoints; all of them unless given')
    .option('--published', 'what is published instead of the draft')
    .action((folder: string, names: readonly string[], options: Parameters<typeof pull>[3]) =>
      pull(cli, folder, names, options),
    )
  subcommand(
    command,
    'trial',
    "Run an endpoint's file with a sample request; what it would write is held back",
  )
    .alias('test')
    .argument('<file>', 'YAML file of the endpoint')
    .requiredOption('--request <file>', 'JSON: method, params, query, headers, body or rawBody, user')
    .option('--expect <file>', 'JSON: status, headers, body, log, heldWrites; exit 1 when it comes otherwise')
    .action((file: string, options: TrialOptions) => {
      const config = cli.config({ data: options.data })
      const onDefect = (cause: unknown) => tellDefect(cli, cause)
      return tryEndpoint(cli, file, options, () => openTrialRunner(config, onDefect))
    })
  return command
}

type ListOptions = Options & EndpointFilter
type TrialOptions = Options & { readonly request: string; readonly expect?: string }

function subcommand(parent: Command, verb: string, description: string): Command {
  return parent
    .command(verb)
    .description(description)
    .option('--data <folder>', 'data folder (default: ./data)')
    .option('--json', 'print JSON')
}

async function list(
  cli: Invocation,
  { category, text, state, json, ...options }: ListOptions,
): Promise<void> {
  const endpoints = await withStore(cli, options, { create: false }, (store) =>
    store.endpoints.list({ category, text, state }),
  )
  const rows = json ? endpoints.map(summary) : endpoints.map(tableRow)
  cli.printRows(rows, {
    json,
    empty: 'No endpoint is like that. `tripfolio endpoint push` makes them of files.',
  })
}

/** What went wrong inside of the service, which scripts and callers are not told. */
function tellDefect(cli: Invocation, cause: unknown): void {
  cli.printError(`tripfolio: ${cause instanceof Error ? cause.stack : String(cause)}\n`)
}

/** Everything but the script, which files hold. */
const summary = ({ draft: { script, ...draft }, ...endpoint }: Endpoint) => ({ ...endpoint, draft })

const tableRow = (endpoint: Endpoint) => ({
  name: endpoint.draft.name,
  category: endpoint.draft.category,
  method: endpoint.draft.method,
  path: endpoint.draft.path,
  callers: callersOf(endpoint.draft),
  state: stateOf(endpoint),
  version: endpoint.published?.version ?? null,
  'draft changed': `${endpoint.draftChangedAt.slice(0, 16).replace('T', ' ')}Z`,
})

function callersOf({ requiresAuthentication, allowedRoles }: Endpoint['draft']): string {
  if (allowedRoles.length > 0) return allowedRoles.join(', ')
  return requiresAuthentication ? 'any token' : 'anybody'
}

function stateOf({ published, active, hasUnpublishedChanges }: Endpoint): string {
  if (published === null) return 'draft'
  return `${active ? 'active' : 'inactive'}${hasUnpublishedChanges ? ', changed' : ''}`
}
