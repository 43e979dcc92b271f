/**
 * The first run on an empty data folder: makes a demo extract, ingests it and creates an account, so that a new user can
 * query records within seconds. When it is interrupted before there is a snapshot, the next start does it again; when it is
 * interrupted later, the next start says how to get a new key.
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

/** What a first run needs from the running service. */
export type FirstRunService = Pick<Service, 'hasSnapshot' | 'store' | 'observe'> & {
  /** Announces the snapshot that was published. */
  readonly lookForSnapshot: () => Promise<void>
}

const DEMO = { clients: 6, seed: 1, format: 'csv' } as const

/** @returns null when there is something to serve already, or when another process has made the demo meanwhile */
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

/** True while there is no snapshot and no sign that an operator is setting the service up for other data. */
async function isFirstRun(config: Config, service: FirstRunService): Promise<boolean> {
  if (config.source !== undefined || service.hasSnapshot()) return false
  // Storage that several nodes share is meant for real data, and each of them would make a demo.
  if (config.snapshots !== undefined) return false
  // Even when all snapshots are damaged, they are data of an operator.
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
    await untilNoRefresh(config.data, signal)
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

/** The refresh of a killed first run outlives it a little, and a refresh by an operator may publish a snapshot. */
async function untilNoRefresh(dataFolder: string, signal: AbortSignal): Promise<void> {
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

/** @returns the key of the demo account, which is shown only once */
async function prepareDemo(
  config: Config,
  service: FirstRunService,
  onStep: (step: FirstRunStep) => void,
  signal: AbortSignal,
): Promise<DemoKey> {
  const source = join(config.data, 'demo-extract')
  const bookings = config.demoBookings
  onStep({ kind: 'extracting', bookings, source })
  // Not imported at the top: only the first of many starts needs it.
  const { currentDay, writeDemoExtract } = await import('../../demo/write-demo-extract.ts')
  const today = config.demoToday ?? currentDay()
  await writeDemoExtract({ out: source, ...DEMO, bookings, today, signal })
  // Before the snapshot: when a start is interrupted in between, the next one is a first run again.
  const apiKey = await demoKey(service)
  onStep({ kind: 'ingesting' })
  await refreshInProcess(config, source, service.observe, { signal })
  await service.lookForSnapshot()
  return { apiKey, clientNumber: DEMO_ACCOUNT.clientNumber, today }
}

async function demoKey({ store: { accounts } }: FirstRunService): Promise<string> {
  const existing = (await accounts.list()).find(isDemoAccount)
  const actor = 'first run'
  const issued = existing
    ? await accounts.rotate(existing.id, actor)
    : await accounts.create(DEMO_ACCOUNT, actor)
  return issued.apiKey
}
