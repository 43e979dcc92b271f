/**
 * The explorer and the console on the demo, in Chromium: what loads first, and how long a person waits. Each visit begins with
 * an empty cache, because that is how everybody comes first.
 */
import { loadavg } from 'node:os'
import type { Browser, Page } from 'playwright-core'
import { firstFiles, firstLoadBytes, type WebPage } from '../../console/build/first-load.ts'
import { launchChromium } from '../../test/browser/launch-chromium.ts'
import { runTripfolio, startTripfolio } from '../contenders/tripfolio.ts'
import { prepareDataset, type Size } from '../dataset.ts'
import { median, percentile } from '../statistics.ts'
import { judge, judgementCells } from '../target.ts'
import type { Bench, Row, WorkloadResult } from '../workload.ts'

/** What the first start of the service makes. */
const demo: Size = { clients: 6, bookings: 5000, seed: 1 }

const limitsKiB: Readonly<Record<WebPage, number>> = { explore: 250, console: 300 }

/** Visits for each repeat of the pace. */
const VISITS = 4

export async function web({ pace }: Bench): Promise<WorkloadResult> {
  const dataset = await prepareDataset(demo)
  const issued = await runTripfolio(['token', 'issue', '--role', 'admin', '--data', dataset.folder])
  const [before = 0] = loadavg()
  const tripfolio = await startTripfolio(dataset)
  const browser = await launchChromium()
  try {
    const visits = VISITS * pace.repeats
    const times = [
      ...(await visitsOf(visits, browser, `${tripfolio.address}/explore`, (page) =>
        visitExplorer(page, dataset.large.apiKey),
      )),
      ...(await visitsOf(visits, browser, `${tripfolio.address}/console`, (page) =>
        visitConsole(page, issued.trim()),
      )),
    ]
    const [after = 0] = loadavg()
    return {
      what: `The explorer and the console in Chromium ${browser.version()}, a demo of ${demo.bookings} bookings, of which the client has ${dataset.large.bookings}; ${visits} visits of each, every one with an empty cache`,
      tables: [
        { title: 'First load, compressed with Brotli', rows: (['explore', 'console'] as const).map(sizeRow) },
        { title: 'What a person waits', rows: times.map(timeRow) },
      ],
      notes: [
        `Processes that wanted to run on the machine, as an average over a minute: ${before.toFixed(1)} before and ${after.toFixed(1)} after. With more of them than cores, the times are longer than on a machine of one's own.`,
      ],
    }
  } finally {
    await browser.close()
    await tripfolio.stop()
  }
}

function sizeRow(page: WebPage): Row {
  const kib = firstLoadBytes(page) / 1024
  return {
    page: `/${page}`,
    files: firstFiles(page).length,
    KiB: kib.toFixed(1),
    ...judgementCells([judge({ atMost: limitsKiB[page] }, kib, 'KiB')]),
  }
}

type Times = { readonly step: string; readonly milliseconds: readonly number[]; readonly mostMs?: number }

const timeRow = ({ step, milliseconds, mostMs }: Times): Row => ({
  step,
  'median ms': Math.round(median(milliseconds)),
  'p90 ms': Math.round(percentile(milliseconds, 0.9)),
  ...(mostMs !== undefined && judgementCells([judge({ atMost: mostMs }, median(milliseconds), 'ms')])),
})

/** The milliseconds of each step, by its name. */
type Visit = Readonly<Record<string, number>>

/** The limit of each step that has one. */
const mostMs: Readonly<Record<string, number>> = { 'explorer: from signing in to the first bookings': 1000 }

async function visitsOf(
  count: number,
  browser: Browser,
  address: string,
  visit: (page: Page) => Promise<Visit>,
): Promise<readonly Times[]> {
  const visits: Visit[] = []
  for (let i = 0; i < count; i++) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
    const page = await context.newPage()
    const form = await timed(async () => {
      await page.goto(address, { waitUntil: 'commit' })
      await page.getByRole('button', { name: 'Sign in' }).waitFor()
    })
    const name = address.endsWith('/explore') ? 'explorer' : 'console'
    visits.push({ [`${name}: from the address to the form`]: form, ...(await visit(page)) })
    await context.close()
  }
  const steps = Object.keys(visits[0] ?? {})
  return steps.map((step) => ({
    step,
    milliseconds: visits.map((one) => one[step] ?? Number.NaN),
    ...(mostMs[step] !== undefined && { mostMs: mostMs[step] }),
  }))
}

async function visitExplorer(page: Page, key: string): Promise<Visit> {
  await page.getByLabel('API key', { exact: true }).fill(key)
  const rows = (list: string) =>
    page.getByRole('grid', { name: list }).getByRole('gridcell').first().waitFor()
  const open = (list: string) =>
    timed(async () => {
      await page.getByRole('link', { name: list }).click()
      await rows(list)
    })
  return {
    'explorer: from signing in to the first bookings': await timed(async () => {
      await page.getByRole('button', { name: 'Sign in' }).click()
      await rows('Bookings')
    }),
    'explorer: to the itineraries': await open('Itineraries'),
    'explorer: back to the bookings': await open('Bookings'),
  }
}

async function visitConsole(page: Page, token: string): Promise<Visit> {
  await page.getByLabel('Token', { exact: true }).fill(token)
  const open = (name: string) =>
    timed(async () => {
      await page.getByRole('link', { name, exact: true }).click()
      await page.getByRole('table').getByRole('row').nth(1).waitFor()
    })
  return {
    'console: from signing in to the overview': await timed(async () => {
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    }),
    'console: to the accounts': await open('Accounts'),
    'console: to the audit trail': await open('Audit'),
    'console: back to the accounts': await open('Accounts'),
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}
