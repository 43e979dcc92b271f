import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { snapshotFolder } from './format/layout.ts'
import { readManifest } from './manifest.ts'
import type { Snapshot } from './snapshot.ts'
import { DataFolder, damage, locatorOf } from './testing/data-folder.ts'

let data: DataFolder

function prepareEachTest(): void {
  beforeEach(async () => {
    data = await DataFolder.make()
  })
  afterEach(() => data.remove())
}

describe('the catalogue', () => {
  prepareEachTest()

  it('has no snapshot in an empty data folder', async () => {
    assert.equal((await data.open()).current(), null)
  })

  it('announces a newer snapshot and keeps the unchanged partitions loaded', async () => {
    await data.publish({ A: 'AAA111', B: 'BBB111' })
    const catalogue = await data.open()
    const before = catalogue.current()
    const partitionOf = async (snapshot: Snapshot | null | undefined, client: string) =>
      (await snapshot?.partition(client, 'bookings'))?.partition
    const a = await partitionOf(before, 'A')
    const b = await partitionOf(before, 'B')
    const { id } = await data.publish({ A: 'AAA111', B: 'BBB222' })
    await catalogue.refresh()
    assert.equal(catalogue.current()?.id, id)
    assert.equal(await partitionOf(catalogue.current(), 'A'), a)
    assert.notEqual(await partitionOf(catalogue.current(), 'B'), b)
    assert.equal(await partitionOf(before, 'A'), a, 'a request on the old snapshot finishes on it')
  })

  it('dates the current snapshot by its publication, or by the return to it', async () => {
    const { id: first } = await data.publish({ A: 'AAA111' })
    const catalogue = await data.open()
    const published = catalogue.current()?.publishedAt as Date
    assert.deepEqual(catalogue.current()?.currentSince, published)
    const { id: second } = await data.publish({ A: 'AAA222' })
    for (const id of [second, first]) {
      const before = new Date()
      catalogue.announce(await readManifest(snapshotFolder(data.path, id)))
      const { currentSince } = catalogue.current() as Snapshot
      assert.ok(currentSince >= before && currentSince <= new Date(), id)
    }
    assert.deepEqual((await catalogue.retained(first)).currentSince, published)
  })

  it('loads the files in use, and no others, before a newer snapshot is announced', async () => {
    await data.publish({ A: 'AAA111', B: 'BBB111', C: 'CCC111' })
    const catalogue = await data.open()
    await locatorOf(catalogue, 'A')
    await locatorOf(catalogue, 'B')
    const { id } = await data.publish({ A: 'AAA222', B: 'BBB111', C: 'CCC222' })
    const manifest = await readManifest(snapshotFolder(data.path, id))
    const loaded = () =>
      data.seen.flatMap((o) => (o.kind === 'partition-loaded' ? [`${o.clientNumber} ${o.stored}`] : []))
    data.seen.length = 0
    await catalogue.prepare(manifest, { mostBytes: 10 })
    assert.deepEqual(loaded(), [], 'nothing beyond the limit')
    await catalogue.prepare(manifest, { mostBytes: 1e6 })
    assert.deepEqual(loaded(), ['A bookings'])
    assert.equal(await locatorOf(catalogue, 'A'), 'AAA111', 'it is not announced yet')
    catalogue.announce(manifest)
    assert.equal(await locatorOf(catalogue, 'A'), 'AAA222')
    assert.deepEqual(loaded(), ['A bookings'])
  })

  it('prepares a newer snapshot as far as its files are intact', async () => {
    await data.publish({ A: 'AAA111' })
    const catalogue = await data.open()
    await locatorOf(catalogue, 'A')
    const second = await data.publish({ A: 'AAA222' })
    await damage(await data.bookingsFile(second.id, 'A'))
    const manifest = await readManifest(snapshotFolder(data.path, second.id))
    await catalogue.prepare(manifest, { mostBytes: 1e6 })
    catalogue.announce(manifest)
    assert.equal(await locatorOf(catalogue, 'A'), 'AAA111', 'answered from the older file')
  })

  it('loads a client once however many requests wait for it', async () => {
    await data.publish({ A: 'AAA111' })
    const catalogue = await data.open()
    const loads = Array.from({ length: 20 }, () => catalogue.current()?.partition('A', 'bookings'))
    assert.equal(new Set((await Promise.all(loads)).map((loaded) => loaded?.partition)).size, 1)
    assert.equal(data.seen.filter(({ kind }) => kind === 'partition-loaded').length, 1)
  })

  it('gives an unknown client an empty partition', async () => {
    await data.publish({ A: 'AAA111' })
    const loaded = await (await data.open()).current()?.partition('nobody', 'invoices')
    assert.equal(loaded?.partition.rowCount, 0)
  })
})
