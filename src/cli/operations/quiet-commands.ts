/** `tripfolio quiet` and `tripfolio resume`: keep everything that goes out, of all nodes of the store, and let it go again. */
import { Command } from 'commander'
import { hasQuietMark, removeQuietMark } from '../../directory/holds/quiet.ts'
import type { Invocation } from '../invocation.ts'
import { operator } from '../operator.ts'
import { type StoreOptions, withStore, withStoreOptions } from '../with-store.ts'

export function quietCommand(cli: Invocation): Command {
  return withStoreOptions(
    new Command('quiet').description(
      'Begin no schedules and scheduled refreshes and send nothing to others until `tripfolio resume`',
    ),
  )
    .requiredOption('--reason <text>', 'why, for the console and the audit trail')
    .option('--json', 'print JSON')
    .action((options: StoreOptions & { readonly reason: string }) => quiet(cli, options))
}

export function resumeCommand(cli: Invocation): Command {
  return withStoreOptions(
    new Command('resume').description(
      'End `tripfolio quiet`, the quiet of a restored copy, and that of services that were started quiet',
    ),
  )
    .option('--json', 'print JSON')
    .action((options: StoreOptions) => resume(cli, options))
}

const quiet = (cli: Invocation, { reason, ...options }: StoreOptions & { readonly reason: string }) =>
  withStore(cli, options, { create: false }, async ({ holds }) => {
    const state = await holds.hold('outbound', { at: new Date().toISOString(), by: operator(), reason })
    if (options.json) cli.printJson(state)
    else cli.print(`Quiet since ${state.held?.at}, by ${state.held?.by}, because: ${state.held?.reason}\n`)
  })

const resume = (cli: Invocation, options: StoreOptions) =>
  withStore(cli, options, { create: false }, async ({ holds }) => {
    const { data, quiet: isSet, sources } = cli.config({ data: options.data, store: options.store })
    const { held } = await holds.find('outbound')
    const isRestored = hasQuietMark(data)
    const state = await holds.resume('outbound', operator(), new Date().toISOString())
    removeQuietMark(data)
    if (options.json) {
      cli.printJson(state)
      return
    }
    const before =
      held !== null
        ? `It was quiet since ${held.at}, by ${held.by}, because: ${held.reason}\n`
        : isRestored
          ? 'It was quiet because it was restored.\n'
          : 'The store was not quiet. Services that were started quiet are not any more.\n'
    cli.print(`Resumed: what is due and what waits goes out from now on. ${before}`)
    if (isSet) cli.print(`The setting quiet (${sources.quiet}) makes the next start quiet again.\n`)
  })
