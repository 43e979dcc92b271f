/**
 * Every page of the explorer and the console, for the tests that look at all of them and for the screenshots. `{endpoint}` and
 * the like stand for the id of one that the furnished site has.
 */
import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import { goTo, type Site, settle } from './site.ts'

export type KnownPage = {
  readonly app: 'explore' | 'console'
  readonly name: string
  readonly path: string
  /** The buttons, rows or entries of a menu that open a part of the page, such as a dialog, one after the other. */
  readonly press?: readonly string[]
  /** Pixels, where what opens the part is not on wide screens. */
  readonly width?: number
}

/** A path, or a path and what is pressed there. */
type Paths = Readonly<Record<string, string | readonly [path: string, ...press: string[]]>>

const explorer: Paths = {
  bookings: '/bookings?record={locator}',
  itineraries: '/itineraries?record={locator}',
  invoices: '/invoices?record={invoice}',
  'refused-filter': '/bookings?filter=isTicketed eq tru',
  conditions: [
    "/bookings?filter=isTicketed eq true and (contains(traveller, 'lee') or department eq 'Legal')",
    'Conditions',
  ],
  'nothing-found': "/bookings?filter=traveller eq 'Nobody'",
  'missing-record': '/bookings?record=ZZZZZZ',
  columns: ['/bookings', 'Columns'],
  charts: '/invoices?tool=charts',
  download: '/bookings?tool=download',
  'use-query': '/bookings?tool=use',
  changes: '/changes',
  'changes-shown': ['/changes', 'Show the changes'],
  key: '/key',
  'rotate-key': ['/key', 'Rotate the key'],
  'no-such-page': '/nowhere',
  commands: ['/changes', 'Commands'],
}

const console: Paths = {
  overview: '/',
  clients: '/clients',
  client: '/clients/C00001',
  'client-records': ['/clients/C00001', 'Show the latest records'],
  accounts: '/accounts',
  'issue-account': ['/accounts', 'Issue an account'],
  account: '/accounts/{account}',
  'edit-account': ['/accounts/{account}', 'Edit'],
  'rotate-account-key': ['/accounts/{account}', 'Rotate the key'],
  'account-menu': ['/accounts/{account}', 'More'],
  'delete-account': ['/accounts/{account}', 'More', 'Delete'],
  snapshots: '/snapshots',
  'start-refresh': ['/snapshots', 'Refresh now'],
  snapshot: '/snapshots/{snapshot}',
  rejects: '/snapshots/{snapshot}/rejects',
  refresh: '/snapshots/refreshes/{refresh}',
  system: '/system',
  endpoints: '/endpoints',
  'new-endpoint': ['/endpoints', 'New endpoint'],
  endpoint: '/endpoints/{endpoint}',
  'endpoint-settings': '/endpoints/{endpoint}?tab=settings',
  'endpoint-statistics': '/endpoints/{endpoint}?tab=statistics',
  'endpoint-test': '/endpoints/{endpoint}?tab=test',
  'endpoint-trial': ['/endpoints/{endpoint}?tab=test', 'Run the trial'],
  'endpoint-versions': '/endpoints/{endpoint}?tab=versions',
  'endpoint-state': '/endpoints/{endpoint}?tab=state',
  modules: '/modules',
  module: '/modules/fees',
  'module-versions': '/modules/fees?tab=versions',
  schedules: '/schedules',
  executions: '/executions',
  execution: '/executions/{execution}',
  'failed-execution': '/executions/{failed}',
  live: '/executions/live',
  'bulk-menu': ['/executions', 'With all that match'],
  secrets: '/secrets',
  'add-secret': ['/secrets', 'Add a secret'],
  organizations: '/organizations',
  organization: '/organizations/{organization}',
  'deleted-organizations': '/organizations/deleted',
  transfer: '/organizations/transfer',
  persons: '/persons',
  person: '/persons/{person}',
  facets: '/facets',
  'add-facet': ['/facets', 'Add a facet'],
  webhooks: '/webhooks',
  'add-webhook': ['/webhooks', 'Add a webhook'],
  webhook: '/webhooks/{webhook}',
  notifications: '/notifications',
  'send-notification': ['/notifications', 'Send a notification'],
  audit: '/audit',
  'audit-change': ['/audit', 'account.create'],
  'no-such-page': '/nowhere',
  commands: ['/system', 'Commands'],
  bell: ['/clients', 'unread'],
  navigation: ['/clients', 'Menu'],
}

