/** `tripfolio endpoint versions | diff | restore | delete`: what was published of an endpoint, and the end of it. */
import { type Command, InvalidArgumentError } from 'commander'
import type { Invocation } from '../invocation.ts'
import { confirm } from '../operations/confirm.ts'
import { operator } from '../operator.ts'
import type { EndpointService } from '../remote/endpoint-service.ts'
import { type ServiceOptions, withEndpointService, withServiceOptions } from '../remote/with-service.ts'

const ENDPOINT = 'name of the endpoint, or its id or the beginning of that'

export function versionCommands(endpoint: Command, cli: Invocation): void {
  subcommand(endpoint, 'versions', 'List the published versions of an endpoint, newest first')
    .argument('<endpoint>', ENDPOINT)
    .action((reference: string, options: ServiceOptions) => versions(cli, reference, options))
  subcommand(endpoint, 'diff', 'Show what differs between two versions, or between a version and the draft')
    .argument('<endpoint>', ENDPOINT)
    .argument('[from]', 'number of a version, or draft (default: the published version)', edition)
    .argument('[to]', 'number of a version, or draft (default: the draft)', edition)
    .action(
      (reference: string, from: Edition | undefined, to: Edition | undefined, options: ServiceOptions) =>
        diff(cli, reference, { from, to }, options),
    )
  subcommand(
    endpoint,
    'restore',
    'Make a published version the draft; callers notice nothing until it is published',
  )
    .argument('<endpoint>', ENDPOINT)
    .argument('<version>', 'number of the version', versionNumber)
    .option('--yes', 'do not ask whether the present draft may be lost')
    .action((reference: string, version: number, options: ConfirmedOptions) =>
      restore(cli, reference, version, options),
    )
  subcommand(endpoint, 'delete', 'Remove an endpoint with all its versions; the history of its runs stays')
    .argument('<endpoint>', ENDPOINT)
    .option('--yes', 'do not ask')
    .action((reference: string, options: ConfirmedOptions) => remove(cli, reference, options))
}

type Edition = number | 'draft'
type ConfirmedOptions = ServiceOptions & { readonly yes?: boolean }

const subcommand = (parent: Command, verb: string, description: string): Command =>
  withServiceOptions(parent.command(verb).description(description))

function versionNumber(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Expected the number of a version.')
}

function edition(text: string): Edition {
  if (text === 'draft') return text
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Expected the number of a version, or draft.')
}

const onService = <T>(
  cli: Invocation,
  options: ServiceOptions,
  work: (service: EndpointService) => Promise<T>,
): Promise<T> => withEndpointService(cli, options, { create: false }, work)

async function versions(cli: Invocation, reference: string, options: ServiceOptions): Promise<void> {
  const { json } = options
  const found = await onService(cli, options, async ({ endpoints }) =>
    endpoints.versions((await endpoints.find(reference)).id),
  )
  const rows = found.map(({ version, publishedAt, publishedBy, note }) => ({
    version,
    published: publishedAt,
    by: publishedBy,
    note,
  }))
  cli.printRows(json ? found : rows, { json, empty: 'No version has been published.' })
}

async function diff(
  cli: Invocation,
  reference: string,
  { from, to }: { readonly from: Edition | undefined; readonly to: Edition | undefined },
  options: ServiceOptions,
): Promise<void> {
  const difference = await onService(cli, options, async ({ endpoints, compare }) =>
    compare((await endpoints.find(reference)).id, from, to),
  )
  if (options.json) return cli.printJson(difference)
  const { script, changes } = difference
  if (script === '' && changes.length === 0) {
    cli.print(`${titleOf(difference.from)} and ${titleOf(difference.to)} are equal.\n`)
    return
  }
  const members = changes.map(
    ({ path, before, after }) =>
      `${path.slice(1)}\n- ${JSON.stringify(before)}\n+ ${JSON.stringify(after)}\n`,
  )
  cli.print([...members, ...(script === '' ? [] : [script])].join('\n'))
}

const titleOf = (edition: Edition): string => (edition === 'draft' ? 'The draft' : `Version ${edition}`)

async function restore(
  cli: Invocation,
  reference: string,
  version: number,
  { yes, ...options }: ConfirmedOptions,
): Promise<void> {
  const restored = await onService(cli, options, async ({ endpoints }) => {
    const { id, draft, hasUnpublishedChanges } = await endpoints.find(reference)
    // A draft that was published can be restored as well.
    if (hasUnpublishedChanges) {
      await confirm(cli, `Replace the draft of '${draft.name}', which is not published?`, {
        ...(yes && { yes }),
      })
    }
    return endpoints.restore(id, version, operator())
  })
  const { id, draft, hasUnpublishedChanges } = restored
  if (options.json) cli.printJson({ id, name: draft.name, version, hasUnpublishedChanges })
  else cli.print(`The draft of '${draft.name}' is version ${version} again.\n`)
}

async function remove(
  cli: Invocation,
  reference: string,
  { yes, ...options }: ConfirmedOptions,
): Promise<void> {
  const { id, name } = await onService(cli, options, async ({ endpoints }) => {
    const { id, draft, active } = await endpoints.find(reference)
    const callers = active ? ' Its callers get 404 from then on.' : ''
    await confirm(cli, `Remove '${draft.name}' and all its versions for good?${callers}`, {
      ...(yes && { yes }),
    })
    await endpoints.remove(id, operator())
    return { id, name: draft.name }
  })
  if (options.json) cli.printJson({ id, name, deleted: true })
  else cli.print(`'${name}' is removed.\n`)
}
