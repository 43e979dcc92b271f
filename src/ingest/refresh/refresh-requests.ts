/**
 * Lets a command ask the service that runs on its data folder for a refresh. Whoever may write the data folder may ask: it
 * needs no token and no address. The service answers from the one place that refreshes, as it does for the admin API.
 *
 *     <data>/refresh-requests/<id>.asked     what the command asks
 *     <data>/refresh-requests/<id>.taken     the same, renamed by the service that does it
 *     <data>/refresh-requests/<id>.answer    how it ended
 */
import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ControlStore } from '../../directory/control-store.ts'
import { serviceRuns } from '../../directory/service-lock.ts'
import { makeDataFolder } from '../../snapshot/format/layout.ts'
import {
  alreadyRunning,
  refreshFailedInService,
  refreshRefusedInService,
  serviceEnded,
  serviceHasNoSource,
  serviceTookNoRequest,
} from '../problems.ts'
import type { RefreshOptions, RefreshState } from './refresh-state.ts'
import type { Refreshes } from './refreshes.ts'

type Request = RefreshOptions & { readonly by: string }
type Answer = RefreshState | { readonly state: 'busy' } | { readonly state: 'no-source' }

export type PublishedRefresh = Extract<RefreshState, { readonly state: 'published' }>

/** A request that no service has taken by then is withdrawn, or was left behind by a killed command. */
const PATIENCE_MS = 10_000
const POLL_MS = 100
const LOOK_EVERY_MS = 1000
/** Answers that nobody has read. */
const STALE_MS = 3_600_000

const folderOf = (dataFolder: string): string => join(dataFolder, 'refresh-requests')

/**
 * Asks the running service, and waits until the refresh is over.
 *
 * @throws Problem ADM130 or ADM131 when the service does not answer; ING100, ING121, SRV301 or SRV304 as it answers
 */
export async function askForRefresh(
  dataFolder: string,
  request: Request,
  { patienceMs = PATIENCE_MS }: { readonly patienceMs?: number } = {},
): Promise<PublishedRefresh> {
  const folder = folderOf(dataFolder)
  makeDataFolder(folder)
  const path = (kind: string): string => join(folder, `${id}.${kind}`)
  const id = crypto.randomUUID()
  await writeWhole(path('asked'), request)
  try {
    const answer = await answered(dataFolder, path, patienceMs)
    switch (answer.state) {
      case 'published':
        return answer
      case 'busy':
        throw alreadyRunning(dataFolder, undefined)
      case 'refused':
        throw refreshRefusedInService(answer.reason)
      case 'failed':
        throw refreshFailedInService(answer.reason)
      default:
        throw serviceHasNoSource()
    }
  } finally {
    for (const kind of ['asked', 'taken', 'answer']) await rm(path(kind), { force: true })
  }
}

async function answered(
  dataFolder: string,
  path: (kind: string) => string,
  patienceMs: number,
): Promise<Answer> {
  const deadline = performance.now() + patienceMs
  for (let polls = 1; ; polls++) {
    // Asked before the answer is looked for: a service that ends after its answer has answered.
    const alive = polls % 10 !== 0 || serviceRuns(dataFolder)
    const answer = await readJson<Answer>(path('answer'))
    if (answer !== null) return answer
    const isTaken = await exists(path('taken'))
    if (!alive && isTaken) throw serviceEnded()
    if (performance.now() > deadline && !isTaken && (await withdrawn(path))) throw serviceTookNoRequest()
    await sleep(POLL_MS)
  }
}

/** False when the service has taken the request just now. */
async function withdrawn(path: (kind: string) => string): Promise<boolean> {
  try {
    await rename(path('asked'), path('withdrawn'))
  } catch {
    return false
  }
  await rm(path('withdrawn'), { force: true })
  return true
}

type Service = {
  readonly dataFolder: string
  readonly refreshes: Pick<Refreshes, 'state' | 'run'>
  readonly hasSource: boolean
  readonly audit: Pick<ControlStore['audit'], 'note'>
}

/** Looks for requests every second and does them. @returns a function that ends this */
export function answerRefreshRequests(service: Service, onFailure: (cause: unknown) => void): () => void {
  const timer = setInterval(() => takeRequests(service, onFailure).catch(onFailure), LOOK_EVERY_MS)
  return () => clearInterval(timer)
}

async function takeRequests(service: Service, onFailure: (cause: unknown) => void): Promise<void> {
  const folder = folderOf(service.dataFolder)
  const names = await readdir(folder).catch(() => [])
  for (const name of names) {
    const path = join(folder, name)
    const isAsked = name.endsWith('.asked')
    if (await isOlder(path, isAsked ? 2 * PATIENCE_MS : STALE_MS)) await rm(path, { force: true })
    else if (isAsked) void take(service, path.slice(0, -'.asked'.length), onFailure).catch(onFailure)
  }
}

/** Several services may run on one data folder: the one that renames the request does it. */
async function take(
  { refreshes, hasSource, audit }: Service,
  path: string,
  onFailure: (cause: unknown) => void,
): Promise<void> {
  try {
    await rename(`${path}.asked`, `${path}.taken`)
  } catch {
    return
  }
  const request = await readJson<Request>(`${path}.taken`)
  if (request === null) return
  const answer = async (state: Answer) => writeWhole(`${path}.answer`, state)
  if (!hasSource) return answer({ state: 'no-source' })
  if ((await refreshes.state()).state === 'running') return answer({ state: 'busy' })
  const { by, acceptShrink = false } = request
  const running = refreshes.run(by, { acceptShrink })
  const after = acceptShrink ? { acceptShrink } : null
  const noted = audit.note({ actor: by, action: 'snapshot.refresh', subjectId: 'snapshots', after })
  // The command that asked gets an answer in every case.
  await Promise.all([running.catch(onFailure), noted.catch(onFailure)])
  await answer(await refreshes.state())
}

/** No reader sees half of it. */
async function writeWhole(path: string, content: object): Promise<void> {
  const scratch = `${path}.${process.pid}`
  await writeFile(scratch, JSON.stringify(content), { mode: 0o600 })
  await rename(scratch, path)
}

/** Null when there is no such file, or when it holds something else. */
async function readJson<T>(path: string): Promise<T | null> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as T
  } catch {
    return null
  }
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )

const isOlder = (path: string, ms: number): Promise<boolean> =>
  stat(path).then(
    ({ mtimeMs }) => Date.now() - mtimeMs > ms,
    () => false,
  )
