import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Observation } from '../../observe/observation.ts'
import { Manifests } from '../manifests.ts'
import { openPlacedManifests } from './placed-manifests.ts'
import { RecordDatabase } from './testing/record-database.ts'

describe('a catalogue of snapshots in PostgreSQL', () => {
  let data: RecordDatabase
  before(async () => {
    data = await RecordDatabase.make()
  })
  after(() => data.remove())

  it('has none before the first refresh', async () => {
    const catalogue = await data.catalogue()
    assert.equal(catalogue.current(), null)
    await assert.rejects(catalogue.retained('20260101T000000000Z-0000'), { code: 'SNP305' })
  })

  it('takes no snapshot of the place before a move for a damaged one', async () => {
    const { id } = await data.publish({ A: 'ONE111' })
    const source = openPlacedManifests(data.url, data.folder)
    const seen: Observation[] = []
    const manifests = new Manifests(source, (observation) => seen.push(observation))
    assert.equal(await manifests.intact('20260101T000000000Z-0000'), null)
    assert.equal((await manifests.successorOf(undefined))?.id, id)
    assert.deepEqual(seen, [])
    source.close()
  })

  it('keeps the snapshot of a request while another one becomes current', async () => {
    const first = await data.publish({ A: 'ONE111' })
    const catalogue = await data.catalogue()
    const begun = catalogue.pinned()
    const second = await data.publish({ A: 'TWO222', B: 'BBB222' })
    assert.equal(catalogue.current()?.id, first.id)
    await data.announceCurrent(catalogue)
    assert.equal(catalogue.current()?.id, second.id)
    assert.equal(await data.locatorIn(begun, 'A'), 'ONE111')
    assert.equal(await begun?.placed('B', 'bookings'), null)
    assert.equal(await data.locatorIn(catalogue.current(), 'A'), 'TWO222')
    assert.equal(await data.locatorIn(await catalogue.retained(first.id), 'A'), 'ONE111')
  })

  it('looks a client up once', async () => {
    await data.publish({ A: 'ONE111' })
    const current = (await data.catalogue()).current()
    assert.equal(await current?.placed('A', 'bookings'), await current?.placed('A', 'bookings'))
  })

  it('lists the clients of each snapshot, with the numbers of their records', async () => {
    const counted = (...numbers: string[]) =>
      numbers.map((clientNumber) => ({ clientNumber, name: clientNumber, bookings: 1, invoices: 0 }))
    const first = await data.publish({ B: 'ONE111', A: 'ONE222' })
    await data.publish({ C: 'TWO222', A: 'TWO333' })
    const catalogue = await data.catalogue()
    assert.deepEqual(await catalogue.current()?.clients(), counted('A', 'C'))
    assert.deepEqual(await (await catalogue.retained(first.id)).clients(), counted('A', 'B'))
    for (const locators of [{ A: 'THREE3' }, {}]) await data.publish(locators, 1)
    assert.deepEqual(await (await data.catalogue()).current()?.clients(), [])
    await assert.rejects(async () => catalogue.current()?.clients(), { code: 'SNP306' })
  })

  it('never takes a client of a removed snapshot for one without records', async () => {
    const old = await data.publish({ A: 'OLD111' })
    const catalogue = await data.catalogue()
    const begun = catalogue.current()
    const retained = await catalogue.retained(old.id)
    for (const locator of ['TWO222', 'THREE3']) await data.publish({ A: locator }, 1)
    await assert.rejects(async () => begun?.placed('A', 'bookings'), { code: 'SNP306' })
    await assert.rejects(retained.placed('A', 'bookings'), { code: 'SNP305' })
  })
})
