/** `tripfolio backup` and `tripfolio restore`: copy a data folder into a new folder, and back into an empty one. */
import { Command, Option } from 'commander'
import { backupDisk, stoppableDisk } from '../../backup/backup-disk.ts'
import type { BackupList } from '../../backup/backup-list.ts'
import { type BackupOptions, makeBackup } from '../../backup/make-backup.ts'
import { restoreBackup } from '../../backup/restore-backup.ts'
import { engineDatabase } from '../../config/engine-database.ts'
import { showStores } from '../../directory/open-stores.ts'
import { stopSignals } from '../../kernel/stop-signals.ts'
import { showDatabase } from '../../postgres/database-url.ts'
import type { Invocation } from '../invocation.ts'
import { operator } from '../operator.ts'

type Options = { readonly data?: string; readonly json?: boolean }
type MakeOptions = Options & BackupOptions

export function backupCommand(cli: Invocation): Command {
  return new Command('backup')
    .description(
      'Copy the data folder into a new folder while the service may run: stores, keys, settings and snapshots',
    )
    .argument('<folder>', 'folder of the backup, which must not exist yet')
    .option('--data <folder>', 'data folder (default: ./data)')
    .addOption(
      new Option('--snapshots <which>', 'which snapshots: they can also be made again from extracts')
        .choices(['current', 'all', 'none'])
        .default('current'),
    )
    .option('--no-history', 'leave out the records of runs (history.db)')
    .option('--json', 'print JSON')
    .action((folder: string, options: MakeOptions) => backup(cli, folder, options))
}

export function restoreCommand(cli: Invocation): Command {
  return new Command('restore')
    .description('Copy a backup into an empty or new data folder; checks every file and overwrites nothing')
    .argument('<folder>', 'folder of the backup')
    .option('--data <folder>', 'data folder to restore into (default: ./data)')
    .option('--json', 'print JSON')
    .action((folder: string, options: Options) => restore(cli, folder, options))
}

async function backup(cli: Invocation, folder: string, options: MakeOptions): Promise<void> {
  const { json, data, history } = options
  const config = cli.config({ data })
  const shared = config.engine === 'postgres' ? showDatabase(engineDatabase(config)) : config.snapshots
  // What protects shared snapshots is their storage: objects are never changed, and databases have backups of their own.
  const snapshots = shared === undefined ? options.snapshots : 'none'
  const list = await untilSignal((signal) =>
    makeBackup(
      config.data,
      folder,
      { snapshots, history, storeOutside: config.store !== undefined },
      stoppableDisk(backupDisk, signal, folder),
    ),
  )
  const outside = keysOutside(config, list)
  const store = config.store === undefined ? null : showStores(config)
  if (json) {
    cli.printJson({
      folder,
      ...totals(list),
      keysOutside: outside,
      ...(store !== null && { storeOutside: store }),
    })
  } else {
    cli.print(`Backed up ${config.data} to ${folder}: ${describe(list)}.\n`)
    if (shared !== undefined) cli.print(`It does not hold the snapshots, which are in ${shared}.\n`)
    for (const name of outside) {
      cli.print(`Keep the setting ${name} elsewhere: the backup needs it, and does not hold it.\n`)
    }
    if (store !== null) {
      cli.print(
        `Back up the database ${store} with pg_dump: accounts, endpoints and the history are there, and not in this backup.\n`,
      )
    }
  }
}

/** The first of `stopSignals` ends the work cleanly, so that no hidden half of a backup fills the disk; a second one ends the process. */
async function untilSignal<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController()
  const abort = () => controller.abort()
  for (const signal of stopSignals) process.once(signal, abort)
  try {
    return await work(controller.signal)
  } finally {
    for (const signal of stopSignals) process.off(signal, abort)
  }
}

async function restore(cli: Invocation, folder: string, { json, ...flags }: Options): Promise<void> {
  const { data, snapshots: shared, engine } = cli.config(flags)
  const list = await restoreBackup(folder, data, backupDisk, operator())
  if (json) cli.printJson({ folder: data, ...totals(list), quiet: true })
  else {
    cli.print(`Restored ${folder}, made ${list.madeAt}, into ${data}: ${describe(list)}.\n`)
    if (shared !== undefined) cli.print(restoredShared(shared))
    else if (list.snapshot === null && engine !== 'postgres')
      cli.print('It has no snapshot: run `tripfolio ingest --source FOLDER`.\n')
    cli.print(quietUntilResumed(data))
  }
}

const quietUntilResumed = (data: string): string =>
  `A service on ${data} is quiet: it begins no schedules and no scheduled refreshes, and sends no HTTP requests and mail of scripts and no webhooks, so it can run beside the original. When it takes the place of the original, end that with \`tripfolio resume --data ${data}\`.
`

/** The storage may have removed what the restored store names as current, and the other way round. */
const restoredShared = (snapshots: string): string =>
  `The snapshots are those in ${snapshots}. Run \`tripfolio ingest --source FOLDER\` before the service starts: the current snapshot of the backup may be gone there.
If the installation that was backed up still runs, give this one another prefix with TRIPFOLIO_SNAPSHOTS: each would remove the snapshots of the other.
`

const totals = ({ madeAt, version, snapshot, files }: BackupList) => ({
  madeAt,
  version,
  snapshot,
  files: files.length,
  bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
})

function describe(list: BackupList): string {
  const { files, bytes, snapshot } = totals(list)
  const single = list.files
    .map(({ path }) => path)
    .filter((path) => !path.includes('/') && path !== 'current')
  const parts = [...single, ...(snapshot === null ? [] : [`snapshot ${snapshot}`])]
  return `${files} files, ${(bytes / 1e6).toFixed(1)} MB (${parts.join(', ')})`
}

/** Keys that settings hold, so that they are not in the data folder. A file of settings there is in the backup. */
function keysOutside(
  {
    secretKey,
    jwtSecret,
  }: { readonly secretKey?: string | undefined; readonly jwtSecret?: string | undefined },
  { files }: BackupList,
): readonly string[] {
  if (files.some(({ path }) => path === 'tripfolio.json')) return []
  return [
    ...(secretKey === undefined ? [] : ['secretKey']),
    ...(jwtSecret === undefined ? [] : ['jwtSecret']),
  ]
}
