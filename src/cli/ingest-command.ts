/**
 * `tripfolio ingest`: refreshes once from an extract. The exit code is 0 when a snapshot was published. Otherwise the reason is
 * on standard error, and the current snapshot stays as it was.
 */
import { constants, setPriority } from 'node:os'
import { Command } from 'commander'
import { isWarehouse } from '../config/extract-source.ts'
import { refuseUnfinishedRestore } from '../directory/open-stores.ts'
import { isNotWritable, whyNotWritable } from '../directory/problems.ts'
import { type RefreshRequest, type RefreshSummary, runRefresh } from '../ingest/cycle.ts'
import { mappingWithoutCheck, refreshTooLong, sourceNotGiven } from '../ingest/problems.ts'
import { withDestination } from '../ingest/refresh/destination.ts'
import { recordedIngest } from '../ingest/refresh/recorded-ingest.ts'
import { notifyOperators } from '../ingest/refresh/refresh-notice.ts'
import type { UpgradedStore } from '../kernel/files/upgraded-store.ts'
import { stopSignals } from '../kernel/stop-signals.ts'
import type { TableName } from '../schema/extract-tables.ts'
import type { SnapshotDestination } from '../snapshot/writing/snapshot-writer.ts'
import { choice } from './choice.ts'
import type { Invocation } from './invocation.ts'
import { upgradedText } from './operations/upgraded-text.ts'
import { operator } from './operator.ts'
import { openProgress } from './progress.ts'

type Options = {
  readonly source?: string
  readonly data?: string
  readonly maxRejectShare?: string
  readonly maxTableShrink?: string
  readonly maxClientsEmptied?: string
  readonly labelsPerClient?: string
  readonly offsetTimes?: string
  readonly acceptShrink?: boolean
  readonly despiteHold?: boolean
  readonly retainSnapshots?: string
  readonly check?: boolean
  readonly mapping?: string
  readonly json?: boolean
}

export function ingestCommand(cli: Invocation): Command {
  return new Command('ingest')
    .description('Read an extract, validate it and publish it as the current snapshot')
    .option(
      '--source <folder/url>',
      'folder of the extract: CSV, JSON or Parquet files named after the tables; or the URL of a PostgreSQL database',
    )
    .option('--data <folder>', 'data folder (default: ./data)')
    .option(
      '--max-reject-share <share>',
      'largest share of rows of a table that may be rejected (default: 0.05)',
    )
    .option('--max-table-shrink <share>', 'largest share of rows that a table may lose (default: 0.3)')
    .option(
      '--max-clients-emptied <share>',
      'largest share of clients that may lose all of their bookings or invoices (default: 0.1)',
    )
    .option('--labels-per-client <n>', 'largest number of custom labels of one client (default: 1000)')
    .addOption(
      choice('--offset-times <rule>', 'times with an offset from UTC (default: keepLocal)', 'offsetTimes'),
    )
    .option(
      '--accept-shrink',
      'publish this extract even if it lost rows or clients since the current snapshot',
    )
    .option('--despite-hold', 'publish this extract although refreshes are held; they stay held')
    .option('--retain-snapshots <n>', 'number of snapshots to keep (default: 3)')
    .option('--check', 'only say whether a refresh would accept the extract, from a sample; change nothing')
    .option(
      '--mapping <file>',
      'with --check: write the drafted mapping to this new file; for a database: the SQL of its tables',
    )
    .option('--json', 'print JSON')
    .action((options: Options) => ingest(cli, options))
}

