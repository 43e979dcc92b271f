/** The stores of a data folder with what the service adds: its secret key, and reports of what cannot be written. */
import type { Config } from '../config/load-config.ts'
import type { Freshness } from '../directory/database.ts'
import * as directory from '../directory/open-stores.ts'
import { secretKey } from '../directory/secrets/secret-key.ts'
import type { Observe } from '../observe/observation.ts'
import { reportWriting } from '../observe/service-health.ts'

export type { Stores } from '../directory/open-stores.ts'

type OpenOptions = {
  readonly observe: Observe
  /** How soon lookups see what another thread or process has changed. */
  readonly freshness?: Freshness
  /** Puts a history that cannot be read aside. Only for the first to open the data folder. */
  readonly repairHistory?: boolean
}

/** Every thread opens its own. @throws Problem when the data folder is unusable, or a store is of a newer version or unreadable */
export async function openStores(
  config: Config,
  { observe, freshness = 'call', repairHistory = false }: OpenOptions,
): Promise<directory.Stores> {
  if (repairHistory) await directory.makeHistoryReadable(config.data, observe)
  return directory.openStores(config.data, {
    control: { freshness, secretKey: () => secretKey(config), onWriting: reportWriting(observe, 'control') },
    history: { onWriting: reportWriting(observe, 'history') },
  })
}
