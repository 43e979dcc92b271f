/** The lists of the explorer: their tables, their records and their filters, by mouse and by keyboard. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { publishDemo } from '../fixtures/published-extract.ts'
import { assertAccessible, goTo, openSite, type Site, settle, until } from './site.ts'

let site: Site

before(async () => {
  // More records of the client than one part of a list has.
  site = await openSite({
    prepare: (data, source) => publishDemo({ data, source }, { clients: 2, bookings: 1200 }),
  })
})
after(() => site.close())

/** The parameters of the fragment of the address. */
const addressOf = (page: Page) => Object.fromEntries(new URLSearchParams(page.url().split('?')[1] ?? ''))

const totalOf = async (page: Page): Promise<number> => {
  const note = page.getByText(/^[\d,]+ (booking|itinerar|invoice)/)
  return Number((await note.innerText()).replace(/\D/g, ''))
}

const inAddress = (page: Page, name: string, value: string) =>
  page.waitForURL((url) => new URLSearchParams(url.hash.split('?')[1] ?? '').get(name) === value)

const active = (page: Page) => page.getByRole('row', { selected: true })

const snapshotId = async (): Promise<string | null> => {
  const answer = await fetch(`${site.address}/api/v2/bookings?top=0`, { headers: { 'X-API-Key': site.key } })
  return answer.headers.get('snapshot-id')
}

