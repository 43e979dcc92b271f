/** Asks the service that runs on a data folder for a refresh, and waits until it is over. */
import { rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { refreshesAreHeld } from '../../directory/holds/problems.ts'
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
import {
  PATIENCE_MS,
  type RefreshAnswered,
  type RequestedRefresh,
  readJson,
  requestsFolder,
  writeWhole,
} from './refresh-requests.ts'

export type PublishedRefresh = Extract<RefreshAnswered, { readonly state: 'published' }>

const POLL_MS = 100

/**
 * @throws Problem ADM130 or ADM131 when the service does not answer; ING100, ING121, SRV301, SRV304 or DIR842 as it answers
 */
export async function askForRefresh(
  dataFolder: string,
  request: RequestedRefresh,
  { patienceMs = PATIENCE_MS }: { readonly patienceMs?: number } = {},
): Promise<PublishedRefresh> {
  const folder = requestsFolder(dataFolder)
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
      case 'held':
        throw refreshesAreHeld(answer.held, 'add --despite-hold')
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
): Promise<RefreshAnswered> {
  const deadline = performance.now() + patienceMs
  for (let polls = 1; ; polls++) {
    // Asked before the answer is looked for: a service that ends after its answer has answered.
    const alive = polls % 10 !== 0 || serviceRuns(dataFolder)
    const answer = await readJson<RefreshAnswered>(path('answer'))
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

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )
