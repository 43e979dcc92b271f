/** What all commands on endpoints share: their common options, and the control store for as long as they work. */
import { type Config, loadConfig } from '../../config/load-config.ts'
import type { ControlStore } from '../../directory/control-store.ts'
import { openControlStore } from '../../directory/open-stores.ts'

export type Options = { readonly data?: string; readonly json?: boolean }

export const configOf = ({ data }: Options): Config => loadConfig({ env: process.env, flags: { data } })

export async function withStore<T>(
  options: Options,
  existence: { readonly create: boolean },
  work: (store: ControlStore) => Promise<T>,
): Promise<T> {
  const store = await openControlStore(configOf(options).data, existence)
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}
