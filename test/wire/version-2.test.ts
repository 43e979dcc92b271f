/** Specification sections 1, 2, 4.1, 5.1 and 7.1, sentence by sentence, as a client sees them on the wire. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Booking, Invoice } from '../../src/schema/shapes.ts'
import { expectedRecords } from '../fixtures/expected-records.ts'
import { fixtureExtract, harbour, limmat, newcomer } from '../fixtures/fixture-extract.ts'
import { bodyOf, type Service, startService } from './start-service.ts'

const datasets = ['bookings', 'invoices', 'itineraries'] as const
const rotatePath = '/api/v2/service-accounts/me/rotate-api-key'

let service: Service
const keys = new Map<string, string>()
const get = (client: string, path: string) => service.request(path, keys.get(client) as string)
const body = async (client: string, path: string) => bodyOf(await get(client, path))

before(async () => {
  service = await startService()
  for (const client of [harbour, limmat, newcomer]) keys.set(client, await service.keyOf(client))
})
after(() => service.close())

describe('GET /api/v2/bookings, invoices and itineraries', () => {
  for (const dataset of datasets) {
    for (const client of [harbour, limmat, newcomer]) {
      it(`4.1 rule 1: every record belonging to the client is returned (${dataset} of ${client})`, async () => {
        const records = expectedRecords(fixtureExtract, client, dataset)
        const response = await get(client, `/api/v2/${dataset}`)
        assert.equal(response.status, 200)
        assert.equal(
          await response.text(),
          `{"clientNumber":"${client}","count":${records.length},"${dataset}":[${records.map((r) => JSON.stringify(r)).join(',')}]}`,
        )
      })
    }
  }

  it('1: there are no client-number query parameters', async () => {
    const mine = await body(harbour, '/api/v2/bookings')
    assert.deepEqual(await body(harbour, `/api/v2/bookings?clientNumber=${limmat}`), mine)
    const none = await body(harbour, `/api/v2/bookings?$filter=clientNumber eq '${limmat}'`)
    assert.deepEqual([none.clientNumber, none.count], [harbour, 0])
  })

  it('4.1 rule 3: each parameter may be given with or without $, in any case', async () => {
    const expected = await body(
      harbour,
      '/api/v2/bookings?$filter=isTicketed eq true&$orderby=recordLocator&$page=1&$pageSize=3',
    )
    for (const names of [
      ['filter', 'orderby', 'page', 'pageSize'],
      ['$FILTER', 'OrderBy', '$PAGE', 'PAGESIZE'],
    ]) {
      const [filter, orderBy, page, pageSize] = names
      const path = `/api/v2/bookings?${filter}=isTicketed eq true&${orderBy}=recordLocator&${page}=1&${pageSize}=3`
      assert.deepEqual(await body(harbour, path), expected)
    }
  })

  it('ne and nin on the path of a collection mean that no element equals, as the reference says', async () => {
    const invoices = expectedRecords(fixtureExtract, harbour, 'invoices') as readonly Invoice[]
    const typesOf = ({ lineItems }: Invoice) => lineItems.map(({ lineType }) => lineType)
    const found = async (filter: string) =>
      (await body(harbour, `/api/v2/invoices?$filter=${encodeURIComponent(filter)}`)).invoices
    const without = invoices.filter((invoice) => !typesOf(invoice).includes('TAX'))
    const withOther = invoices.filter((invoice) => typesOf(invoice).some((type) => type !== 'TAX'))
    assert.notDeepEqual(without, withOther)
    assert.deepEqual(await found("lineItems.lineType ne 'TAX'"), without)
    assert.deepEqual(await found("lineItems.lineType nin ('TAX')"), without)
    assert.deepEqual(await found("any(lineItems, lineType ne 'TAX')"), withOther)
  })

  it('a local time in a literal has no offset, and Z is taken as written', async () => {
    const [booking] = expectedRecords(fixtureExtract, harbour, 'bookings') as readonly Booking[]
    assert.ok(booking)
    const filtered = (literal: string) =>
      body(harbour, `/api/v2/bookings?$filter=${encodeURIComponent(`modifiedAt eq '${literal}'`)}`)
    const found = await filtered(`${booking.modifiedAt}Z`)
    assert.deepEqual(found, await filtered(booking.modifiedAt))
    assert.ok(found.count > 0)
    assert.match(
      (await filtered(`${booking.modifiedAt}+10:00`)).message,
      /write the local time without the offset/,
    )
  })

  it('2.6 and 4.1 rule 4: _meta is present exactly when a parameter was supplied, with paging members only when paging', async () => {
    const total = expectedRecords(fixtureExtract, harbour, 'bookings').length
    assert.equal((await body(harbour, '/api/v2/bookings'))._meta, undefined)
    assert.equal((await body(harbour, '/api/v2/bookings?unrelated=1'))._meta, undefined)
    const metaOf = async (query: string) => (await body(harbour, `/api/v2/bookings?${query}`))._meta
    assert.deepEqual(await metaOf('$orderby=recordLocator'), { total, filteredCount: total })
    const totalPages = Math.ceil(total / 2)
    const second = { page: 2, pageSize: 2, total, totalPages, filteredCount: total }
    assert.deepEqual(await metaOf('$page=2&$pageSize=2'), second)
    assert.deepEqual(await metaOf('$page=1'), {
      page: 1,
      pageSize: 50,
      total,
      totalPages: 1,
      filteredCount: total,
    })
    assert.deepEqual((await metaOf('$pageSize=501'))?.pageSize, 500)
  })

  it('4.1: pages follow each other without gap or overlap', async () => {
    const whole = (await body(harbour, '/api/v2/invoices')).invoices
    const pages: unknown[] = []
    for (let page = 1; page <= whole.length + 1; page++) {
      const { invoices, count } = await body(harbour, `/api/v2/invoices?$page=${page}&$pageSize=1`)
      assert.equal(count, invoices.length)
      pages.push(...invoices)
    }
    assert.deepEqual(pages, whole)
  })

  it('paths are case-insensitive, and HEAD answers like GET without a body', async () => {
    const response = await get(harbour, '/API/V2/Bookings')
    assert.equal(response.status, 200)
    const head = await service.request('/api/v2/bookings', keys.get(harbour) as string, { method: 'HEAD' })
    assert.deepEqual([head.status, await head.text()], [200, ''])
    for (const name of ['etag', 'content-length', 'snapshot-id', 'last-modified']) {
      assert.equal(head.headers.get(name), response.headers.get(name))
    }
  })

  it('an unchanged answer is not sent again', async () => {
    const first = await get(harbour, '/api/v2/bookings?$filter=isTicketed eq true')
    const again = await fetch(first.url.replace('isTicketed%20eq', 'ISTICKETED%20%20EQ'), {
      headers: {
        'X-API-Key': keys.get(harbour) as string,
        'If-None-Match': first.headers.get('etag') as string,
      },
    })
    assert.deepEqual([again.status, await again.text()], [304, ''])
  })
})

describe('authentication', () => {
  it('5.1 rule 3: a missing or unrecognised key yields 401 with an Error body', async () => {
    for (const key of [undefined, 'A'.repeat(64), '']) {
      const headers = new Headers(key === undefined ? {} : { 'X-API-Key': key })
      const response = await fetch(`http://127.0.0.1:${service.port}/api/v2/bookings`, { headers })
      assert.equal(response.status, 401)
      assert.deepEqual(Object.keys(await bodyOf(response)), ['error'])
    }
  })

  it('4.1: rotation replaces the key in a single operation; the old one is invalid at once', async () => {
    const old = await service.keyOf(limmat)
    const rotated = await service.request(rotatePath, old, { method: 'POST' })
    assert.equal(rotated.status, 200)
    const { id, name, apiKey, rotatedAt, ...rest } = await bodyOf(rotated)
    assert.deepEqual(rest, {})
    assert.match(id, /^[0-9a-f-]{36}$/)
    assert.equal(name, `Wire ${limmat}`)
    assert.equal(Buffer.from(apiKey, 'base64').length, 48)
    assert.equal(apiKey.length, 64)
    assert.match(rotatedAt, /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d+(Z|[+-]\d{2}:\d{2})$/)
    assert.equal((await service.request('/api/v2/bookings', old)).status, 401)
    assert.equal((await service.request('/api/v2/bookings', apiKey)).status, 200)
  })

  it('Basic, which browsers repeat without asking, reads and does not rotate; Bearer does both', async () => {
    const key = await service.keyOf(limmat)
    const send = (authorization: string, path: string, method = 'GET') =>
      fetch(`http://127.0.0.1:${service.port}${path}`, { method, headers: { Authorization: authorization } })
    const [basic, bearer] = [`Basic ${btoa(`erp:${key}`)}`, `Bearer ${key}`]
    assert.equal((await send(basic, '/api/v2/bookings')).status, 200)
    assert.equal((await send(basic, rotatePath, 'POST')).status, 401)
    assert.equal((await send(bearer, '/api/v2/bookings')).status, 200)
    assert.equal((await send(bearer, rotatePath, 'POST')).status, 200)
    assert.equal((await send(bearer, '/api/v2/bookings')).status, 401)
  })

  it('of keys of two clients in one request, that in X-API-Key counts alone', async () => {
    const [own, other] = [await service.keyOf(harbour), await service.keyOf(limmat)]
    for (const scheme of [(key: string) => `Bearer ${key}`, (key: string) => `Basic ${btoa(`erp:${key}`)}`]) {
      const ask = (key: string, authorization: string) =>
        fetch(`http://127.0.0.1:${service.port}/api/v2/bookings`, {
          headers: { 'X-API-Key': key, Authorization: authorization },
        })
      assert.equal((await bodyOf(await ask(own, scheme(other)))).clientNumber, harbour)
      assert.equal((await bodyOf(await ask(other, scheme(own)))).clientNumber, limmat)
      assert.equal((await ask('A'.repeat(64), scheme(own))).status, 401)
    }
  })

  it('exactly one of 50 simultaneous rotations with one key succeeds', async () => {
    const old = await service.keyOf(limmat)
    const all = await Promise.all(
      Array.from({ length: 50 }, () => service.request(rotatePath, old, { method: 'POST' })),
    )
    const statuses = all.map(({ status }) => status)
    assert.deepEqual([...new Set(statuses)].sort(), [200, 401])
    assert.equal(statuses.filter((status) => status === 200).length, 1)
  })
})

describe('errors', () => {
  it('7.1: a parameter that fails to parse is a 400 QueryError naming parameter, column and input', async () => {
    const rows = [
      ['$filter', "recordLocator eq 'x", 17],
      ['$orderby', 'recordLocator up', 14],
      ['$page', '0', 0],
      ['$pageSize', '1.5', 1],
    ] as const
    for (const [parameter, input, column] of rows) {
      const response = await get(harbour, `/api/v2/bookings?${parameter}=${encodeURIComponent(input)}`)
      assert.equal(response.status, 400)
      const { message, ...error } = await bodyOf(response)
      assert.deepEqual(error, { error: `Invalid ${parameter}`, parameter, column, input })
      assert.equal(typeof message, 'string')
    }
  })
})
