/**
 * A slip in the query string would let every record through, so it is reported: version 2 refuses it; version 1, which must
 * ignore unknown parameters (specification 4.2), names it in the header `Warning`.
 */
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { harbour } from '../fixtures/fixture-extract.ts'
import { type Service, startService } from './start-service.ts'

let service: Service
let apiKey: string

before(async () => {
  service = await startService()
  apiKey = await service.keyOf(harbour)
})
after(() => service.close())

type Reply = { readonly status: number; readonly warning: string | undefined; readonly body: string }

type Sent = { readonly method?: string; readonly form?: string }

/** The path as it is: a URL would encode some of it. */
function get(path: string, { method = 'GET', form = '' }: Sent = {}): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const headers = { 'X-API-Key': apiKey, 'Content-Length': Buffer.byteLength(form) }
    const sent = request(
      { port: service.port, host: '127.0.0.1', path, method, headers },
      async (response) => {
        let body = ''
        for await (const chunk of response.setEncoding('utf8')) body += chunk
        resolve({ status: response.statusCode ?? 0, warning: response.headers.warning, body })
      },
    )
    sent.on('error', reject).end(form)
  })
}

describe('a slip in version 2', () => {
  const rows: readonly (readonly [query: string, parameter: string, advice: RegExp])[] = [
    ['query=IsTicketed^EQtrue', 'query', /; use \$filter: query is a parameter of version 1$/],
    ['?query=IsTicketed^EQtrue', '?query', /; use \$filter: /],
    ['Query=', 'Query', /; use \$filter: /],
    ['limit=10', 'limit', /; use \$pageSize, /],
    ['fields=recordLocator', 'fields', /; use \$select, /],
    ['select_=recordLocator', 'select_', /; did you mean \$select\?$/],
    ['groupBy=clientNumber', 'groupBy', /; use \$apply, as in \$apply=groupby/],
    ['expand=segments', 'expand', /; leave it out: /],
    ['orderBy_=x', 'orderBy_', /; did you mean \$orderby\?$/],
    ['size=10', 'size', /; use \$pageSize, /],
    ['recordLocator=ABC123', 'recordLocator', /; use \$filter, as in \$filter=recordLocator eq 'ABC123'$/],
    [
      'bookingDate%3E=2026-01-31',
      'bookingDate>',
      /; use \$filter, as in \$filter=bookingDate ge '2026-01-31'$/,
    ],
    ['bookingDate[gte]=2026-01-31', 'bookingDate[gte]', /; use \$filter, as in \$filter=bookingDate ge /],
    ['filter[x]=1', 'filter[x]', /; use \$filter, as in /],
    ['currency_code=AUD', 'currency_code', /; use \$filter, as in \$filter=currencyCode eq 'AUD'$/],
    [
      'costCentre=X1',
      'costCentre',
      /; use \$filter, as in \$filter=customDataFields\['Cost Centre'\] eq 'X1'$/,
    ],
    [
      'Cost%20Centre=X1',
      'Cost Centre',
      /; use \$filter, as in \$filter=customDataFields\['Cost Centre'\] eq/,
    ],
    ['sort_by=x', 'sort_by', /; use \$orderby, /],
    ['fetch=10', 'fetch', /; use \$pageSize, /],
    ['offset=10', 'offset', /; use \$page with /],
    ['IsTicketed^EQtrue', 'IsTicketed^EQtrue', /; use \$filter: /],
    [
      '&amp;$filter=isTicketed%20eq%20true',
      'amp;$filter',
      /did you mean \$filter\? Then write & .* not &amp;$/,
    ],
    ['$page=1&amp;$pageSize=2', 'amp;$pageSize', /did you mean \$pageSize\? Then write & .* not &amp;$/],
    ['$page=1&amp%3B$pageSize=2', 'amp;$pageSize', /did you mean \$pageSize\?/],
    [';$filter=isTicketed%20eq%20true', ';$filter', /did you mean \$filter\? Then write & .* not ;$/],
    ['$page=1;$filter=x', '$page', /; write & between parameters, not ;$/],
    ['a=b;$filter=x', 'a', /; write & between parameters, not ;$/],
    ['$filter=isTicketed%20eq%20true;$page=1', '$filter', /';'/],
    ['%2524filter=isTicketed%20eq%20true', '%24filter', /did you mean \$filter\? Then encode the name once$/],
    ['%252524filter=x', '%2524filter', /did you mean \$filter\? Then encode the name once$/],
    ['%2526%2524orderby=x', '%26%24orderby', /did you mean \$orderby\? Then encode the name once$/],
  ]
  for (const [query, parameter, advice] of rows) {
    it(`is refused: ${query}`, async () => {
      for (const list of ['bookings', 'invoices', 'itineraries']) {
        const { status, body } = await get(`/api/v2/${list}?${query}`)
        assert.equal(status, 400, body)
        const told = JSON.parse(body) as Readonly<Record<string, unknown>>
        assert.deepEqual([told.error, told.parameter], [`Invalid ${parameter}`, parameter])
        assert.match(String(told.message), advice)
      }
    })
  }

  for (const query of ['=isTicketed%20eq%20true', 'page=1&=2', '=', '%24=2']) {
    it(`is refused when a shell ate the name: ${query}`, async () => {
      for (const list of ['bookings', 'invoices', 'itineraries']) {
        const { status, body } = await get(`/api/v2/${list}?${query}`)
        assert.equal(status, 400, body)
        const told = JSON.parse(body) as Readonly<Record<string, unknown>>
        assert.equal(told.error, 'Missing parameter name')
        assert.match(
          String(told.message),
          /; a shell replaces \$filter .* write filter, which means the same/,
        )
      }
    })
  }

  it('is not assumed in parameters of other systems', async () => {
    for (const query of ['utm_source=x', 'amp;x=1', ';x', 'a;b=c', '%2578=1', 'session=a;b=c'])
      assert.equal((await get(`/api/v2/bookings?${query}`)).status, 200, query)
  })
})

