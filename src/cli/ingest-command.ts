/**
 * `tripfolio ingest`: one refresh from an extract. Exit code 0 when a snapshot was published; 1 when the refresh was
 * refused, with the reason on standard error and the current snapshot unharmed.
 */
import { constants, setPriority } from 'node:os'
import { Command } from 'commander'
import { type RefreshSummary, runRefresh } from '../ingest/cycle.ts'
import { refreshTooLong, sourceNotGiven } from '../ingest/problems.ts'
import { notifyOperators } from '../ingest/refresh/refresh-notice.ts'
import type { Invocation } from './invocation.ts'
import { openProgressBar } from './progress.ts'

type Options = {
  readonly source?: string
  readonly data?: string
  readonly maxRejectShare?: string
  readonly maxTableShrink?: string
  readonly maxClientsEmptied?: string
  readonly labelsPerClient?: string
  readonly acceptShrink?: boolean
  readonly retainSnapshots?: string
  readonly json?: boolean
}

export function ingestCommand(cli: Invocation): Command {
  return new Command('ingest')
    .description('Read an extract, validate it and publish it as the current snapshot')
    .option('--source <folder>', 'folder of the extract: CSV, NDJSON or Parquet files named after the tables')
    .option('--data <folder>', 'data folder (default: ./data)')
    .option('--max-reject-share <share>', 'largest share of rejects in any one table (default: 0.05)')
    .option('--max-table-shrink <share>', 'largest share of its rows that a table may lose (default: 0.3)')
    .option(
      '--max-clients-emptied <share>',
      'largest share of clients that may lose all of their bookings or invoices (default: 0.1)',
    )
    .option('--labels-per-client <n>', 'most custom labels of one client (default: 1000)')
    .option('--accept-shrink', 'publish this once, however much was lost against the current snapshot')
    .option('--retain-snapshots <n>', 'how many snapshots are kept (default: 3)')
    .option('--json', 'print JSON')
    .action((options: Options) => ingest(cli, options))
}

/** @throws Problem when nothing was published */
async function ingest(cli: Invocation, { json, acceptShrink = false, ...flags }: Options): Promise<void> {
  const config = cli.config(flags)
  const { source, data } = config
  if (source === undefined) throw sourceNotGiven()
  // Readers are served on the same machine; threads that are started from here inherit it.
  setPriority(constants.priority.PRIORITY_LOW)
  const bar = openProgressBar(cli.io.stderr)
  const interruption = abortOnSignal(config.refreshTimeLimitSeconds)
  try {
    const summary = await runRefresh({
      source,
      dataFolder: data,
      maxRejectShare: config.maxRejectShare,
      maxTableShrink: config.maxTableShrink,
      maxClientsEmptied: config.maxClientsEmptied,
      labelsPerClient: config.labelsPerClient,
      retainSnapshots: config.retainSnapshots,
      acceptShrink,
      observe: () => undefined,
      onProgress: bar.show,
      signal: interruption.signal,
    })
    bar.close()
    const unnotified = await notifyOperators(data, summary)
    if (unnotified !== null) {
      cli.printError(`tripfolio: operators could not be notified: ${unnotified.message}\n`)
    }
    if (json) cli.printJson(summary)
    else printSummary(cli, summary)
  } finally {
    interruption.forget()
    bar.close()
  }
}

/** The first Ctrl-C or SIGTERM ends the refresh in good order, as does the time limit; a second one ends the process. */
function abortOnSignal(seconds: number): { readonly signal: AbortSignal; readonly forget: () => void } {
  const controller = new AbortController()
  const limit = setTimeout(() => controller.abort(refreshTooLong(seconds)), seconds * 1000)
  const abort = () => controller.abort()
  const signals = ['SIGINT', 'SIGTERM'] as const
  for (const signal of signals) process.once(signal, abort)
  return {
    signal: controller.signal,
    forget() {
      clearTimeout(limit)
      for (const signal of signals) process.off(signal, abort)
    },
  }
}

function printSummary(cli: Invocation, summary: RefreshSummary): void {
  const { snapshot, extractedAt, tables, clients, milliseconds, notes, warnings } = summary
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
    `Published snapshot ${snapshot}, extracted ${extractedAt.toISOString()}.`,
    `${clients.total} clients, ${clients.unchanged} of them unchanged. Took ${stages.join(', ')}.`,
  ]
  cli.print(lines.map((line) => `${line}\n`).join(''))
}
