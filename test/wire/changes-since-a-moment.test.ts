/** What changed since a date or a moment, over HTTP: it is what changed since a token of that moment, or it is refused. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { assertProblem } from '../../src/http/testing/answered-problem.ts'
import type { ExtractTables } from '../fixtures/extract-rows.ts'
import { fixtureExtract, harbour } from '../fixtures/fixture-extract.ts'
import { type Service, startService } from './start-service.ts'

const lists = ['bookings', 'itineraries', 'invoices'] as const
type List = (typeof lists)[number]

const bookingsAs = (agency: string, rows = fixtureExtract.bookings): ExtractTables => ({
  ...fixtureExtract,
  bookings: rows.map((row) =>
    row.record_locator === 'ABC123' ? { ...row, originating_agency: agency } : row,
  ),
})
const withoutNulls: ExtractTables = {
  ...bookingsAs(
    'Second',
    fixtureExtract.bookings.filter(({ record_locator: locator }) => locator !== 'NULLS'),
  ),
  segments: fixtureExtract.segments.filter(({ record_locator: locator }) => locator !== 'NULLS'),
  invoices: fixtureExtract.invoices.map((row, i) => (i === 0 ? { ...row, due_date: '2030-01-01' } : row)),
}

async function serving(t: TestContext): Promise<{ readonly service: Service; readonly key: string }> {
  const service = await startService()
  t.after(service.close)
  return { service, key: await service.keyOf(harbour) }
}

/** A moment that no event shares. */
async function now(): Promise<string> {
  await setTimeout(3)
  const moment = new Date().toISOString()
  await setTimeout(3)
  return moment
}

const ask = (service: Service, key: string, list: List, query: Readonly<Record<string, string>> = {}) =>
  service.request(`/api/v2/${list}/changes?${new URLSearchParams(query)}`, key)

type Answered = {
  readonly count: number
  readonly _meta: { readonly token: string; readonly total: number }
} & { readonly [Name in List]: readonly Readonly<Record<string, unknown>>[] }

async function answered(response: Response): Promise<Answered> {
  assert.equal(response.status, 200, await response.clone().text())
  return (await response.json()) as Answered
}

async function tokensOf(service: Service, key: string): Promise<Readonly<Record<List, string>>> {
  const tokens = lists.map(async (list) => {
    const { _meta } = await answered(await ask(service, key, list, { $top: '1' }))
    return [list, _meta.token] as const
  })
  return Object.fromEntries(await Promise.all(tokens)) as Record<List, string>
}

/** Body and headers that tell of the data. */
async function contentOf(response: Response) {
  const names = ['etag', 'changes-token', 'snapshot-id', 'x-total-count', 'last-modified', 'content-type']
  return {
    status: response.status,
    headers: names.map((name) => response.headers.get(name)),
    body: Buffer.from(await response.arrayBuffer()).toString('base64'),
  }
}

async function refused(service: Service, key: string, since: string, status: number, code: string) {
  const response = await ask(service, key, 'bookings', { since })
  assert.equal(response.status, status, await response.clone().text())
  await assertProblem(service.observations, response, code)
  return (await response.json()) as { readonly error: string; readonly message?: string }
}

