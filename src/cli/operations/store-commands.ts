/**
 * `tripfolio store copy | migrate | verify`: moves the accounts, endpoints and history of a data folder into a PostgreSQL
 * database, brings stores up to date, and compares every account with its checksum.
 */
import { Command } from 'commander'
import type { CheckedAccounts, RefusedAccount } from '../../directory/accounts/seal-accounts.ts'
import { upgradeStores } from '../../directory/open-stores.ts'
import { Problem } from '../../kernel/problem.ts'
import { showDatabase } from '../../postgres/database-url.ts'
import { exitCodes } from '../failures/exit-codes.ts'
import type { Invocation } from '../invocation.ts'
import { stateOf } from '../state-of-account.ts'
import { type StoreOptions, withStore, withStoreOptions } from '../with-store.ts'
import { upgradedText } from './upgraded-text.ts'

type Options = { readonly from?: string; readonly to?: string; readonly json?: boolean }

export function storeCommands(cli: Invocation): Command {
  const command = new Command('store').description(
    'Verify the accounts in the stores, bring the stores up to date, and move the stores of a data folder into PostgreSQL',
  )
  command
    .command('copy')
    .description(
      'Copy the control store and the history of a data folder into an empty PostgreSQL database, and compare every row; run again, it only compares',
    )
    .option('--from <folder>', 'data folder (default: ./data)')
    .option('--to <url>', 'database, such as postgres://user@host/tripfolio (default: the setting store)')
    .option('--json', 'print JSON')
    .action((options: Options) => copy(cli, options))
  withStoreOptions(command.command('migrate'))
    .description(
      'Bring the stores up to date without starting the service; a file is copied first, to go back to the older version',
    )
    .option('--json', 'print JSON')
    .action((options: StoreOptions) => migrate(cli, options))
  withStoreOptions(command.command('verify'))
    .description(
      'Compare every account with its checksum, list those that do not match, and exit with code 1 when there is one',
    )
    .option('--json', 'print JSON')
    .action((options: StoreOptions) => verify(cli, options))
  return command
}

async function copy(cli: Invocation, { from, to, json }: Options): Promise<void> {
  const { data, store } = cli.config({ data: from, store: to })
  if (store === undefined) throw noDatabase()
  // Loaded here, because most commands need no PostgreSQL.
  const { copyToDatabase } = await import('../../directory/store-copy.ts')
  const { copied, tables } = await copyToDatabase(data, store)
  const target = showDatabase(store)
  if (json) {
    cli.printJson({ from: data, to: target, copied, tables })
    return
  }
  const rows = tables.reduce((sum, table) => sum + table.rows, 0)
  cli.print(
    copied
      ? `Copied ${rows} rows of ${tables.length} tables from ${data} to ${target}. Every row was read again and is the same.\n`
      : `${target} holds the ${rows} rows of ${data} already: every row was compared. Nothing was changed.\n`,
  )
  const rowsOf = (name: string) => tables.find(({ table }) => table === name)?.rows ?? 0
  const secrets = rowsOf('secrets')
  // Both are sealed with the key.
  if (secrets > 0 || rowsOf('key_checks') > 0) {
    const found =
      secrets === 0 ? 'Its accounts are sealed' : `It has ${secrets} ${secrets === 1 ? 'secret' : 'secrets'}`
    cli.print(
      `${found}: give every node the key of ${data} in the setting secretKey. Without that setting it is the text of the file secret.key.\n`,
    )
  }
}

async function migrate(cli: Invocation, { data, store, json }: StoreOptions): Promise<void> {
  const upgraded = await upgradeStores(cli.config({ data, store }))
  if (json) cli.printJson(upgraded)
  else if (upgraded.length === 0) cli.print('The stores are up to date: nothing was changed.\n')
  else cli.print(upgraded.map(upgradedText).join(''))
}

async function verify(cli: Invocation, options: StoreOptions): Promise<void> {
  const checked = await withStore(cli, options, { create: false }, ({ accounts }) => accounts.verify())
  const { accounts, key, refused } = checked
  if (options.json) cli.printJson({ accounts, key, refused: refused.map(jsonOf) })
  else if (refused.length === 0) cli.print(`${matching(checked)}\n`)
  else {
    cli.printRows(refused.map(rowOf), { json: false, empty: '' })
    cli.printError(`tripfolio: ${whatToDo(checked)}\n`)
  }
  if (refused.length > 0) cli.exitCode = exitCodes.refused
}

const jsonOf = ({ account, fault, madeForClient }: RefusedAccount) => ({ ...account, fault, madeForClient })

const rowOf = ({ account, fault, madeForClient }: RefusedAccount) => ({
  id: account.id,
  name: account.name,
  client: account.clientNumber,
  'made for': madeForClient,
  state: stateOf(account),
  fault,
})

const keys = {
  none: 'which need no secret key yet',
  own: 'made with the secret key',
  other: 'made with another secret key',
} as const

const matching = ({ accounts, key }: CheckedAccounts): string =>
  accounts === 1
    ? `The account matches its checksum, ${keys[key]}.`
    : `All ${accounts} accounts match their checksums, ${keys[key]}.`

function whatToDo({ accounts, key, refused }: CheckedAccounts): string {
  const found = `${refused.length} of ${accounts} ${accounts === 1 ? 'account' : 'accounts'} ${refused.length === 1 ? 'does' : 'do'} not match; their keys and psks are refused.`
  if (key === 'other')
    return `${found} They are sealed with another secret key than the one at hand: give it with TRIPFOLIO_SECRET_KEY, or put back the file secret.key. If it is lost, look through the accounts, then run \`tripfolio account seal --all\`.`
  return `${found} Where "client" and "made for" differ, the row is damaged: delete the account and create another one. Where nothing is wrong, because somebody has changed the row in SQL or a node of an older version has, run \`tripfolio account seal ID\`. When in doubt, \`tripfolio account rotate ID\` after it: the key that the client has is refused then.`
}

const noDatabase = (): Problem =>
  new Problem('DIR468', 'There is no database to copy to', {
    hint: 'Give --to postgres://user@host/database, or the setting store (TRIPFOLIO_STORE).',
  })
