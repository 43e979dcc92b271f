/** Two control stores on one file, as two threads have them. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ControlStore } from '../control-store.ts'
import type { ControlStoreOptions } from '../open-stores.ts'
import { placeControlStore } from './store-files.ts'
import { openControlStore } from './stores.ts'

export type StorePair = {
  readonly folder: string
  readonly here: ControlStore
  readonly elsewhere: ControlStore
  readonly close: () => Promise<void>
}

export async function openStorePair(options: ControlStoreOptions = {}): Promise<StorePair> {
  const folder = mkdtempSync(join(tmpdir(), 'tripfolio-store-pair-'))
  await placeControlStore(folder)
  const [here, elsewhere] = [await openControlStore(folder, options), await openControlStore(folder, options)]
  return {
    folder,
    here,
    elsewhere,
    close: async () => {
      await elsewhere.close()
      await here.close()
      rmSync(folder, { recursive: true })
    },
  }
}
