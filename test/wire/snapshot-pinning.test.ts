/** The request header Snapshot-Id (design 6.12): a walk over pages sees one state of the data, even during a publication. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fixtureExtract, harbour } from '../fixtures/fixture-extract.ts'
import { startService } from './start-service.ts'

describe('a request that names a snapshot', () => {
  /** The first booking in order becomes the last: every page changes. */
  const moved = {
    ...fixtureExtract,
    bookings: fixtureExtract.bookings.map((row) =>
      row.record_locator === 'NULLS' ? { ...row, booking_date: '2027-01-01' } : row,
    ),
  }

  for (const { path, pageOf, locatorsOf } of [
    {
      path: '/api/v2/bookings',
      pageOf: (page: number) => `$pageSize=3&$page=${page + 1}`,
      locatorsOf: (body: { readonly bookings: readonly { readonly recordLocator: string }[] }) =>
        body.bookings,
    },
    {
      path: '/api/v1/bookings',
      pageOf: (page: number) => `fetch=3&offset=${3 * page}`,
      locatorsOf: (body: { readonly result: readonly { readonly recordLocator: string }[] }) => body.result,
    },
  ]) {
    it(`walks ${path} over one state of the data while another is published`, async (t) => {
      const service = await startService()
      t.after(service.close)
      const key = await service.keyOf(harbour)
      const ask = (query: string, snapshotId?: string) =>
        fetch(`http://127.0.0.1:${service.port}${path}?${query}`, {
          headers: { 'X-API-Key': key, ...(snapshotId !== undefined && { 'Snapshot-Id': snapshotId }) },
        })
      const page = async (response: Response) =>
        locatorsOf((await response.json()) as never).map((r) => r.recordLocator)
      const whole = [0, 1, 2].map((n) => ask(pageOf(n)).then(page))
      const before = (await Promise.all(whole)).flat()
      assert.equal(before.length, 8)

      const first = await ask(pageOf(0))
      const id = String(first.headers.get('snapshot-id'))
      const walked = await page(first)
      await service.publish(moved)
      for (const n of [1, 2]) {
        const response = await ask(pageOf(n), id)
        assert.equal(response.headers.get('snapshot-id'), id)
        assert.match(String(response.headers.get('vary')), /Snapshot-Id/)
        walked.push(...(await page(response)))
      }
      assert.deepEqual(walked, before)
      const now = await ask(pageOf(0))
      assert.notEqual(now.headers.get('snapshot-id'), id)
      assert.ok(!(await page(now)).includes('NULLS'))

      // Two snapshots are retained here: the next one removes the first.
      await service.publish(fixtureExtract)
      const gone = await ask(pageOf(1), id)
      assert.equal(gone.status, 410)
      const body = (await gone.json()) as { readonly error: string }
      assert.deepEqual(Object.keys(body), ['error'])
      assert.match(body.error, /is not there any more\. Leave the header Snapshot-Id out/)
    })
  }

  it('is refused with 410 for any name that is not a retained snapshot, and never reaches another folder', async (t) => {
    const service = await startService()
    t.after(service.close)
    const key = await service.keyOf(harbour)
    for (const id of ['../current', 'x', '20200101T000000000Z-0000', '.', '%00']) {
      const response = await fetch(`http://127.0.0.1:${service.port}/api/v2/bookings`, {
        headers: { 'X-API-Key': key, 'Snapshot-Id': id },
      })
      assert.equal(response.status, 410, id)
    }
  })
})
