/**
 * `tripfolio account ...`: the operator's commands for service accounts. They work on the control store directly, whether the
 * service is running or not. A change takes effect with the next request. A new key or psk is printed once, never again.
 */
import { Command } from 'commander'
import type { Account } from '../directory/accounts/account.ts'
import type { IssuedKey, IssuedPsk } from '../directory/accounts/accounts.ts'
import type { ControlStore } from '../directory/control-store.ts'
import { accountNameTaken, clientNotInSnapshot } from '../directory/problems.ts'
import { withStoredSnapshots } from '../ingest/refresh/stored-snapshots.ts'
import { closest } from '../kernel/closest.ts'
import { sealWhat, secretNotWritten } from './failures/problems.ts'
import type { Invocation } from './invocation.ts'
import { confirm } from './operations/confirm.ts'
import { operator } from './operator.ts'
import { stateOf } from './state-of-account.ts'
import { type StoreOptions as Options, withStore, withStoreOptions } from './with-store.ts'

type CreateOptions = Options & { readonly client: string; readonly name: string; readonly expires?: string }
type DeleteOptions = Options & { readonly yes?: boolean }
type SealOptions = DeleteOptions & { readonly all?: boolean }
type PskOptions = Options & { readonly disable?: boolean }

export function accountCommands(cli: Invocation): Command {
  const command = new Command('account').description(
    'Issue, replace, switch off and delete API keys and psks',
  )
  subcommand(command, 'create', 'Create an account and print its API key (shown only once)')
    .requiredOption('--client <number>', 'number of the client whose records the account may read')
    .requiredOption('--name <name>', 'what the account is for, e.g. "Nightly export"')
    .option('--expires <date>', 'when the account expires: a date (00:00 UTC on that day) or a date and time')
    .action((options: CreateOptions) => create(cli, options))
  subcommand(command, 'list', 'List all accounts').action((options: Options) => list(cli, options))
  for (const { verb, description, change } of changes) {
    ofOneAccount(command, verb, description).action((reference: string, options: Options) =>
      changeOne(cli, reference, options, change),
    )
  }
  ofOneAccount(
    command,
    'psk',
    'Issue or replace the psk of an account (for version 1) and print it (shown only once)',
  )
    .option('--disable', 'remove the psk instead')
    .action((reference: string, options: PskOptions) => psk(cli, reference, options))
  subcommand(
    command,
    'seal',
    'Accept an account that does not match its checksum, as it is now, after you have looked at it (`store verify` lists them)',
  )
    .argument('[account]', 'id of the account, the first characters of the id, or its exact name')
    .option('--all', 'all accounts; also with a new secret key when the old one is lost or replaced')
    .option('--yes', 'do not ask')
    .action((reference: string | undefined, options: SealOptions) => seal(cli, reference, options))
  ofOneAccount(command, 'delete', 'Remove an account for good; `account disable` can be undone')
    .option('--yes', 'do not ask')
    .action((reference: string, options: DeleteOptions) => remove(cli, reference, options))
  return command
}

/** The commands for one account that have no options of their own. */
const changes: readonly {
  readonly verb: string
  readonly description: string
  readonly change: (store: ControlStore, id: string, by: string) => Promise<IssuedKey | Account>
}[] = [
  {
    verb: 'rotate',
    description: 'Replace the API key of an account and print the new one (shown only once)',
    change: ({ accounts }, id, by) => accounts.rotate(id, by),
  },
  {
    verb: 'disable',
    description: 'Switch an account off',
    change: ({ accounts }, id, by) => accounts.setActive(id, false, by),
  },
  {
    verb: 'enable',
    description: 'Switch an account on again',
    change: ({ accounts }, id, by) => accounts.setActive(id, true, by),
  },
  {
    verb: 'lock',
    description: 'Lock an account for the time being',
    change: ({ accounts }, id, by) => accounts.setLocked(id, true, by),
  },
  {
    verb: 'unlock',
    description: 'Unlock a locked account',
    change: ({ accounts }, id, by) => accounts.setLocked(id, false, by),
  },
]

function subcommand(parent: Command, verb: string, description: string): Command {
  return withStoreOptions(parent.command(verb).description(description)).option('--json', 'print JSON')
}

const ofOneAccount = (parent: Command, verb: string, description: string): Command =>
  subcommand(parent, verb, description).argument(
    '<account>',
    'id of the account, the first characters of the id, or its exact name',
  )

async function create(cli: Invocation, { client, name, expires, ...options }: CreateOptions): Promise<void> {
  const draft = { clientNumber: client, name, expiresAt: expires }
  const { issued, others } = await withStore(cli, options, { create: true }, async ({ accounts }) => ({
    others: await accounts.list(),
    issued: await accounts.create(draft, operator()),
  }))
  printIssued(cli, issued, options)
  await warnOfMistakes(cli, issued.account, others, options)
}

/** An account for a mistyped client or with the name of another one works, but not as its operator expects. */
async function warnOfMistakes(
  cli: Invocation,
  { clientNumber, name }: Account,
  others: readonly Account[],
  { data, store }: Options,
): Promise<void> {
  const namesakes = others.filter((other) => other.name === name)
  if (namesakes.length > 0)
    await cli.warn(
      accountNameTaken(
        name,
        namesakes.map(({ id }) => id),
      ),
    )
  // Accounts may be created before the first refresh.
  // The key was printed already: a storage that is away must not look like a failure.
  const snapshot = await withStoredSnapshots(cli.config({ data, store }), ({ usable }) =>
    usable().catch(() => null),
  )
  const numbers = snapshot?.clients.map((client) => client.clientNumber) ?? []
  if (snapshot !== null && !numbers.includes(clientNumber)) {
    await cli.warn(clientNotInSnapshot(clientNumber, snapshot.id, closest(clientNumber, numbers)))
  }
}