/** What only narrow screens have. */
const narrow: ReadonlySet<string> = new Set(['navigation'])

export const pages: readonly KnownPage[] = [
  ...Object.entries(explorer).map((page) => knownPage('explore', page)),
  ...Object.entries(console).map((page) => knownPage('console', page)),
]

function knownPage(app: KnownPage['app'], [name, place]: readonly [string, Paths[string]]): KnownPage {
  if (typeof place === 'string') return { app, name, path: place }
  const [path, ...press] = place
  return { app, name, path, press, ...(narrow.has(name) && { width: 360 }) }
}

/** Opens what the page is about, once it is there. */
export async function openPart(page: Page, press: KnownPage['press'] = []): Promise<void> {
  for (const name of press) {
    const [entry, button, row] = (['menuitem', 'button', 'row'] as const).map((role) =>
      page.getByRole(role, { name }),
    ) as [Locator, Locator, Locator]
    await entry.or(button).or(row).first().click()
  }
  if (press.length === 0) return
  // Nothing of the pages after it is under the pointer.
  await page.mouse.move(0, 0)
  await settle(page)
}

/** Closes what `openPart` has opened: the next page may be the same one, or covered by it. */
export async function closePart(page: Page, press: KnownPage['press'] = []): Promise<void> {
  if (press.length === 0) return
  await page.keyboard.press('Escape')
  // After a key, pages would show where the focus is.
  await page.mouse.click(1, 1)
  await goTo(page, '/nowhere')
}

/** The list of the admin API that a name in a path stands for. */
const lists: Readonly<Record<string, string>> = {
  endpoint: '/endpoints?text=reports/spend/',
  execution: '/executions',
  failed: '/executions?status=Failed',
  account: '/accounts',
  webhook: '/webhooks',
  organization: '/organizations',
  person: '/persons',
  snapshot: '/snapshots',
  refresh: '/refreshes',
}

/** A booking with much to show, and an invoice. */
const records: Readonly<Record<string, { readonly query: string; readonly identity: readonly string[] }>> = {
  locator: {
    query: 'bookings?orderby=tripStartLocal desc&filter=isInternational eq true and isTicketed eq true',
    identity: ['recordLocator'],
  },
  invoice: { query: 'invoices?orderby=invoiceDate desc', identity: ['company', 'invoiceNumber'] },
}

/** The path with the ids of things that are there. */
export async function realPath({ address, key, tokenFor }: Site, path: string): Promise<string> {
  const [, name = ''] = /\{(\w+)\}/.exec(path) ?? []
  if (name === '') return path
  const record = records[name]
  const [of, headers] =
    record === undefined
      ? [`/api/admin/v1${lists[name]}`, { authorization: `Bearer ${await tokenFor('admin')}` }]
      : [`/api/v2/${record.query}&pageSize=1`, { 'x-api-key': key }]
  const answer = (await (await fetch(`${address}${of}`, { headers })).json()) as Answer
  const [found] = Object.values(answer).find((value) => Array.isArray(value)) ?? []
  if (found === undefined) assert.fail(`The site has nothing for ${path}`)
  const identity = (record?.identity ?? ['id']).map((field) => encodeURIComponent(found[field] ?? ''))
  return path.replace(`{${name}}`, encodeURIComponent(identity.join('/')))
}

type Answer = Readonly<Record<string, readonly Readonly<Record<string, string>>[] | undefined>>
