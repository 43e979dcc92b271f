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
import { setTimeout } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { AxeResults, RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'
import { issueToken } from '../../src/auth/tokens/issuer.ts'
import { tokenRules } from '../../src/auth/tokens/rules.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import type { OperatorRole } from '../../src/kernel/user.ts'
import { publishDemo } from '../fixtures/published-extract.ts'
import { createAccount } from '../process/accounts.ts'
import { type ServingHere, serveHere } from '../process/service-in-process.ts'
import { sharedChromium } from './chromium.ts'
import { keepPages, type VisitOptions } from './kept-pages.ts'
import { settle } from './open-requests.ts'

export { settle } from './open-requests.ts'

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
  const tokenFor = issuerOf(data, env)
  const { visit } = keepPages(browser, address, '/readyz')
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

/** Issues tokens that the service of the data folder accepts. */
export function issuerOf(data: string, env: Readonly<Record<string, string>> = {}): Site['tokenFor'] {
  const rules = tokenRules(loadConfig({ env, flags: { data } }))
  return async (role, ...others) => {
    const caller = { name: `Olga ${role}`, email: `${role}@example.com`, roles: [role, ...others] }
    return (await issueToken(rules, caller, 3600)).token
  }
}

/** Asks from time to time: a service that is asked without a pause in between has less time for what is waited for. */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await setTimeout(50)
}

/** Another page of the same application, without signing in again. */
export async function goTo(page: Page, path: string): Promise<void> {
  await page.evaluate((hash) => {
    ;(globalThis as unknown as { location: { hash: string } }).location.hash = hash
  }, path)
  await settle(page)
}

/** Menus and tooltips float above the page, as dialogs do, which axe-core allows outside of landmarks. */
const floating = {
  regionMatcher: 'dialog, [role=dialog], [role=alertdialog], [role=menu], [role=tooltip], svg',
}

const axeSource = `${readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')}
axe.configure({ checks: [{ id: 'region', options: ${JSON.stringify(floating)} }] })`

/**
 * Half a megabyte, most of whose cost is the way to the page: hence packed. The page may not evaluate text by itself, so that
 * is another step.
 */
const axePacked = `new Response(
  new Blob([Uint8Array.fromBase64('${gzipSync(axeSource).toString('base64')}')]).stream()
    .pipeThrough(new DecompressionStream('gzip')),
).text().then((text) => { globalThis.axeSource = text })`

/** Those of axe-core whose outcome depends on colours: its category `cat.color`, without what only WCAG AAA asks for. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block']

/**
 * Asserts that axe-core finds nothing in the page as it is now, by WCAG 2.2 AA and its best practices. `colours` is for a page
 * that was looked at in the other theme: themes differ in colours, in one icon and in the colours of editors and charts.
 */
export async function assertAccessible(page: Page, rules: 'all' | 'colours' = 'all'): Promise<void> {
  // The script of axe-core stays in the page until another page is loaded.
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) {
    await page.evaluate(axePacked)
    await page.evaluate('eval(axeSource), delete globalThis.axeSource')
  }
  const options: RunOptions = {
    ...{ resultTypes: ['violations'], selectors: false },
    // Style sheets are read for a rule that is not among the default ones.
    preload: { assets: ['media'] },
    ...(rules === 'colours' && { runOnly: { type: 'rule', values: COLOUR_RULES } }),
  }
  const { violations } = await page.evaluate(
    (options) =>
      (globalThis as unknown as { axe: { run: (o: RunOptions) => Promise<AxeResults> } }).axe.run(options),
    options,
  )
  const found = violations.map(({ id, help, nodes }) => ({
    id,
    help,
    nodes: nodes.slice(0, 3).map(({ html, failureSummary }) => `${html}\n${failureSummary ?? ''}`),
  }))
  assert.deepEqual(found, [], `axe-core finds no violation at ${page.url()}`)
}
