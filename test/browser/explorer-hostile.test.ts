/** Names and values that would do harm as markup, that run from right to left, or that are long or many: all of them are text. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { labelPath } from '../../console/src/explorer/fields/paths.ts'
import { runRefresh } from '../../src/ingest/cycle.ts'
import { type ExtractTables, rowsOf } from '../fixtures/extract-rows.ts'
import { fixtureExtract, harbour } from '../fixtures/fixture-extract.ts'
import { writeExtract } from '../fixtures/write-extract.ts'
import { assertAccessible, openSite, type Site } from './site.ts'

const client = 'C00001'
const markup = '<img src=x onerror=alert(1)>'
const rightToLeft = 'مركز "التكلفة"'
const long = 'Long name '.repeat(5).trim()
const plain = Array.from({ length: 5000 }, (_, index) => `Label ${index}`)
const labels = [markup, rightToLeft, long, ...plain]

const field = (label: string): string => `field_${labels.indexOf(label)}`
const [booking] = fixtureExtract.bookings.filter(({ client_number }) => client_number === harbour)

const tables: ExtractTables = {
  ...Object.fromEntries(Object.entries(fixtureExtract).map(([name]) => [name, []])),
  clients: rowsOf('clients', [{ client_number: client, name: 'Hostile' }]),
  custom_field_labels: rowsOf(
    'custom_field_labels',
    labels.map((label) => ({ client_number: client, field: field(label), label })),
  ),
  bookings: rowsOf('bookings', [
    { ...booking, client_number: client, record_locator: 'EVIL01', traveller: markup },
    { ...booking, client_number: client, record_locator: 'EVIL02' },
  ]),
  segments: rowsOf(
    'segments',
    ['EVIL01', 'EVIL01', 'EVIL01', 'EVIL01', 'EVIL02'].map((locator, index) => ({
      client_number: client,
      record_locator: locator,
      segment_number: String(index),
      segment_type: 'RAIL',
      // Without the ways back, so that the same line stands between any two of them.
      ...{
        origin: 'SYD',
        destination: 'MEL',
        start_local: '2026-03-01T08:00',
        end_local: '2026-03-01T09:00',
      },
    })),
  ),
  booking_custom_data: rowsOf(
    'booking_custom_data',
    labels.map((label) => ({
      client_number: client,
      record_locator: 'EVIL01',
      field: field(label),
      value: label === rightToLeft ? rightToLeft : `</td><script>alert("${label.slice(0, 20)}")</script>`,
    })),
  ),
} as ExtractTables

async function publish(dataFolder: string, source: string): Promise<void> {
  await writeExtract(source, tables, 'csv')
  await runRefresh({
    ...{ source, dataFolder, maxRejectShare: 0, retainSnapshots: 3, databaseThreads: 1 },
    labelsPerClient: labels.length,
    observe: () => undefined,
  })
}

let site: Site

before(async () => {
  site = await openSite({ prepare: publish })
})
after(() => site.close())

describe('hostile data', () => {
  it('is text in the table, the record, the columns and the filter', async (t) => {
    const columns = ['traveller', ...[markup, rightToLeft, long].map(labelPath)].join(',')
    const filter = `${labelPath(markup)} ne null`
    const page = await site.explore(
      t,
      `/bookings?${new URLSearchParams({ columns, filter, record: 'EVIL01' })}`,
    )
    const grid = page.getByRole('grid')
    await grid.getByRole('columnheader', { name: markup }).waitFor()
    await grid.getByRole('gridcell', { name: rightToLeft }).waitFor()
    const panel = page.getByRole('complementary', { name: 'Booking' })
    await panel.getByText('Label 4999', { exact: true }).waitFor()
    await panel.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: 'Conditions' }).click()
    await page
      .getByRole('combobox', { name: 'Field' })
      .and(page.locator(`[value="${markup}"]`))
      .waitFor()
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('textbox', { name: 'Find a field or label' }).fill('label 4321')
    await page.getByRole('button', { name: 'Show Label 4321' }).click()
    await page.getByRole('button', { name: 'Close' }).last().click()
    await grid.getByRole('columnheader', { name: 'Label 4321' }).waitFor()
    await assertAccessible(page)
    assert.equal(await page.locator('img, td script, dd script').count(), 0)
  })

  it('leaves nothing of one itinerary in the timeline of the next', async (t) => {
    const page = await site.explore(t, '/itineraries?orderby=recordLocator&record=EVIL01')
    const panel = page.getByRole('complementary', { name: 'Itinerary' })
    const lines = panel.getByText('No segment from MEL to SYD')
    await lines.first().waitFor()
    assert.equal(await lines.count(), 3)
    await panel.getByRole('button', { name: 'Next' }).click()
    await panel.getByRole('heading', { name: 'Itinerary EVIL02' }).waitFor()
    await panel.locator('[aria-busy=false]').waitFor()
    assert.equal(await lines.count(), 0)
  })
})
