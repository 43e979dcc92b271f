/**
 * What other programs make of CSV: spreadsheets calculate no text, and no record is an empty line, which readers leave out. In
 * every list, with one column and with all, in groups and in changes.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type ExtractTables, rowsOf } from '../fixtures/extract-rows.ts'
import { fixtureExtract, harbour } from '../fixtures/fixture-extract.ts'
import { type FileReader, openFileReader } from '../property/read-formats.ts'
import { type Service, startService } from './start-service.ts'

const [template] = fixtureExtract.bookings.filter(({ client_number }) => client_number === harbour)

const formulas = ['\t=1+1', '\n=1+1', '=1+1', ' \u00a0-1', '\u3000+1', '＝1+1', '\t \n@x']
const texts = [...formulas, 'a=b', ' x', null]

const extract: ExtractTables = {
  ...fixtureExtract,
  custom_field_labels: rowsOf('custom_field_labels', [
    { client_number: harbour, field: 'traveller', label: 'Who' },
  ]),
  bookings: texts.map((traveller, i) => ({
    ...(template as NonNullable<typeof template>),
    record_locator: `R${i}`,
    traveller,
  })),
  booking_custom_data: [],
  travellers: [],
  segments: [],
  invoices: [],
  invoice_lines: [],
  payments: [],
}

describe('CSV', () => {
  let service: Service
  let key: string
  let reader: FileReader
  before(async () => {
    service = await startService({ extract })
    key = await service.keyOf(harbour)
    reader = await openFileReader()
  })
  after(async () => {
    await reader.close()
    await service.close()
  })

  const csvOf = async (path: string): Promise<string> => {
    const response = await service.request(`/api/v2/${path}&format=csv`, key)
    assert.equal(response.status, 200, await response.clone().text())
    return response.text()
  }

  const places: readonly (readonly [path: string, name: string, records: number])[] = [
    ['bookings?select=traveller', 'traveller', 10],
    ["bookings?select=customDataFields['Who']", 'customDataFields.Who', 10],
    ['bookings?select=customDataFields', 'customDataFields.Who', 10],
    ['bookings?page=1', 'customDataFields.Who', 10],
    ['itineraries?page=1', 'customDataFields.Who', 10],
    ['bookings?apply=groupby((traveller))', 'traveller', 10],
    ["bookings?apply=groupby((customDataFields['Who'] as who))", 'who', 10],
    ['bookings/changes?pageSize=500', 'customDataFields.Who', 10],
  ]
  for (const [path, name, records] of places) {
    it(`has no formula and a line for each record: ${path}`, async () => {
      const [header = [], ...rows] = await reader.csv(Buffer.from(await csvOf(path)))
      assert.equal(rows.length, records)
      const found = rows.map((row) => row[header.indexOf(name)] ?? '')
      assert.deepEqual(found.toSorted(), [...formulas.map((text) => `'${text}`), 'a=b', ' x', ''].toSorted())
    })
  }

  it('has the only null of a line in quotes', async () => {
    for (const path of ['select=traveller', 'apply=groupby((traveller))'])
      assert.match(await csvOf(`bookings?filter=traveller eq null&${path}`), /^traveller\r\n""\r\n$/)
    const least = 'aggregate(totalAmount with min as least)'
    assert.match(await csvOf(`invoices?apply=${least}`), /^least\r\n""\r\n$/)
  })
})
