/** Journeys with the keys alone: each key leaves the focus on something that a person sees to have it. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { openSite, type Site } from './site.ts'

let site: Site

before(async () => {
  site = await openSite()
})
after(() => site.close())

/**
 * Why a person would not see where the focus is; empty when one does. A ring may be around a part that contains the focus,
 * such as the frame of an editor. Fields of text show a cursor, and those with a border show it in the primary colour.
 */
const WHY_UNSEEN = `(() => {
  const focused = document.activeElement
  if (focused === null || focused === document.body) return 'nothing has the focus'
  const { bottom, right, top, left } = focused.getBoundingClientRect()
  const text = focused.outerHTML.slice(0, 300)
  if (bottom <= 0 || right <= 0 || top >= innerHeight || left >= innerWidth) return 'out of sight: ' + text
  for (let at = focused; at !== null; at = at.parentElement) {
    const { outlineStyle, outlineWidth } = getComputedStyle(at)
    if (outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1) return ''
  }
  const { borderTopWidth, borderTopColor } = getComputedStyle(focused)
  const probe = document.body.appendChild(document.createElement('i'))
  probe.style.color = 'var(--mantine-primary-color-filled)'
  const primary = getComputedStyle(probe).color
  probe.remove()
  const isField = focused.matches('input:not([type=checkbox], [type=radio]), textarea, select')
  return isField && (borderTopWidth === '0px' || borderTopColor === primary) ? '' : 'no ring: ' + text
})()`

async function press(page: Page, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    await page.keyboard.press(key)
    await assertSeen(page, key)
  }
}

/** Dialogs take and return the focus some frames after a key. */
async function assertSeen(page: Page, key: string): Promise<void> {
  let why = ''
  for (let frames = 0; frames < 60; frames++) {
    why = await page.evaluate<string>(WHY_UNSEEN)
    if (why === '') return
    await page.evaluate('new Promise((done) => requestAnimationFrame(done))')
  }
  assert.fail(`After ${key} at ${page.url()}: ${why}`)
}

/** Presses the key, by default Tab, until the thing has the focus. */
async function goToThing(page: Page, thing: Locator, key = 'Tab'): Promise<void> {
  await thing.waitFor()
  const focused = thing.and(page.locator(':focus'))
  for (let steps = 0; steps < 60; steps++) {
    if ((await focused.count()) > 0) return
    await press(page, key)
  }
  assert.fail(`${key} does not lead to ${thing}`)
}

const parameterOf = (page: Page, name: string) =>
  new URLSearchParams(page.url().split('?')[1] ?? '').get(name)

describe('with the keys alone', () => {
  it('a client signs in, filters, sorts, opens a record, goes on and closes it', async (t) => {
    const page = await site.visit(t, '/explore')
    await goToThing(page, page.getByLabel('API key', { exact: true }))
    await page.keyboard.insertText(site.key)
    await press(page, 'Enter')

    const grid = page.getByRole('grid', { name: 'Bookings' })
    await grid.getByRole('row').nth(1).waitFor()
    await goToThing(page, page.getByRole('textbox', { name: 'Filter' }))
    await page.locator('.cm-content').waitFor()
    await page.keyboard.type('isTicketed eq true')
    await page.keyboard.press('Escape')
    await press(page, 'Enter')
    await page.waitForURL((url) => url.hash.includes('filter=isTicketed'))

    await goToThing(page, grid.getByRole('button', { name: 'Locator' }))
    await press(page, 'Enter')
    await page.waitForURL((url) => url.hash.includes('orderby=recordLocator'))

    await goToThing(page, grid, 'Shift+Tab')
    await press(page, '/')
    await page.getByRole('textbox', { name: 'Filter' }).and(page.locator(':focus')).waitFor()
    await goToThing(page, grid)
    await press(page, 'Control+k')
    await page.getByLabel('Go to a page or run a command').and(page.locator(':focus')).waitFor()
    await page.keyboard.type('downl')
    await press(page, 'Enter')
    await page.getByRole('dialog', { name: 'Download' }).waitFor()
    await press(page, 'Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await goToThing(page, grid)
    await press(page, 'ArrowDown', 'Enter')
    const record = page.getByRole('complementary', { name: 'Booking' })
    await record.getByRole('heading', { name: /^Booking / }).waitFor()
    const first = parameterOf(page, 'record')
    await press(page, 'j')
    await page.waitForURL((url) => !url.hash.includes(`record=${first}`))
    await press(page, 'Escape')
    await record.waitFor({ state: 'detached' })
    await grid.and(page.locator(':focus')).waitFor()
  })

  it('an operator issues an account: the first field has the focus, the required ones are marked, Enter sends', async (t) => {
    const page = await site.operate(t, '/accounts')
    const issue = page.getByRole('button', { name: 'Issue an account' })
    await goToThing(page, issue)
    await press(page, 'Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Client number').and(page.locator(':focus')).waitFor()
    assert.deepEqual(await dialog.locator('label').filter({ hasText: '*' }).allTextContents(), [
      'Client number *',
      'Name *',
    ])
    await page.keyboard.type('C00002')
    // Closes the list of clients that the letters have opened.
    await page.keyboard.press('Escape')
    await press(page, 'Enter')
    await goToThing(page, dialog.getByLabel('Name'))
    await page.keyboard.type('By keys')
    await page.keyboard.press('Enter')
    await page.getByText('This is shown only now').waitFor()
    const saved = page.getByRole('button', { name: 'I have saved it' })
    await goToThing(page, saved)
    await press(page, 'Enter')
    await page.getByRole('heading', { name: 'By keys' }).waitFor()
  })

  it('an operator goes to a page by its name, opens a row and leaves a dialog as it was', async (t) => {
    const page = await site.visit(t, '/console')
    await goToThing(page, page.getByLabel('Token', { exact: true }))
    await page.keyboard.insertText(await site.tokenFor('admin'))
    await press(page, 'Enter')
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()

    await press(page, 'Control+k')
    await page.getByLabel('Go to a page or run a command').and(page.locator(':focus')).waitFor()
    await page.keyboard.type('accou')
    await press(page, 'Enter')
    await page.getByRole('heading', { name: 'Accounts', level: 1 }).waitFor()
    await assertSeen(page, 'Enter in the palette')

    const rows = page.getByRole('table', { name: 'Accounts' }).getByRole('row')
    await goToThing(page, rows.nth(1))
    await press(page, 'End', 'Home', 'Enter')
    await page.getByRole('heading', { name: 'Explorer', level: 1 }).waitFor()
    await assertSeen(page, 'Enter on a row')

    const edit = page.getByRole('button', { name: 'Edit', exact: true })
    await goToThing(page, edit)
    await press(page, 'Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').and(page.locator(':focus')).waitFor()
    // Around the dialog and back, never behind it.
    await goToThing(page, dialog.getByRole('button', { name: 'Cancel' }))
    await press(page, 'Tab')
    await dialog.locator(':focus').waitFor()
    await press(page, 'Escape')
    await dialog.waitFor({ state: 'detached' })
    await edit.and(page.locator(':focus')).waitFor()

    const more = page.getByRole('button', { name: 'More', exact: true })
    await goToThing(page, more)
    await press(page, 'Enter')
    await goToThing(page, page.getByRole('menuitem', { name: 'Delete' }), 'ArrowDown')
    await press(page, 'Enter')
    await dialog.getByText('Type Explorer to confirm').waitFor()
    await press(page, 'Escape')
    await dialog.waitFor({ state: 'detached' })
    await more.and(page.locator(':focus')).waitFor()
  })
})
