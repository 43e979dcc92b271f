/** Opens the control store of the data folder while a command works on it. */
import type { ControlStore } from '../directory/control-store.ts'
import { openControlStore } from '../directory/open-stores.ts'
import type { Invocation } from './invocation.ts'

export type StoreOptions = { readonly data?: string; readonly json?: boolean }

/** @param existence whether a missing store is created; otherwise it is refused */
export async function withStore<T>(
  cli: Invocation,
  { data }: StoreOptions,
  existence: { readonly create: boolean },
  work: (store: ControlStore) => Promise<T>,
): Promise<T> {
  const store = await openControlStore(cli.config({ data }).data, existence)
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}
