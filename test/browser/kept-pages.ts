/**
 * Pages that tests use one after the other. A page of its own process, which loads and compiles the application again, costs
 * three times as much as one that loads it where it was before. When a test has passed, its page forgets all that the test has
 * left in it; a page that cannot forget is closed. Each has a context of its own, so that pages of one test share nothing.
 */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core'
import { followRequests, forgetRequests } from './open-requests.ts'

export type Theme = 'light' | 'dark'

export type VisitOptions = {
  readonly theme?: Theme
  /** Pixels. */
  readonly width?: number
  readonly height?: number
}

export type KeptPages = {
  /** A page for the test, without anything that another test has left in it. */
  readonly visit: (test: TestContext, path: string, options?: VisitOptions) => Promise<Page>
}

type KeptPage = {
  readonly page: Page
  readonly context: BrowserContext
  readonly session: CDPSession
  /** The service that it looked at last. */
  address: string
  /** Where it has been. */
  readonly origins: Set<string>
  readonly reports: string[]
  /** Whether it was changed for good. */
  isSpoiled: boolean
}

/** Of all sites of the process: another service on this machine is the same site for the browser, which keeps the process. */
const resting: KeptPage[] = []

/** `address` is the origin of the pages, and `rest` a path of it that has no script. */
export function keepPages(browser: Browser, address: string, rest: string): KeptPages {
  const leave = async (kept: KeptPage, hasPassed: boolean) => {
    const { page, context, reports } = kept
    const reported = reports.splice(0)
    const isKept = hasPassed && !kept.isSpoiled && !page.isClosed() && (await forget(kept, address, rest))
    if (!isKept) await context.close()
    // What it says on its way out, no test has caused.
    reports.length = 0
    if (isKept) resting.push(kept)
    assert.deepEqual(reported, [], 'A page reports no errors')
  }
  return {
    visit: async (test, path, { theme = 'light', width = 1280, height = 800 } = {}) => {
      const kept = resting.pop() ?? (await openPage(browser))
      const { page, session } = kept
      test.after(() => leave(kept, hasPassed(test)))
      // The answers of a service that has ended, whose port this one may have.
      if (kept.address !== address) await session.send('Network.clearBrowserCache')
      kept.address = address
      await page.setViewportSize({ width, height })
      await page.emulateMedia({
        ...{ media: null, colorScheme: theme, reducedMotion: 'reduce' },
        ...{ forcedColors: 'none', contrast: 'no-preference' },
      })
      await page.goto(`${address}${path}`)
      // There is no way back to where the page has rested.
      await session.send('Page.resetNavigationHistory')
      return page
    },
  }
}

/** The types of Node.js do not know the member yet. */
const hasPassed = (test: TestContext): boolean =>
  (test as TestContext & { readonly passed?: boolean }).passed === true

async function openPage(browser: Browser): Promise<KeptPage> {
  const context = await browser.newContext({
    locale: 'en-AU',
    timezoneId: 'Australia/Sydney',
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  const page = await context.newPage()
  // As long as a busy machine may need.
  page.setDefaultTimeout(30_000)
  await page.addInitScript(reportViolations)
  const session = await context.newCDPSession(page)
  const kept: KeptPage = {
    ...{ page, context, session, address: '', origins: new Set<string>(), reports: [] },
    isSpoiled: false,
  }
  const { origins, reports } = kept
  page.on('pageerror', (error) => reports.push(`exception: ${error.stack ?? error.message}`))
  page.on('console', (message) => {
    // The browser reports every refusal of the API in this way, also those that a page expects.
    if (message.type() !== 'error' || /^Failed to load resource/.test(message.text())) return
    reports.push(`console: ${message.text()}`)
  })
  page.on('framenavigated', (frame) => {
    const { origin } = new URL(frame.url())
    if (origin !== 'null') origins.add(origin)
  })
  followRequests(page)
  const spoil = () => {
    kept.isSpoiled = true
  }
  context.on('page', spoil)
  for (const [of, names] of [
    [page, lasting.page],
    [context, lasting.context],
    [page.clock, lasting.clock],
  ] as const) {
    for (const name of names) beforeEachCall(of, name, spoil)
  }
  return kept
}

/** Runs in the page, hence as text: the tests know no types of a browser. */
const reportViolations = `
  document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI, sample }) =>
    console.error('content security policy: ' + effectiveDirective + ' ' + blockedURI + ' ' + sample))
`

/** What changes a page or its context for good, so that no other test may use it. (`addListener` is what Playwright waits with.) */
const lasting = {
  page: [
    ...(['addInitScript', 'exposeBinding', 'exposeFunction', 'routeWebSocket'] as const),
    ...(['addLocatorHandler', 'setExtraHTTPHeaders', 'on', 'once'] as const),
    ...(['prependListener', 'setDefaultTimeout', 'setDefaultNavigationTimeout'] as const),
  ] satisfies (keyof Page)[],
  context: [
    ...(['addInitScript', 'exposeBinding', 'exposeFunction', 'routeWebSocket'] as const),
    ...(['setExtraHTTPHeaders', 'setGeolocation', 'setHTTPCredentials'] as const),
    ...(['clearPermissions', 'grantPermissions', 'on', 'once'] as const),
    ...(['prependListener', 'setDefaultTimeout', 'setDefaultNavigationTimeout', 'newCDPSession'] as const),
  ] satisfies (keyof BrowserContext)[],
  clock: [
    ...(['install', 'fastForward', 'pauseAt', 'resume', 'runFor'] as const),
    ...(['setFixedTime', 'setSystemTime'] as const),
  ] satisfies (keyof Page['clock'])[],
}

function beforeEachCall(of: object, name: string, note: () => void): void {
  const original: (...given: readonly unknown[]) => unknown = Reflect.get(of, name)
  Reflect.set(of, name, (...given: readonly unknown[]) => {
    note()
    return original.apply(of, [...given])
  })
}

/** Puts back what is not in `lasting`; whether that worked. */
async function forget(kept: KeptPage, address: string, rest: string): Promise<boolean> {
  const { page, context, session, origins } = kept
  try {
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await context.unrouteAll({ behavior: 'ignoreErrors' })
    await context.setOffline(false)
    // Where it is in a page that is new.
    await page.mouse.move(0, 0)
    origins.delete(address)
    for (const origin of [...origins, address]) {
      // Ends streams and other requests. A page of the same origin keeps the process, with the code that it has compiled.
      await page.goto(`${origin}${rest}`, { waitUntil: 'commit' })
      await page.evaluate("localStorage.clear(), sessionStorage.clear(), (name = '')")
      await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' })
    }
    origins.clear()
    await context.clearCookies()
    forgetRequests(page)
    return true
  } catch {
    return false
  }
}
