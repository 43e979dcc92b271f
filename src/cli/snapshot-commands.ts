/** `tripfolio snapshot list | verify`: lists the stored snapshots, and checks that every byte of them is intact. */
import { Command } from 'commander'
import { describeSnapshots, verifySnapshots } from '../snapshot/stored-snapshots.ts'
import { exitCodes } from './failures/exit-codes.ts'
import type { Invocation } from './invocation.ts'

type Options = { readonly data?: string; readonly json?: boolean }

export function snapshotCommands(cli: Invocation): Command {
  const command = new Command('snapshot').description('List and verify the published snapshots')
  command
    .command('list')
    .description('List the retained snapshots, newest first')
    .option('--data <folder>', 'data folder (default: ./data)')
    .option('--json', 'print JSON')
    .action((options: Options) => list(cli, options))
  command
    .command('verify')
    .description(
      'Read every file of every retained snapshot and compare checksums; exit with code 1 when one is damaged',
    )
    .option('--data <folder>', 'data folder (default: ./data)')
    .option('--json', 'print JSON')
    .action((options: Options) => verify(cli, options))
  return command
}

const empty = 'No snapshot has been published yet.'

async function list(cli: Invocation, { json, ...flags }: Options): Promise<void> {
  cli.printRows(await describeSnapshots(cli.config(flags).data), { json, empty })
}

async function verify(cli: Invocation, { json, ...flags }: Options): Promise<void> {
  const snapshots = await verifySnapshots(cli.config(flags).data)
  cli.printRows(snapshots, { json, empty })
  if (snapshots.some(({ damaged }) => damaged.length > 0)) cli.exitCode = exitCodes.refused
}
