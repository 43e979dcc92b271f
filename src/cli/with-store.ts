/** Opens the control store while a command works on it. */
import type { Command } from 'commander'
import type { ControlStore } from '../directory/control-store.ts'
import { openControlStore, showStores } from '../directory/open-stores.ts'
import { secretKey } from '../directory/secrets/secret-key.ts'
import type { Invocation } from './invocation.ts'

export type StoreOptions = { readonly data?: string; readonly store?: string; readonly json?: boolean }

/** The options of every command that opens the stores. */
export const withStoreOptions = (command: Command): Command =>
  command
    .option('--data <folder>', 'data folder (default: ./data)')
    .option(
      '--store <url>',
      'PostgreSQL database of the accounts, postgres://user:password@host:port/name (default: files in the data folder)',
    )

/** @param existence whether a missing store is created; otherwise it is refused */
export async function withStore<T>(
  cli: Invocation,
  { data, store: url, json = false }: StoreOptions,
  existence: { readonly create: boolean },
  work: (store: ControlStore) => Promise<T>,
): Promise<T> {
  const config = cli.config({ data, store: url })
  // Otherwise a setting in the environment would silently mean other accounts than those of the data folder.
  if (config.store !== undefined && !json)
    cli.printError(`tripfolio: on the database ${showStores(config)}\n`)
  // The key is read, or made, only when a value is sealed.
  const store = await openControlStore(config, { ...existence, secretKey: () => secretKey(config) })
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}