async function list(cli: Invocation, options: Options): Promise<void> {
  const accounts = await withStore(cli, options, { create: false }, (store) => store.accounts.list())
  const rows = options.json ? accounts : accounts.map(tableRow)
  cli.printRows(rows, {
    json: options.json,
    empty: 'There is no account yet. `tripfolio account create` creates one.',
  })
}

async function changeOne(
  cli: Invocation,
  reference: string,
  options: Options,
  change: (typeof changes)[number]['change'],
): Promise<void> {
  const result = await onAccount(cli, reference, options, change)
  if ('apiKey' in result) printIssued(cli, result, options)
  else print(cli, options, result, `${describe(result)} is ${stateOf(result)}.`)
}

async function psk(cli: Invocation, reference: string, { disable, ...options }: PskOptions): Promise<void> {
  if (disable) {
    const account = await onAccount(cli, reference, options, ({ accounts }, id, by) =>
      accounts.removePsk(id, by),
    )
    print(cli, options, account, `${describe(account)} has no psk.`)
  } else {
    printIssued(
      cli,
      await onAccount(cli, reference, options, ({ accounts }, id, by) => accounts.issuePsk(id, by)),
      options,
    )
  }
}

async function seal(
  cli: Invocation,
  reference: string | undefined,
  { yes = false, all = false, ...options }: SealOptions,
): Promise<void> {
  if (all === (reference !== undefined)) throw sealWhat()
  const sealed = await withStore(cli, options, { create: false }, async ({ accounts }) => {
    const { refused } = await accounts.verify()
    const wanted = reference === undefined ? undefined : await accounts.find(reference)
    const chosen = refused.filter(({ account }) => wanted === undefined || account.id === wanted.id)
    if (chosen.length > 0) {
      for (const { account } of chosen) cli.printError(`${describe(account)}: ${stateOf(account)}\n`)
      await confirm(cli, 'Are these their clients and states, and are they to be read from now on?', { yes })
    }
    if (wanted === undefined) await accounts.sealAll(operator())
    else if (chosen.length > 0) await accounts.seal(wanted.id, operator())
    return chosen.map(({ account }) => account)
  })
  if (options.json) cli.printJson({ sealed })
  else
    cli.print(
      sealed.length === 0
        ? 'Every account asked for matches its checksum already.\n'
        : `Sealed ${sealed.length} ${sealed.length === 1 ? 'account' : 'accounts'}.\n`,
    )
}

async function remove(
  cli: Invocation,
  reference: string,
  { yes = false, ...options }: DeleteOptions,
): Promise<void> {
  const removed = await withStore(cli, options, { create: false }, async ({ accounts }) => {
    const account = await accounts.find(reference)
    const used = toMinute(account.lastUsedAt) ?? 'never'
    const question = `Remove account ${account.id} (${account.name}) of client ${account.clientNumber} for good? It is ${stateOf(account)}, last used: ${used}.`
    await confirm(cli, question, { yes })
    return accounts.remove(account.id, operator())
  })
  print(
    cli,
    options,
    { ...removed, deleted: true },
    `${describe(removed)} is removed. Its key and psk are refused from the next request.`,
  )
}

const onAccount = <T>(
  cli: Invocation,
  reference: string,
  options: Options,
  change: (store: ControlStore, id: string, by: string) => Promise<T>,
): Promise<T> =>
  withStore(cli, options, { create: false }, async (store) => {
    const { id } = await store.accounts.find(reference)
    return change(store, id, operator())
  })

function printIssued(cli: Invocation, { account, ...secret }: IssuedKey | IssuedPsk, options: Options): void {
  const [label, noun, text] =
    'apiKey' in secret ? ['API key', 'key', secret.apiKey] : ['psk', 'psk', secret.psk]
  const state = stateOf(account)
  const command = 'apiKey' in secret ? 'rotate' : 'psk'
  cli.printsOnce((reason) =>
    secretNotWritten(
      `${describe(account)} was changed`,
      label,
      reason,
      `\`tripfolio account ${command} ${account.id}\` issues another one.`,
    ),
  )
  const warning = state === 'active' ? '' : `The account is ${state}, so the ${noun} does not work for now.\n`
  print(
    cli,
    options,
    { ...account, ...secret },
    `${describe(account)}\n\n  ${label}: ${text}\n\n${warning}The ${noun} cannot be shown again: store it now.`,
  )
}

function print(cli: Invocation, { json }: Options, result: object, text: string): void {
  if (json) cli.printJson(result)
  else cli.print(`${text}\n`)
}

const describe = ({ id, name, clientNumber }: Account): string =>
  `Account ${id} (${name}) of client ${clientNumber}`

const tableRow = (account: Account) => ({
  id: account.id,
  name: account.name,
  client: account.clientNumber,
  state: stateOf(account),
  created: toMinute(account.createdAt),
  rotated: toMinute(account.rotatedAt),
  'psk issued': toMinute(account.pskIssuedAt),
  'last used': toMinute(account.lastUsedAt),
  expires: toMinute(account.expiresAt),
})

/** `2026-03-01 09:30Z`. */
const toMinute = (moment: string | null): string | null =>
  moment === null ? null : `${moment.slice(0, 16).replace('T', ' ')}Z`
