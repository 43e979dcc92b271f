/** $select, $count, $top and $skip as a client sees them: bodies, headers, conditional requests and refusals. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { tableFromIPC } from 'apache-arrow'
import { expectedRecords } from '../fixtures/expected-records.ts'
import { fixtureExtract, harbour } from '../fixtures/fixture-extract.ts'
import type { JsonRecord } from '../fixtures/json-record.ts'
import { type Service, startService } from './start-service.ts'

let service: Service
let key: string

before(async () => {
  service = await startService()
  key = await service.keyOf(harbour)
})
after(() => service.close())

const ask = (query: string, init: RequestInit = {}, list = 'bookings') =>
  fetch(`http://127.0.0.1:${service.port}/api/v2/${list}?${query}`, {
    ...init,
    headers: { 'X-API-Key': key, ...init.headers },
  })
const bookings = expectedRecords(fixtureExtract, harbour, 'bookings') as readonly JsonRecord[]
const total = bookings.length

describe('$select', () => {
  const small = bookings.map(({ recordLocator, isTicketed }) => ({ recordLocator, isTicketed }))

  for (const name of ['$select', 'select', '%24SELECT']) {
    it(`gives the selected members within the same envelope: ${name}`, async () => {
      const response = await ask(`${name}=isTicketed,%20recordLocator`)
      assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8')
      assert.equal(
        await response.text(),
        `{"clientNumber":"${harbour}","count":${total},"bookings":${JSON.stringify(small)},"_meta":{"total":${total},"filteredCount":${total}}}`,
      )
    })
  }

  it('gives only these columns as CSV, with the same file name', async () => {
    const response = await ask('$select=recordLocator,isTicketed&$format=csv')
    assert.match(response.headers.get('content-disposition') ?? '', /^attachment; filename="bookings-/)
    assert.equal(response.headers.get('x-total-count'), String(total))
    const [header, ...lines] = (await response.text()).trimEnd().split('\r\n')
    assert.equal(header?.replace('\ufeff', ''), 'recordLocator,isTicketed')
    assert.equal(lines.length, total)
  })

  it('gives only these columns as Arrow, also for no records', async () => {
    for (const filter of ['', "&$filter=recordLocator eq 'none'"]) {
      const response = await ask(
        `$select=recordLocator,customDataFields['Cost Centre']&$format=arrow${filter}`,
      )
      const { schema, numRows } = tableFromIPC(Buffer.from(await response.arrayBuffer()))
      assert.equal(numRows, filter === '' ? total : 0)
      assert.deepEqual(
        schema.fields.map(({ name, type }) => `${name}: ${type}`),
        ['recordLocator: Utf8', 'customDataFields: Struct<{Cost Centre:Utf8}>'],
      )
    }
  })

  it('gives lines of records as NDJSON', async () => {
    const body = await (await ask('$select=recordLocator,isTicketed&$format=ndjson')).text()
    assert.equal(body, small.map((record) => `${JSON.stringify(record)}\n`).join(''))
  })

  it('pages, sorts and filters by members that are not selected', async () => {
    const query = '$filter=isTicketed eq true&$orderby=bookingDate desc,recordLocator&$page=2&$pageSize=2'
    const whole = (await (await ask(query)).json()) as { bookings: JsonRecord[]; _meta: unknown }
    const response = await ask(`${query}&$select=recordLocator`)
    const found = (await response.json()) as typeof whole
    assert.deepEqual(
      found.bookings,
      whole.bookings.map(({ recordLocator }) => ({ recordLocator })),
    )
    assert.deepEqual(found._meta, whole._meta)
    assert.match(response.headers.get('link') ?? '', /rel="prev"/)
    assert.match(response.headers.get('link') ?? '', /select=recordLocator/)
  })

  it('has an entity tag of its own, which does not depend on how the selection is written', async () => {
    const tagOf = async (query: string) => (await ask(query)).headers.get('etag')
    const tag = await tagOf('$select=recordLocator,isTicketed')
    assert.equal(await tagOf('select=isTicketed,RECORDLOCATOR,isTicketed'), tag)
    const others = ['', '$select=recordLocator', '$select=customDataFields', '$select=*']
    const tags = await Promise.all(others.map(tagOf))
    assert.equal(new Set([tag, ...tags]).size, others.length + 1)
    assert.equal(await tagOf('$orderby=bookingDate'), await tagOf('$select=*'))
    const copy = await ask('$select=recordLocator,isTicketed', { headers: { 'If-None-Match': String(tag) } })
    assert.deepEqual([copy.status, copy.headers.get('etag'), await copy.text()], [304, tag, ''])
    const other = await ask('$select=recordLocator', { headers: { 'If-None-Match': String(tag) } })
    assert.equal(other.status, 200)
  })

  it('gives with HEAD the headers of GET', async () => {
    const names = ['etag', 'content-length', 'content-type', 'snapshot-id', 'last-modified', 'vary']
    for (const query of ['$select=recordLocator', '$select=recordLocator&$format=csv']) {
      const [get, head] = await Promise.all([ask(query), ask(query, { method: 'HEAD' })])
      const headersOf = ({ headers }: Response) => names.map((name) => headers.get(name))
      assert.deepEqual(headersOf(head), headersOf(get))
      assert.equal(Number(get.headers.get('content-length')), (await get.arrayBuffer()).byteLength)
      assert.equal((await head.arrayBuffer()).byteLength, 0)
    }
  })

  it('reads from the snapshot that the request names', async (t) => {
    const own = await startService()
    t.after(own.close)
    const ownKey = await own.keyOf(harbour)
    const get = (headers: Record<string, string> = {}) =>
      fetch(`http://127.0.0.1:${own.port}/api/v2/bookings?$select=originatingAgency,recordLocator`, {
        headers: { 'X-API-Key': ownKey, ...headers },
      })
    const first = await get()
    const id = String(first.headers.get('snapshot-id'))
    const before = await first.text()
    const renamed = fixtureExtract.bookings.map((row) => ({ ...row, originating_agency: 'Renamed' }))
    await own.publish({ ...fixtureExtract, bookings: renamed })
    const pinned = await get({ 'Snapshot-Id': id })
    assert.deepEqual([await pinned.text(), pinned.headers.get('snapshot-id')], [before, id])
    assert.match(await (await get()).text(), /"originatingAgency":"Renamed"/)
  })

  it('is refused with its column and the nearest name', async () => {
    const response = await ask('$select=recordLocator,bokingDate')
    assert.equal(response.status, 400)
    assert.deepEqual(await response.json(), {
      error: 'Invalid $select',
      message: "Unknown field 'bokingDate' in bookings; did you mean bookingDate?",
      parameter: '$select',
      column: 14,
      input: 'recordLocator,bokingDate',
    })
    assert.equal((await ask('$select=')).status, 400)
  })
})

describe('$count', () => {
  for (const value of ['true', 'false']) {
    it(`is accepted as ${value}; the total is in _meta either way`, async () => {
      const { _meta } = (await (await ask(`$count=${value}`)).json()) as { _meta: unknown }
      assert.deepEqual(_meta, { total, filteredCount: total })
    })
  }

  it('is refused with another value', async () => {
    const response = await ask('count=10')
    assert.equal(response.status, 400)
    assert.match(
      ((await response.json()) as { message: string }).message,
      /^Expected true or false, found '10'/,
    )
  })
})

describe('$top and $skip', () => {
  it('give the records of any offset, with the total and without members of pages', async () => {
    const whole = (await (await ask('')).json()) as { bookings: JsonRecord[] }
    for (const [query, from, to] of [
      ['$top=3', 0, 3],
      ['$skip=5&$top=2', 5, 7],
      ['skip=1', 1, 51],
      ['$top=0', 0, 0],
      ['$skip=1000&$top=5', 1000, 1005],
    ] as const) {
      const found = (await (await ask(query)).json()) as Record<string, unknown>
      assert.deepEqual(found.bookings, whole.bookings.slice(from, to), query)
      assert.equal(found.count, whole.bookings.slice(from, to).length)
      assert.deepEqual(found._meta, { total, filteredCount: total })
    }
  })

  it('name the next records in the header Link, and can be followed to the end', async () => {
    const found: string[] = []
    let query: string | undefined = '$top=3&$select=recordLocator'
    while (query !== undefined) {
      const response = await ask(query)
      const { bookings: page } = (await response.json()) as { bookings: JsonRecord[] }
      found.push(...page.map(({ recordLocator }) => String(recordLocator)))
      query = /<\?([^>]*)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1]
    }
    assert.deepEqual(
      found,
      bookings.map(({ recordLocator }) => recordLocator),
    )
  })

  it('are not mixed with pages', async () => {
    const response = await ask('$top=3&$page=2')
    assert.equal(response.status, 400)
    const { parameter, message } = (await response.json()) as Record<string, string>
    assert.equal(parameter, '$top')
    assert.match(
      String(message),
      /^Expected either \$page and \$pageSize or \$top and \$skip, found \$page and \$top/,
    )
  })
})
