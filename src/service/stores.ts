/** Opens the stores for the service: with its secret key, and with reports of failed writes. */
import type { Config } from '../config/load-config.ts'
import type { OnRefusedAccount } from '../directory/accounts/account-seals.ts'
import type { Freshness, OnWaiting } from '../directory/database.ts'
import * as directory from '../directory/open-stores.ts'
import { secretKey } from '../directory/secrets/secret-key.ts'
import type { UpgradedStore } from '../kernel/files/upgraded-store.ts'
import { Problem } from '../kernel/problem.ts'
import type { Observe } from '../observe/observation.ts'
import { reportWriting } from '../observe/service-health.ts'
import { ignoreProblem } from './account-checks.ts'

export type { Stores } from '../directory/open-stores.ts'

type OpenOptions = {
  readonly observe: Observe
  /** How soon lookups see what another thread or process has changed. */
  readonly freshness?: Freshness
  /** Moves an unreadable history aside, and seals the accounts with the key. Only for the first thread that opens the stores. */
  readonly repairHistory?: boolean
}

/** Each thread opens its own stores. @throws Problem when the data folder is unusable, or a store is unreadable or too new */
export async function openStores(
  config: Config,
  { observe, freshness = 'call', repairHistory = false }: OpenOptions,
): Promise<directory.Stores> {
  // The threads wait as well, and for the same.
  const onWaiting: OnWaiting | undefined = repairHistory
    ? (database, holder) => observe({ kind: 'store-awaited', database, holder })
    : undefined
  const upgrade = {
    onUpgraded: (upgraded: UpgradedStore) => observe({ kind: 'store-upgraded', ...upgraded }),
  }
  const stores = await directory.openStores(config, {
    control: {
      freshness,
      secretKey: () => secretKey(config),
      onWriting: reportWriting(observe, 'control'),
      onRefusedAccount: tellOncePerMinute(observe),
      onWaiting,
      upgrade,
    },
    history: { onWriting: reportWriting(observe, 'history'), onWaiting, upgrade },
    repairHistory: repairHistory ? observe : undefined,
  })
  // Before a request is answered. The check of all accounts reports another key.
  if (repairHistory) await stores.control.accounts.adoptKey().catch(ignoreProblem)
  return stores
}

/** From now on a command with another key is refused. A service without its key still answers every other request. */
export async function adoptKeyOfSecrets(
  { secrets }: directory.Stores['control'],
  observe: Observe,
): Promise<void> {
  try {
    await secrets.adoptKey()
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    // On a folder that cannot be written, a service without secrets needs no key.
    if ((await secrets.list()).length > 0) observe({ kind: 'secrets-sealed', reason: error.message })
  }
}

const MINUTE_MS = 60_000
/** More than that many accounts are not told apart. */
const MOST_ACCOUNTS = 1000

/** Its caller may send thousands of requests in a second. */
function tellOncePerMinute(observe: Observe): OnRefusedAccount {
  const told = new Map<string, number>()
  return (accountId, fault) => {
    const now = Date.now()
    if (now - (told.get(accountId) ?? 0) < MINUTE_MS) return
    if (told.size >= MOST_ACCOUNTS) told.clear()
    told.set(accountId, now)
    observe({ kind: 'account-refused', accountId, fault })
  }
}
