import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { snapshotFolder } from './format/layout.ts'
import { readManifest } from './manifest.ts'
import type { TextColumn } from './partition.ts'
import { DataFolder, damage, locatorOf } from './testing/data-folder.ts'

let data: DataFolder

function prepareEachTest(): void {
  beforeEach(async () => {
    data = await DataFolder.make()
  })
  afterEach(() => data.remove())
}

describe('the memory budget', () => {
  prepareEachTest()

  const held = () => data.seen.findLast((o) => o.kind === 'partitions-held')

  it('evicts the client that was used least recently, and loads it again for its next request', async () => {
    const { id } = await data.publish({ A: 'AAA111', B: 'BBB111', C: 'CCC111' })
    const [client] = (await readManifest(snapshotFolder(data.path, id))).clients
    const bytes = client?.bookings.bytes ?? 0
    const catalogue = await data.open(2 * bytes + 1000)
    for (const client of ['A', 'B', 'A', 'C', 'A', 'B']) {
      assert.equal(await locatorOf(catalogue, client), `${client.repeat(3)}111`)
    }
    assert.deepEqual(data.loads, ['A bookings', 'B bookings', 'C bookings', 'B bookings'])
    const now = held()
    assert.equal(now?.kind === 'partitions-held' && now.count, 2)
    assert.ok(now?.kind === 'partitions-held' && now.bytes <= 2 * bytes + 1000)
  })

  it('keeps a client that alone is larger than the budget', async () => {
    await data.publish({ A: 'AAA111', B: 'BBB111' })
    const catalogue = await data.open(10)
    for (const client of ['A', 'A', 'B', 'B', 'A']) await locatorOf(catalogue, client)
    assert.deepEqual(data.loads, ['A bookings', 'B bookings', 'A bookings'])
  })

  it('takes no partition away from a request that has begun', async () => {
    await data.publish({ A: 'AAA111', B: 'BBB111' })
    const catalogue = await data.open(10)
    const begun = await catalogue.current()?.partition('A', 'bookings')
    await locatorOf(catalogue, 'B')
    const column = begun?.partition.columns.get('recordLocator') as TextColumn
    assert.equal(column.dictionary.text(column.codes[0] as number), 'AAA111')
  })

  it('also limits retained snapshots, however many of their clients are opened at once', async () => {
    const first = await data.publish({ A: 'AAA111', B: 'BBB111', C: 'CCC111' })
    await data.publish({ A: 'AAA222' })
    const pinned = await (await data.open(10)).retained(first.id)
    const openAll = () => Promise.all(['A', 'B', 'C'].map((client) => pinned.partition(client, 'bookings')))
    await openAll()
    await openAll()
    // At most one of them was still in memory.
    assert.ok(data.loads.length >= 5, `${data.loads}`)
  })

  it('evicts without errors while a client has no intact file', async () => {
    const { id } = await data.publish({ A: 'AAA111', B: 'BBB111', C: 'CCC111' })
    await damage(await data.bookingsFile(id, 'A'))
    const catalogue = await data.open(10)
    const asked = ['A', 'B', 'A', 'C', 'A', 'B'].map((client) => locatorOf(catalogue, client))
    const settled = await Promise.allSettled(asked)
    // An unhandled rejection would end the process.
    assert.deepEqual(
      settled.map(({ status }) => status),
      ['rejected', 'fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled'],
    )
    await assert.rejects(locatorOf(catalogue, 'A'), { code: 'SNP302' })
    assert.equal(await locatorOf(catalogue, 'C'), 'CCC111')
  })

  it('is used for an earlier snapshot only until its requests end', async () => {
    await data.publish({ A: 'AAA111', B: 'BBB111' })
    const catalogue = await data.open()
    const before = catalogue.current()
    await data.publish({ A: 'AAA222', B: 'BBB111' })
    await catalogue.refresh()
    const late = await before?.partition('A', 'bookings')
    const column = late?.partition.columns.get('recordLocator') as TextColumn
    assert.equal(column.dictionary.text(column.codes[0] as number), 'AAA111')
    assert.notEqual(
      (await before?.partition('A', 'bookings'))?.partition,
      late?.partition,
      'nothing keeps it',
    )
    assert.equal(await locatorOf(catalogue, 'A'), 'AAA222')
  })

  it('is released from the clients of an earlier snapshot', async () => {
    await data.publish({ A: 'AAA111', B: 'BBB111' })
    const catalogue = await data.open()
    await locatorOf(catalogue, 'A')
    await locatorOf(catalogue, 'B')
    await data.publish({ A: 'AAA111', B: 'BBB222' })
    await catalogue.refresh()
    const now = held()
    assert.equal(now?.kind === 'partitions-held' && now.count, 1)
  })
})