describe('changes since a moment', () => {
  it('are those since a token of that moment, in every list, format and part', async (t) => {
    const { service, key } = await serving(t)
    const past: { readonly at: string; readonly tokens: Readonly<Record<List, string>> }[] = []
    const remember = async () => past.push({ at: await now(), tokens: await tokensOf(service, key) })
    await remember()
    await service.publish(withoutNulls)
    await remember()
    await service.publish(bookingsAs('Third'))
    await remember()
    await service.rollBack()
    await remember()
    await service.publish(fixtureExtract)
    await now()
    const changed: number[] = []
    for (const { at, tokens } of past) {
      for (const list of lists) {
        for (const more of [
          {},
          { format: 'ndjson' },
          { format: 'csv' },
          { format: 'arrow' },
          { $page: '1', $pageSize: '1' },
        ]) {
          const since = (value: string) => ask(service, key, list, { ...more, since: value })
          const [found, expected] = [await since(at), await since(tokens[list])]
          assert.deepEqual(await contentOf(found), await contentOf(expected), `${list} ${at}`)
        }
      }
      const { count } = await answered(await ask(service, key, 'bookings', { since: at }))
      changed.push(count)
    }
    // Nothing since the first, which came back; two bookings since the second, to which the fourth went back.
    assert.deepEqual(changed, [0, 2, 1, 2])
  })

  it('take a day, a moment with an offset, and any number of digits of a second', async (t) => {
    const { service, key } = await serving(t)
    await service.publish(withoutNulls)
    const at = await now()
    await service.publish(fixtureExtract)
    const expected = await contentOf(await ask(service, key, 'bookings', { since: at }))
    const shifted = new Date(Date.parse(at) + 11 * 3_600_000).toISOString()
    const forms = [
      at.replace('Z', '+00:00'),
      at.replace('Z', '123456Z'),
      at.toLowerCase(),
      shifted.replace('Z', '+11:00'),
      at.replace('T', ' ').replace('Z', ''),
    ]
    for (const since of forms) {
      assert.deepEqual(await contentOf(await ask(service, key, 'bookings', { since })), expected, since)
    }
    const day = at.slice(0, 10)
    const [found, same] = [day, `${day}T00:00:00Z`].map((since) => ask(service, key, 'bookings', { since }))
    assert.deepEqual(
      await contentOf(await (found as Promise<Response>)),
      await contentOf(await (same as Promise<Response>)),
    )
  })

  it('before the first snapshot are all records as added', async (t) => {
    const { service, key } = await serving(t)
    await service.publish(withoutNulls)
    const everything = await contentOf(await ask(service, key, 'bookings'))
    for (const since of ['1999-12-31', '2020-02-29T23:59:59Z']) {
      assert.deepEqual(await contentOf(await ask(service, key, 'bookings', { since })), everything)
    }
  })

  it('of a client that did not exist then are all its records as added', async (t) => {
    const others = Object.entries(fixtureExtract).map(([table, rows]) => [
      table,
      rows.filter((row) => 'client_number' in row && row.client_number !== harbour),
    ])
    const none = { invoices: [], invoice_lines: [], payments: [] }
    const extract = { ...(Object.fromEntries(others) as ExtractTables), ...none }
    const service = await startService({ extract })
    t.after(service.close)
    const key = await service.keyOf(harbour)
    const before = await now()
    await service.publish(fixtureExtract)
    const between = await now()
    const { count, bookings } = await answered(await ask(service, key, 'bookings', { since: before }))
    assert.equal(count, (await answered(await ask(service, key, 'bookings'))).count)
    assert.deepEqual([...new Set(bookings.map(({ _change }) => _change))], ['added'])
    assert.equal((await answered(await ask(service, key, 'bookings', { since: between }))).count, 0)
  })

  it('come in pages of one walk while another snapshot is published', async (t) => {
    const { service, key } = await serving(t)
    const since = await now()
    await service.publish(withoutNulls)
    const whole = await answered(await ask(service, key, 'bookings', { since }))
    const page = (number: number, headers: Readonly<Record<string, string>> = {}) => {
      const query = new URLSearchParams({ since, $page: String(number), $pageSize: '1' })
      const address = `http://127.0.0.1:${service.port}/api/v2/bookings/changes?${query}`
      return fetch(address, { headers: { 'X-API-Key': key, ...headers } })
    }
    const first = await page(1)
    const bookings = [...(await answered(first.clone())).bookings]
    for (let number = 2; number <= whole.count; number++) {
      await service.publish(number % 2 === 0 ? bookingsAs('Third') : fixtureExtract).catch(() => undefined)
      const next = await page(number, { 'Snapshot-Id': String(first.headers.get('snapshot-id')) })
      const body = await answered(next)
      assert.equal(body._meta.token, whole._meta.token)
      bookings.push(...body.bookings)
    }
    assert.deepEqual(bookings, whole.bookings)
    const again = await page(1, { 'If-None-Match': String((await page(1)).headers.get('etag')) })
    assert.equal(again.status, 304)
  })
})

