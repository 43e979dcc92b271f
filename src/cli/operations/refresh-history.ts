/** `tripfolio refresh history`: the latest refreshes of the control store, whether a service runs or not. */
import { Command } from 'commander'
import type { RefreshRecord, RefreshSummary } from '../../schema/refresh-shapes.ts'
import type { Invocation } from '../invocation.ts'
import { type StoreOptions, withStore, withStoreOptions } from '../with-store.ts'
import { byIdOrBeginning } from './by-beginning.ts'

type Options = StoreOptions & { readonly all?: boolean }

/** Fits on a screen. */
const SHOWN = 20

export function refreshHistoryCommand(cli: Invocation): Command {
  return withStoreOptions(
    new Command('history').description(
      `List the last ${SHOWN} refreshes and how they ended, or show one in full`,
    ),
  )
    .argument(
      '[id]',
      'id of a refresh, or its first characters: what it read and rejected, and why it was refused',
    )
    .option('--all', 'list all refreshes that are kept, at most 1,000')
    .option('--json', 'print JSON')
    .action((id: string | undefined, options: Options) =>
      id === undefined ? list(cli, options) : show(cli, id, options),
    )
}

const list = (cli: Invocation, { all = false, ...options }: Options): Promise<void> =>
  withStore(cli, options, { create: false }, async ({ refreshes }) => {
    const found = await refreshes.list()
    const shown = all ? found : found.slice(0, SHOWN)
    const empty = 'No refresh has been recorded yet.'
    cli.printRows(options.json ? shown : shown.map(rowOf), { json: options.json, empty })
  })

const rowOf = ({
  id,
  startedAt,
  outcome,
  milliseconds,
  requestedBy,
  rows,
  rejects,
  reasons,
  snapshotId,
}: RefreshSummary) => ({
  started: startedAt,
  by: requestedBy,
  outcome,
  seconds: secondsOf(milliseconds),
  rows,
  rejects,
  snapshot: snapshotId,
  reason: reasons[0]?.code ?? null,
  id,
})

const show = (cli: Invocation, id: string, options: Options): Promise<void> =>
  withStore(cli, options, { create: false }, async ({ refreshes }) => {
    // Where no id begins so, the store says what it looked for.
    const found = await refreshes.find(byIdOrBeginning(await refreshes.list(), id)?.id ?? id)
    if (options.json) cli.printJson(found)
    else printRecord(cli, found)
  })

function printRecord(cli: Invocation, record: RefreshRecord): void {
  const { outcome, startedAt, requestedBy, node, milliseconds, snapshotId, stages, clients } = record
  const print = (line: string) => cli.print(`${line}\n`)
  const took = milliseconds === null ? '' : `, after ${secondsOf(milliseconds)} s`
  print(`Refresh of ${startedAt} by ${requestedBy} on ${node}: ${outcome}${took}`)
  if (snapshotId !== null) print(`Snapshot ${snapshotId}`)
  if (stages.length > 0) {
    print(stages.map((stage) => `${stage.stage} ${secondsOf(stage.milliseconds)} s`).join(', '))
  }
  if (clients !== null) print(`${clients.total} clients, ${clients.unchanged} of them unchanged`)
  for (const { code, message, hint } of record.reasons) {
    print(`${code}: ${message}`)
    if (hint !== null) print(`  ${hint}`)
  }
  for (const { message } of record.warnings) print(`Warning: ${message}`)
  printTable(
    cli,
    record.tables.map(({ table, rows, rejects, withParent }) => ({
      table,
      rows,
      rejected: rejects,
      'with their parent': withParent,
    })),
  )
  printTable(
    cli,
    record.rejectsByRule.map(({ table, rule, field, count, examples }) => ({
      table,
      rule,
      field,
      rejects: count,
      example: examples.map(({ file, row }) => `${file}, row ${row}`)[0] ?? null,
    })),
  )
}

function printTable(cli: Invocation, rows: Parameters<Invocation['printRows']>[0]): void {
  if (rows.length === 0) return
  cli.print('\n')
  cli.printRows(rows, { json: false, empty: '' })
}

const secondsOf = (milliseconds: number | null): number | null =>
  milliseconds === null ? null : Number((milliseconds / 1000).toFixed(1))
