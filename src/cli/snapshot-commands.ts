/**
 * `tripfolio snapshot list | verify | rollback`: lists the stored snapshots, checks that every byte of them is intact, and makes
 * an older one current.
 */
import { Command } from 'commander'
import { rollBackSnapshot } from '../ingest/refresh/roll-back.ts'
import { withStoredSnapshots } from '../ingest/refresh/stored-snapshots.ts'
import { exitCodes } from './failures/exit-codes.ts'
import type { Invocation } from './invocation.ts'
import { operator } from './operator.ts'

type Options = { readonly data?: string; readonly json?: boolean }

export function snapshotCommands(cli: Invocation): Command {
  const command = new Command('snapshot').description('List, verify and roll back the published snapshots')
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
  command
    .command('rollback')
    .description(
      'Make an older snapshot current, and hold refreshes until `tripfolio refresh resume`; every file of it is verified first',
    )
    .argument(
      '[id]',
      'id of the snapshot (default: the newest intact one that is older than the current one)',
    )
    .option('--reason <text>', 'why, for the console and the audit trail')
    .option('--data <folder>', 'data folder (default: ./data)')
    .option('--json', 'print JSON')
    .action((id: string | undefined, options: Options & { readonly reason?: string }) =>
      rollback(cli, id, options),
    )
  return command
}

const empty = 'No snapshot has been published yet.'

async function list(cli: Invocation, { json, ...flags }: Options): Promise<void> {
  const described = await withStoredSnapshots(cli.config(flags), ({ describe }) => describe())
  cli.printRows(described, { json, empty })
}

async function verify(cli: Invocation, { json, ...flags }: Options): Promise<void> {
  const snapshots = await withStoredSnapshots(cli.config(flags), ({ verify }) => verify())
  cli.printRows(snapshots, { json, empty })
  if (snapshots.some(({ damaged }) => damaged.length > 0)) cli.exitCode = exitCodes.refused
}

async function rollback(
  cli: Invocation,
  id: string | undefined,
  { json, reason, ...flags }: Options & { readonly reason?: string },
): Promise<void> {
  const wish = { wanted: id, by: operator(), reason }
  const { snapshot, before = null, damaged, held } = await rollBackSnapshot(cli.config(flags), wish)
  if (json) {
    cli.printJson({ snapshot, before, damaged, held })
    return
  }
  for (const skipped of damaged)
    cli.printError(`tripfolio: snapshot ${skipped} is damaged and was passed over\n`)
  cli.print(
    snapshot === before
      ? `Snapshot ${snapshot} is the current one already; nothing was changed.\n`
      : `Snapshot ${snapshot} is current now, instead of ${before ?? 'none'}. A running service uses it within two seconds. ${held === null ? 'The next refresh publishes a new snapshot, as always.' : 'Refreshes are held until `tripfolio refresh resume`.'}\n`,
  )
}
