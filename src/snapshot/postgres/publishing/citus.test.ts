import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { recordTables } from '../record-tables.ts'
import { citusDatabase, citusUrl } from '../testing/citus-database.ts'
import { RecordDatabase } from '../testing/record-database.ts'

const skip = citusUrl === undefined && 'TRIPFOLIO_TEST_CITUS names no cluster'

describe('snapshots on Citus', { skip }, () => {
  let data: RecordDatabase
  before(async () => {
    data = await RecordDatabase.make(await citusDatabase(citusUrl as string))
  })
  after(() => data.remove())

  it('are published, read and removed as on one server', async () => {
    const ids = []
    for (const locator of ['ONE111', 'TWO222', 'THREE3']) {
      ids.push((await data.publish({ A: locator, B: 'BBB111' }, 2)).id)
    }
    const catalogue = await data.catalogue()
    assert.equal(await data.locatorIn(catalogue.current(), 'A'), 'THREE3')
    assert.equal(await data.locatorIn(catalogue.current(), 'B'), 'BBB111')
    assert.equal(await data.locatorIn(await catalogue.retained(ids[1] as string), 'A'), 'TWO222')
    await assert.rejects(catalogue.retained(ids[0] as string), { code: 'SNP305' })
    assert.deepEqual(
      (await data.generationTables()).filter((name) => name.startsWith('bookings_g')),
      ['bookings_g1', 'bookings_g2', 'bookings_g3'],
    )
    await data.publish({ A: 'FOUR44', B: 'BBB222' }, 2)
    await data.publish({ A: 'FIVE55', B: 'BBB222' }, 2)
    assert.ok(!(await data.generationTables()).includes('bookings_g1'))
  })

  it('have all tables of records in one co-location, so that one node answers for a client', async () => {
    const placed = await data.ask<{ colocations: number; tables: number }>(
      `select count(distinct colocation_id)::integer as colocations, count(*)::integer as tables from citus_tables
       where citus_table_type = 'distributed'`,
    )
    assert.equal(placed[0]?.colocations, 1)
    assert.ok((placed[0]?.tables ?? 0) > 6)
    const place = await (await data.catalogue()).current()?.placed('A', 'bookings')
    const { fields, records } = recordTables('bookings', place?.generation ?? 0)
    const plan = await data.ask<{ 'QUERY PLAN': string }>(
      `explain select front from ${fields} join ${records} using (client_number, ordinal) where client_number = 'A'`,
    )
    assert.match(plan.map((line) => line['QUERY PLAN']).join('\n'), /Task Count: 1\n/)
  })

  it('are looked up on the coordinator alone', async () => {
    const plan = await data.ask<{ 'QUERY PLAN': string }>(
      "explain select generation from tripfolio_records.client_data where client_number = 'A'",
    )
    assert.doesNotMatch(plan.map((line) => line['QUERY PLAN']).join('\n'), /Citus/)
  })
})
