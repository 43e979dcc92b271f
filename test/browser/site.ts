/**
 * The service with its explorer and console, and pages of a real browser that look at them. Whatever a page reports by itself
 * fails its test: violations of the content security policy, exceptions and errors of the console.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { AxeResults, RunOptions } from 'axe-core'
import type { Browser, Page, Request } from 'playwright-core'
import { issueToken } from '../../src/auth/tokens/issuer.ts'
import { tokenRules } from '../../src/auth/tokens/rules.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import type { OperatorRole } from '../../src/kernel/user.ts'
import { publishDemo } from '../fixtures/published-extract.ts'
import { createAccount } from '../process/accounts.ts'
import { type ServingHere, serveHere } from '../process/service-in-process.ts'
import { sharedChromium } from './chromium.ts'

type Theme = 'light' | 'dark'

type VisitOptions = {
  readonly theme?: Theme
  /** Pixels. */
  readonly width?: number
  readonly height?: number
}

export type Site = {
  readonly address: string
  readonly data: string
  /** The API key of client C00001. */
  readonly key: string
  readonly serving: ServingHere
  /** A token of an operator with the role, and with further roles that endpoints may ask for. */
  readonly tokenFor: (role: OperatorRole, ...others: readonly string[]) => Promise<string>
  /** A page of its own, without anything that another page has stored. */
  readonly visit: (test: TestContext, path: string, options?: VisitOptions) => Promise<Page>
  /** The explorer, signed in with the key; the path is that after `#`. */
  readonly explore: (test: TestContext, path?: string, options?: VisitOptions) => Promise<Page>
  /** The console, signed in with a token of the role. */
  readonly operate: (
    test: TestContext,
    path?: string,
    options?: VisitOptions & { readonly role?: OperatorRole },
  ) => Promise<Page>
  readonly close: () => Promise<void>
}

type SiteOptions = {
  /** Puts snapshots and stores into the folder before the service starts; by default a small demo. */
  readonly prepare?: (data: string, source: string) => Promise<void>
  readonly env?: Readonly<Record<string, string>>
}

const demo = (data: string, source: string) => publishDemo({ data, source }, { clients: 2, bookings: 300 })

export async function openSite({ prepare = demo, env = {} }: SiteOptions = {}): Promise<Site> {
  const folder = await mkdtemp(join(tmpdir(), 'tripfolio-browser-'))
  const data = join(folder, 'data')
  const source = join(folder, 'extract')
  await prepare(data, source)
  const key = await createAccount(data, 'C00001', 'Explorer')
  const serving = await serveHere(data, { source, env })
  const address = String(serving.address).replace(/\/$/, '')
  const browser = await sharedChromium().catch(async (cause) => {
    await serving.close()
    throw cause
  })
  const rules = tokenRules(loadConfig({ env, flags: { data } }))
  const tokenFor = async (role: OperatorRole, ...others: readonly string[]) =>
    (
      await issueToken(
        rules,
        { name: `Olga ${role}`, email: `${role}@example.com`, roles: [role, ...others] },
        3600,
      )
    ).token
  const visit = (test: TestContext, path: string, options: VisitOptions = {}) =>
    openPage(browser, test, `${address}${path}`, options)
  return {
    ...{ address, data, key, serving, tokenFor, visit },
    explore: async (test, path = '/', options) => {
      const page = await visit(test, `/explore#${path}`, options)
      await page.getByLabel('API key', { exact: true }).fill(key)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('main').waitFor()
      return page
    },
    operate: async (test, path = '/', { role = 'admin', ...options } = {}) => {
      const page = await visit(test, `/console#${path}`, options)
      await page.getByLabel('Token', { exact: true }).fill(await tokenFor(role))
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.locator('#content').waitFor()
      return page
    },
    close: async () => {
      await serving.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function openPage(
  browser: Browser,
  test: TestContext,
  address: string,
  { theme = 'light', width = 1280, height = 800 }: VisitOptions,
): Promise<Page> {
  const context = await browser.newContext({
    colorScheme: theme,
    viewport: { width, height },
    reducedMotion: 'reduce',
    locale: 'en-AU',
    timezoneId: 'Australia/Sydney',
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  const page = await context.newPage()
  // As long as a busy machine may need.
  page.setDefaultTimeout(30_000)
  const reports: string[] = []
  page.on('pageerror', (error) => reports.push(`exception: ${error.stack ?? error.message}`))
  page.on('console', (message) => {
    // The browser reports every refusal of the API in this way, also those that a page expects.
    if (message.type() !== 'error' || /^Failed to load resource/.test(message.text())) return
    reports.push(`console: ${message.text()}`)
  })
  await page.addInitScript(reportViolations)
  followRequests(page)
  test.after(async () => {
    await context.close()
    assert.deepEqual(reports, [], 'A page reports no errors')
  })
  await page.goto(address)
  return page
}

/** Runs in the page, hence as text: the tests know no types of a browser. */
const reportViolations = `
  document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI, sample }) =>
    console.error('content security policy: ' + effectiveDirective + ' ' + blockedURI + ' ' + sample))
`

/** The requests of a page that are under way; a stream never ends. */
const openRequests = new WeakMap<Page, Set<Request>>()

function followRequests(page: Page): void {
  const open = new Set<Request>()
  openRequests.set(page, open)
  page.on('request', (request) => {
    if (!new URL(request.url()).pathname.endsWith('/stream')) open.add(request)
  })
  const close = (request: Request) => void open.delete(request)
  page.on('requestfinished', close)
  page.on('requestfailed', close)
}

/** What an answer is needed for is asked for within two frames of it. */
const TWO_FRAMES = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))'

/** Another page of the same application, without signing in again. */
export async function goTo(page: Page, path: string): Promise<void> {
  await page.evaluate((hash) => {
    ;(globalThis as unknown as { location: { hash: string } }).location.hash = hash
  }, path)
  await settle(page)
}

/** Waits until the page has asked for all that it shows. */
export async function settle(page: Page): Promise<void> {
  for (let quiet = 0; quiet < 3; ) {
    await page.evaluate(TWO_FRAMES)
    quiet = openRequests.get(page)?.size === 0 ? quiet + 1 : 0
  }
}

/** Menus and tooltips float above the page, as dialogs do, which axe-core allows outside of landmarks. */
const floating = {
  regionMatcher: 'dialog, [role=dialog], [role=alertdialog], [role=menu], [role=tooltip], svg',
}

const axeSource = `${readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')}
axe.configure({ checks: [{ id: 'region', options: ${JSON.stringify(floating)} }] })`

/** WCAG 2.2 AA and the best practices of axe-core. */
const axeOptions: RunOptions = { resultTypes: ['violations'] }

/** Asserts that axe-core finds nothing in the page as it is now. */
export async function assertAccessible(page: Page): Promise<void> {
  // Half a megabyte, which stays in the page until another one is loaded.
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(axeSource)
  const { violations } = await page.evaluate(
    (options) =>
      (globalThis as unknown as { axe: { run: (o: RunOptions) => Promise<AxeResults> } }).axe.run(options),
    axeOptions,
  )
  const found = violations.map(({ id, help, nodes }) => ({
    id,
    help,
    nodes: nodes.slice(0, 3).map(({ html, failureSummary }) => `${html}\n${failureSummary ?? ''}`),
  }))
  assert.deepEqual(found, [], `axe-core finds no violation at ${page.url()}`)
}
