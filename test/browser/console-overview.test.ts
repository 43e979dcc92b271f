/** The first page of the console, its charts, and the settings of the service. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, describe, it } from 'node:test'
import { openControlStore } from '../../src/directory/open-stores.ts'
import { publishDemo } from '../fixtures/published-extract.ts'
import { openSite, type Site } from './site.ts'

let site: Site

before(async () => {
  site = await openSite({
    prepare: async (data, source) => {
      await publishDemo({ data, source }, { clients: 2, bookings: 300 })
      await recordRequests(data)
    },
  })
})
after(() => site.close())

/**
 * Today 12 of an account that ends soon. An hour ago: 40 requests, 3 of them refused, 2 failed, slower than any
 * that the pages themselves send, which count as soon as a minute is over.
 */
async function recordRequests(data: string): Promise<void> {
  const store = await openControlStore(data)
  const minute = `${new Date(Date.now() - 3_600_000).toISOString().slice(0, 17)}00.000Z`
  const v2 = { buckets: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 40, 0], failures: 2, refusals: 3 }
  await store.requestMinutes.record('test', [{ minute, counts: { v2 } }], new Date())
  const { account } = await store.accounts.create(
    { clientNumber: 'C00002', name: 'Ends', expiresAt: inAWeek() },
    'test',
  )
  for (let i = 0; i < 12; i++) store.accounts.noteAnswer(account.id, 1000, '192.0.2.1')
  await store.close()
}

/** The tests know no types of a browser. */
type Tile = { readonly getBoundingClientRect: () => { readonly top: number } }

const inAWeek = (): string => new Date(Date.now() + 7 * 86_400_000).toISOString()

describe('The overview', () => {
  it('shows the figures of the last day, as tiles, charts, tables and files', async (t) => {
    const page = await site.operate(t, '/?family=v2')
    await page.getByText('300 bookings of 2 clients').waitFor()
    await page.getByText('3 refused').waitFor()
    await page.getByText(/^[1-5](\.\d+)?% of all requests$/).waitFor()
    const title = 'Requests per quarter of an hour'
    await page.getByRole('img', { name: title }).waitFor()
    const save = async (name: string) => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name }).click(),
      ])
      return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) }
    }
    const picture = await save(`Save ${title} as a picture (PNG)`)
    assert.equal(picture.name, 'requests-per-quarter-of-an-hour.png')
    assert.equal(picture.bytes.toString('latin1', 1, 4), 'PNG')
    const csv = await save(`Save ${title} as CSV`)
    const lines = csv.bytes.toString().trimEnd().split('\r\n')
    assert.equal(lines[0], 'From,Answered,Refused (4xx),Failed (5xx)')
    assert.equal(lines.length, 97)
    assert.equal(lines.filter((line) => line.endsWith(',35,3,2')).length, 1)
    await page.getByRole('button', { name: `Show ${title} as a table` }).click()
    await page.getByRole('row', { name: /35 3 2$/ }).waitFor()
  })

  it('has its figures in rows without one that stands alone, and shows the latency of the family that it names', async (t) => {
    const page = await site.operate(t)
    await page.getByText('Version 2, the slowest in 24 h').waitFor()
    for (const [width, columns] of [
      [1280, 6],
      [1200, 3],
      [1024, 3],
      [600, 3],
      [360, 2],
    ] as const) {
      await page.setViewportSize({ width, height: 800 })
      const tops = await page
        .locator('dl > div')
        .evaluateAll((tiles) =>
          tiles.map((tile) => Math.round((tile as unknown as Tile).getBoundingClientRect().top)),
        )
      const rows = Map.groupBy(tops, (top) => top)
      assert.deepEqual([...new Set([...rows.values()].map(({ length }) => length))], [columns], `${width}`)
    }
    await page.getByRole('link', { name: 'Latency (p95)' }).click()
    await page.waitForURL(/family=v2/)
    assert.equal(await page.getByLabel('Which requests').inputValue(), 'v2')
  })

  it('leads to what needs attention', async (t) => {
    const page = await site.operate(t)
    await page.getByText('Accounts that expire within 30 days').waitFor()
    await page.getByRole('link', { name: 'Ends' }).click()
    await page.getByRole('heading', { name: 'Ends' }).waitFor()
    await page.getByText('Expires soon').waitFor()
    await page.getByText('12 requests and 12 kB in 30 days').waitFor()
    await page.getByRole('button', { name: 'Show Requests per day as a table' }).click()
    assert.equal(await page.getByRole('table', { name: 'Requests per day' }).getByRole('row').count(), 31)
    await page.getByRole('row', { name: /\d{4} 12$/ }).waitFor()
    await page.getByText('This account has no webhooks.').waitFor()
  })
})

it('The settings are shown with their source, without secrets, and are searched', async (t) => {
  const page = await site.operate(t, '/system', { role: 'viewer' })
  await page.getByLabel('Search name, value or source').fill('scriptThreads')
  await page.getByRole('row', { name: 'scriptThreads 1 Environment TRIPFOLIO_SCRIPT_THREADS' }).waitFor()
  await page.getByText(/^Shown: 1 of \d+\.$/).waitFor()
  await page.getByLabel('Search name, value or source').fill('jwtSecret')
  await page.getByRole('row', { name: /^jwtSecret \(not set\)/ }).waitFor()
})
