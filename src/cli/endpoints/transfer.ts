/** Runs `endpoint push` and `endpoint pull`, and prints their results. */
import { dirname } from 'node:path'
import { type ReadFiles, readEndpointFiles } from '../../automation/endpoint-files/endpoint-file.ts'
import { pullEndpoints } from '../../automation/endpoint-files/pull.ts'
import { recordContent } from '../../automation/endpoint-files/pull-record.ts'
import { checkNote, type Pushed, pushFiles } from '../../automation/endpoint-files/push.ts'
import type { PushedModule } from '../../automation/endpoint-files/push-modules.ts'
import { hasControlStore } from '../../directory/open-stores.ts'
import { exitCodes } from '../failures/exit-codes.ts'
import { refuseOtherFolder } from '../failures/installation.ts'
import type { Invocation } from '../invocation.ts'
import { operator } from '../operator.ts'
import { type ServiceOptions, withEndpointService } from '../remote/with-service.ts'
import { printFaults, reportFaults } from './report-faults.ts'

type PushOptions = ServiceOptions & {
  readonly publish?: boolean
  readonly note?: string
  readonly dryRun?: boolean
}
type PullOptions = ServiceOptions & {
  readonly published?: boolean
  readonly dryRun?: boolean
  readonly force?: boolean
}

export async function push(
  cli: Invocation,
  paths: readonly string[],
  { publish = false, note, dryRun = false, ...options }: PushOptions,
): Promise<void> {
  const settled = { publish, note: note ?? null, dryRun, by: operator() }
  checkNote(settled)
  const read = await readEndpointFiles(paths)
  const makesNone = dryRun || read.faults.length > 0
  const result = (await hasNothing(cli, options, { makesNone }))
    ? await pushFiles(read, null, settled)
    : await withEndpointService(cli, options, { create: true }, (service) =>
        pushFiles(read, service, settled),
      )
  if ('faults' in result) return reportFaults(cli, result.faults, options)
  if (!dryRun) await recordPushed(read, result)
  printPushed(cli, result, { dryRun, json: options.json })
  printFaults(cli, result.warnings)
  for (const { endpoint, secret, use } of result.missingSecrets) {
    const what = USES[use]
    cli.printError(
      `tripfolio: '${endpoint}' ${what} the secret '${secret}', which is not stored yet: \`tripfolio secret set '${secret}' < FILE\`\n`,
    )
  }
}

const USES = { signatures: 'checks signatures with', requests: 'sends with its requests' } as const

/** Whether there is no store yet, and a push that changes nothing must not create one. */
async function hasNothing(
  cli: Invocation,
  { server, data, store }: ServiceOptions,
  { makesNone }: { readonly makesNone: boolean },
): Promise<boolean> {
  if (server !== undefined) return false
  const config = cli.config({ data, store })
  if (!makesNone) refuseOtherFolder(config)
  return makesNone && !(await hasControlStore(config))
}

/** Lets a later pull into these folders know that the files had nothing of their own. */
async function recordPushed(
  { files, modules }: ReadFiles,
  pushed: { readonly pushed: readonly Pushed[]; readonly modules: readonly PushedModule[] },
): Promise<void> {
  const all = [...pushed.pushed, ...pushed.modules]
  const refused = new Set(all.flatMap(({ refusal, file }) => (refusal === null ? [] : [file])))
  const contents = [
    ...files.map(({ path, definition }) => ({ path, content: definition })),
    ...modules.map(({ path, name, script }) => ({ path, content: { module: name, script } })),
  ]
  for (const { path, content } of contents) {
    if (!refused.has(path)) await recordContent(dirname(path), [content], { create: false })
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
  { published = false, dryRun = false, force = false, ...options }: PullOptions,
): Promise<void> {
  const { pulled, faults } = await withEndpointService(cli, options, { create: false }, (service) =>
    pullEndpoints(folder, service, { names, published, dryRun, force }),
  )
  if (faults.length > 0) return reportFaults(cli, faults, options)
  const { json } = options
  const rows = pulled.map(({ kind, name, outcome, files, writes, edited }) =>
    json
      ? { kind, name, outcome, files, written: dryRun ? [] : [...writes.keys()], edited: edited !== null }
      : {
          endpoint: kind === 'module' ? `module ${name}` : name,
          files: edited === null ? outcome : `${outcome}, with edits of yours`,
          [dryRun ? 'to write' : 'written']: [...writes.keys()],
        },
  )
  cli.printRows(rows, { json, empty: 'There is nothing to pull.' })
  if (dryRun && !json) cli.print('\nThis was a dry run; nothing was written.\n')
}
