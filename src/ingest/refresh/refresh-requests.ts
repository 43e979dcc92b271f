/**
 * Does the refreshes that commands ask for through the data folder (`ask-for-refresh.ts`). Whoever may write the data folder may
 * ask: it needs no token and no address. The service refreshes in the one place that also serves the admin API.
 *
 *     <data>/refresh-requests/<id>.asked     what the command asks
 *     <data>/refresh-requests/<id>.taken     the same, renamed by the service that does it
 *     <data>/refresh-requests/<id>.answer    how it ended
 */
import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ControlStore } from '../../directory/control-store.ts'
import type { Held } from '../../directory/holds/held.ts'
import type { RefreshOptions, RefreshState } from './refresh-state.ts'
import type { Refreshes } from './refreshes.ts'

export type RequestedRefresh = RefreshOptions & { readonly by: string }
export type RefreshAnswered =
  | RefreshState
  | { readonly state: 'busy' }
  | { readonly state: 'no-source' }
  | { readonly state: 'held'; readonly held: Held }

/** A request that no service has taken by then is withdrawn, or was left behind by a killed command. */
export const PATIENCE_MS = 10_000
const LOOK_EVERY_MS = 1000
/** Answers that nobody has read. */
const STALE_MS = 3_600_000

export const requestsFolder = (dataFolder: string): string => join(dataFolder, 'refresh-requests')

type Service = {
  readonly dataFolder: string
  readonly refreshes: Pick<Refreshes, 'state' | 'run' | 'held'>
  readonly hasSource: boolean
  readonly audit: Pick<ControlStore['audit'], 'note'>
}

/** Looks for requests every second and does them. @returns a function that ends this */
export function answerRefreshRequests(service: Service, onFailure: (cause: unknown) => void): () => void {
  const timer = setInterval(() => takeRequests(service, onFailure).catch(onFailure), LOOK_EVERY_MS)
  return () => clearInterval(timer)
}

async function takeRequests(service: Service, onFailure: (cause: unknown) => void): Promise<void> {
  const folder = requestsFolder(service.dataFolder)
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
  const request = await readJson<RequestedRefresh>(`${path}.taken`)
  if (request === null) return
  const answer = async (state: RefreshAnswered) => writeWhole(`${path}.answer`, state)
  if (!hasSource) return answer({ state: 'no-source' })
  if ((await refreshes.state()).state === 'running') return answer({ state: 'busy' })
  const { by, acceptShrink = false, despiteHold = false } = request
  const held = despiteHold ? null : await refreshes.held()
  if (held !== null) return answer({ state: 'held', held })
  const running = refreshes.run(by, { acceptShrink, despiteHold: true })
  const wishes = { ...(acceptShrink && { acceptShrink }), ...(despiteHold && { despiteHold }) }
  const after = Object.keys(wishes).length > 0 ? wishes : null
  const noted = audit.note({ actor: by, action: 'snapshot.refresh', subjectId: 'snapshots', after })
  // The command that asked gets an answer in every case.
  await Promise.all([running.catch(onFailure), noted.catch(onFailure)])
  await answer(await refreshes.state())
}

/** No reader sees half of it. */
export async function writeWhole(path: string, content: object): Promise<void> {
  const scratch = `${path}.${process.pid}`
  await writeFile(scratch, JSON.stringify(content), { mode: 0o600 })
  await rename(scratch, path)
}

/** Null when there is no such file, or when it holds something else. */
export async function readJson<T>(path: string): Promise<T | null> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as T
  } catch {
    return null
  }
}

const isOlder = (path: string, ms: number): Promise<boolean> =>
  stat(path).then(
    ({ mtimeMs }) => Date.now() - mtimeMs > ms,
    () => false,
  )
