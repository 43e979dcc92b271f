/** The request header Snapshot-Id (design 6.12): a walk over pages sees one state of the data, even during a publication. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fixtureExtract, harbour } from '../fixtures/fixture-extract.ts'
import { startService } from './start-service.ts'

type Booking = { readonly recordLocator: string }
type Bodies = { readonly bookings: readonly Booking[]; readonly result: readonly Booking[] }

type List = {
  readonly path: string
  readonly pageOf: (page: number) => string
  readonly recordsOf: (body: Bodies) => readonly Booking[]
}

describe('a request that names a snapshot', () => {
  /** The first booking in order becomes the last: every page changes. */
  const moved = {
    ...fixtureExtract,
    bookings: fixtureExtract.bookings.map((row) =>
      row.record_locator === 'NULLS' ? { ...row, booking_date: '2027-01-01' } : row,
    ),
  }

  const lists: readonly List[] = [
    {
      path: '/api/v2/bookings',
      pageOf: (page) => `$pageSize=3&$page=${page + 1}`,
      recordsOf: ({ bookings }) => bookings,
    },
    {
      path: '/api/v1/bookings',
      pageOf: (page) => `fetch=3&offset=${3 * page}`,
      recordsOf: ({ result }) => result,
    },
  ]

  it('walks the pages of both versions over one state of the data while another is published', async (t) => {
    const service = await startService()
    t.after(service.close)
    const key = await service.keyOf(harbour)
    const ask = ({ path, pageOf }: List, page: number, snapshotId?: string) =>
      fetch(`http://127.0.0.1:${service.port}${path}?${pageOf(page)}`, {
        headers: { 'X-API-Key': key, ...(snapshotId !== undefined && { 'Snapshot-Id': snapshotId }) },
      })
    const locatorsOf = async ({ recordsOf }: List, response: Response) =>
      recordsOf((await response.json()) as Bodies).map(({ recordLocator }) => recordLocator)
    const begun = await Promise.all(
      lists.map(async (list) => {
        const pages = [0, 1, 2].map(async (page) => locatorsOf(list, await ask(list, page)))
        const before = (await Promise.all(pages)).flat()
        assert.equal(before.length, 8)
        const first = await ask(list, 0)
        const id = String(first.headers.get('snapshot-id'))
        return { list, before, id, walked: await locatorsOf(list, first) }
      }),
    )

    await service.publish(moved)
    for (const { list, before, id, walked } of begun) {
      for (const page of [1, 2]) {
        const response = await ask(list, page, id)
        assert.equal(response.headers.get('snapshot-id'), id)
        assert.match(String(response.headers.get('vary')), /Snapshot-Id/)
        walked.push(...(await locatorsOf(list, response)))
      }
      assert.deepEqual(walked, before)
      const now = await ask(list, 0)
      assert.notEqual(now.headers.get('snapshot-id'), id)
      assert.ok(!(await locatorsOf(list, now)).includes('NULLS'))
    }

    // Two snapshots are retained here: the next one removes the first.
    await service.publish(fixtureExtract)
    for (const { list, id } of begun) {
      const gone = await ask(list, 1, id)
      assert.equal(gone.status, 410)
      const body = (await gone.json()) as { readonly error: string }
      assert.deepEqual(Object.keys(body), ['error'])
      assert.match(body.error, /is not there any more\. Leave the header Snapshot-Id out/)
    }
  })

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
