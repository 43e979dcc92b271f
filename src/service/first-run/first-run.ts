/**
 * The first run on an empty data folder: makes a demo extract, ingests it and creates an account, so that a new user can
 * query records within seconds. When it is interrupted before there is a snapshot, the next start does it again; when it is
 * interrupted later, the next start says how to get a new key.
 */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DemoKey, FirstRunStep, Service } from '../../cli/service.ts'
import { type Config, refreshDatabase } from '../../config/load-config.ts'
import { DEMO_ACCOUNT, isDemoAccount } from '../../demo/demo-account.ts'
import { recordedRefresh } from '../../ingest/refresh/recorded-refresh.ts'
import { lockRefresh } from '../../ingest/refresh/refresh-lock.ts'
import { storageProblem } from '../../ingest/storage-problem.ts'
import { Problem } from '../../kernel/problem.ts'
import { showDatabase } from '../../postgres/database-url.ts'
import { listSnapshotIds, makeDataFolder } from '../../snapshot/format/layout.ts'
import { lockFirstRun, lockFirstRunOfNodes } from './first-run-lock.ts'

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
  // Storage that several nodes share is meant for real data, which a refresh would then compare with a demo.
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
  // A store in a database makes no data folder.
  makeDataFolder(config.data)
  const waitsFor = (place: string) => () => onStep({ kind: 'waiting', place })
  const lock = await lockFirstRun(config.data, waitsFor(config.data), signal)
  try {
    const prepare = async (until: AbortSignal) => {
      await untilNoRefresh(config.data, until)
      await service.lookForSnapshot()
      return (await isFirstRun(config, service)) ? prepareDemo(config, service, onStep, until) : null
    }
    const key = await onlyNode(config, waitsFor, signal, prepare)
    lock.done()
    return key
  } finally {
    lock.release()
  }
}

/** Other nodes that share the store or the records with this one wait until the work is done. */
async function onlyNode<T>(
  config: Config,
  waitsFor: (place: string) => () => void,
  signal: AbortSignal,
  work: (until: AbortSignal) => Promise<T>,
): Promise<T> {
  const url = config.store ?? refreshDatabase(config)
  if (url === undefined) return work(signal)
  const lock = await lockFirstRunOfNodes(url, waitsFor(showDatabase(url)), signal)
  try {
    return await work(AbortSignal.any([signal, lock.lost]))
  } finally {
    await lock.release()
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

/** @returns the key of the demo account, which is shown only once; null when another node has made the account */
async function prepareDemo(
  config: Config,
  service: FirstRunService,
  onStep: (step: FirstRunStep) => void,
  signal: AbortSignal,
): Promise<DemoKey | null> {
  const source = join(config.data, 'demo-extract')
  const bookings = config.demoBookings
  onStep({ kind: 'extracting', bookings, source })
  // Not imported at the top: only the first of many starts needs it.
  const { currentDay, writeDemoExtract } = await import('../../demo/write-demo-extract.ts')
  const today = config.demoToday ?? currentDay()
  await writeDemoExtract({ out: source, ...DEMO, bookings, today, signal })
  // Before the snapshot: when a start is interrupted in between, the next one is a first run again.
  const apiKey = await demoKey(config, service)
  onStep({ kind: 'ingesting' })
  const { observe, store } = service
  const request = { config, source, observe, history: store.refreshes, requestedBy: 'first run', signal }
  await recordedRefresh(request)
  await service.lookForSnapshot()
  return apiKey === null ? null : { apiKey, clientNumber: DEMO_ACCOUNT.clientNumber, today }
}

async function demoKey({ store }: Config, { store: { accounts } }: FirstRunService): Promise<string | null> {
  const existing = (await accounts.list()).find(isDemoAccount)
  const actor = 'first run'
  if (existing === undefined) return (await accounts.create(DEMO_ACCOUNT, actor)).apiKey
  // In a store that nodes share, another one may have printed the key a moment ago.
  return store === undefined ? (await accounts.rotate(existing.id, actor)).apiKey : null
}
