/** Every page in both themes: nothing that axe-core finds, nothing that the page itself reports, no sideways scrolling on a phone. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { repeated } from '../campaign.ts'
import { prepareFurnished } from './furnish.ts'
import type { Theme } from './kept-pages.ts'
import { closePart, openPart, pages, realPath } from './pages.ts'
import { assertAccessible, goTo, openSite, type Site } from './site.ts'

let site: Site

before(async () => {
  site = await openSite({ prepare: prepareFurnished })
})
after(() => site.close())

/** How many pixels are beyond the right edge. Open menus follow the new width some frames later. */
const OVERFLOW = `(async () => {
  const overflow = () => document.documentElement.scrollWidth - innerWidth
  for (let frames = 0; frames < 60 && overflow() > 0; frames++) await new Promise((done) => requestAnimationFrame(done))
  return overflow()
})()`

/** Lists that a phone shows without scrolling sideways. Others have what cannot be left out. */
const fitting: ReadonlySet<string> = new Set([
  ...['clients', 'accounts', 'snapshots', 'endpoints', 'modules', 'schedules', 'secrets'],
  ...['persons', 'facets', 'webhooks', 'notifications', 'audit'],
])

/** Tables of lists that have to be scrolled sideways to be read. */
const CUT_OFF = `[...document.querySelectorAll('#content table')]
  .map((table) => table.parentElement)
  .filter((list) => list.className.startsWith('_scroll_') && list.scrollWidth > list.clientWidth)
  .map((list) => list.querySelector('table').getAttribute('aria-label'))`

for (const app of ['explore', 'console'] as const) {
  describe(`every page of /${app}`, () => {
    it('is accessible in both themes, and fits a phone', async (t) => {
      const page = await (app === 'explore' ? site.explore(t) : site.operate(t))
      // Each page begins in the theme that the one before it ended with: another theme draws everything again.
      let other: Theme = 'dark'
      for (const { name, path, press, width = 1280 } of pages.filter((one) => one.app === app)) {
        await t.test(name, async () => {
          await page.setViewportSize({ width, height: 800 })
          await goTo(page, await realPath(site, path))
          await openPart(page, press)
          // A tooltip would hide what is below it.
          await page.mouse.move(0, 0)
          await assertAccessible(page)
          await page.emulateMedia({ colorScheme: other })
          await page.locator(`html[data-mantine-color-scheme=${other}]`).waitFor()
          other = other === 'dark' ? 'light' : 'dark'
          await assertAccessible(page, repeated('colours', 'all'))
          await page.setViewportSize({ width: 360, height: 720 })
          const overflow = await page.evaluate<number>(OVERFLOW)
          const cutOff = fitting.has(name) ? await page.evaluate(CUT_OFF) : []
          await closePart(page, press)
          assert.ok(overflow <= 0, `${overflow} pixels are beyond the right edge`)
          assert.deepEqual(cutOff, [], 'The list fits a phone')
        })
      }
    })
  })
}
