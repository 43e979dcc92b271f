/** `tripfolio store copy`: moves the accounts, endpoints and history of a data folder into a PostgreSQL database. */
import { Command } from 'commander'
import { Problem } from '../../kernel/problem.ts'
import { showDatabase } from '../../postgres/database-url.ts'
import type { Invocation } from '../invocation.ts'

type Options = { readonly from?: string; readonly to?: string; readonly json?: boolean }

export function storeCommands(cli: Invocation): Command {
  const command = new Command('store').description('Move the stores of a data folder into PostgreSQL')
  command
    .command('copy')
    .description(
      'Copy the control store and the history of a data folder into an empty PostgreSQL database, and compare every row; run again, it only compares',
    )
    .option('--from <folder>', 'data folder (default: ./data)')
    .option('--to <url>', 'database, such as postgres://user@host/tripfolio (default: the setting store)')
    .option('--json', 'print JSON')
    .action((options: Options) => copy(cli, options))
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
  const secrets = tables.find(({ table }) => table === 'secrets')?.rows ?? 0
  if (secrets > 0) {
    cli.print(
      `It has ${secrets} ${secrets === 1 ? 'secret' : 'secrets'}: give every node the key of ${data} in the setting secretKey. Without that setting it is the text of the file secret.key.\n`,
    )
  }
}

const noDatabase = (): Problem =>
  new Problem('DIR468', 'There is no database to copy to', {
    hint: 'Give --to postgres://user@host/database, or the setting store (TRIPFOLIO_STORE).',
  })
