/** What changed since a day, as a client looks at it: a first snapshot of twenty days ago, and a second one of now. */
import assert from 'node:assert/strict'
import { readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { runRefresh } from '../../src/ingest/cycle.ts'
import { publishDemo } from '../fixtures/published-extract.ts'
import { assertAccessible, openSite, type Site } from './site.ts'

let site: Site

before(async () => {
  site = await openSite({ prepare: prepareTwoSnapshots })
})
after(() => site.close())

const DAY_MS = 86_400_000

const noteFolder = (data: string): string => join(data, 'changes', 'successions')

/** The moment of a note is the first part of its name. */
async function dateNote(data: string, place: number, at: Date): Promise<void> {
  const names = (await readdir(noteFolder(data))).sort()
  const [, ...rest] = String(names[place]).split('.')
  const moment = at.toISOString().replace(/[-:.]/g, '')
  await rename(
    join(noteFolder(data), String(names[place])),
    join(noteFolder(data), [moment, ...rest].join('.')),
  )
}

/** One booking of the client changes, one comes, and one goes. */
async function prepareTwoSnapshots(data: string, source: string): Promise<void> {
  await publishDemo({ data, source }, { clients: 2, bookings: 300 })
  await dateNote(data, 0, new Date(Date.now() - 20 * DAY_MS))
  const file = join(source, 'bookings.csv')
  const [header = '', ...lines] = (await readFile(file, 'utf8')).split('\n')
  const locatorAt = header.split(',').indexOf('record_locator')
  const own = lines.filter((line) => line.startsWith('C00001,'))
  const [changed = '', removed = ''] = own
  const locator = String(changed.split(',')[locatorAt])
  const kept = lines.filter((line) => line !== removed)
  const changedLine = changed.replace(
    /,(true|false|1|0),/,
    (_, is) => `,${{ true: 'false', false: 'true', 1: '0', 0: '1' }[is as string]},`,
  )
  assert.notEqual(changedLine, changed)
  const rows = kept.map((line) => (line === changed ? changedLine : line))
  await writeFile(file, [header, changed.replace(locator, 'NEW001'), ...rows].join('\n'))
  await runRefresh({
    source,
    dataFolder: data,
    maxRejectShare: 0.05,
    retainSnapshots: 3,
    databaseThreads: 1,
    observe: () => undefined,
  })
}

describe('What changed in the explorer', () => {
  it('is told since a day, with what was added, changed and removed, and can be downloaded', async (t) => {
    const page = await site.explore(t, '/changes')
    await page.getByRole('button', { name: 'Last 7 days' }).click()
    await page.getByText('1 added, 1 changed, 1 removed').waitFor()
    await page.getByText(/^Since \d/).waitFor()
    const table = page.getByRole('table', { name: 'What changed' })
    assert.equal(await table.getByRole('row').count(), 4)
    await table.getByRole('link', { name: 'NEW001' }).waitFor()
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download as CSV' }).click()
    const text = await readFile(await (await saved).path(), 'utf8')
    assert.match(text, /^change,recordLocator\r\n(.*\r\n){3}$/)
    assert.match(text, /added,NEW001\r\n/)
    await assertAccessible(page)

    // A day of choice, here from before the first snapshot: then everything was added.
    await page.getByLabel('Day', { exact: true }).fill('2020-02-29')
    await page.getByRole('button', { name: 'Show the changes' }).click()
    await page.getByText(/^\d+ added, 0 changed, 0 removed$/).waitFor()
    await page.getByRole('radiogroup', { name: 'Records' }).getByText('Invoices').click()
    await page.getByRole('button', { name: 'Since yesterday' }).click()
    await page.getByText(/^(\d+ added, |Nothing has changed since)/).waitFor()
  })

  it('of a day that is too old says so, names the oldest moment, and offers it', async (t) => {
    const page = await site.explore(t, '/changes')
    const [first = ''] = (await readdir(noteFolder(site.data))).sort()
    const away = first.replace('.none.', '.lost.')
    await rename(join(noteFolder(site.data), first), join(noteFolder(site.data), away))
    t.after(() => rename(join(noteFolder(site.data), away), join(noteFolder(site.data), first)))
    await page.getByRole('button', { name: 'Last 30 days' }).click()
    await page
      .getByText(/does not know any more what changed since .* The oldest moment that can be asked is \d/)
      .waitFor()
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Show the changes since then' }).click()
    await page.getByText('1 added, 1 changed, 1 removed').waitFor()
  })

  it('without a day is not asked', async (t) => {
    const page = await site.explore(t, '/changes')
    await page.getByLabel('Day', { exact: true }).fill('')
    await page.getByRole('button', { name: 'Show the changes' }).click()
    assert.equal(await page.locator('input[type=date]:invalid').count(), 1)
    assert.equal(await page.getByRole('status').count(), 0)
  })
})
