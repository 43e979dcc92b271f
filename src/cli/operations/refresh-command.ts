/**
 * `tripfolio refresh`: refreshes now. A running service does it itself, from its own source, as when the admin API asks;
 * without one this process does it, as `tripfolio ingest` with the configured source. `tripfolio refresh history` lists the latest,
 * `refresh hold` and `refresh resume` keep refreshes from beginning.
 */
import { Command } from 'commander'
import { serviceRuns } from '../../directory/service-lock.ts'
import { noSourceConfigured } from '../../ingest/problems.ts'
import { askForRefresh } from '../../ingest/refresh/ask-for-refresh.ts'
import { ingest } from '../ingest-command.ts'
import type { Invocation } from '../invocation.ts'
import { operator } from '../operator.ts'
import { holdCommand, resumeHoldCommand } from './hold-commands.ts'
import { refreshHistoryCommand } from './refresh-history.ts'

type Options = {
  readonly data?: string
  readonly acceptShrink?: boolean
  readonly despiteHold?: boolean
  readonly json?: boolean
}

export function refreshCommand(cli: Invocation): Command {
  return (
    new Command('refresh')
      .description(
        'Refresh now: the running service does it from its source; without one, the same as ingest with the configured source',
      )
      .option('--data <folder>', 'data folder (default: ./data)')
      .option(
        '--accept-shrink',
        'publish this extract even if it lost rows or clients since the current snapshot',
      )
      .option('--despite-hold', 'refresh although refreshes are held; they stay held')
      .option('--json', 'print JSON')
      .action((options: Options) => refresh(cli, options))
      // Otherwise it would take the options of its subcommand for its own.
      .enablePositionalOptions()
      .addCommand(refreshHistoryCommand(cli))
      .addCommand(
        holdCommand(cli, 'refreshes', 'Keep refreshes from beginning until `tripfolio refresh resume`'),
      )
      .addCommand(resumeHoldCommand(cli, 'refreshes', 'Let refreshes begin again'))
  )
}

async function refresh(cli: Invocation, options: Options): Promise<void> {
  const { json, acceptShrink = false, despiteHold = false, ...flags } = options
  const { data, source } = cli.config(flags)
  if (!serviceRuns(data)) {
    if (source === undefined) throw noSourceConfigured()
    return ingest(cli, options)
  }
  const published = await askForRefresh(data, { by: operator(), acceptShrink, despiteHold })
  if (json) {
    cli.printJson(published)
    return
  }
  const { snapshot, rejects, warnings, startedAt, endedAt } = published
  const seconds = ((Date.parse(endedAt) - Date.parse(startedAt)) / 1000).toFixed(1)
  for (const { message } of warnings) cli.print(`Warning: ${message}\n`)
  cli.print(`The service published snapshot ${snapshot} in ${seconds} s, with ${rejects} rejected rows.\n`)
}
