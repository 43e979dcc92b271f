/**
 * Opens the stores of a data folder: the only place that knows which database holds them and where. Here a second database
 * is chosen one day. Every thread and process opens the stores for itself.
 */
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Observe } from '../observe/observation.ts'
import { type ControlStore, createControlStore } from './control-store.ts'
import type { Freshness, OnWriting } from './database.ts'
import { createHistory } from './history/create-history.ts'
import type { History } from './history/history.ts'
import { isDamage, putAside } from './sqlite/damaged-file.ts'
import { openControlDatabase } from './sqlite/open-control-database.ts'
import { openHistoryDatabase } from './sqlite/open-history-database.ts'

export type Stores = {
  readonly control: ControlStore
  readonly history: History
  readonly close: () => Promise<void>
}

export type ControlStoreOptions = {
  /** `false` refuses a store that is not there yet, for commands that only make sense on an existing one. */
  readonly create?: boolean
  /** How fresh the caches of accounts and endpoints are. */
  readonly freshness?: Freshness
  readonly onWriting?: OnWriting
  /** Asked for when a secret is first sealed or opened; without it neither is possible. */
  readonly secretKey?: () => Buffer
}

export type HistoryOptions = { readonly onWriting?: OnWriting }

type StoresOptions = { readonly control?: ControlStoreOptions; readonly history?: HistoryOptions }

export const controlStorePath = (dataFolder: string): string => join(dataFolder, 'control.db')
export const historyPath = (dataFolder: string): string => join(dataFolder, 'history.db')

export const openStores = (dataFolder: string, options: StoresOptions = {}): Promise<Stores> =>
  openBoth({ control: dataFolder, history: dataFolder }, options)

/** Brings the tables up to date. */
export async function openControlStore(
  dataFolder: string,
  { create = true, freshness = 'call', onWriting, secretKey }: ControlStoreOptions = {},
): Promise<ControlStore> {
  const database = await openControlDatabase(controlStorePath(dataFolder), { create, freshness, onWriting })
  return createControlStore(database, secretKey)
}

/** Brings the tables up to date. Where it cannot be written it is only read, and where it cannot be made it is empty. */
export async function openHistory(dataFolder: string, { onWriting }: HistoryOptions = {}): Promise<History> {
  return createHistory(await openHistoryDatabase(historyPath(dataFolder), { onWriting }))
}

/** A store that is not there yet is made in a folder that goes when it is closed: trials leave nothing behind. */
export async function openTrialStores(dataFolder: string, options: StoresOptions = {}): Promise<Stores> {
  const elsewhere = await mkdtemp(join(tmpdir(), 'tripfolio-test-'))
  const folderOf = (path: (folder: string) => string) =>
    existsSync(path(dataFolder)) ? dataFolder : elsewhere
  const folders = { control: folderOf(controlStorePath), history: folderOf(historyPath) }
  const stores = await openBoth(folders, options)
  return {
    ...stores,
    close: async () => {
      await stores.close()
      await rm(elsewhere, { recursive: true })
    },
  }
}

export const hasControlStore = (dataFolder: string): boolean => existsSync(controlStorePath(dataFolder))

/**
 * A history that cannot be read is no reason not to answer anybody: it is put aside, for whoever may repair it, and a new one
 * begun. To be called before anything opens the history of the data folder.
 *
 * @throws Problem what else is wrong: a file of a newer version, a folder that cannot be written
 */
export async function makeHistoryReadable(dataFolder: string, observe: Observe): Promise<void> {
  try {
    const history = await openHistory(dataFolder)
    await history.close()
  } catch (problem) {
    if (!isDamage(problem)) throw problem
    const movedTo = putAside(historyPath(dataFolder))
    observe({ kind: 'history-damaged', movedTo, reason: problem.message })
  }
}

async function openBoth(
  folders: { readonly control: string; readonly history: string },
  options: StoresOptions,
): Promise<Stores> {
  const [control, history] = await Promise.allSettled([
    openControlStore(folders.control, options.control),
    openHistory(folders.history, options.history),
  ])
  const close = async () => {
    if (history.status === 'fulfilled') await history.value.close()
    if (control.status === 'fulfilled') await control.value.close()
  }
  if (control.status === 'fulfilled' && history.status === 'fulfilled') {
    return { control: control.value, history: history.value, close }
  }
  await close()
  throw control.status === 'rejected' ? control.reason : (history as PromiseRejectedResult).reason
}
