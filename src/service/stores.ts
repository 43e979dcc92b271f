/** The control store and the history of a data folder: opened together, closed together. Every thread opens its own. */
import type { Config } from '../config/load-config.ts'
import { type ControlStore, controlStorePath, openControlStore } from '../directory/control-store.ts'
import type { History } from '../directory/history/history.ts'
import { historyPath, openHistory } from '../directory/history/open-history.ts'
import { readableHistory } from '../directory/history/readable-history.ts'
import { secretKey } from '../directory/secrets/secret-key.ts'
import type { Freshness } from '../directory/sqlite/data-version.ts'
import type { Observe } from '../observe/observation.ts'
import { reportWriting } from '../observe/service-health.ts'

export type Stores = {
  readonly store: ControlStore
  readonly history: History
  readonly close: () => Promise<void>
}

type OpenOptions = {
  readonly observe: Observe
  /** How soon lookups see what another thread or process has changed. */
  readonly freshness?: Freshness
  /** Puts a history that cannot be read aside. Only for the first to open the data folder. */
  readonly repairHistory?: boolean
  /** Which folder holds the store that has this path in a folder; the data folder unless given. */
  readonly folderOf?: (path: (folder: string) => string) => string
}

/** @throws Problem when the data folder is unusable, or a store is of a newer version or unreadable */
export async function openStores(
  config: Config,
  { observe, freshness = 'call', repairHistory = false, folderOf = () => config.data }: OpenOptions,
): Promise<Stores> {
  const opened = new AsyncDisposableStack()
  try {
    const store = await openControlStore(controlStorePath(folderOf(controlStorePath)), {
      freshness,
      secretKey: () => secretKey(config),
      onWriting: reportWriting(observe, 'control'),
    })
    opened.defer(store.close)
    const path = historyPath(folderOf(historyPath))
    if (repairHistory) await readableHistory(path, observe)
    const history = await openHistory(path, { onWriting: reportWriting(observe, 'history') })
    opened.defer(history.close)
    return { store, history, close: () => opened.disposeAsync() }
  } catch (error) {
    await opened.disposeAsync()
    throw error
  }
}
