import assert from 'node:assert/strict'
import { readdir, rm } from 'node:fs/promises'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { snapshotFolder, snapshotsFolder } from './format/layout.ts'
import type { Snapshot } from './snapshot.ts'
import { DataFolder, damage, locatorIn, locatorOf } from './testing/data-folder.ts'
import { removeOldSnapshots } from './writing/snapshot-writer.ts'

let data: DataFolder

function prepareEachTest(): void {
  beforeEach(async () => {
    data = await DataFolder.make()
  })
  afterEach(() => data.remove())
}

describe('a retained snapshot', () => {
  prepareEachTest()

  it('answers with what it held when it was current, while another one is current', async () => {
    const first = await data.publish({ A: 'AAA111', B: 'BBB111' })
    const second = await data.publish({ A: 'AAA222', B: 'BBB111' })
    const catalogue = await data.open()
    const pinned = await catalogue.retained(first.id)
    assert.equal(pinned.id, first.id)
    assert.equal(await locatorIn(pinned, 'A'), 'AAA111')
    assert.equal(await locatorOf(catalogue, 'A'), 'AAA222')
    assert.equal(await locatorIn(await catalogue.retained(second.id), 'A'), 'AAA222')
    assert.equal(await catalogue.retained(first.id), pinned)
    // A file that both snapshots share is loaded once.
    await locatorOf(catalogue, 'B')
    data.seen.length = 0
    assert.equal(await locatorIn(pinned, 'B'), 'BBB111')
    assert.ok(data.seen.every(({ kind }) => kind !== 'partition-loaded'))
  })

  it('loads a client once however many requests wait for it', async () => {
    const first = await data.publish({ A: 'AAA111' })
    await data.publish({ A: 'AAA222' })
    const pinned = await (await data.open()).retained(first.id)
    await Promise.all(Array.from({ length: 10 }, () => pinned.partition('A', 'bookings')))
    assert.equal(data.seen.filter(({ kind }) => kind === 'partition-loaded').length, 1)
  })

  it('is gone when it was removed, never existed, is damaged, or its id is malformed', async () => {
    const first = await data.publish({ A: 'AAA111' })
    const second = await data.publish({ A: 'AAA222' })
    await data.publish({ A: 'AAA333' })
    await rm(snapshotFolder(data.path, first.id), { recursive: true })
    await damage(data.manifestFile(second.id))
    const catalogue = await data.open()
    const ids = [first.id, second.id, '20200101T000000000Z-0000', '../..', '', 'x'.repeat(10_000)]
    data.seen.length = 0
    for (const id of ids) await assert.rejects(catalogue.retained(id), { code: 'SNP305' })
    // An id that a caller made up is no path, and no damage to report: only the second snapshot is damaged.
    assert.deepEqual(
      data.seen.flatMap((fact) => (fact.kind === 'snapshot-damaged' ? [fact.snapshot] : [])),
      [second.id],
    )
  })

  it('is gone when its file is damaged, and not answered from another snapshot', async () => {
    await data.publish({ A: 'AAA111' })
    const second = await data.publish({ A: 'AAA222' })
    await damage(await data.bookingsFile(second.id, 'A'))
    const catalogue = await data.open()
    assert.equal(await locatorOf(catalogue, 'A'), 'AAA111')
    const pinned = await catalogue.retained(second.id)
    await assert.rejects(pinned.partition('A', 'bookings'), { code: 'SNP305' })
    assert.equal(await locatorOf(catalogue, 'A'), 'AAA111')
  })

  it('is opened again after a new one was announced', async () => {
    const first = await data.publish({ A: 'AAA111' })
    const catalogue = await data.open()
    assert.equal((await catalogue.retained(first.id)).id, first.id)
    await data.publish({ A: 'AAA222' })
    await removeOldSnapshots(data.path, 1)
    await catalogue.refresh()
    await assert.rejects(catalogue.retained(first.id), { code: 'SNP305' })
  })
})

describe('a pinned snapshot', () => {
  prepareEachTest()

  const ownLocatorIn = async (snapshot: Snapshot | null, clientNumber: string) => {
    const loaded = await snapshot?.partition(clientNumber, 'bookings')
    assert.equal(loaded?.snapshotId, snapshot?.id)
    return locatorIn(snapshot, clientNumber)
  }

  it('answers with what was current when it was taken, also for clients that were not loaded before', async () => {
    const catalogue = await data.open()
    assert.equal(catalogue.pinned(), null)
    await data.publish({ A: 'AAA111', B: 'BBB111' })
    await catalogue.refresh()
    const pinned = catalogue.pinned()
    assert.equal(await ownLocatorIn(pinned, 'A'), 'AAA111')
    const { id } = await data.publish({ A: 'AAA222', B: 'BBB222' })
    await catalogue.refresh()
    for (const client of ['A', 'B'])
      assert.equal(await ownLocatorIn(pinned, client), `${client.repeat(3)}111`)
    assert.equal(catalogue.pinned()?.id, id)
    assert.equal(await ownLocatorIn(catalogue.pinned(), 'B'), 'BBB222')
  })

  it('is answered from the same file of a later snapshot when it was removed, and from no other file', async () => {
    const first = await data.publish({ A: 'AAA111', B: 'BBB111', C: 'CCC111' })
    const catalogue = await data.open()
    const pinned = catalogue.pinned()
    assert.equal(await ownLocatorIn(pinned, 'A'), 'AAA111')
    await data.publish({ A: 'AAA222', B: 'BBB111', C: 'CCC222' })
    await catalogue.refresh()
    await removeOldSnapshots(data.path, 1)
    assert.equal((await readdir(snapshotsFolder(data.path))).includes(first.id), false)
    assert.equal(await ownLocatorIn(pinned, 'B'), 'BBB111')
    for (const client of ['A', 'C']) {
      await assert.rejects(ownLocatorIn(pinned, client), { code: 'SNP306' })
    }
    assert.equal(await locatorOf(catalogue, 'A'), 'AAA222')
  })

  it('is not answered from an older file instead of a damaged one once another snapshot is current', async () => {
    await data.publish({ A: 'AAA111' })
    const second = await data.publish({ A: 'AAA222' })
    const catalogue = await data.open()
    const pinned = catalogue.pinned()
    await damage(await data.bookingsFile(second.id, 'A'))
    await data.publish({ A: 'AAA333' })
    await catalogue.refresh()
    await assert.rejects(ownLocatorIn(pinned, 'A'), { code: 'SNP306' })
  })
})
