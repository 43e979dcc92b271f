/** Messages show what a file has: epochs, sums of doubles and malformed lines as they are, and what would help. */
import assert from 'node:assert/strict'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { gzipSync } from 'node:zlib'
import { checkExtract } from '../../src/ingest/check/check-extract.ts'
import type { Reject } from '../../src/ingest/reject-log.ts'
import { fixtureExtract, harbour } from '../fixtures/fixture-extract.ts'
import { writeExtract } from '../fixtures/write-extract.ts'
import { makeFolders, overwrite, publishedRecords, refresh, rejectsIn } from './ingest-fixture.ts'

const booking = fixtureExtract.bookings[0]
const line = fixtureExtract.invoice_lines[0]

/** A row as a line of JSON, with members that are written as they are given. */
function jsonOf(row: object | undefined, members: Readonly<Record<string, string>>): string {
  const written = Object.entries({ ...row, ...members }).map(
    ([name, value]) => `${JSON.stringify(name)}: ${members[name] ?? JSON.stringify(value)}`,
  )
  return `{${written.join(', ')}}\n`
}

describe('a message', () => {
  const made = async (t: TestContext, table: 'bookings' | 'invoice_lines' | 'payments', content: string) => {
    const folders = await makeFolders(t)
    await writeExtract(folders.source, fixtureExtract, 'csv')
    await rm(join(folders.source, `${table}.csv`))
    await overwrite(folders.source, { [`${table}.ndjson`]: content })
    const { snapshot } = await refresh(folders, { maxRejectShare: 1 })
    const rejects = await rejectsIn(join(folders.data, 'snapshots', snapshot))
    const { tables, mapping } = await checkExtract({ source: folders.source, maxRejectShare: 0 })
    const check = tables.find((each) => each.table === table)
    return { folders, rejects: rejects.filter((each) => each.table === table), check, mapping }
  }
  const shown = (rejects: readonly Reject[]) => rejects.map(({ field, value }) => [field, value])

  it('shows epochs, whose drafted casts read them', async (t) => {
    const epochs = jsonOf(booking, { booking_date: '1772409600000', modified_at: '1772442000' })
    const { folders, rejects, check, mapping } = await made(t, 'bookings', epochs)
    assert.deepEqual(shown(rejects), [
      ['booking_date', '1772409600000'],
      ['modified_at', '1772442000'],
    ])
    assert.match(rejects[0]?.message ?? '', /found '1772409600000'/)
    assert.deepEqual(
      check?.values.map(({ examples }) => examples[0]),
      ['1772409600000', '1772442000'],
    )
    await overwrite(folders.source, { 'tripfolio.sql': mapping ?? '' })
    await refresh(folders, { maxRejectShare: 1 })
    const [record = '{}'] = await publishedRecords(folders.data, harbour, 'bookings')
    assert.partialDeepStrictEqual(JSON.parse(record), {
      bookingDate: '2026-03-02',
      modifiedAt: '2026-03-02T09:00',
    })
  })

  it('shows the noise of doubles, which the drafted cast rounds', async (t) => {
    const noise = jsonOf(line, {
      line_amount_inc_gst: '0.30000000000000004',
      unit_price: '5.551115123125783e-17',
    })
    const { folders, rejects, mapping } = await made(t, 'invoice_lines', noise)
    assert.deepEqual(shown(rejects), [
      ['unit_price', '5.551115123125783e-17'],
      ['line_amount_inc_gst', '0.30000000000000004'],
    ])
    assert.match(rejects[1]?.message ?? '', /found '0.30000000000000004'/)
    await overwrite(folders.source, { 'tripfolio.sql': mapping ?? '' })
    const { tables } = await refresh(folders, { maxRejectShare: 1 })
    assert.equal(tables.find(({ table }) => table === 'invoice_lines')?.rejects, 0)
    const invoices = (await publishedRecords(folders.data, harbour, 'invoices')).join()
    assert.match(invoices, /"unitPrice":0,.*"lineAmountIncGst":0.3,/)
  })

  it('shows them in payments, too, but no card number there', async (t) => {
    const [payment] = fixtureExtract.payments
    const lines = [
      jsonOf(payment, { amount: '0.30000000000000004', received_date: '1772409600000' }),
      jsonOf(payment, { amount: '"4111111111111111"', received_date: '4111111111111111' }),
    ]
    const { rejects } = await made(t, 'payments', lines.join(''))
    assert.deepEqual(shown(rejects), [
      ['received_date', '1772409600000'],
      ['amount', '0.30000000000000004'],
      ['received_date', '************1111'],
      ['amount', '************1111'],
    ])
  })

  it('shows keys of many digits that are no card numbers', async (t) => {
    const { rejects } = await made(
      t,
      'invoice_lines',
      jsonOf(line, { invoice_number: '"1000000000000003"', line_number: '"x"' }),
    )
    assert.equal(rejects[0]?.key?.invoice_number, '1000000000000003')
  })

  it('quotes malformed lines as they were, and names what is no number', async (t) => {
    const lines = [
      jsonOf(line, { quantity: 'NaN', line_number: '7' }),
      jsonOf(line, { quantity: '-Infinity', description: '"NaN"' }),
      jsonOf(line, { quantity: '007', description: '"NaN"' }),
      jsonOf(line, { quantity: '0x10' }),
      jsonOf(line, { quantity: '{"n":\t1}' }),
      '{"company":\n',
      jsonOf(line, {}),
    ]
    const { folders, rejects, check } = await made(t, 'invoice_lines', lines.join(''))
    const value = (text: string) => (text.length > 200 ? `${text.slice(0, 199)}…` : text)
    const plain = 'expected a row, but the line is not a JSON object of plain values'
    const noNumber = (found: string) =>
      `expected a row, but the line is not JSON: ${found} is no number of JSON. Export null instead`
    assert.deepEqual(
      rejects.map((each) => [each.row, each.rule, each.value, each.message]),
      [noNumber('NaN'), noNumber('-Infinity'), plain, plain, plain, plain].map((message, at) => [
        at + 1,
        'line.malformed',
        value(lines[at]?.trim() ?? ''),
        message,
      ]),
    )
    assert.match(
      check?.faults.join() ?? '',
      /6 lines are malformed \(invoice_lines.ndjson, row 1: .*NaN is no number/,
    )
    // The same from an array that is compressed.
    await rm(join(folders.source, 'invoice_lines.ndjson'))
    const array = `[${lines
      .filter((_, at) => at !== 5)
      .map((text) => text.trim())
      .join(',\n')}]`
    await overwrite(folders.source, { 'invoice_lines.json.gz': gzipSync(array) })
    const { snapshot } = await refresh(folders, { maxRejectShare: 1 })
    const again = await readFile(join(folders.data, 'snapshots', snapshot, 'rejects.ndjson'), 'utf8')
    assert.equal(again.match(/"line.malformed"/g)?.length, 5)
    assert.ok(again.includes(JSON.stringify(value(lines[3]?.trim() ?? ''))), again)
  })

  it('names NaN when no line of a file is JSON, and misses no columns then', async (t) => {
    const { check } = await made(t, 'invoice_lines', jsonOf(line, { quantity: 'NaN' }))
    assert.deepEqual(check?.missing, [])
    assert.match(check?.faults.join() ?? '', /1 line is malformed \(.*row 1: .*NaN is no number of JSON/)
  })
})