/** @throws Problem when nothing was published */
export async function ingest(cli: Invocation, options: Options): Promise<void> {
  const { json = false, acceptShrink = false, despiteHold = false, check = false, ...flags } = options
  const config = cli.config(flags)
  const { source, data, mapping } = config
  const fromWarehouse = source !== undefined && isWarehouse(source)
  if (options.mapping !== undefined && !check && !fromWarehouse) throw mappingWithoutCheck()
  if (source === undefined) throw sourceNotGiven()
  // The service may answer requests on the same machine. Threads that this process starts inherit the low priority.
  setPriority(constants.priority.PRIORITY_LOW)
  const progress = openProgress(cli.io)
  const interruption = abortOnSignal(config.refreshTimeLimitSeconds)
  const { signal } = interruption
  try {
    if (check) {
      const onTable = (table: TableName, done: number, total: number) =>
        progress.show({ stage: 'check', done, total, table })
      const { maxRejectShare, offsetTimes } = config
      // A refresh does not load what only a check needs.
      const { checkAndPrint, mappingOfCheck } = await import('./check/ingest-check.ts')
      const files = mappingOfCheck(source, options.mapping, mapping)
      const order = { source, dataFolder: data, ...files, maxRejectShare, offsetTimes, signal, onTable, json }
      await interruption.inTime(checkAndPrint(cli, order))
      return
    }
    refuseUnfinishedRestore(data)
    const onUpgraded = (upgraded: UpgradedStore) => cli.printError(`tripfolio: ${upgradedText(upgraded)}`)
    const recorded = {
      place: config,
      requestedBy: operator(),
      despiteHold,
      signal,
      onFailure: unrecorded(cli),
      onUpgraded,
    }
    const ingestInto = (destination: SnapshotDestination | undefined, { onProgress, onReport }: Reporting) =>
      runRefresh({
        source,
        mapping,
        dataFolder: data,
        destination,
        maxRejectShare: config.maxRejectShare,
        maxTableShrink: config.maxTableShrink,
        maxClientsEmptied: config.maxClientsEmptied,
        labelsPerClient: config.labelsPerClient,
        offsetTimes: config.offsetTimes,
        retainSnapshots: config.retainSnapshots,
        changesDays: config.changesDays,
        acceptShrink,
        observe: () => undefined,
        onProgress: (step) => {
          progress.show(step)
          onProgress?.(step)
        },
        onReport,
        signal,
      })
    const summary = await recordedIngest(recorded, (reporting) =>
      interruption.inTime(
        withDestination(config, operator(), (destination) => ingestInto(destination, reporting)),
      ),
    )
    progress.close()
    const unnotified = await notifyOperators(config, summary)
    if (unnotified !== null) {
      cli.printError(`tripfolio: operators could not be notified: ${unnotified.message}\n`)
    }
    if (json) cli.printJson(summary)
    else printSummary(cli, summary)
  } finally {
    interruption.forget()
    progress.close()
  }
}

type Reporting = Pick<RefreshRequest, 'onProgress' | 'onReport'>

const unrecorded = (cli: Invocation) => (cause: unknown) => {
  const reason = isNotWritable(cause) ? whyNotWritable(cause) : cause instanceof Error ? cause.message : cause
  cli.printError(`tripfolio: the history of refreshes could not be written: ${reason}\n`)
}

/** How long the work may take to end after its time limit. One operation of the database, such as a text of gigabytes, cannot be stopped. */
const GRACE_MS = 5000
const LAST_WORDS_MS = 500

type Interruption = {
  readonly signal: AbortSignal
  /** Rejects with ING123 when the work has not even ended some seconds after its time limit; the process is killed soon after. */
  readonly inTime: <T>(work: Promise<T>) => Promise<T>
  readonly forget: () => void
}

/** The first of `stopSignals` ends the refresh cleanly, as does the time limit; a second one ends the process at once. */
function abortOnSignal(seconds: number): Interruption {
  const controller = new AbortController()
  const tooLong = refreshTooLong(seconds)
  const limit = setTimeout(() => controller.abort(tooLong), seconds * 1000)
  const { promise: overdue, reject } = Promise.withResolvers<never>()
  // Nobody may be waiting for it.
  overdue.catch(() => undefined)
  const last = setTimeout(
    () => {
      // What cannot be stopped keeps the process alive, also at its exit. Until then the failure is printed.
      setTimeout(() => process.kill(process.pid, 'SIGKILL'), LAST_WORDS_MS)
      reject(tooLong)
    },
    seconds * 1000 + GRACE_MS,
  )
  const abort = () => controller.abort()
  for (const signal of stopSignals) process.once(signal, abort)
  return {
    signal: controller.signal,
    inTime: (work) => Promise.race([work, overdue]),
    forget() {
      clearTimeout(limit)
      clearTimeout(last)
      for (const signal of stopSignals) process.off(signal, abort)
    },
  }
}

function printSummary(cli: Invocation, summary: RefreshSummary): void {
  const { snapshot, extractedAt, tables, clients, milliseconds, notes, warnings, invoicesWithoutBooking } =
    summary
  const rows = tables.map(({ table, rows, rejects, withParent }) => ({
    table,
    rows,
    rejected: rejects,
    'with their parent': withParent,
  }))
  cli.printRows(rows, { json: false, empty: '' })
  const stages = Object.entries(milliseconds).map(([stage, ms]) => `${stage} ${(ms / 1000).toFixed(1)} s`)
  const lines = [
    '',
    ...notes.map((note) => `Note: ${note}`),
    ...warnings.map(({ message }) => `Warning: ${message}`),
    ...(invoicesWithoutBooking === 0 ? [] : [withoutBooking(invoicesWithoutBooking)]),
    `Published snapshot ${snapshot}, extracted ${extractedAt.toISOString()}.`,
    `${clients.total} clients, ${clients.unchanged} of them unchanged. Took ${stages.join(', ')}.`,
  ]
  cli.print(lines.map((line) => `${line}\n`).join(''))
}

const withoutBooking = (count: number): string =>
  count === 1
    ? '1 invoice names a booking that is not in the snapshot; its recordLocator is null.'
    : `${count} invoices name a booking that is not in the snapshot; their recordLocator is null.`
