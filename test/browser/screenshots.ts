/**
 * `npm run screenshots` writes every page in both themes and two widths to console/screenshots, which Git ignores. Names of
 * pages as arguments choose some. `npm run screenshots -- --pictures` takes the pictures of the documents instead.
 */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { sharedChromium } from './chromium.ts'
import { prepareFurnished } from './furnish.ts'
import { closePart, type KnownPage, openPart, pages, realPath } from './pages.ts'
import { pictures } from './pictures.ts'
import { goTo, openSite } from './site.ts'

const root = join(import.meta.dirname, '../..')
const chosen = process.argv.slice(2)

const site = await openSite({ prepare: prepareFurnished })
try {
  if (chosen.includes('--pictures')) await takePictures(join(root, 'docs/pictures'))
  else await takeAll(join(root, 'console/screenshots'))
} finally {
  await site.close()
  await (await sharedChromium()).close()
}

async function takeAll(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  const looked = pages.filter(({ name }) => chosen.length === 0 || chosen.includes(name))
  await whileLooking(looked, async (page, { app, name, width: only }) => {
    for (const theme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: theme })
      for (const width of only === undefined ? [1280, 360] : [only]) {
        await page.setViewportSize({ width, height: 800 })
        await settled(page)
        await page.screenshot({ path: join(folder, `${app}-${name}-${theme}-${width}.png`) })
      }
    }
  })
}

async function takePictures(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  const looked = Object.entries(pictures).map(([name, page]) => ({ ...page, name }))
  await whileLooking(looked, async (page, { name, path, height = 675, first }) => {
    await page.setViewportSize({ width: 1200, height })
    await goTo(page, await realPath(site, path))
    await first?.(page)
    await settled(page)
    await page.screenshot({ path: join(folder, `${name}.png`) })
  })
}

/** Charts are drawn when their size is known, and what a page asks for last comes after its heading. */
async function settled(page: Page): Promise<void> {
  const frames = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))'
  await page.mouse.move(0, 0)
  await page.evaluate(frames)
  await page.waitForTimeout(600)
  await page.evaluate(frames)
}

/** Opens one page after the other, signed in once for each application. */
async function whileLooking<Known extends KnownPage>(
  looked: readonly Known[],
  look: (page: Page, known: Known) => Promise<void>,
): Promise<void> {
  for (const app of ['explore', 'console'] as const) {
    const ofApp = looked.filter((one) => one.app === app)
    if (ofApp.length === 0) continue
    await withoutTest(async (run) => {
      const page = app === 'explore' ? await site.explore(run) : await site.operate(run)
      for (const known of ofApp) {
        await page.emulateMedia({ colorScheme: 'light' })
        await page.setViewportSize({ width: known.width ?? 1280, height: 800 })
        await goTo(page, await realPath(site, known.path))
        await openPart(page, known.press)
        await look(page, known)
        await closePart(page, known.press)
        process.stdout.write(`${app} ${known.name}\n`)
      }
    })
  }
}

/** A page ends with a test; here there is none, and what a page reports is printed. */
async function withoutTest(look: (run: TestContext) => Promise<void>): Promise<void> {
  const endings: (() => Promise<void>)[] = []
  const run = { after: (end: () => Promise<void>) => endings.push(end) } as unknown as TestContext
  try {
    await look(run)
  } finally {
    for (const end of endings) await end().catch((cause: Error) => process.stderr.write(`${cause.message}\n`))
  }
}
