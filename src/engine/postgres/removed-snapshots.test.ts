import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { RecordDatabase } from '../../snapshot/postgres/testing/record-database.ts'
import { openPostgresEngine, type PostgresEngine } from './postgres-engine.ts'

describe('data that was opened before its snapshot was removed', () => {
  let data: RecordDatabase
  let engine: PostgresEngine
  before(async () => {
    data = await RecordDatabase.make()
    engine = openPostgresEngine({ url: data.url, connections: 2, cpuMs: Infinity })
  })
  after(async () => {
    await engine.close()
    await data.remove()
  })

  it('is refused, and never that of another snapshot', async () => {
    await data.publish({ A: 'OLD111' })
    const catalogue = await data.catalogue()
    const current = catalogue.current()
    assert.ok(current)
    const opened = await engine.open(current, 'A', 'bookings')
    const plan = {
      dataset: 'bookings',
      where: null,
      orderBy: [],
      paging: { offset: 0, limit: 5 },
      select: null,
    } as const
    assert.equal((await opened.execute(plan)).count, 1)
    for (const locator of ['TWO222', 'THREE3']) await data.publish({ A: locator }, 1)
    await assert.rejects(opened.execute(plan), { code: 'SNP306' })
  })
})
