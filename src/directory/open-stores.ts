/**
 * Opens the stores of a data folder: the only place that knows which database holds them and where. A second database would
 * be chosen here. Every thread and process opens the stores for itself.
 */
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { Observe } from '../observe/observation.ts'
import { type ControlStore, createControlStore } from './control-store.ts'
import type { Freshness, OnWriting } from './database.ts'
import { createHistory } from './history/create-history.ts'
import type { History } from './history/history.ts'
import { restoreUnfinished } from './problems.ts'
import { copyDatabase } from './sqlite/copy-database.ts'
import { isDamage, putAside } from './sqlite/damaged-file.ts'
import { openControlDatabase } from './sqlite/open-control-database.ts'
import { openHistoryDatabase } from './sqlite/open-history-database.ts'

export type Stores = {
  readonly control: ControlStore
  readonly history: History
  readonly close: () => Promise<void>
}

export type ControlStoreOptions = {
  /** `false` refuses a store that does not exist, for commands that only make sense on an existing one. */
  readonly create?: boolean
  /** How fresh the caches of accounts and endpoints are. */
  readonly freshness?: Freshness
  readonly onWriting?: OnWriting
  /** Called when a secret is first sealed or opened; without it neither is possible. */
  readonly secretKey?: () => Buffer
}

export type HistoryOptions = { readonly onWriting?: OnWriting }

type StoresOptions = {
  readonly control?: ControlStoreOptions
  readonly history?: HistoryOptions
  /** Moves an unreadable history aside and reports it. Only for the first thread that opens the data folder. */
  readonly repairHistory?: Observe | undefined
}

export const controlStorePath = (dataFolder: string): string => join(dataFolder, 'control.db')
export const historyPath = (dataFolder: string): string => join(dataFolder, 'history.db')

export const openStores = (dataFolder: string, options: StoresOptions = {}): Promise<Stores> =>
  openBoth({ control: dataFolder, history: dataFolder }, options)

/** While a data folder has this file, a restore into it is under way, or was ended before it was done. */
export const RESTORE_MARK = 'restore-unfinished'

/** @throws Problem DIR450 in a folder that was restored only in part, which must not look like a new or a complete one */
export function refuseUnfinishedRestore(dataFolder: string): void {
  if (existsSync(join(dataFolder, RESTORE_MARK))) throw restoreUnfinished(dataFolder)
}

/**
 * Brings the tables up to date.
 *
 * @throws Problem DIR450 in a folder that was restored only in part
 */
export async function openControlStore(
  dataFolder: string,
  { create = true, freshness = 'call', onWriting, secretKey }: ControlStoreOptions = {},
): Promise<ControlStore> {
  refuseUnfinishedRestore(dataFolder)
  const database = await openControlDatabase(controlStorePath(dataFolder), { create, freshness, onWriting })
  return createControlStore(database, secretKey)
}

/** Brings the tables up to date. A history that cannot be written is only read; one that cannot be created is empty. */
export async function openHistory(dataFolder: string, { onWriting }: HistoryOptions = {}): Promise<History> {
  return createHistory(await openHistoryDatabase(historyPath(dataFolder), { onWriting }))
}

/** Creates a missing store in a temporary folder, which `close` removes: trials leave nothing behind. */
export async function openTrialStores(dataFolder: string, options: StoresOptions = {}): Promise<Stores> {
  const elsewhere = await mkdtemp(join(tmpdir(), 'tripfolio-trial-'))
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
 * Copies the stores that exist into a folder, each as it was at one moment, while a service may write to them.
 *
 * @returns the names of the files
 */
export async function copyStores(
  dataFolder: string,
  target: string,
  { history }: { readonly history: boolean },
): Promise<readonly string[]> {
  const paths = [controlStorePath, ...(history ? [historyPath] : [])]
  const names: string[] = []
  for (const path of paths.map((of) => of(dataFolder)).filter((path) => existsSync(path))) {
    await copyDatabase(path, join(target, basename(path)))
    names.push(basename(path))
  }
  return names
}

/**
 * Moves an unreadable history aside, where an operator may repair it, so that the service starts with a new one.
 *
 * @throws Problem for any other fault: a file of a newer version, a folder that cannot be written
 */
async function makeHistoryReadable(dataFolder: string, observe: Observe): Promise<void> {
  try {
    const history = await openHistory(dataFolder)
    await history.close()
  } catch (problem) {
    if (!isDamage(problem)) throw problem
    const movedTo = putAside(historyPath(dataFolder))
    observe({ kind: 'history-damaged', movedTo, reason: problem.message })
  }
}

/** The control store first: when it is refused, the history stays as it is. */
async function openBoth(
  folders: { readonly control: string; readonly history: string },
  { control: ofControl, history: ofHistory, repairHistory }: StoresOptions,
): Promise<Stores> {
  const control = await openControlStore(folders.control, ofControl)
  try {
    if (repairHistory !== undefined) await makeHistoryReadable(folders.history, repairHistory)
    const history = await openHistory(folders.history, ofHistory)
    const close = async () => {
      await history.close()
      await control.close()
    }
    return { control, history, close }
  } catch (error) {
    await control.close()
    throw error
  }
}
