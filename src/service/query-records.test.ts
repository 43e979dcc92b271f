import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fixtureExtract, harbour } from '../../test/fixtures/fixture-extract.ts'
import { startService } from '../../test/wire/start-service.ts'
import { openRecords } from './query-records.ts'

describe('the records of a run', () => {
  it('have only the members that $select names', async (t) => {
    const service = await startService()
    t.after(service.close)
    const { query } = openRecords(service.answering)()
    const parameters = [
      ['$select', 'traveller,recordLocator'],
      ['$top', '1'],
    ] as const
    const question = { list: 'bookings', clientNumber: harbour, parameters } as const
    const { chunks } = await query(question, new AbortController().signal)
    const parts: Uint8Array[] = []
    for await (const chunk of chunks(1000)) parts.push(chunk)
    assert.deepEqual(Object.keys(JSON.parse(`${Buffer.concat(parts)}`)), ['recordLocator', 'traveller'])
  })

  it('are groups when the question has $apply', async (t) => {
    const service = await startService()
    t.after(service.close)
    const { query } = openRecords(service.answering)()
    const apply = 'groupby((isTicketed),aggregate($count as n))'
    const question = { list: 'bookings', clientNumber: harbour, parameters: [['$apply', apply]] } as const
    const { count, meta, chunks } = await query(question, new AbortController().signal)
    const parts: Uint8Array[] = []
    for await (const chunk of chunks(1000)) parts.push(chunk)
    const groups: { isTicketed: boolean; n: number }[] = JSON.parse(`[${Buffer.concat(parts)}]`)
    const own = fixtureExtract.bookings.filter(({ client_number: client }) => client === harbour)
    assert.equal(
      groups.reduce((sum, { n }) => sum + n, 0),
      own.length,
    )
    assert.deepEqual([count, meta?.total], [groups.length, groups.length])
    await assert.rejects(
      query({ ...question, parameters: [['$apply', 'groupby((x))']] }, new AbortController().signal),
      /Unknown field 'x'/,
    )
  })
})