describe('a slip in version 1', () => {
  const rows: readonly (readonly [query: string, name: string, advice: string])[] = [
    ['$filter=x', '$filter', 'use query with clauses such as BookingDate^GE2026-01-31'],
    ['filter=x', 'filter', 'use query with clauses such as BookingDate^GE2026-01-31'],
    ['%24filter=x', '$filter', 'use query with clauses such as BookingDate^GE2026-01-31'],
    ['%2524filter=x', '%24filter', 'use query with clauses such as BookingDate^GE2026-01-31'],
    [';$filter=x', ';$filter', 'use query with clauses such as BookingDate^GE2026-01-31'],
    ['$orderby=x', '$orderby', 'leave it out: version 1 has one order'],
    ['$page=2', '$page', 'use offset and fetch'],
    ['$pageSize=2', '$pageSize', 'use fetch, at most 100'],
    ['$top=2', '$top', 'use fetch, at most 100'],
    ['$query=IsTicketed^EQtrue', '$query', 'use query'],
    ['?query=IsTicketed^EQtrue', '?query', 'use query'],
    [
      'fetch=10&amp;query=IsTicketed^EQtrue',
      'amp;query',
      'use query, and write & between parameters, not &amp;',
    ],
    ['fetch=10;query=IsTicketed^EQtrue', ';query', 'use query, and write & between parameters, not ;'],
    ['=IsTicketed^EQtrue', '', 'write a name in front of the =, such as query'],
    ['querry=IsTicketed^EQtrue', 'querry', 'did you mean query?'],
    ['IsTicketed^EQtrue', 'IsTicketed^EQtrue', 'write query= in front of it'],
  ]
  for (const [query, name, advice] of rows) {
    it(`is ignored and named: ${query}`, async () => {
      const plain = await get('/api/v1/bookings')
      const { status, warning, body } = await get(`/api/v1/bookings?${query}`)
      assert.deepEqual([status, body], [200, plain.body])
      assert.equal(warning, `299 - "Unknown query parameter '${name}' ignored; ${advice}"`)
    })
  }
})

describe('parameters in the body', () => {
  const ADVICE = 'parameters belong in the address; with curl add -G'
  const form = '$filter=isTicketed eq true'

  it('are refused by version 2', async () => {
    for (const list of ['bookings', 'invoices', 'itineraries']) {
      const { status, body } = await get(`/api/v2/${list}`, { form })
      const message = `Expected no body with GET, found one; ${ADVICE}`
      assert.deepEqual(
        [status, JSON.parse(body)],
        [400, { error: 'Invalid body', message, parameter: 'body' }],
      )
      assert.equal((await get(`/api/v2/${list}`, { form, method: 'HEAD' })).status, 400)
    }
  })

  it('are ignored by version 1, which says so', async () => {
    const plain = await get('/api/v1/bookings')
    const { status, warning, body } = await get('/api/v1/bookings', { form })
    assert.deepEqual([status, body, warning], [200, plain.body, `299 - "Body ignored; ${ADVICE}"`])
    const both = await get('/api/v1/bookings?x=1', { form })
    assert.match(both.warning ?? '', /^299 - "Unknown query parameter 'x' ignored.*", 299 - "Body ignored;/)
  })

  it('are refused with POST, with the same advice', async () => {
    for (const list of [
      '/api/v2/bookings',
      '/API/v2/Invoices/',
      '/api/v1/itineraries',
      '/api/v2/bookings/changes',
    ]) {
      const { status, body } = await get(list, { form, method: 'POST' })
      assert.deepEqual([status, body.includes(ADVICE)], [405, true], body)
    }
  })

  it('may be an empty body', async () => {
    assert.equal((await get('/api/v2/bookings?$page=1', { form: '' })).status, 200)
  })
})

describe('an address that does not exist', () => {
  const rows: readonly (readonly [path: string, nearest: string])[] = [
    ['/api/v2/booking', '/api/v2/bookings'],
    ['/api/v2/Itinerary?$page=1', '/api/v2/itineraries'],
    ['/api/v2/bookings/QAJ7HN', "/api/v2/bookings?$filter=recordLocator eq 'QAJ7HN'"],
    ['/api/v2/invoices/INV-100', "/api/v2/invoices?$filter=invoiceNumber eq 'INV-100'"],
    ['/api/v2/bookings/count', '/api/v2/bookings'],
    ['/api/v2/booking/changes', '/api/v2/bookings/changes'],
    ['/api/v2/invoices/Changed?since=x', '/api/v2/invoices/changes'],
    ['/api/v2/bookings/CHANGE', "/api/v2/bookings?$filter=recordLocator eq 'CHANGE'"],
    ['/api/v1/bookings/changes', '/api/v1/bookings'],
    ['/api/v2/bookings.csv', '/api/v2/bookings?$format=csv'],
    ['/api/v1/booking', '/api/v1/bookings'],
    ['/api/v1/bookings/QAJ7HN', '/api/v1/bookings'],
  ]
  for (const [path, nearest] of rows) {
    it(`is answered with the nearest one: ${path}`, async () => {
      const { status, body } = await get(path)
      const error = `There is no such address here; the nearest is ${nearest}`
      assert.deepEqual([status, JSON.parse(body)], [404, { error }])
    })
  }

  it('is answered with the reference when none is near', async () => {
    for (const path of ['/api/v2/hotels', '/api/v3/bookings', `/api/v2/${'x'.repeat(5000)}`, '/api/v2/%zz'])
      assert.doesNotMatch((await get(path)).body, /nearest/)
  })
})
