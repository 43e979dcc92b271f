/** `endpoint push` and `endpoint pull`: files checked, the store changed or read, and what came of it printed. */
import { readEndpointFiles, reportFaults } from '../../automation/endpoint-files/endpoint-file.ts'
import { noteWithoutPublication, nothingPublishedToPull } from '../../automation/endpoint-files/problems.ts'
import { type Pull, planPull, slugs, writePulled } from '../../automation/endpoint-files/pull.ts'
import { type Pushed, planPush, pushEndpoint } from '../../automation/endpoint-files/push.ts'
import type { ControlStore } from '../../directory/control-store.ts'
import { noteTooLong } from '../../directory/endpoints/problems.ts'
import { hasControlStore } from '../../directory/open-stores.ts'
import { codePointLength, fold } from '../../kernel/text.ts'
import type { Endpoint } from '../../schema/endpoint-shapes.ts'
import { operator } from '../operator.ts'
import { printResult } from '../print.ts'
import { configOf, type Options, withStore } from './endpoint-store.ts'

type PushOptions = Options & { readonly publish?: true; readonly note?: string; readonly dryRun?: true }
type PullOptions = Options & { readonly published?: true }

export async function push(paths: readonly string[], options: PushOptions): Promise<void> {
  refuseNote(options)
  const { files, faults } = await readEndpointFiles(paths)
  const work = async (store: ControlStore | null) => {
    const plan = await planPush(files, store?.endpoints ?? null)
    const found = [...faults, ...plan.faults]
    if (found.length > 0) return reportFaults(found, options)
    const { publish = false, note = null, dryRun = false } = options
    const settled = { publish, note, dryRun, by: operator() }
    const pushed: Pushed[] = []
    for (const one of plan.pushes) pushed.push(await pushEndpoint(one, store?.endpoints ?? null, settled))
    printPushed(pushed, { dryRun, json: options.json })
    await warnOfSecrets(
      files.map(({ definition }) => definition),
      store,
    )
  }
  // What changes nothing makes no store.
  const isThere = hasControlStore(configOf(options).data)
  return (options.dryRun || faults.length > 0) && !isThere
    ? work(null)
    : withStore(options, { create: true }, work)
}

/** As the store takes it: here, because it would be refused only after the drafts were saved. */
const LONGEST_NOTE = 500

function refuseNote({ note, publish }: PushOptions): void {
  if (note === undefined) return
  if (!publish) throw noteWithoutPublication()
  const length = codePointLength(note)
  if (length > LONGEST_NOTE) throw noteTooLong(LONGEST_NOTE, length)
}

function printPushed(
  pushed: readonly Pushed[],
  { dryRun, json }: { readonly dryRun: boolean; readonly json: boolean | undefined },
): void {
  if (json) process.stdout.write(`${JSON.stringify({ dryRun, endpoints: pushed }, null, 2)}\n`)
  else {
    printResult(pushed.map(pushedRow), { json, empty: '' })
    if (dryRun) process.stdout.write('\nThis is what would be; nothing was changed.\n')
  }
  for (const { name, refusal } of pushed) {
    if (refusal === null) continue
    process.stderr.write(`tripfolio: ${name}: ${refusal}\n`)
    process.exitCode = 1
  }
}

const pushedRow = ({ name, draft, publishedVersion, active, file }: Pushed) => ({
  endpoint: name,
  draft,
  published:
    publishedVersion === null ? null : `version ${publishedVersion}${active ? '' : ', switched off'}`,
  file,
})

/** Deliveries are answered with 500 until the secret is there, which nobody notices while pushing. */
async function warnOfSecrets(
  definitions: readonly Endpoint['draft'][],
  store: ControlStore | null,
): Promise<void> {
  const known = new Set((await store?.secrets.list())?.map(({ name }) => fold(name)))
  for (const { name, signature } of definitions) {
    if (signature === null || known.has(fold(signature.secret))) continue
    process.stderr.write(
      `tripfolio: '${name}' checks signatures by the secret '${signature.secret}', which is not stored yet\n`,
    )
  }
}

export async function pull(folder: string, names: readonly string[], options: PullOptions): Promise<void> {
  const pulls = await withStore(options, { create: false }, ({ endpoints }) =>
    whatToPull(endpoints, names, options.published ?? false),
  )
  const { pulled, faults } = await planPull(folder, pulls)
  if (faults.length > 0) return reportFaults(faults, options)
  for (const one of pulled) await writePulled(one)
  const { json } = options
  const rows = pulled.map(({ name, outcome, files, writes }) =>
    json
      ? { name, outcome, files, written: [...writes.keys()] }
      : { endpoint: name, files: outcome, written: [...writes.keys()] },
  )
  printResult(rows, { json, empty: 'There is nothing to pull.' })
}

async function whatToPull(
  endpoints: ControlStore['endpoints'],
  names: readonly string[],
  published: boolean,
): Promise<readonly Pull[]> {
  const all = await endpoints.list()
  const oldestFirst = all.toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : 1))
  const slugOf = slugs(oldestFirst.map(({ draft }) => draft.name))
  const wanted = names.length === 0 ? all : await Promise.all(names.map((name) => endpoints.find(name)))
  const pulls: Pull[] = []
  for (const { id, draft, published: version } of new Map(wanted.map((one) => [one.id, one])).values()) {
    const slug = slugOf.get(draft.name) as string
    if (!published) pulls.push({ definition: draft, slug })
    else if (version !== null) {
      const { definition } = await endpoints.version(id, version.version)
      pulls.push({ definition, slug })
    } else if (names.length > 0) throw nothingPublishedToPull(draft.name)
  }
  return pulls
}
