/**
 * Opens the stores: the only place that knows which database holds them and where: files of SQLite in the data folder, or the
 * PostgreSQL of the setting `store`. Every thread and process opens the stores for itself.
 */
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Config } from '../config/load-config.ts'
import { makeTemporaryFolder, temporaryPath } from '../kernel/files/temporary-folder.ts'
import type { UpgradedStore } from '../kernel/files/upgraded-store.ts'
import type { Observe } from '../observe/observation.ts'
import { showDatabase } from '../postgres/database-url.ts'
import { createAccountSeals, type OnRefusedAccount } from './accounts/account-seals.ts'
import { type ControlStore, createControlStore } from './control-store.ts'
import type { ControlDatabase, Freshness, OnWaiting, OnWriting, Upgrade } from './database.ts'
import { createHistory } from './history/create-history.ts'
import type { History } from './history/history.ts'
import { HISTORY_FILE, restoreUnfinished } from './problems.ts'
import { readSecretKeyFile } from './secrets/secret-key.ts'
import { copyDatabase } from './sqlite/copy-database.ts'
import { isDamage, putAside } from './sqlite/damaged-file.ts'
import { openControlDatabase } from './sqlite/open-control-database.ts'
import { openHistoryDatabase } from './sqlite/open-history-database.ts'
import { openScratchDatabase } from './sqlite/scratch-database.ts'

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
  readonly onWaiting?: OnWaiting | undefined
  /** Without it, an older store is refused and stays as it is. A new one is made in any case. */
  readonly upgrade?: Upgrade | undefined
  /**
   * Called when a secret is first sealed or opened; without it neither is possible. It also is the key of the accounts' seals;
   * without it, that is the key file in the data folder, if there is one.
   */
  readonly secretKey?: (() => Buffer) | undefined
  readonly onRefusedAccount?: OnRefusedAccount | undefined
}

export type HistoryOptions = Pick<ControlStoreOptions, 'onWriting' | 'onWaiting' | 'upgrade'>

type StoresOptions = {
  readonly control?: ControlStoreOptions
  readonly history?: HistoryOptions
  /** Moves an unreadable history aside and reports it. Only for the first thread that opens the data folder. */
  readonly repairHistory?: Observe | undefined
}

/** Where the stores are, as the settings say it. A text is a data folder, whose stores are files of SQLite. */
export type StorePlace = string | SettingsOfPlace

type SettingsOfPlace = Pick<Config, 'data'> & Partial<Pick<Config, 'store' | 'storeConnections'>>

const settingsOf = (place: StorePlace): SettingsOfPlace =>
  typeof place === 'string' ? { data: place } : place

export const controlStorePath = (dataFolder: string): string => join(dataFolder, 'control.db')
export const historyPath = (dataFolder: string): string => join(dataFolder, HISTORY_FILE)

/** The stores as people know them: the data folder, or server and database without password. */
export function showStores(place: StorePlace): string {
  const { data, store } = settingsOf(place)
  return store === undefined ? data : showDatabase(store)
}

/** @throws Problem DIR853 for an older store without `upgrade`, DIR103 for a newer one */
export async function openStores(place: StorePlace, options: StoresOptions = {}): Promise<Stores> {
  const { data, store, storeConnections = DEFAULT_CONNECTIONS } = settingsOf(place)
  refuseUnfinishedRestore(data)
  if (store === undefined) return openBoth(onFiles({ control: data, history: data }), options)
  const postgres = await onPostgres(store, storeConnections)
  return closedAfter(openBoth(postgres, options), postgres.closePools)
}

/** While a data folder has this file, a restore into it is under way, or was ended before it was done. */
export const RESTORE_MARK = 'restore-unfinished'

/** @throws Problem DIR450 in a folder that was restored only in part, which must not look like a new or a complete one */
export function refuseUnfinishedRestore(dataFolder: string): void {
  if (existsSync(join(dataFolder, RESTORE_MARK))) throw restoreUnfinished(dataFolder)
}

/**
 * @throws Problem DIR853 for an older store without `upgrade`, DIR103 for a newer one, DIR450 in a folder that was restored only in part, DIR106 when there is none and `create` is false
 */
export async function openControlStore(
  place: StorePlace,
  options: ControlStoreOptions = {},
): Promise<ControlStore> {
  const { data, store } = settingsOf(place)
  refuseUnfinishedRestore(data)
  if (store === undefined) return onFiles({ control: data, history: data }).openControl(options)
  const postgres = await onPostgres(store, CONNECTIONS_OF_COMMANDS)
  return closedAfter(postgres.openControl(options), postgres.closePools)
}

/** A history that cannot be written is only read; one that cannot be created is empty. */
export async function openHistory(place: StorePlace, options: HistoryOptions = {}): Promise<History> {
  const { data, store } = settingsOf(place)
  if (store === undefined) return onFiles({ control: data, history: data }).openHistory(options)
  const postgres = await onPostgres(store, CONNECTIONS_OF_COMMANDS)
  return closedAfter(postgres.openHistory(options), postgres.closePools)
}

/** Creates a missing store in a temporary folder, which `close` removes: trials leave nothing behind. */
export async function openTrialStores(place: StorePlace, options: StoresOptions = {}): Promise<Stores> {
  const { data, store } = settingsOf(place)
  if (store !== undefined && (await hasControlStore(place))) return openStores(place, options)
  refuseUnfinishedRestore(data)
  const elsewhere = makeTemporaryFolder(temporaryPath('trial'))
  const folderOf = (path: (folder: string) => string) =>
    store === undefined && existsSync(path(data)) ? data : elsewhere
  const files = onFiles({ control: folderOf(controlStorePath), history: folderOf(historyPath) })
  return closedAfter(openBoth(files, options), () => rm(elsewhere, { recursive: true }))
}

