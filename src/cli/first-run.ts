/**
 * The first run on an empty data folder: makes a demo extract, ingests it and opens an account, so that a newcomer has
 * something to ask within seconds. Interrupted before there is a snapshot, the next start does it again; interrupted after,
 * the next start says how to get a new key.
 */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config/load-config.ts'
import type { Account } from '../directory/accounts/account.ts'
import { lockRefresh } from '../ingest/refresh/refresh-lock.ts'
import { refreshInProcess } from '../ingest/refresh/refresh-process.ts'
import { storageProblem } from '../ingest/storage-problem.ts'
import { Problem } from '../kernel/problem.ts'
import { listSnapshotIds } from '../snapshot/format/layout.ts'
import { lockFirstRun } from './first-run-lock.ts'
import type { Service } from './service.ts'

export type DemoAccount = { readonly apiKey: string; readonly clientNumber: string }

/** Large enough to be interesting, small enough to be ready in seconds. */
const DEMO = { clients: 6, bookings: 5000, seed: 1, format: 'csv' } as const

/** The second largest client of any demo extract. */
const DEMO_CLIENT = 'C00001'

const DEMO_ACCOUNT = { clientNumber: DEMO_CLIENT, name: 'Demo' }

/** True until a snapshot is there, unless somebody has begun to set the service up for data of their own. */
export async function isFirstRun(config: Config, service: Service): Promise<boolean> {
  if (config.source !== undefined || service.hasSnapshot()) return false
  // Snapshots that are all damaged are somebody's data all the same.
  if ((await listSnapshotIds(config.data)).length > 0) return false
  return (await service.store.accounts.list()).every(isDemoAccount)
}

/** @returns null when another process has done it meanwhile */
export async function firstRun(
  config: Config,
  service: Service,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<DemoAccount | null> {
  try {
    return await firstOfSeveral(config, service, say, signal)
  } catch (cause) {
    throw storageProblem(cause, config.data) ?? cause
  }
}

async function firstOfSeveral(
  config: Config,
  service: Service,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<DemoAccount | null> {
  const onWait = () => say(`Another process is preparing a demo in ${config.data}: waiting until it is done`)
  const lock = await lockFirstRun(config.data, onWait, signal)
  try {
    await untilNobodyRefreshes(config.data, signal)
    await service.lookForSnapshot()
    const account = (await isFirstRun(config, service))
      ? await prepareDemo(config, service, say, signal)
      : null
    lock.done()
    return account
  } finally {
    lock.release()
  }
}

/** The refresh of a first run that was killed lives a little longer than it, and one by hand may bring a snapshot. */
async function untilNobodyRefreshes(dataFolder: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    try {
      lockRefresh(dataFolder).release()
      return
    } catch (error) {
      if (!(error instanceof Problem && error.kind === 'locked')) throw error
    }
    await sleep(100, undefined, { signal })
  }
}

/** @returns the demo account with its key, which is shown nowhere else */
async function prepareDemo(
  config: Config,
  service: Service,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<DemoAccount> {
  const source = join(config.data, 'demo-extract')
  say(`First run: making a demo extract of ${DEMO.bookings} bookings in ${source}`)
  // Not at the top: only the first of many starts needs it.
  const { writeDemoExtract } = await import('../demo/write-demo-extract.ts')
  await writeDemoExtract({ out: source, ...DEMO, signal })
  // Before the snapshot: whoever is interrupted in between comes here again, and never to a real snapshot.
  const apiKey = await demoKey(service)
  say('First run: turning it into a snapshot')
  await refreshInProcess(config, source, service.observe, { signal })
  await service.lookForSnapshot()
  return { apiKey, clientNumber: DEMO_CLIENT }
}

async function demoKey({ store: { accounts } }: Service): Promise<string> {
  const existing = (await accounts.list()).find(isDemoAccount)
  const actor = 'first run'
  const issued = existing
    ? await accounts.rotate(existing.id, actor)
    : await accounts.create(DEMO_ACCOUNT, actor)
  return issued.apiKey
}

/** The account that a first run makes. */
export const isDemoAccount = ({ clientNumber, name }: Account): boolean =>
  clientNumber === DEMO_ACCOUNT.clientNumber && name === DEMO_ACCOUNT.name
