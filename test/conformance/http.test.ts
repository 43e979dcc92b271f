/** Tests the whole service with each engine: answers do not depend on the engine. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { ExtractTables } from '../fixtures/extract-rows.ts'
import { fixtureExtract, harbour } from '../fixtures/fixture-extract.ts'
import { type Service, startService } from '../wire/start-service.ts'
import { engines } from './engines.ts'

/** Enough bookings that lists of them are streamed. */
const extract: ExtractTables = {
  ...fixtureExtract,
  bookings: [
    ...fixtureExtract.bookings,
    ...Array.from({ length: 1200 }, (_, i) => ({
      ...fixtureExtract.bookings[0]!,
      record_locator: `Z${10_000 + i}`,
      originating_agency: `Agency ${i % 7}`,
    })),
  ],
}

type Asked = readonly [path: string, init?: RequestInit]

const questions: readonly Asked[] = [
  ['/api/v2/bookings'],
  ['/api/v2/itineraries?$format=ndjson'],
  ['/api/v2/itineraries?$format=csv', { headers: { 'accept-encoding': 'gzip' } }],
  ['/api/v2/bookings?$format=arrow'],
  ['/api/v2/bookings?$format=csv', { method: 'HEAD' }],
  ['/api/v2/bookings?$page=3&$pageSize=40&$orderby=originatingAgency desc'],
  ["/api/v2/itineraries?$filter=any(segments, segmentType eq 'AIR')"],
  ["/api/v2/bookings?$filter=recordLocator eq 'nobody'&$format=csv"],
  ['/api/v2/invoices?$orderby=invoiceNumber', { headers: { 'accept-encoding': 'gzip' } }],
  ['/api/v2/bookings?$filter=unknown eq 1'],
  ['/api/v2/bookings?$select=recordLocator,bookingDate'],
  ["/api/v2/itineraries?$select=segments.vendor,customDataFields['Cost Centre']&$format=csv"],
  ['/api/v2/itineraries?$select=recordLocator,travellers&$orderby=originatingAgency&$format=arrow'],
  ['/api/v2/bookings?$select=*,traveller&$top=7&$skip=1100', { headers: { 'accept-encoding': 'gzip' } }],
  ['/api/v2/invoices?$select=lineItems&$filter=any(lineItems)&$format=ndjson'],
  ['/api/v2/bookings?$select=unknown'],
]

/** Headers that depend only on the answer. */
const compared = ['content-type', 'content-length', 'content-encoding', 'etag', 'x-total-count']

describe('the service with any engine', () => {
  const services: { readonly service: Service; readonly key: string; readonly psk: string }[] = []
  before(async () => {
    for (const { create } of engines) {
      const service = await startService({ extract, wrapEngine: create })
      const { psk } = await service.pskOf(harbour)
      services.push({ service, key: await service.keyOf(harbour), psk })
    }
  })
  after(() => Promise.all(services.map(({ service }) => service.close())))

  const answers = (ask: (one: (typeof services)[number]) => Promise<Response>) =>
    Promise.all(
      services.map(async (one) => {
        const response = await ask(one)
        return {
          status: response.status,
          headers: compared.map((name) => response.headers.get(name)),
          body: Buffer.from(await response.arrayBuffer()).toString('hex'),
        }
      }),
    )

  for (const [path, init] of questions) {
    it(`gives the same answer: ${init?.method ?? 'GET'} ${path}`, async () => {
      const [first, ...others] = await answers(({ service, key }) =>
        service.request(path, key, { ...init, headers: { 'X-API-Key': key, ...init?.headers } }),
      )
      assert.ok(first)
      for (const other of others) assert.deepEqual(other, first)
    })
  }

  it('gives the same answer in version 1', async () => {
    const [first, ...others] = await answers(({ service, psk }) =>
      fetch(`http://127.0.0.1:${service.port}/api/v1/itineraries?query=IsTicketed^EQtrue`, {
        headers: { psk },
      }),
    )
    assert.equal(first?.status, 200)
    for (const other of others) assert.deepEqual(other, first)
  })
})
