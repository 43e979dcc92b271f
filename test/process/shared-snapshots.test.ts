/** Snapshots that several nodes share: what is written, what is read, and what is removed, on each kind of storage. */
import assert from 'node:assert/strict'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it, type TestContext } from 'node:test'
import { storedNames } from '../../src/schema/datasets.ts'
import { type S3Server, takeS3 } from '../../src/snapshot/objects/testing/s3-server.ts'
import { locatorIn, locatorOf, publishLocators } from '../../src/snapshot/testing/data-folder.ts'
import { type Installation, openInstallation, storages } from './shared-installation.ts'

let s3: S3Server
before(async () => {
  s3 = await takeS3()
})
after(() => s3.stop())

const clients = (count: number, locator: (number: number) => string) =>
  Object.fromEntries(Array.from({ length: count }, (_, number) => [`C${number}`, locator(number)]))

const countedClient = {
  clientNumber: 'A',
  bookings: { rows: 7, elements: 1 },
  invoices: { rows: 0, elements: 0 },
}

/** The files of a client. */
const FILES = storedNames.length

for (const [name, place] of Object.entries(storages)) {
  const open = (t: TestContext): Promise<Installation> => openInstallation(t, (root) => place(s3, root))

  describe(`snapshots shared on ${name}`, () => {
    it('are read by every node, whichever node has published them', async (t) => {
      const shared = await open(t)
      const early = await shared.node()
      assert.equal(early.catalogue.current(), null)
      const { id } = await shared.publish({ A: 'A1', B: 'B1' })
      const late = await shared.node()
      await early.catalogue.refresh()
      for (const { catalogue } of [early, late]) {
        assert.equal(catalogue.current()?.id, id)
        assert.deepEqual(
          [await locatorOf(catalogue, 'A'), await locatorOf(catalogue, 'B', 'bookings-v1')],
          ['A1', 'B1'],
        )
      }
    })

    it('leave an older state to roll back to however often the same records are published again', async (t) => {
      const shared = await open(t)
      const old = await shared.publish({ A: 'A1' })
      for (let time = 0; time < 4; time++) {
        await shared.publish({ A: 'A2' })
        await shared.destination().removeOldSnapshots(2)
      }
      const left = await shared.control.snapshots.list()
      assert.equal(left.length, 3)
      assert.equal(left.at(-1)?.id, old.id)
    })

    it('cost only what has changed: 1 % of the clients, at most 3 % of the objects', async (t) => {
      const shared = await open(t)
      await shared.publish(clients(100, () => 'ONE'))
      const first = await shared.keys()
      assert.equal(first.length, 100 * FILES + 1)
      const { kept } = await shared.publish(clients(100, (number) => (number === 7 ? 'TWO' : 'ONE')))
      const written = (await shared.keys()).length - first.length
      // Two lists of bookings, and the manifest.
      assert.deepEqual([kept, written], [100 * FILES - 2, 3])
      assert.ok(written <= 0.03 * first.length, `${written} of ${first.length} objects`)
      const { catalogue } = await shared.node()
      assert.deepEqual([await locatorOf(catalogue, 'C6'), await locatorOf(catalogue, 'C7')], ['ONE', 'TWO'])
    })

    it('keep those that a snapshot needs, and remove the others after the grace of readers', async (t) => {
      const shared = await open(t)
      await shared.publish({ A: 'A1', B: 'B1', C: 'C1' })
      const first = await shared.keys()
      await shared.publish({ A: 'A2', B: 'B1' })
      await shared.publish({ A: 'A3', B: 'B1' })
      const all = await shared.keys()
      await shared.destination().removeOldSnapshots(2)
      assert.deepEqual(await shared.keys(), all, 'a reader may still need the first one')
      assert.equal((await shared.control.snapshots.list()).length, 2)
      await shared.destination(-1).removeOldSnapshots(2)
      const left = await shared.keys()
      const kept = first.filter((key) => left.includes(key))
      // Client B has all its files from the first snapshot, and client A its invoices.
      assert.equal(kept.length, FILES + 2)
      const node = await shared.node()
      const [newest, older] = await shared.control.snapshots.list()
      assert.equal(node.catalogue.current()?.id, newest?.id)
      const retained = await node.catalogue.retained(older?.id ?? '')
      assert.deepEqual([await locatorIn(retained, 'A'), await locatorIn(retained, 'B')], ['A2', 'B1'])
    })

    it('leave nothing of a refresh that is abandoned', async (t) => {
      const shared = await open(t)
      const { id } = await shared.publish({ A: 'A1' })
      const before = await shared.keys()
      const draft = await shared.destination().begin()
      const { publish } = draft
      draft.publish = ({ clients, ...about }) =>
        publish({ ...about, clients: [...clients, { clientNumber: 'missing', name: 'missing' }] })
      await assert.rejects(publishLocators(draft, { A: 'A2' }), /lacks/)
      await draft.abandon()
      assert.deepEqual(await shared.keys(), before)
      assert.equal((await shared.control.snapshots.current())?.id, id)
    })

    it('are not published by a refresh while which another one has begun', async (t) => {
      const shared = await open(t)
      const slow = await shared.destination().begin()
      const fast = await shared.destination().begin()
      assert.ok(fast.id > slow.id)
      const { id } = await publishLocators(fast, { A: 'FAST' })
      await shared.destination(-1).removeOldSnapshots(1)
      await assert.rejects(publishLocators(slow, { A: 'SLOW' }), { code: 'SNP402' })
      await slow.abandon()
      assert.equal((await shared.control.snapshots.current())?.id, id)
      assert.equal(await locatorOf((await shared.node()).catalogue, 'A'), 'FAST')
      assert.equal((await shared.keys()).length, FILES + 1)
    })

    it('keep the objects of a refresh under way, and what it is based on, from the collector', async (t) => {
      const shared = await open(t)
      await shared.publish({ A: 'A1', B: 'B1' })
      const draft = await shared.destination().begin()
      const racing = shared.destination(-1)
      await racing.removeOldSnapshots(1)
      const { publish } = draft
      draft.publish = async (about) => {
        await racing.removeOldSnapshots(1)
        return publish(about)
      }
      await publishLocators(draft, { A: 'A2', B: 'B1' })
      await racing.removeOldSnapshots(1)
      const { catalogue } = await shared.node()
      assert.deepEqual([await locatorOf(catalogue, 'A'), await locatorOf(catalogue, 'B')], ['A2', 'B1'])
    })

    it('carry the files beside the records', async (t) => {
      const shared = await open(t)
      const draft = await shared.destination().begin()
      await writeFile(join(draft.folder, 'rejects.ndjson'), '{"row":1}\n')
      const { id } = await publishLocators(draft, { A: 'A1' })
      const { catalogue } = await shared.node()
      assert.equal(catalogue.current()?.id, id)
      assert.deepEqual(await readdir(join(draft.folder, '..')), [])
    })

    it('of another format are skipped, and their counts are compared by the next refresh', async (t) => {
      const shared = await open(t)
      const { id } = await shared.publish({ A: 'A1' })
      const newer = await shared.publishManifest({ format: 99, clients: [countedClient] })
      const { catalogue, seen } = await shared.node()
      assert.equal(catalogue.current()?.id, id)
      assert.deepEqual(
        seen.flatMap((each) => (each.kind === 'snapshot-skipped' ? [each.snapshot] : [])),
        [newer],
      )
      const draft = await shared.destination().begin()
      assert.equal(draft.previous, null)
      assert.deepEqual(draft.rowsBefore?.clients.get('A'), { bookings: 7, invoices: 0 })
      assert.equal(draft.bookingsBefore, 7)
      await draft.abandon()
      // It may use objects that nobody here can know.
      await assert.rejects(shared.destination(-1).removeOldSnapshots(1), { code: 'SNP304' })
    })

    it('upload again what is missing in the storage, although the client did not change', async (t) => {
      const shared = await open(t)
      await shared.publish({ A: 'A1', B: 'B1' })
      const [lost = ''] = await shared.keys()
      await shared.delete([lost])
      const { kept } = await shared.publish({ A: 'A1', B: 'B1' })
      // It was a file of a client, or the manifest: then there is nothing to compare with.
      assert.ok(kept < 2 * FILES)
      const { catalogue } = await shared.node()
      assert.deepEqual([await locatorOf(catalogue, 'A'), await locatorOf(catalogue, 'B')], ['A1', 'B1'])
    })
  })
}
