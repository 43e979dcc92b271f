/** Opens the stores for the service: with its secret key, and with reports of failed writes. */
import type { Config } from '../config/load-config.ts'
import type { Freshness, OnWaiting } from '../directory/database.ts'
import * as directory from '../directory/open-stores.ts'
import { secretKey } from '../directory/secrets/secret-key.ts'
import type { Observe } from '../observe/observation.ts'
import { reportWriting } from '../observe/service-health.ts'

export type { Stores } from '../directory/open-stores.ts'

type OpenOptions = {
  readonly observe: Observe
  /** How soon lookups see what another thread or process has changed. */
  readonly freshness?: Freshness
  /** Moves an unreadable history aside. Only for the first thread that opens the data folder. */
  readonly repairHistory?: boolean
}

/** Each thread opens its own stores. @throws Problem when the data folder is unusable, or a store is unreadable or too new */
export function openStores(
  config: Config,
  { observe, freshness = 'call', repairHistory = false }: OpenOptions,
): Promise<directory.Stores> {
  // The threads wait as well, and for the same.
  const onWaiting: OnWaiting | undefined = repairHistory
    ? (database, holder) => observe({ kind: 'store-awaited', database, holder })
    : undefined
  return directory.openStores(config, {
    control: {
      freshness,
      secretKey: () => secretKey(config),
      onWriting: reportWriting(observe, 'control'),
      onWaiting,
    },
    history: { onWriting: reportWriting(observe, 'history'), onWaiting },
    repairHistory: repairHistory ? observe : undefined,
  })
}
