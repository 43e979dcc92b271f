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
  placeOf,
  withEndpointService,
  withServiceOptions,
} from '../remote/with-service.ts'
import { testEndpoints } from './endpoint-tests.ts'
import {
  type CallerOptions,
  localRunner,
  type OpenTrialRunner,
  remoteRunner,
  tryEndpoint,
} from './endpoint-trial.ts'
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
    .option('--dry-run', 'write nothing; print what would be written')
    .option('--force', 'overwrite files that were edited since they were pulled or pushed')
    .action((folder: string, names: readonly string[], options: Parameters<typeof pull>[3]) =>
      pull(cli, folder, names, options),
    )
  subcommand(
    command,
    'trial',
    'Run endpoints in files with their sample requests, and compare the answers; writes are held back',
  )
    .alias('test')
    .argument(
      '<file or folder...>',
      'YAML files, or folders with such files; NAME.request.json and NAME.CASE.request.json beside NAME.yaml are its requests',
    )
    .option(
      '--request <file>',
      'only this request, in detail: JSON with method, params, query, headers, body or rawBody, user',
    )
    .option(
      '--expect <file>',
      'for --request: JSON file with the expected status, headers, body, log, heldWrites (default: NAME.expect.json of each request)',
    )
    .option('--claims <file>', 'the caller of every request: JSON, or a file with it, as `user` of a request')
    .option('--role <role>', 'role of the caller; repeat the option for several roles', appended)
    .option('--update', 'write what came into the expectations')
    .action(async (paths: readonly string[], options: TrialOptions) => {
      const place = await placeOf(cli, options)
      const open = async () => {
        if (place !== null) return remoteRunner(place)
        const config = cli.config({ data: options.data, store: options.store })
        return localRunner(await openTrialRunner(config, (cause) => printDefect(cli, cause)))
      }
      const { request } = options
      if (request === undefined) return testEndpoints(cli, paths, options, open)
      return tryEndpoint(cli, paths, { ...options, request }, open)
    })
  versionCommands(command, cli)
  return command
}

type ListOptions = Options & EndpointFilter
type TrialOptions = Options &
  CallerOptions & { readonly request?: string; readonly expect?: string; readonly update?: boolean }

const appended = (one: string, others: readonly string[] = []): string[] => [...others, one]

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
