/** What scripts are answered by Query functions, held against what version 2 of the API answers to the same question. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { QueryRecords } from '../../src/automation/host/query-records.ts'
import { openRuns, type Runs } from '../../src/automation/testing/open-runs.ts'
import { answer } from '../../src/read/answer.ts'
import { openRecords } from '../../src/service/query-records.ts'
import { harbour, limmat, newcomer } from '../fixtures/fixture-extract.ts'
import { type Service, startService } from '../wire/start-service.ts'

let service: Service
let runs: Runs
before(async () => {
  service = await startService()
  const query: QueryRecords = async ({ list, clientNumber, parameters }, cancellation) => {
    const principal = { accountId: 'script', accountName: 'script', clientNumber }
    const question = { version: 2, list, principal, query: null, parameters: () => parameters } as const
    const { meta, execute } = await answer(question, service.answering)
    const result = await execute(cancellation)
    // Small, so that several are needed.
    return { count: result.count, meta: meta(result), chunks: () => result.chunks('json', 500) }
  }
  runs = await openRuns({ query })
})
after(async () => {
  await runs.close()
  await service.close()
})

const lists = [
  ['QueryBookings', 'bookings'],
  ['QueryInvoices', 'invoices'],
  ['QueryItineraries', 'itineraries'],
] as const

const options: readonly (readonly [options: string, address: string])[] = [
  ['', ''],
  ['{}', ''],
  [
    "{filter: \"customDataFields['Department'] ne 'Bridges'\"}",
    "?$filter=customDataFields['Department'] ne 'Bridges'",
  ],
  ['{orderBy: "clientNumber desc, recordLocator desc"}', '?$orderby=clientNumber desc, recordLocator desc'],
  ['{page: 2, pageSize: 2}', '?$page=2&$pageSize=2'],
  ['{filter: "recordLocator eq \'none\'", page: 1}', "?$filter=recordLocator eq 'none'&$page=1"],
  ['{pageSize: 100000}', '?$pageSize=100000'],
]

/** Other clients do not have the label, so a filter with it is refused. */
const optionsFor = (client: string) =>
  client !== harbour ? options.filter(([given]) => !given.includes('customDataFields')) : options

describe('Query functions', () => {
  for (const [name, list] of lists) {
    for (const client of [harbour, limmat, newcomer]) {
      it(`${name} answers of ${client} what version 2 answers`, async () => {
        const key = await service.keyOf(client)
        for (const [given, address] of optionsFor(client)) {
          const arguments_ = given === '' ? `"${client}"` : `"${client}", ${given}`
          const { response } = await runs.run(`Data._payload = ${name}(${arguments_})`)
          const expected = await service.request(`/api/v2/${list}${address.replaceAll(' ', '%20')}`, key)
          assert.equal(expected.status, 200, address)
          assert.deepEqual(JSON.parse(response.body ?? ''), await expected.json(), `${given} as ${address}`)
        }
      })
    }

    it(`${name} returns no records for an unknown client`, async () => {
      assert.deepEqual(await runs.answer(`${name}("C999")`), { clientNumber: 'C999', count: 0, [list]: [] })
    })
  }

  const refused: readonly (readonly [options: string, message: RegExp])[] = [
    ['{filter: "recordLocator xx 1"}', /^QueryBookings: Invalid \$filter at column 14: ./],
    ['{filter: ""}', /Invalid \$filter/],
    ['{filter: "noSuchField eq 1"}', /Invalid \$filter at column 0: .*noSuchField/],
    [
      '{filter: "bookingDate ge \'01/02/2026\'"}',
      /^QueryBookings: Invalid \$filter at column 15: Expected a date .*'2026-01-02' or '2026-02-01'\?/,
    ],
    [
      '{filter: "tripStartLocal ge \'2026-02-01T06:00+10:00\'"}',
      /^QueryBookings: Invalid \$filter at column 18: .* write the local time without the offset, as in '2026-02-01T06:00'/,
    ],
    [
      '{filter: "customDataFields.Departement eq null"}',
      /column 17: Unknown label 'Departement' in customDataFields; did you mean customDataFields\['Department'\]\?/,
    ],
    ['{orderBy: "noSuchField"}', /Invalid \$orderby at column 0/],
    ['{page: 0}', /Invalid \$page/],
    ['{page: 1.5}', /Invalid \$page/],
    ['{pageSize: -1}', /Invalid \$pageSize/],
    ['{page: 1, "$page": 2}', /Invalid \$page/],
  ]
  for (const [given, message] of refused) {
    it(`fail the script for ${given}`, async () => {
      const { execution } = await runs.run(`\nQueryBookings("${harbour}", ${given})`)
      assert.deepEqual([execution?.error?.code, execution?.error?.line], ['JM5920', 2])
      assert.match(execution?.error?.message ?? '', message)
    })
  }

  it('let a script take unknown labels as null, whatever the setting says', async (t) => {
    const own = await openRuns({ query: openRecords(service.answering)().query })
    t.after(own.close)
    const count = (options: string) =>
      own.answer(
        `QueryBookings("${harbour}", {filter: "customDataFields.Unheard ne null", ${options}}).count`,
      )
    assert.equal(await count('unknownLabels: "null"'), 0)
    const { execution } = await own.run(
      `QueryBookings("${harbour}", {filter: "customDataFields.Unheard eq 1"})`,
    )
    assert.match(execution?.error?.message ?? '', /Unknown label 'Unheard' in customDataFields/)
  })

  it('take filters and orders with additional fields, and return the records without them', async () => {
    const script = `
      var found = QueryInvoices("${harbour}", {filter: "any(payments, amount gt 100)", orderBy: "balanceAmount desc"})
      Data._payload = [found.count, found.invoices[0].balanceAmount]`
    const { response, execution } = await runs.run(script)
    assert.equal(response.body, '[1,null]', JSON.stringify(execution?.error))
  })

  it('lets a script make a report of what it found', async () => {
    const script = `
      var total = 0
      foreach invoice in QueryInvoices(Data.request.query.client, {filter: "any(lineItems, lineType eq 'FARE')"}).invoices do
        foreach line in invoice.lineItems do total = total + (line.lineAmountIncGst or 0) end
      end
      Data._payload = total > 0`
    const { response, execution } = await runs.run(script, { request: { query: { client: harbour } } })
    assert.equal(response.body, 'true', JSON.stringify(execution?.error))
  })
})

describe('Query functions that cost more than a request may', () => {
  const rows: readonly (readonly [filter: string, message: RegExp])[] = [
    [
      "contains(originatingAgency, 'a')",
      /^QueryBookings: Invalid \$filter at column 0: Expected a filter that looks at no more than 1 rows, found one that/,
    ],
    [
      "recordLocator gt 'A'",
      /^QueryBookings: The request was stopped: .* more than 1 rows \(requestRowsScanned\)/,
    ],
  ]
  for (const [filter, message] of rows) {
    it(`fail the script for ${filter}`, async (t) => {
      const limited = await startService({ budget: { rowsScanned: 1, cpuMs: Infinity } })
      t.after(limited.close)
      const own = await openRuns({ query: openRecords(limited.answering)().query })
      t.after(own.close)
      const { response, execution } = await own.run(`\nQueryBookings("${harbour}", {filter: "${filter}"})`)
      assert.equal(response.status, 500)
      assert.deepEqual([execution?.error?.code, execution?.error?.line], ['JM5920', 2])
      assert.match(execution?.error?.message ?? '', message)
    })
  }
})