/**
 * Brings the stores that exist up to date.
 *
 * @returns those that were older
 * @throws Problem DIR106 when there is no control store, DIR103 for a newer one
 */
export async function upgradeStores(place: StorePlace): Promise<readonly UpgradedStore[]> {
  const upgraded: UpgradedStore[] = []
  const upgrade = { onUpgraded: (each: UpgradedStore) => void upgraded.push(each) }
  await (await openControlStore(place, { create: false, upgrade })).close()
  const { data, store } = settingsOf(place)
  if (store !== undefined || existsSync(historyPath(data))) {
    await (await openHistory(place, { upgrade })).close()
  }
  return upgraded
}

/** @throws Problem PGS1xx */
export async function hasControlStore(place: StorePlace): Promise<boolean> {
  const { data, store } = settingsOf(place)
  if (store === undefined) return existsSync(controlStorePath(data))
  const { hasControl, closePools } = await onPostgres(store, CONNECTIONS_OF_COMMANDS)
  return hasControl().finally(closePools)
}

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

type Openers = {
  readonly openControl: (options?: ControlStoreOptions) => Promise<ControlStore>
  readonly openHistory: (options?: HistoryOptions) => Promise<History>
  /** Moves an unreadable history aside. Files can be damaged; a server repairs its own. */
  readonly repairHistory: (observe: Observe, upgrade: Upgrade | undefined) => Promise<void>
}

function onFiles(folders: { readonly control: string; readonly history: string }): Openers {
  const path = historyPath(folders.history)
  const open = async ({ onWriting, upgrade }: HistoryOptions = {}) =>
    createHistory(await openHistoryDatabase(path, { onWriting, upgrade }))
  return {
    openControl: async ({ create = true, freshness = 'call', onWriting, upgrade, ...keys } = {}) => {
      const options = { create, freshness, onWriting, upgrade }
      const database = await openControlDatabase(controlStorePath(folders.control), options)
      return sealedStore(database, keys, () => readSecretKeyFile(folders.control))
    },
    openHistory: open,
    repairHistory: (observe, upgrade) => makeHistoryReadable(path, () => open({ upgrade }), observe),
  }
}

/** @param keyAtHand the key of the seals for whoever brings none */
async function sealedStore(
  database: ControlDatabase,
  { secretKey, onRefusedAccount }: Pick<ControlStoreOptions, 'secretKey' | 'onRefusedAccount'>,
  keyAtHand: () => Buffer | undefined,
): Promise<ControlStore> {
  const seals = createAccountSeals(secretKey ?? keyAtHand, onRefusedAccount)
  try {
    await seals.begin(database.queries)
  } catch (error) {
    await database.close()
    throw error
  }
  return createControlStore(database, seals, secretKey)
}

/** For commands, which do one thing after the other. */
const CONNECTIONS_OF_COMMANDS = 2
const DEFAULT_CONNECTIONS = 4

/** Loaded only when it is needed: the driver of PostgreSQL takes some 30 ms. */
async function onPostgres(url: string, connections: number) {
  const postgres = await import('./postgres/open-postgres-stores.ts')
  const pools = postgres.openStorePools(url, connections)
  return {
    openControl: async ({ secretKey, onRefusedAccount, ...options }: ControlStoreOptions = {}) => {
      const database = await postgres.openPostgresControl(pools, options)
      const keys = { secretKey, onRefusedAccount }
      return sealedStore({ ...database, scratch: openScratchDatabase }, keys, () => undefined)
    },
    openHistory: async (options: HistoryOptions = {}) =>
      createHistory(await postgres.openPostgresHistory(pools, options)),
    repairHistory: async () => undefined,
    hasControl: () => postgres.hasPostgresControl(pools),
    closePools: pools.close,
  }
}

/** Closes more after a store, also when it cannot be opened. */
async function closedAfter<T extends { readonly close: () => Promise<void> }>(
  opening: Promise<T>,
  closeMore: () => Promise<void>,
): Promise<T> {
  try {
    const opened = await opening
    return { ...opened, close: () => opened.close().finally(closeMore) }
  } catch (error) {
    await closeMore()
    throw error
  }
}

/**
 * Moves an unreadable history aside, where an operator may repair it, so that the service starts with a new one.
 *
 * @throws Problem for any other fault: a file of a newer version, a folder that cannot be written
 */
async function makeHistoryReadable(
  path: string,
  open: () => Promise<History>,
  observe: Observe,
): Promise<void> {
  try {
    const history = await open()
    await history.close()
  } catch (problem) {
    if (!isDamage(problem)) throw problem
    const movedTo = putAside(path)
    observe({ kind: 'history-damaged', movedTo, reason: problem.message })
  }
}

/** The control store first: when it is refused, the history stays as it is. */
async function openBoth(
  openers: Openers,
  { control: ofControl, history: ofHistory, repairHistory }: StoresOptions,
): Promise<Stores> {
  const control = await openers.openControl(ofControl)
  try {
    if (repairHistory !== undefined) await openers.repairHistory(repairHistory, ofHistory?.upgrade)
    const history = await openers.openHistory(ofHistory)
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
