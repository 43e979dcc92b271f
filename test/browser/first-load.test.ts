/** The sizes of the web applications: what loads first stays small, and what few need loads later. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { firstFiles, firstLoadBytes, type WebPage } from '../../console/build/first-load.ts'

const limits: Readonly<Record<WebPage, number>> = { explore: 250 * 1024, console: 300 * 1024 }

for (const [page, limit] of Object.entries(limits) as [WebPage, number][]) {
  describe(`the first load of /${page}`, () => {
    it(`is under ${limit / 1024} KiB`, () => {
      const bytes = firstLoadBytes(page)
      assert.ok(bytes > 50 * 1024, 'what is measured is the page')
      assert.ok(bytes < limit, `${bytes} bytes: ${firstFiles(page).join(', ')}`)
    })

    it('is of hashed files, so that they may be kept for ever', () => {
      const [html, ...others] = firstFiles(page).toSorted(
        (a, b) => Number(b.endsWith('.html')) - Number(a.endsWith('.html')),
      )
      assert.equal(html, `${page}.html`)
      for (const file of others) assert.match(file, /^assets\/[\w.-]+-[\w-]{8}\.(js|css)$/)
    })
  })
}
