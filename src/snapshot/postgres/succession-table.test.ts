/** Which snapshot became current when, as it is noted in PostgreSQL. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { rollBackPlaced } from './placed-operations.ts'
import { tableStepSource } from './step-table.ts'
import { noteCurrent } from './succession-table.ts'
import { RecordDatabase } from './testing/record-database.ts'

let data: RecordDatabase

function prepareEachTest(): void {
  beforeEach(async () => {
    data = await RecordDatabase.make()
  })
  afterEach(() => data.remove())
}

const noted = async () =>
  (await tableStepSource(data.pool).successions()).map(({ snapshot, before, compared }) => [
    snapshot,
    before,
    compared,
  ])

describe('a succession in PostgreSQL', () => {
  prepareEachTest()

  it('is noted by each publication and each return, and by nothing that does not switch', async () => {
    assert.deepEqual(await noted(), [])
    const { id: first } = await data.publish({ A: 'ONE' })
    const { id: second } = await data.publish({ A: 'TWO' })
    await rollBackPlaced(data.pool, undefined)
    await rollBackPlaced(data.pool, first)
    await assert.rejects(rollBackPlaced(data.pool, '20200101T000000000Z-0000'))
    const draft = await data.destination.begin()
    await draft.abandon()
    const { id: third } = await data.publish({ A: 'THREE' })
    assert.deepEqual(await noted(), [
      [first, null, null],
      [second, first, first],
      [first, second, null],
      [third, first, first],
    ])
    const moments = (await tableStepSource(data.pool).successions()).map(({ at }) => at)
    assert.deepEqual([...new Set(moments)].toSorted(), moments)
    assert.ok(Math.abs(Date.now() - Number(moments[0])) < 600_000)
  })

  it('is later than those before, although the clock of the server was set back', async () => {
    await data.publish({ A: 'ONE' })
    await data.ask(`update tripfolio_records.successions set at = now() + interval '1 day'`)
    const { id } = await data.publish({ A: 'TWO' })
    const found = await tableStepSource(data.pool).successions()
    assert.equal(found[1]?.snapshot, id)
    assert.equal(Number(found[1]?.at) - Number(found[0]?.at), 1)
  })

  it('has the moment of the switch, however long its transaction waited before', async () => {
    const { id: snapshot } = await data.publish({ A: 'ONE' })
    const before = await data.pool.transaction(async (connection) => {
      const { rows } = await connection.query('select pg_sleep(0.005), clock_timestamp() as now')
      await noteCurrent(connection, { snapshot, compared: null, steps: 0, unknown: [] })
      return (rows[0].now as Date).getTime()
    })
    const at = (await tableStepSource(data.pool).successions()).at(-1)?.at as number
    assert.ok(at >= before, `${at} is before ${before}`)
  })

  it('of a database of an earlier version begins with a return as with a publication', async () => {
    const { id: first } = await data.publish({ A: 'ONE' })
    const { id: second } = await data.publish({ A: 'TWO' })
    await data.ask('drop table tripfolio_records.successions')
    assert.deepEqual(await noted(), [])
    await rollBackPlaced(data.pool, undefined)
    assert.deepEqual(await noted(), [[first, second, null]])
  })

  it('goes with its steps when they are old, and when some are missing', async () => {
    const { id: first } = await data.publish({ A: 'ONE', B: 'ONE' })
    const { id: second } = await data.publish({ A: 'TWO', B: 'TWO' })
    const { id: third } = await data.publish({ A: 'THREE', B: 'THREE' }, 1)
    await data.destination.removeOldChanges(1)
    assert.equal((await noted()).length, 3)

    await data.ask(`delete from tripfolio_records.steps where client_number = 'B' and snapshot = $1`, [third])
    await data.destination.removeOldChanges(1)
    assert.deepEqual(
      (await noted()).map(([snapshot]) => snapshot),
      [first, second],
    )

    // The refresh had begun before the limit, and its steps are not there any more.
    await data.ask(
      `update tripfolio_records.steps set written_at = now() - interval '2 days' where client_number = 'B'`,
    )
    await data.destination.removeOldChanges(1)
    assert.deepEqual(
      (await noted()).map(([snapshot]) => snapshot),
      [first],
    )
    const edges = await tableStepSource(data.pool).edges('A', 'bookings')
    assert.equal(edges.length, 2)
  })
})
