/** The pictures of the documents: pages of the furnished site, taken by `npm run screenshots -- --pictures`. */
import type { Page } from 'playwright-core'
import type { KnownPage } from './pages.ts'

type Picture = Omit<KnownPage, 'name'> & {
  /** Pixels; by default what a screen shows. */
  readonly height?: number
  /** What a person would do before looking. */
  readonly first?: (page: Page) => Promise<void>
}

export const pictures: Readonly<Record<string, Picture>> = {
  'explorer-bookings': { app: 'explore', path: '/bookings' },
  'explorer-itinerary': { app: 'explore', path: '/itineraries?record={locator}' },
  'explorer-charts': { app: 'explore', path: '/invoices?tool=charts', height: 900, first: chooseCostCentre },
  'explorer-use-query': { app: 'explore', path: '/bookings?tool=use&filter=isTicketed eq false' },
  'console-overview': { app: 'console', path: '/' },
  'console-accounts': { app: 'console', path: '/accounts' },
  'console-snapshots': { app: 'console', path: '/snapshots' },
  'console-endpoint': { app: 'console', path: '/endpoints/{endpoint}' },
  'console-executions': { app: 'console', path: '/executions', height: 900 },
  'console-audit': { app: 'console', path: '/audit' },
}

async function chooseCostCentre(page: Page): Promise<void> {
  await page
    .getByRole('combobox', { name: 'Label' })
    .or(page.getByRole('textbox', { name: 'Label' }))
    .click()
  await page.getByRole('option', { name: 'Cost Centre', exact: true }).click()
}
