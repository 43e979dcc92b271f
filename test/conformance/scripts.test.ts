/** Tests what scripts read with each engine: it does not depend on the engine, nor on whether records come all at once. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { openRuns, type Runs } from '../../src/automation/testing/open-runs.ts'
import { openRecords } from '../../src/service/query-records.ts'
import type { ExtractTables } from '../fixtures/extract-rows.ts'
import { fixtureExtract, harbour, limmat } from '../fixtures/fixture-extract.ts'
import { type Service, startService } from '../wire/start-service.ts'
import { engines } from './engines.ts'

/** Enough bookings for many parts. */
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

/** The function, and its options as the script has them. */
const questions: readonly (readonly [list: 'Booking' | 'Invoice' | 'Itinerary', options: string])[] = [
  ['Booking', 'null'],
  ['Invoice', '{}'],
  ['Itinerary', '{}'],
  ['Booking', '{filter: "originatingAgency eq \'Agency 3\'", orderBy: "recordLocator desc"}'],
  ['Booking', '{select: "recordLocator,originatingAgency", orderBy: "originatingAgency desc"}'],
  // Fields that only version 1 has in its records.
  ['Booking', '{select: "traveller,employeeId,totalAirDistance,totalAirDuration,travellers"}'],
  ['Itinerary', '{select: "*,department,tripStartUtc", filter: "segmentCount gt 0"}'],
  [
    'Invoice',
    '{select: "balanceAmount,totalAmount,payments,lineItems.ticketNumber", orderBy: "balanceAmount"}',
  ],
  ['Booking', '{filter: "customDataFields.Unheard eq null", unknownLabels: "null", select: "recordLocator"}'],
  ['Booking', '{filter: "recordLocator eq \'none\'"}'],
]

const plural = { Booking: 'Bookings', Invoice: 'Invoices', Itinerary: 'Itineraries' }

describe('scripts with any engine', () => {
  const started: { readonly service: Service; readonly runs: Runs }[] = []
  before(async () => {
    for (const { create } of engines) {
      const service = await startService({ extract, wrapEngine: create })
      const { query, snapshot } = openRecords(service.answering)()
      started.push({ service, runs: await openRuns({ query, snapshot }) })
    }
  })
  after(async () => {
    for (const { service, runs } of started) {
      await runs.close()
      await service.close()
    }
  })

  for (const [list, options] of questions) {
    it(`read the same with Each${list}(client, ${options}) and with Query${plural[list]}`, async () => {
      const answers = await Promise.all(
        started.map(async ({ runs }) => {
          const script = `
            var each = []
            foreach record in Each${list}("${harbour}", ${options}) do each.add(record) end
            Data._payload = {each: each, query: Query${plural[list]}("${harbour}", ${options}).${plural[list]}}`
          const { response, execution } = await runs.run(script)
          assert.equal(execution?.error ?? null, null)
          return JSON.parse(response.body ?? 'null')
        }),
      )
      for (const { each, query } of answers) {
        assert.deepEqual(each, query)
        assert.deepEqual(each, answers[0].each)
      }
    })
  }

  it('know the clients, and how many records they can read of each', async () => {
    for (const { runs } of started) {
      const clients = (await runs.answer('GetClients()')) as {
        clientNumber: string
        name: string
        bookings: number
        invoices: number
      }[]
      const numbers = clients.map(({ clientNumber }) => clientNumber)
      assert.deepEqual(numbers, [...numbers].sort())
      assert.ok(numbers.includes(harbour) && numbers.includes(limmat))
      for (const { clientNumber, name, bookings, invoices } of clients) {
        assert.ok(name.length > 0)
        const counts = `[QueryBookings("${clientNumber}").count, QueryInvoices("${clientNumber}").count]`
        assert.deepEqual(await runs.answer(counts), [bookings, invoices])
      }
    }
  })
})
