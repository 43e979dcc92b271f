/** Opens what every thread works with: the only thread, a thread that answers requests, or one that runs scripts. */
import type { Config } from '../config/load-config.ts'
import type { Observe } from '../observe/observation.ts'
import type { OpenCollectionFiles } from '../snapshot/files/collection-files.ts'
import type { ManifestSource } from '../snapshot/snapshot-source.ts'
import { openReadServices, type ReadServices } from './read-services.ts'
import { openScriptOutbound } from './script-outbound.ts'
import type { Stores } from './stores.ts'

type ThreadParts = {
  readonly config: Config
  readonly observe: Observe
  readonly openFiles: OpenCollectionFiles
  /** Where the manifests of snapshots are read from. */
  readonly manifests: ManifestSource
  readonly stores: Stores
  readonly changeReaders?: SharedArrayBuffer | undefined
}

export type ThreadServices = Pick<ThreadParts, 'config' | 'observe' | 'manifests'> &
  Pick<Stores, 'history'> & {
    readonly store: Stores['control']
    readonly readServices: ReadServices
  }

export async function openThread({
  config,
  observe,
  openFiles,
  manifests,
  stores,
  changeReaders,
}: ThreadParts): Promise<ThreadServices> {
  const { control: store, history } = stores
  const readServices = await openReadServices({
    ...{ config, observe, openFiles, manifests, changeReaders },
    installation: async () => (await store.tenant()).id,
  })
  return { config, observe, store, history, manifests, readServices }
}

/** What the runs of scripts in this thread may use. */
export const runServices = ({ config, observe, store, history, readServices }: ThreadServices) => ({
  store,
  notepads: history.notepads,
  records: readServices.records,
  outbound: openScriptOutbound(config, store.holds),
  observe,
  historyBodyBytes: config.historyBodyBytes,
  cardNumbers: config.cardNumbers,
  bodyKeys: config.bodyKeys,
})
