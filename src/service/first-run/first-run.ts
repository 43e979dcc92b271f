/**
 * The first run on an empty data folder: makes a demo extract, ingests it and opens an account, so that a newcomer has
 * something to ask within seconds. Interrupted before there is a snapshot, the next start does it again; interrupted after,
 * the next start says how to get a new key.
 */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DemoKey, FirstRunStep, Service } from '../../cli/service.ts'
import type { Config } from '../../config/load-config.ts'
import { DEMO_ACCOUNT, isDemoAccount } from '../../demo/demo-account.ts'
import { lockRefresh } from '../../ingest/refresh/refresh-lock.ts'
import { refreshInProcess } from '../../ingest/refresh/refresh-process.ts'
import { storageProblem } from '../../ingest/storage-problem.ts'
import { Problem } from '../../kernel/problem.ts'
import { listSnapshotIds } from '../../snapshot/format/layout.ts'
import { lockFirstRun } from './first-run-lock.ts'

/** What a first run needs of the service that is running already. */
export type FirstRunService = Pick<Service, 'hasSnapshot' | 'store' | 'observe'> & {
  /** Announces what was published. */
  readonly lookForSnapshot: () => Promise<void>
}

/** Large enough to be interesting, small enough to be ready in seconds. */
const DEMO = { clients: 6, bookings: 5000, seed: 1, format: 'csv' } as const

/** @returns null when there is something to serve already, or when another process has made a demo meanwhile */
export async function firstRun(
  config: Config,
  service: FirstRunService,
  onStep: (step: FirstRunStep) => void,
  signal: AbortSignal,
): Promise<DemoKey | null> {
  if (!(await isFirstRun(config, service))) return null
  try {
    return await firstOfSeveral(config, service, onStep, signal)
  } catch (cause) {
    throw storageProblem(cause, config.data) ?? cause
  }
}

/** True until a snapshot is there, unless somebody has begun to set the service up for data of their own. */
async function isFirstRun(config: Config, service: FirstRunService): Promise<boolean> {
  if (config.source !== undefined || service.hasSnapshot()) return false
  // Snapshots that are all damaged are somebody's data all the same.
  if ((await listSnapshotIds(config.data)).length > 0) return false
  return (await service.store.accounts.list()).every(isDemoAccount)
}

async function firstOfSeveral(
  config: Config,
  service: FirstRunService,
  onStep: (step: FirstRunStep) => void,
  signal: AbortSignal,
): Promise<DemoKey | null> {
  const onWait = () => onStep({ kind: 'waiting', dataFolder: config.data })
  const lock = await lockFirstRun(config.data, onWait, signal)
  try {
    await untilNobodyRefreshes(config.data, signal)
    await service.lookForSnapshot()
    const key = (await isFirstRun(config, service))
      ? await prepareDemo(config, service, onStep, signal)
      : null
    lock.done()
    return key
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

/** @returns the key of the demo account, which is shown nowhere else */
async function prepareDemo(
  config: Config,
  service: FirstRunService,
  onStep: (step: FirstRunStep) => void,
  signal: AbortSignal,
): Promise<DemoKey> {
  const source = join(config.data, 'demo-extract')
  onStep({ kind: 'extracting', bookings: DEMO.bookings, source })
  // Not at the top: only the first of many starts needs it.
  const { writeDemoExtract } = await import('../../demo/write-demo-extract.ts')
  await writeDemoExtract({ out: source, ...DEMO, signal })
  // Before the snapshot: after an interruption in between, the next start is a first run again.
  const apiKey = await demoKey(service)
  onStep({ kind: 'ingesting' })
  await refreshInProcess(config, source, service.observe, { signal })
  await service.lookForSnapshot()
  return { apiKey, clientNumber: DEMO_ACCOUNT.clientNumber }
}

async function demoKey({ store: { accounts } }: FirstRunService): Promise<string> {
  const existing = (await accounts.list()).find(isDemoAccount)
  const actor = 'first run'
  const issued = existing
    ? await accounts.rotate(existing.id, actor)
    : await accounts.create(DEMO_ACCOUNT, actor)
  return issued.apiKey
}
