/** The requests of a page that are under way. */
import type { Page, Request } from 'playwright-core'

/** A stream never ends, and is not among them. */
const openRequests = new WeakMap<Page, Set<Request>>()

export function followRequests(page: Page): void {
  const open = new Set<Request>()
  openRequests.set(page, open)
  page.on('request', (request) => {
    if (!new URL(request.url()).pathname.endsWith('/stream')) open.add(request)
  })
  const close = (request: Request) => void open.delete(request)
  page.on('requestfinished', close)
  page.on('requestfailed', close)
}

/** For a page that has left everything that asked. */
export const forgetRequests = (page: Page): void => openRequests.get(page)?.clear()

/** What an answer is needed for is asked for within two frames of it. */
const TWO_FRAMES = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))'

/** Waits until the page has asked for all that it shows. */
export async function settle(page: Page): Promise<void> {
  for (let quiet = 0; quiet < 3; ) {
    await page.evaluate(TWO_FRAMES)
    quiet = openRequests.get(page)?.size === 0 ? quiet + 1 : 0
  }
}
