/**
 * `tripfolio secret ...`: the operator's commands for the secrets of scripts, on a data folder or on a service elsewhere. A value comes from standard input or from a
 * prompt, never from the arguments, which other users of the machine can read; it is never printed.
 */
import { text } from 'node:stream/consumers'
import { Command } from 'commander'
import { parseInstant } from '../../kernel/calendar.ts'
import { Problem } from '../../kernel/problem.ts'
import type { SecretDraft, SecretSummary } from '../../schema/directory-shapes.ts'
import { refuseOtherFolder } from '../failures/installation.ts'
import type { Invocation } from '../invocation.ts'
import { operator } from '../operator.ts'
import { type ServiceOptions, withEndpointService, withServiceOptions } from '../remote/with-service.ts'
import { ask, isTerminal } from './ask.ts'
import { confirm } from './confirm.ts'

type SetOptions = ServiceOptions & {
  readonly description?: string
  readonly expires?: string
  readonly disable?: boolean
  readonly enable?: boolean
  readonly keepValue?: boolean
}

export function secretCommands(cli: Invocation): Command {
  const command = new Command('secret').description('Set, list and delete the secrets of scripts')
  subcommand(command, 'set', 'Create or change a secret; the value comes from standard input or a prompt')
    .argument('<name>', 'name of the secret; letter case does not matter')
    .option('--description <text>', 'what the secret is for')
    .option(
      '--expires <date>',
      'when scripts no longer get it: a date or a date and time; "never" removes it',
    )
    .option('--disable', 'scripts do not get it')
    .option('--enable', 'scripts get it again')
    .option('--keep-value', 'change only what the other options say')
    .action((name: string, options: SetOptions) => set(cli, name, options))
  subcommand(command, 'list', 'List secrets without their values').action((options: ServiceOptions) =>
    list(cli, options),
  )
  subcommand(command, 'delete', 'Remove a secret for good')
    .argument('<name>', 'name of the secret; letter case does not matter')
    .option('--yes', 'do not ask')
    .action((name: string, options: ServiceOptions & { readonly yes?: boolean }) =>
      remove(cli, name, options),
    )
  return command
}

const subcommand = (parent: Command, verb: string, description: string): Command =>
  withServiceOptions(parent.command(verb).description(description))

async function set(cli: Invocation, name: string, options: SetOptions): Promise<void> {
  const { description, expires, disable, enable, keepValue, ...place } = options
  // A mistyped folder would become a store of its own, and the scripts would get no value.
  if (place.server === undefined && !keepValue)
    refuseOtherFolder(cli.config({ data: place.data, store: place.store }))
  const draft: SecretDraft = {
    ...(keepValue ? {} : { value: await readValue(cli, name) }),
    ...(description !== undefined && { description }),
    ...(expires !== undefined && { expiresAt: expiryOf(expires) }),
    ...(disable && { isActive: false }),
    ...(enable && { isActive: true }),
  }
  const summary = await withEndpointService(cli, place, { create: !keepValue }, ({ secrets }) =>
    secrets.set(name, draft, operator()),
  )
  if (place.json) cli.printJson(summary)
  else cli.print(`Secret ${summary.name} is ${stateOf(summary)}.${keepValue ? '' : ' Its value is set.'}\n`)
}

/** The store takes date-times only. What is no date goes on to it, to be refused. */
function expiryOf(text: string): string | null {
  if (text === 'never') return null
  const instant = parseInstant(text)
  return instant === undefined ? text : new Date(instant).toISOString()
}

/** One line end after the value is not part of it: `echo` and editors add it. */
async function readValue(cli: Invocation, name: string): Promise<string> {
  const { stdin } = cli.io
  const typed = isTerminal(stdin)
    ? ((await ask(cli.io, `Value of ${name}: `, { hidden: true })) ?? '')
    : await text(stdin)
  const value = typed.replace(/\r?\n$/, '')
  if (value !== '') return value
  throw new Problem('DIR457', `Expected the value of '${name}' on standard input, found nothing`, {
    hint: `Send it from a file or a pipe, such as \`tripfolio secret set ${name} < FILE\`, or give --keep-value to change the rest only.`,
  })
}

async function list(cli: Invocation, options: ServiceOptions): Promise<void> {
  const secrets = await withEndpointService(cli, options, { create: false }, (service) =>
    service.secrets.list(),
  )
  const rows = options.json ? secrets : secrets.map(tableRow)
  cli.printRows(rows, {
    json: options.json,
    empty: 'There is no secret yet. `tripfolio secret set` creates one.',
  })
}

async function remove(
  cli: Invocation,
  name: string,
  { yes, ...options }: ServiceOptions & { readonly yes?: boolean },
): Promise<void> {
  await withEndpointService(cli, options, { create: false }, async ({ secrets }) => {
    const folded = name.toLowerCase()
    const known = (await secrets.list()).find((secret) => secret.name.toLowerCase() === folded)
    if (known === undefined) throw unknownSecret(name)
    await confirm(cli, `Remove the secret ${known.name} for good? Scripts that read it get null.`, {
      ...(yes && { yes }),
    })
    if (!(await secrets.remove(known.name, operator()))) throw unknownSecret(name)
    if (options.json) cli.printJson({ name: known.name, deleted: true })
    else cli.print(`Secret ${known.name} is removed.\n`)
  })
}

const unknownSecret = (name: string): Problem =>
  new Problem('DIR458', `There is no secret '${name}'`, { hint: '`tripfolio secret list` shows the names.' })

function stateOf({ isActive, expiresAt }: SecretSummary): string {
  if (!isActive) return 'disabled'
  return expiresAt !== null && expiresAt <= new Date().toISOString() ? 'expired' : 'active'
}

const tableRow = (secret: SecretSummary) => ({
  name: secret.name,
  state: stateOf(secret),
  description: secret.description,
  expires: secret.expiresAt,
  updated: secret.updatedAt,
})