describe('a moment of changes', () => {
  it('is refused with 400 when it is none, with the forms that are', async (t) => {
    const { service, key } = await serving(t)
    for (const since of [
      '2026-02-30',
      '2026-11-20T25:00:00Z',
      '20261120',
      '2026-11',
      '1763625600',
      '2026-11-20T08:00:00+99:00',
    ]) {
      const { error, message } = await refused(service, key, since, 400, 'QRY351')
      assert.equal(error, 'Invalid since')
      assert.match(
        String(message),
        /^Expected a day such as 2026-11-20 .*, a moment such as .*, or the token/,
      )
      assert.match(String(message), new RegExp(`found '${since.replace('+', '\\+')}'`))
    }
    const { message } = await refused(service, key, '2026-11-20T08:00:00 11:00', 400, 'QRY351')
    assert.match(String(message), /write the \+ of an offset as %2B in an address$/)
    // An address makes this of 2026-11-20+11:00.
    const day = await refused(service, key, '2026-11-20 11:00', 400, 'QRY351')
    assert.match(String(day.message), /found '2026-11-20 11:00'; write the \+ of an offset as %2B/)
    const words = await refused(service, key, 'yesterday', 400, 'QRY351')
    assert.match(
      String(words.message),
      /or a moment such as 2026-11-20 or 2026-11-20T08:00:00Z, found 'yesterday'/,
    )
  })

  it('is refused with 400 when it is still to come, with the present moment', async (t) => {
    const { service, key } = await serving(t)
    const toCome = new Date(Date.now() + 2 * 86_400_000).toISOString()
    for (const since of [toCome, toCome.slice(0, 10)]) {
      const { message } = await refused(service, key, since, 400, 'QRY353')
      assert.match(
        String(message),
        /^Expected a moment that has passed, found .*; it is \d{4}-.*Z now\. A day begins at 00:00 UTC$/,
      )
    }
    // Clocks differ.
    const soon = new Date(Date.now() + 30_000).toISOString()
    assert.equal((await answered(await ask(service, key, 'bookings', { since: soon }))).count, 0)
  })

  it('of which nobody knows any more what changed is refused with 410 that names the oldest moment', async (t) => {
    const { service, key } = await serving(t)
    await service.publish(withoutNulls)
    const since = await now()
    await service.forgetChanges()
    const none = await refused(service, key, since, 410, 'SNP333')
    assert.match(
      none.error,
      /^What changed since \S+Z is not known any more\. Read everything again with \/api\/v2\/bookings\/changes without since/,
    )
    await service.publish(fixtureExtract)
    await now()
    const { error } = await refused(service, key, since, 410, 'SNP333')
    const [, oldest = ''] =
      /The oldest moment that can be asked is (\S+Z)\. Or: Read everything again/.exec(error) ?? []
    assert.ok(oldest > since, oldest)
    assert.equal((await answered(await ask(service, key, 'bookings', { since: oldest }))).count, 0)
    const earlier = new Date(Date.parse(oldest) - 1).toISOString()
    await refused(service, key, earlier, 410, 'SNP333')
  })

  it('cannot be used with what chooses, orders or shapes records, as a token', async (t) => {
    const { service, key } = await serving(t)
    for (const name of ['$filter', '$orderby', '$select', '$apply']) {
      const response = await ask(service, key, 'bookings', {
        since: '2026-11-20',
        [name]: 'isTicketed eq true',
      })
      assert.equal(response.status, 400)
      await assertProblem(service.observations, response, 'QRY352')
    }
  })
})
