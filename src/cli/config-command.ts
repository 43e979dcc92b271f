/** `tripfolio config print`: prints every setting, its value, and where the value came from. Secrets are masked. */
import { Command } from 'commander'
import { describeConfig } from '../config/describe-config.ts'
import type { Invocation } from './invocation.ts'

type Options = { readonly data?: string; readonly json?: boolean }

export function configCommand(cli: Invocation): Command {
  const command = new Command('config').description('Show the settings')
  command
    .command('print')
    .description('Print every setting, its value, and where the value came from; secrets are masked')
    .option('--data <folder>', 'data folder (default: ./data)')
    .option('--json', 'print JSON')
    .action(({ json, ...flags }: Options) => {
      cli.printRows(describeConfig(cli.config(flags)), { json, empty: '' })
    })
  return command
}
