import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import type { DatabasePool } from '../../postgres/connect.ts'
import { addLocators } from '../testing/data-folder.ts'
import { describePlaced, rollBackPlaced, verifyPlaced } from './placed-operations.ts'
import { RecordDatabase } from './testing/record-database.ts'

let data: RecordDatabase

function prepareEachTest(): void {
  beforeEach(async () => {
    data = await RecordDatabase.make()
  })
  afterEach(() => data.remove())
}

/** The ids of snapshots in which client A has these locators, oldest first. */
async function published(...locators: readonly string[]): Promise<readonly string[]> {
  const ids: string[] = []
  for (const locator of locators) ids.push((await data.publish({ A: locator, B: 'BBB111' })).id)
  return ids
}

/** Drops rows of A in a snapshot, as an accident of an administrator would. */
async function damage(id: string): Promise<void> {
  const placed = await (await (await data.catalogue()).retained(id)).placed('A', 'bookings')
  await data.ask(
    `delete from tripfolio_records.bookings_g${placed?.generation}_records where client_number = 'A'`,
  )
}

const aboutClients = (...clients: readonly string[]) => ({
  extractedAt: new Date('2026-01-02T03:04:05Z'),
  clients: clients.map((clientNumber) => ({ clientNumber, name: clientNumber })),
  rejects: 0,
})

/** The pool of a rollback, in whose transaction something else happens first: it has read and verified what there was. */
function whenSwitching(happen: () => Promise<unknown>): DatabasePool {
  return {
    ...data.pool,
    transaction: async (...work) => {
      await happen()
      return data.pool.transaction(...work)
    },
  }
}

describe('the list of snapshots in PostgreSQL', () => {
  prepareEachTest()

  it('is empty before the first refresh, and names the current one later', async () => {
    assert.deepEqual(await describePlaced(data.pool), [])
    const [first, second] = await published('ONE111', 'TWO222')
    const listed = await describePlaced(data.pool)
    assert.deepEqual(
      listed.map(({ id, current, state }) => [id, current, state]),
      [
        [second, true, 'ok'],
        [first, false, 'ok'],
      ],
    )
  })
})

describe('a verification', () => {
  prepareEachTest()

  it('finds missing rows and missing tables in each snapshot that has them', async () => {
    const [first, second] = await published('ONE111', 'TWO222')
    await damage(first as string)
    const [ofSecond, ofFirst] = await verifyPlaced(data.pool)
    assert.deepEqual([ofSecond?.id, ofSecond?.damaged], [second, []])
    assert.deepEqual(ofFirst?.damaged, ["bookings of client 'A': 0 rows instead of 1"])
    await data.ask('drop table tripfolio_records.bookings_v1_g2')
    const [again] = await verifyPlaced(data.pool)
    assert.deepEqual(again?.damaged, ["bookings-v1 of client 'A': 0 rows instead of 1"])
  })
})

describe('a rollback', () => {
  prepareEachTest()

  it('makes the snapshot before the current one current, or the named one', async () => {
    const [first, second, third] = await published('ONE111', 'TWO222', 'THREE3')
    assert.deepEqual(await rollBackPlaced(data.pool, undefined), {
      snapshot: second,
      before: third,
      damaged: [],
    })
    await rollBackPlaced(data.pool, first)
    assert.equal(await data.locatorIn((await data.catalogue()).current(), 'A'), 'ONE111')
    await assert.rejects(rollBackPlaced(data.pool, undefined), { code: 'SNP321' })
    await rollBackPlaced(data.pool, third)
    assert.equal(await data.locatorIn((await data.catalogue()).current(), 'A'), 'THREE3')
  })

  it('is followed by a refresh as always, which compares with the snapshot that is current', async () => {
    const [first] = await published('ONE111', 'TWO222')
    await rollBackPlaced(data.pool, first)
    const draft = await data.destination.begin()
    assert.equal(draft.previous?.id, first)
    await draft.abandon()
    const [next] = await published('THREE3')
    const catalogue = await data.catalogue()
    assert.equal(catalogue.current()?.id, next)
    assert.equal(await data.locatorIn(catalogue.current(), 'A'), 'THREE3')
    assert.equal(await data.locatorIn(catalogue.current(), 'B'), 'BBB111')
  })

  it('and a refresh at the same time come one after the other: neither replaces what it has not seen', async () => {
    const [first, second] = await published('ONE111', 'TWO222')
    const draft = await data.destination.begin()
    await addLocators(draft, { A: 'SLOW11' })
    // The refresh has lost its lock without knowing.
    await rollBackPlaced(data.pool, first)
    await assert.rejects(draft.publish(aboutClients('A')), { code: 'SNP203' })
    await draft.abandon()
    assert.equal((await data.catalogue()).current()?.id, first)

    await rollBackPlaced(data.pool, second)
    const reading = rollBackPlaced(
      whenSwitching(() => published('THREE3')),
      first,
    )
    await assert.rejects(reading, { code: 'SNP323' })
    assert.equal(await data.locatorIn((await data.catalogue()).current(), 'A'), 'THREE3')
  })

  it('finds out that its snapshot was removed meanwhile', async () => {
    const [first] = await published('ONE111', 'TWO222', 'THREE3')
    const remove = () => data.ask('delete from tripfolio_records.snapshots where id = $1', [first])
    await assert.rejects(rollBackPlaced(whenSwitching(remove), first), { code: 'SNP320' })
  })

  it('passes over damaged snapshots, and refuses one that is named', async () => {
    const [first, second] = await published('ONE111', 'TWO222', 'THREE3')
    await damage(second as string)
    await assert.rejects(rollBackPlaced(data.pool, second), { code: 'SNP322' })
    const { snapshot, damaged } = await rollBackPlaced(data.pool, undefined)
    assert.deepEqual([snapshot, damaged], [first, [second]])
    await assert.rejects(rollBackPlaced(data.pool, '20200101T000000000Z-0000'), { code: 'SNP320' })
  })
})
