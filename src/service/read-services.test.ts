/** Two threads on one data folder. */
import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { it } from 'node:test'
import { loadConfig } from '../config/load-config.ts'
import { changeReadersMemory } from '../read/changes/change-readers.ts'
import { SharedFiles } from '../snapshot/files/shared-files.ts'
import { snapshotFolder } from '../snapshot/format/layout.ts'
import { readManifest } from '../snapshot/manifest.ts'
import { dataFolderSource } from '../snapshot/snapshot-source.ts'
import { DataFolder } from '../snapshot/testing/data-folder.ts'
import { openReadServices } from './read-services.ts'

it('warms up the changes that were asked for in another thread', async (t) => {
  const data = await DataFolder.make()
  t.after(() => data.remove())
  const config = loadConfig({ env: {}, flags: { data: data.path } })
  const { observe } = data
  const changeReaders = changeReadersMemory()
  const open = () =>
    openReadServices({
      ...{ config, observe, changeReaders },
      openFiles: new SharedFiles(data.path, observe).open,
      manifests: dataFolderSource(data.path),
      installation: async () => 'one',
    })
  const threads = [await open(), await open()] as const
  const publish = async (locator: string) => {
    const { id } = await data.publish({ A: locator })
    for (const thread of threads) {
      const announced = await thread.announce(await readManifest(snapshotFolder(data.path, id)))
      await announced?.warmUp([{ clientNumber: 'A', versions: [2] }])
    }
  }
  const principal = { accountId: 'a', accountName: 'a', clientNumber: 'A' }
  const changesIn = (thread: (typeof threads)[number], since?: string) =>
    thread.changes({
      ...{ version: 2, list: 'bookings', principal, query: null },
      parameters: () => (since === undefined ? [] : [['since', since]]),
    })
  await publish('ONE')
  const { changesToken } = await changesIn(threads[0])
  await publish('TWO')
  await rm(join(data.path, 'changes'), { recursive: true })
  for (const thread of threads) {
    const { execute } = await changesIn(thread, changesToken)
    assert.equal((await execute()).count, 2)
  }
})
