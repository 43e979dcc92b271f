/** Opens what every thread works with: the only thread, a thread that answers requests, or one that runs scripts. */
import type { Config } from '../config/load-config.ts'
import type { Observe } from '../observe/observation.ts'
import type { OpenCollectionFiles } from '../snapshot/files/collection-files.ts'
import { openRecords } from './query-records.ts'
import { openReadServices, type ReadServices } from './read-services.ts'
import type { Stores } from './stores.ts'

type ThreadParts = {
  readonly config: Config
  readonly observe: Observe
  readonly openFiles: OpenCollectionFiles
  readonly stores: Stores
}

export type ThreadServices = Pick<ThreadParts, 'config' | 'observe'> &
  Pick<Stores, 'history'> & { readonly store: Stores['control']; readonly readServices: ReadServices }

export function openThread({ config, observe, openFiles, stores }: ThreadParts): ThreadServices {
  const { control: store, history } = stores
  return { config, observe, store, history, readServices: openReadServices({ config, observe, openFiles }) }
}

/** What the runs of scripts in this thread may use. */
export const runServices = ({ config, observe, store, history, readServices }: ThreadServices) => ({
  store,
  notepads: history.notepads,
  records: openRecords(readServices),
  observe,
  historyBodyBytes: config.historyBodyBytes,
})
