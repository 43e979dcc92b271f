import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { callCli } from './testing/call-cli.ts'

const DAY_MS = 86_400_000

let root: string
before(() => {
  root = mkdtempSync(join(tmpdir(), 'tripfolio-demo-'))
})
after(() => rmSync(root, { recursive: true }))

/** The bookings of a small demo, as text. */
async function bookingsOf(name: string, ...args: readonly string[]): Promise<string> {
  const out = join(root, name)
  const { code, stderr } = await callCli([
    'demo',
    '--out',
    out,
    '--clients',
    '1',
    '--bookings',
    '400',
    ...args,
  ])
  assert.deepEqual([code, stderr], [0, ''])
  return readFileSync(join(out, 'bookings.csv'), 'utf8')
}

const bookingDates = (bookings: string): readonly number[] =>
  bookings
    .split('\n')
    .slice(1, -1)
    .map((line) => Date.parse(/,(\d{4}-\d\d-\d\d),/.exec(line)?.[1] ?? ''))

describe('tripfolio demo', () => {
  it('writes bookings of the days before today, until lately', async () => {
    const last = Math.max(...bookingDates(await bookingsOf('today')))
    assert.ok(last < Date.now() && last > Date.now() - 31 * DAY_MS, new Date(last).toISOString())
  })

  it('takes another day for today, and writes the same whenever it is called', async () => {
    const first = await bookingsOf('first', '--today', '2026-01-01')
    assert.equal(await bookingsOf('again', '--today', '2026-01-01'), first)
    assert.notEqual(await bookingsOf('later', '--today', '2026-01-02'), first)
    assert.ok(bookingDates(first).every((date) => date < Date.parse('2026-01-01')))
  })
})
