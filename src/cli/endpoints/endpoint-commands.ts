/**
 * `tripfolio endpoint ...`: endpoints as files, and their versions. The commands work on the control store of the data folder
 * directly, whether the service is running or not, or with `--server` on a service elsewhere. A published version answers the
 * next request.
 */
import { Command, Option } from 'commander'
import type { EndpointFilter, EndpointState } from '../../directory/endpoints/endpoints.ts'
import { type Endpoint, endpointCategories } from '../../schema/endpoint-shapes.ts'
import type { Invocation } from '../invocation.ts'
import {
  type ServiceOptions as Options,
  withEndpointService,
  withServiceOptions,
} from '../remote/with-service.ts'
import { type OpenTrialRunner, tryEndpoint } from './endpoint-trial.ts'
import { pull, push } from './transfer.ts'
import { versionCommands } from './version-commands.ts'

/** @param openTrialRunner handed in by the composition root, because only it may name an engine */
export function endpointCommands(cli: Invocation, openTrialRunner: OpenTrialRunner): Command {
  const command = new Command('endpoint').description(
    'List, push, pull and test dynamic endpoints, and look after their versions',
  )
  const states: readonly EndpointState[] = ['active', 'inactive', 'draft', 'changed']
  subcommand(command, 'list', 'List the endpoints')
    .addOption(
      new Option('--category <category>', 'only endpoints of this category').choices(endpointCategories),
    )
    .option('--text <text>', 'only endpoints with this text in name, description or path')
    .addOption(new Option('--state <state>', 'only endpoints in this state').choices(states))
    .action((options: ListOptions) => list(cli, options))
  subcommand(command, 'push', 'Check endpoints in files, then save all of them as drafts')
    .argument(
      '<file or folder...>',
      'YAML files, each with its script in the same folder, or folders with such files',
    )
    .option('--publish', 'also publish the drafts that differ from the published version')
    .option('--note <text>', 'note on the published version, e.g. why it was changed')
    .option('--dry-run', 'change nothing; print what would be changed')
    .action((paths: readonly string[], options: Parameters<typeof push>[2]) => push(cli, paths, options))
  subcommand(command, 'pull', 'Write endpoints to files; other files stay unchanged')
    .argument('[folder]', 'folder to write to', 'endpoints')
    .argument('[name...]', 'names or ids of endpoints (default: all endpoints)')
    .option('--published', 'write the published version instead of the draft')
    .action((folder: string, names: readonly string[], options: Parameters<typeof pull>[3]) =>
      pull(cli, folder, names, options),
    )
  subcommand(
    command,
    'trial',
    'Run the endpoint in a file with a sample request; its writes are shown, not made',
  )
    .alias('test')
    .argument('<file>', 'YAML file of the endpoint')
    .requiredOption(
      '--request <file>',
      'JSON file with the request: method, params, query, headers, body or rawBody, user',
    )
    .option(
      '--expect <file>',
      'JSON file with the expected status, headers, body, log, heldWrites; exit with code 1 when the result differs',
    )
    .action((file: string, options: TrialOptions) => {
      const config = cli.config({ data: options.data, store: options.store })
      const onDefect = (cause: unknown) => printDefect(cli, cause)
      return tryEndpoint(cli, file, options, () => openTrialRunner(config, onDefect))
    })
  versionCommands(command, cli)
  return command
}

type ListOptions = Options & EndpointFilter
type TrialOptions = Options & { readonly request: string; readonly expect?: string }

function subcommand(parent: Command, verb: string, description: string): Command {
  return withServiceOptions(parent.command(verb).description(description))
}

async function list(cli: Invocation, { category, text, state, ...options }: ListOptions): Promise<void> {
  const { json } = options
  const endpoints = await withEndpointService(cli, options, { create: false }, (service) =>
    service.endpoints.list({ category, text, state }),
  )
  const rows = json ? endpoints.map(summary) : endpoints.map(tableRow)
  cli.printRows(rows, {
    json,
    empty: 'There are no such endpoints. `tripfolio endpoint push` creates endpoints from files.',
  })
}

/** Prints an internal error, which scripts and callers do not see. */
function printDefect(cli: Invocation, cause: unknown): void {
  cli.printError(`tripfolio: ${cause instanceof Error ? cause.stack : String(cause)}\n`)
}

/** Everything but the script, which `endpoint pull` writes to a file. */
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