/** Announces a snapshot of the same records, and waits until it is read. */
async function refreshed(): Promise<void> {
  const before = await snapshotId()
  const { status } = await fetch(`${site.address}/api/admin/v1/snapshots/refresh`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await site.tokenFor('admin')}`,
      'content-type': 'application/json',
    },
    body: '{}',
  })
  assert.equal(status, 202)
  await until(async () => (await snapshotId()) !== before)
}

describe('the table of bookings', () => {
  it('sorts at the server, and goes through all parts by keyboard', async (t) => {
    const page = await site.explore(t)
    const grid = page.getByRole('grid', { name: 'Bookings' })
    await grid.getByRole('row').nth(1).waitFor()
    await assertAccessible(page)
    const total = await totalOf(page)
    assert.ok(total > 400, 'The client has records of more than two parts')
    assert.equal(await grid.getAttribute('aria-rowcount'), String(total + 1))

    const locator = grid.getByRole('columnheader', { name: 'Locator' })
    await locator.getByRole('button').click()
    await inAddress(page, 'orderby', 'recordLocator')
    assert.equal(await locator.getAttribute('aria-sort'), 'ascending')
    await grid.getByRole('button', { name: 'Ticketed' }).click()
    await locator.getByRole('button').click({ modifiers: ['Shift'] })
    await inAddress(page, 'orderby', 'isTicketed,recordLocator')

    await grid.focus()
    await page.keyboard.press('End')
    const last = grid.locator(`[aria-rowindex="${total + 1}"]`)
    await last.getByText(/^[A-Z0-9]{6}$/).waitFor()
    assert.equal(await last.getAttribute('aria-selected'), 'true')
    await page.keyboard.press('Home')
    await page.keyboard.press('PageDown')
    for (let rows = 4; rows > 0; rows--) await page.keyboard.press('ArrowDown')
    const bottom = grid.locator('[aria-selected=true]:not([aria-rowindex="2"])')
    const { y = 0, height = 0 } = (await bottom.boundingBox()) ?? {}
    assert.ok(y > 0 && y + height <= 800, `The active row ends at ${y + height} of 800 pixels`)
    await page.keyboard.press('PageUp')
    await page.keyboard.press('Home')
    await page.keyboard.press('ArrowDown')
    assert.equal(await active(page).getAttribute('aria-rowindex'), '3')
    const second = await active(page).getByRole('gridcell').first().innerText()

    await page.keyboard.press('Enter')
    const panel = page.getByRole('complementary', { name: 'Booking' })
    await panel.getByRole('heading', { name: `Booking ${second}` }).waitFor()
    assert.equal(addressOf(page).record, second)
    await page.keyboard.press('j')
    await page.waitForURL((url) => !url.hash.includes(`record=${second}`))
    await page.keyboard.press('k')
    await inAddress(page, 'record', second)
    await panel.getByRole('button', { name: 'Copy locator' }).click()
    await panel.getByText('Copied').waitFor()
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), second)
    await page.keyboard.press('Escape')
    await panel.waitFor({ state: 'detached' })
    await grid.and(page.locator(':focus')).waitFor()
  })

  it('shows, moves, pins and resizes columns, and keeps them in the address', async (t) => {
    const page = await site.explore(t, '/bookings', { theme: 'dark' })
    const grid = page.getByRole('grid')
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('textbox', { name: 'Find a field or label' }).fill('manager')
    await page.getByRole('button', { name: "Show Manager's Approval" }).click()
    await page.getByRole('button', { name: "Pin Manager's Approval" }).click()
    await page.getByRole('button', { name: 'Do not show Agency' }).click()
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    const label = grid.getByRole('columnheader', { name: "Manager's Approval" })
    assert.equal(await label.getAttribute('aria-colindex'), '2')
    assert.equal(await grid.getByRole('columnheader', { name: 'Agency' }).count(), 0)

    const before = await label.boundingBox()
    assert.ok(before !== null)
    await page.mouse.move(before.x + before.width - 3, before.y + 10)
    await page.mouse.down()
    await page.mouse.move(before.x + before.width + 57, before.y + 10, { steps: 3 })
    await page.mouse.up()
    await page.waitForURL((url) => url.hash.includes('widths='))
    const width = (await label.boundingBox())?.width ?? 0
    assert.ok(Math.abs(width - before.width - 60) <= 1, `${before.width} became ${width}`)
    const { columns = '', pinned } = addressOf(page)
    assert.ok(columns.startsWith("recordLocator,customDataFields['Manager''s Approval'],"), columns)
    assert.equal(pinned, '2')
    await page.getByRole('button', { name: 'Copy link' }).click()
    await page.getByText('Copied').waitFor()
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), page.url())

    await goTo(page, '/bookings?columns=recordLocator,traveller')
    const row = (await grid.getByRole('row').nth(1).boundingBox())?.width ?? 0
    assert.ok(row > 900, `A row of two columns is ${row} pixels wide, as the table is`)
  })

  it('says that there is newer data, and shows it when it is asked for', async (t) => {
    const page = await site.explore(t)
    const grid = page.getByRole('grid', { name: 'Bookings' })
    await grid.getByRole('row').nth(1).waitFor()
    await page.getByText(/as of .*\d:\d\d/).waitFor()
    const asked: string[] = []
    page.on('request', (request) => asked.push(decodeURIComponent(request.url())))
    await refreshed()
    await page.clock.setFixedTime(Date.now() + 60_000)
    await page.evaluate("dispatchEvent(new Event('visibilitychange'))")
    const newer = page.getByRole('button', { name: 'Show newer data' })
    await newer.waitFor()
    assert.deepEqual(
      asked.filter((url) => !url.endsWith('$top=0')),
      [],
      'No row is read again before',
    )
    await assertAccessible(page)
    await newer.click()
    await newer.waitFor({ state: 'detached' })
    assert.ok(asked.some((url) => url.includes('$top=200')))
  })

  it('keeps the rows that are there when others cannot be read', async (t) => {
    const page = await site.explore(t)
    const grid = page.getByRole('grid', { name: 'Bookings' })
    await grid.getByRole('row').nth(1).waitFor()
    const later = (url: URL) => url.searchParams.has('$skip')
    await page.route(later, (route) => route.fulfill({ status: 403, json: { error: 'Not now' } }))
    await grid.focus()
    await page.keyboard.press('End')
    const alert = page.getByRole('alert')
    await alert.getByText('Some rows cannot be shown').waitFor()
    await alert.getByText('Not now').waitFor()
    await page.keyboard.press('Home')
    await grid
      .getByRole('row')
      .nth(1)
      .getByRole('gridcell')
      .first()
      .getByText(/^\w{6}$/)
      .waitFor()
    await alert.waitFor({ state: 'detached' })
    // Coming back reads them again, which is refused once more.
    await page.keyboard.press('End')
    await alert.getByText('Not now').waitFor()
    await settle(page)
    await page.unroute(later)
    await alert.getByRole('button', { name: 'Try again' }).click()
    await alert.waitFor({ state: 'detached' })
    await active(page)
      .getByRole('gridcell')
      .first()
      .getByText(/^\w{6}$/)
      .waitFor()
  })

  it('marks the row of the record that Back or a link opens', async (t) => {
    const page = await site.explore(t)
    const rows = page.getByRole('row')
    await rows.nth(3).click()
    const third = await active(page).getByRole('gridcell').first().innerText()
    const panel = page.getByRole('complementary', { name: 'Booking' })
    await panel.getByRole('heading', { name: `Booking ${third}` }).waitFor()
    await panel.getByRole('button', { name: 'Close' }).click()
    await panel.waitFor({ state: 'detached' })
    await rows.nth(6).click()
    await panel.getByRole('heading', { name: /^Booking / }).waitFor()
    await goTo(page, `/bookings?record=${third}`)
    await panel.getByRole('heading', { name: `Booking ${third}` }).waitFor()
    assert.equal(await active(page).getAttribute('aria-rowindex'), '4')
  })

  it('is a list of some lines on narrow screens, with the record over it', async (t) => {
    const page = await site.explore(t, '/bookings', { width: 360 })
    await page.getByRole('row').nth(1).click()
    const panel = page.getByRole('complementary', { name: 'Booking' })
    await panel.getByRole('heading', { name: /^Booking / }).waitFor()
    await assertAccessible(page)
    await panel.getByRole('button', { name: 'Close' }).click()
    await assertAccessible(page)
    assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true)
  })
})

describe('the record', () => {
  it('is an itinerary in time, an invoice with sums, and links to what belongs to it', async (t) => {
    const page = await site.explore(t, "/itineraries?filter=any(segments, segmentType eq 'HOTEL')")
    await page.getByRole('row').nth(1).click()
    const itinerary = page.getByRole('complementary', { name: 'Itinerary' })
    await itinerary.getByRole('heading', { name: 'Timeline' }).waitFor()
    await itinerary
      .getByText(/Hotel · \d+ nights?/)
      .first()
      .waitFor()
    await assertAccessible(page)
    await itinerary
      .getByRole('link', { name: /^Invoice / })
      .first()
      .click()
    const invoice = page.getByRole('complementary', { name: 'Invoice' })
    const lines = invoice.getByRole('table')
    const amount = async (name: string) => lines.getByRole('row', { name }).getByRole('cell').innerText()
    await lines.waitFor()
    assert.equal(await amount('Sum of the lines'), await amount('Total'))
    await assertAccessible(page)
    await invoice.getByRole('link', { name: /^Booking/ }).click()
    await page.getByRole('complementary', { name: 'Booking' }).getByText('Labels').waitFor()
    await page.goBack()
    await lines.waitFor()
  })

  it('says that it does not exist', async (t) => {
    const page = await site.explore(t, '/invoices?record=nobody/INV0', { theme: 'dark' })
    await page.getByRole('heading', { name: 'There is no such record' }).waitFor()
    await assertAccessible(page)
  })
})

describe('the filter', () => {
  it('completes names and values, and shows what the service refuses under its character', async (t) => {
    const page = await site.explore(t)
    const all = await totalOf(page)
    await page.getByRole('textbox', { name: 'Filter' }).click()
    const text = page.locator('.cm-content')
    await text.waitFor()
    await page.keyboard.type('isTick')
    await page.getByRole('option', { name: 'isTicketed' }).waitFor()
    await page.keyboard.press('Tab')
    await text.getByText('isTicketed').waitFor()
    await page.keyboard.type("eq tru and customDataFields['Cost")
    await page.getByRole('option', { name: 'Cost Centre' }).waitFor()
    await page.keyboard.press('Tab')
    await text.getByText("customDataFields['Cost Centre']").waitFor()
    await page.keyboard.type('eq ')
    const value = page.getByRole('option', { name: /^'\d+'/ }).first()
    await value.waitFor()
    await value.click()
    await page.getByRole('button', { name: 'Apply' }).click()
    const refusal = page.getByRole('alert')
    await refusal.getByText('At character 15').waitFor()
    await refusal.getByText("found the name 'tru'").waitFor()
    assert.equal(await page.locator('.cm-wrong').innerText(), 'tru')
    await assertAccessible(page)
    assert.equal(await totalOf(page), all, 'The records of before stay')

    await page.locator('.cm-wrong').dblclick()
    await page.keyboard.type('true')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Enter')
    await refusal.waitFor({ state: 'detached' })
    await page.waitForURL((url) => url.hash.includes('eq+true+and'))
    // The records of before, and their number, stay until others are there.
    await settle(page)
    assert.ok((await totalOf(page)) < all)
  })

  it('offers the most frequent of many values, and finds the others by what is written', async (t) => {
    const page = await site.explore(t)
    const grid = page.getByRole('grid', { name: 'Bookings' })
    await grid.getByRole('button', { name: 'Locator' }).click()
    await grid.getByRole('button', { name: 'Locator' }).click()
    await inAddress(page, 'orderby', 'recordLocator desc')
    await settle(page)
    const last = await grid.getByRole('gridcell').first().innerText()
    await page.getByRole('textbox', { name: 'Filter' }).click()
    await page.locator('.cm-content').waitFor()
    await page.keyboard.type("recordLocator eq '")
    await page.getByText(/^The 200 most frequent of \d+; write on to find others$/).waitFor()
    assert.equal(await page.getByRole('option', { name: last }).count(), 0)
    await page.keyboard.type(last.slice(0, 5).toLowerCase())
    await page.getByRole('option', { name: `'${last}'` }).waitFor()

    await page.getByRole('button', { name: 'Conditions' }).click()
    await page.getByRole('combobox', { name: 'Field' }).click()
    await page.getByRole('option', { name: 'Locator', exact: true }).click()
    await page.getByRole('combobox', { name: 'Value' }).fill(last.slice(0, 5))
    await page.getByRole('option', { name: last }).click()
    await inAddress(page, 'filter', `recordLocator eq '${last}'`)
  })

  it('is drawn as conditions, which write it', async (t) => {
    const filter = "isTicketed eq true and (department eq 'Sales' or department gt null) and any(travellers)"
    const page = await site.explore(t, `/bookings?filter=${encodeURIComponent(filter)}`, { theme: 'dark' })
    await page.getByRole('button', { name: 'Conditions' }).click()
    const part = page.getByRole('textbox', { name: 'Condition as text' })
    assert.equal(await part.inputValue(), 'department gt null')
    await assertAccessible(page)
    await page.setViewportSize({ width: 768, height: 800 })
    const value = await page.getByRole('combobox', { name: 'Value' }).nth(1).boundingBox()
    const negate = await page.getByRole('button', { name: 'Find what does not' }).nth(1).boundingBox()
    assert.ok(value && negate && value.x + value.width <= negate.x, 'No button lies over a field')
    await page.setViewportSize({ width: 1280, height: 800 })
    await part.fill("department eq '")
    await page.getByText('Expected a closing quote').waitFor()
    await part.fill("department eq 'Legal'")
    await inAddress(page, 'filter', filter.replace('department gt null', "department eq 'Legal'"))
    await page.getByRole('combobox', { name: 'Operator' }).nth(1).selectOption('begins with')
    await page.waitForURL((url) => url.hash.includes('startswith'))
    assert.equal(
      addressOf(page).filter,
      "isTicketed eq true and (startswith(department, 'Sales') or department eq 'Legal') and any(travellers)",
    )
    for (let count = 5; count > 0; count--) {
      await page.getByRole('button', { name: 'Remove this condition' }).first().click()
    }
    await page.waitForURL((url) => !url.hash.includes('filter='))

    await page.getByRole('button', { name: 'Condition', exact: true }).click()
    await page.getByRole('combobox', { name: 'Field' }).fill('cost cen')
    await page.getByRole('group', { name: 'Labels' }).getByRole('option', { name: 'Cost Centre' }).click()
    await page.getByRole('combobox', { name: 'Operator' }).selectOption('is not empty')
    await inAddress(page, 'filter', "customDataFields['Cost Centre'] ne null")

    await page.getByRole('combobox', { name: 'Operator' }).selectOption('is empty')
    await page.getByRole('link', { name: 'Invoices' }).click()
    await page.getByRole('grid', { name: 'Invoices' }).waitFor()
    assert.equal(addressOf(page).filter, undefined, 'What was written last is not a filter of another list')
  })
})
