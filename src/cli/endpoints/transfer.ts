/** Runs `endpoint push` and `endpoint pull`, and prints their results. */
import { readEndpointFiles } from '../../automation/endpoint-files/endpoint-file.ts'
import { pullEndpoints } from '../../automation/endpoint-files/pull.ts'
import { checkNote, type Pushed, pushFiles } from '../../automation/endpoint-files/push.ts'
import type { PushedModule } from '../../automation/endpoint-files/push-modules.ts'
import { hasControlStore } from '../../directory/open-stores.ts'
import { exitCodes } from '../failures/exit-codes.ts'
import { refuseOtherFolder } from '../failures/installation.ts'
import type { Invocation } from '../invocation.ts'
import { operator } from '../operator.ts'
import { type StoreOptions, withStore } from '../with-store.ts'
import { reportFaults } from './report-faults.ts'

type PushOptions = StoreOptions & {
  readonly publish?: boolean
  readonly note?: string
  readonly dryRun?: boolean
}
type PullOptions = StoreOptions & { readonly published?: boolean }

export async function push(
  cli: Invocation,
  paths: readonly string[],
  { publish = false, note, dryRun = false, ...options }: PushOptions,
): Promise<void> {
  const settled = { publish, note: note ?? null, dryRun, by: operator() }
  checkNote(settled)
  const read = await readEndpointFiles(paths)
  // A push that changes nothing must not create a store.
  const makesNone = dryRun || read.faults.length > 0
  const config = cli.config({ data: options.data, store: options.store })
  if (!makesNone) refuseOtherFolder(config)
  const isThere = await hasControlStore(config)
  const result =
    makesNone && !isThere
      ? await pushFiles(read, null, settled)
      : await withStore(cli, options, { create: true }, (store) => pushFiles(read, store, settled))
  if ('faults' in result) return reportFaults(cli, result.faults, options)
  printPushed(cli, result, { dryRun, json: options.json })
  for (const { name, secret } of result.withoutSecret) {
    cli.printError(
      `tripfolio: '${name}' checks signatures with the secret '${secret}', which is not stored yet\n`,
    )
  }
}

function printPushed(
  cli: Invocation,
  { pushed, modules }: { readonly pushed: readonly Pushed[]; readonly modules: readonly PushedModule[] },
  { dryRun, json }: { readonly dryRun: boolean; readonly json: boolean | undefined },
): void {
  if (json) cli.printJson({ dryRun, modules, endpoints: pushed })
  else {
    cli.printRows([...modules.map(moduleRow), ...pushed.map(pushedRow)], { json, empty: '' })
    if (dryRun) cli.print('\nThis was a dry run; nothing was changed.\n')
  }
  for (const { name, refusal } of [...modules, ...pushed]) {
    if (refusal === null) continue
    cli.printError(`tripfolio: ${name}: ${refusal}\n`)
    cli.exitCode = exitCodes.refused
  }
}

const moduleRow = ({ name, draft, publishedVersion, file }: PushedModule) => ({
  endpoint: `module ${name}`,
  draft,
  published: publishedVersion === null ? null : `version ${publishedVersion}`,
  file,
})

const pushedRow = ({ name, draft, publishedVersion, active, file }: Pushed) => ({
  endpoint: name,
  draft,
  published:
    publishedVersion === null ? null : `version ${publishedVersion}${active ? '' : ', switched off'}`,
  file,
})

export async function pull(
  cli: Invocation,
  folder: string,
  names: readonly string[],
  { published = false, ...options }: PullOptions,
): Promise<void> {
  const { pulled, faults } = await withStore(cli, options, { create: false }, ({ endpoints }) =>
    pullEndpoints(folder, endpoints, { names, published }),
  )
  if (faults.length > 0) return reportFaults(cli, faults, options)
  const { json } = options
  const rows = pulled.map(({ name, outcome, files, writes }) =>
    json
      ? { name, outcome, files, written: [...writes.keys()] }
      : { endpoint: name, files: outcome, written: [...writes.keys()] },
  )
  cli.printRows(rows, { json, empty: 'There is nothing to pull.' })
}
