/** A refresh that publishes elsewhere than in its own data folder, with a lock that other machines see. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { Problem } from '../../src/kernel/problem.ts'
import { listSnapshotIds } from '../../src/snapshot/format/layout.ts'
import {
  type DestinationLock,
  dataFolderDestination,
  type SnapshotDestination,
} from '../../src/snapshot/writing/snapshot-writer.ts'
import { fixtureExtract } from '../fixtures/fixture-extract.ts'
import { writeExtract } from '../fixtures/write-extract.ts'
import { makeFolders, refresh } from './ingest-fixture.ts'

/** Two machines with a data folder each, which publish into a third. */
async function twoMachines(t: TestContext) {
  const [one, other, shared] = [await makeFolders(t), await makeFolders(t), await makeFolders(t)]
  for (const { source } of [one, other]) await writeExtract(source, fixtureExtract, 'csv')
  const lost = new AbortController()
  let holders = 0
  const lock: DestinationLock = {
    lost: lost.signal,
    release: async () => {
      holders = 0
    },
  }
  const destination: SnapshotDestination = {
    ...dataFolderDestination(shared.data),
    name: 'both',
    lock: async () => {
      if (holders > 0) return null
      holders = 1
      return lock
    },
  }
  return { one, other, shared: shared.data, destination, lost, holders: () => holders }
}

describe('a refresh with a destination', () => {
  it('publishes there, and removes old snapshots there', async (t) => {
    const { one, other, shared, destination, holders } = await twoMachines(t)
    await refresh(one, { destination, retainSnapshots: 1 })
    const { snapshot, clients } = await refresh(other, { destination, retainSnapshots: 1 })
    assert.equal(clients.unchanged, clients.total)
    assert.deepEqual(await listSnapshotIds(shared), [snapshot])
    for (const { data } of [one, other]) assert.deepEqual(await listSnapshotIds(data), [])
    assert.equal(holders(), 0)
  })

  it('is refused while another machine refreshes it', async (t) => {
    const { one, other, destination, holders } = await twoMachines(t)
    const first = refresh(one, { destination })
    while (holders() === 0) await new Promise(setImmediate)
    await assert.rejects(refresh(other, { destination }), {
      code: 'ING121',
      message: "Another refresh of 'both' is running",
    })
    await first
    await refresh(other, { destination })
  })

  it('publishes nothing once its lock is lost', async (t) => {
    const { one, shared, destination, lost, holders } = await twoMachines(t)
    const reason = new Problem('PGS101', 'The connection of the lock broke')
    await assert.rejects(refresh(one, { destination, onProgress: () => lost.abort(reason) }), reason)
    assert.deepEqual(await listSnapshotIds(shared), [])
    assert.equal(holders(), 0)
  })
})
