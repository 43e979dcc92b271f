/** The worked mapping of docs/how-to/extract.md, taken from the page and run. */
import assert from 'node:assert/strict'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { checkExtract } from '../../src/ingest/check/check-extract.ts'
import { type Folders, makeFolders, publishedRecords, refresh, rejectsIn } from './ingest-fixture.ts'

const page = await readFile(join(import.meta.dirname, '../../docs/how-to/extract.md'), 'utf8')
const section = page.slice(page.indexOf('### A worked mapping'), page.indexOf('## Custom data'))

const unindented = (block: string): string => block.replace(/^ {4}/gm, '').trimEnd()

/** The files of the page by name. */
const files = [...section.matchAll(/^`(\w+\.csv)`:\n\n((?: {4}.+\n)+)/gm)].map(
  ([, name = '', block = '']) => [name, `${unindented(block)}\n`] as const,
)
const mapping = unindented(
  /^This `tripfolio\.sql`.*:\n\n((?: {4}.*\n|\n(?= {4}))+)/m.exec(section)?.[1] ?? '',
)

async function writeFiles(
  { source }: Folders,
  change: (text: string) => string = (text) => text,
): Promise<void> {
  await mkdir(source, { recursive: true })
  for (const [name, text] of files) await writeFile(join(source, name), Buffer.from(change(text), 'latin1'))
  await writeFile(join(source, 'tripfolio.sql'), mapping)
}

const recordsOf = async ({ data }: Folders, client: string, list: 'itineraries' | 'invoices') =>
  (await publishedRecords(data, client, list)).map((text) => JSON.parse(text))

describe('the worked mapping of the page about extracts', () => {
  it('reads its files: other names, semicolons, Latin-1, dates with slashes, Y and N, decimal commas, and parts', async (t) => {
    const folders = await makeFolders(t)
    await writeFiles(folders)
    assert.equal(files.length, 8)
    assert.equal((await checkExtract({ source: folders.source, maxRejectShare: 0 })).fits, true)
    const { rejects, tables } = await refresh(folders, { maxRejectShare: 0 })
    assert.deepEqual([rejects, tables.find(({ table }) => table === 'bookings')?.rows], [0, 3])
    const bookings = await recordsOf(folders, 'C100', 'itineraries')
    assert.partialDeepStrictEqual(
      bookings.find(({ recordLocator }) => recordLocator === 'ABC123'),
      {
        originatingAgency: 'Zürich HB',
        bookingDate: '2026-01-15',
        modifiedAt: '2026-01-16T09:30',
        isTicketed: true,
        tripEndLocal: '2026-02-09T21:15',
        customDataFields: { Abteilung: 'Einkauf', Projekt: 'Brücke' },
        segments: [{ segmentNumber: 1, startLocal: '2026-02-01T06:00', origin: 'ZRH' }, { segmentNumber: 2 }],
      },
    )
    assert.equal(bookings.find(({ recordLocator }) => recordLocator === 'DEF456').isTicketed, false)
    const [invoice] = await recordsOf(folders, 'C100', 'invoices')
    assert.partialDeepStrictEqual(invoice, {
      invoiceDate: '2026-01-16',
      obtSource: null,
      lineItems: [
        { description: 'Flug Zürich-Wien', lineAmountIncGst: 378.35, gstPercent: 8.1 },
        { unitPrice: 25.5 },
      ],
    })
    assert.equal((await recordsOf(folders, 'C200', 'itineraries')).length, 1)
  })

  it('sets a row with another date aside, and shows the date', async (t) => {
    const folders = await makeFolders(t)
    await writeFiles(folders, (text) => text.replace(';02/02/2026;', ';Monday;'))
    const { snapshot } = await refresh(folders, { maxRejectShare: 0.5 })
    const [reject] = await rejectsIn(join(folders.data, 'snapshots', snapshot))
    assert.partialDeepStrictEqual(reject, { field: 'booking_date', rule: 'type.date', value: 'Monday' })
  })
})
