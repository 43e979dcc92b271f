/** Specification sections 2.9, 4.2, 5.2, 7.2, 8 and 9, sentence by sentence, as a client sees them on the wire. */
import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { expectedVersion1Records } from '../fixtures/expected-version-1.ts'
import { type ExtractTables, rowsOf } from '../fixtures/extract-rows.ts'
import { fixtureExtract, harbour, limmat, newcomer } from '../fixtures/fixture-extract.ts'
import type { JsonDataset, JsonRecord } from '../fixtures/json-record.ts'
import { type Service, startService } from './start-service.ts'

const lists: readonly JsonDataset[] = ['bookings', 'invoices', 'itineraries']

let service: Service
const psks = new Map<string, string>()

/** Enough records to see where a page ends. */
const frequent = 'C900'
const extract: ExtractTables = {
  ...fixtureExtract,
  clients: [...fixtureExtract.clients, ...rowsOf('clients', [{ client_number: frequent, name: 'Frequent' }])],
  bookings: [
    ...fixtureExtract.bookings,
    ...rowsOf(
      'bookings',
      Array.from({ length: 130 }, (_, i) => ({
        ...fixtureExtract.bookings[0],
        client_number: frequent,
        record_locator: `R${i}`,
      })),
    ),
  ],
}

before(async () => {
  service = await startService({ extract })
  for (const client of [harbour, limmat, newcomer, frequent])
    psks.set(client, (await service.pskOf(client)).psk)
})
after(() => service.close())

type Reply = {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
}

/** Sends the address byte for byte: a URL library would encode some of it. */
function send(path: string, headers: Readonly<Record<string, string>>, method = 'GET'): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      { port: service.port, host: '127.0.0.1', path, method, headers },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk) => chunks.push(chunk))
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(chunks).toString(),
          }),
        )
      },
    )
    request.on('error', reject).end()
  })
}

const get = (path: string, client = harbour) => send(path, { psk: psks.get(client) as string })

async function records(path: string, client = harbour): Promise<readonly JsonRecord[]> {
  const { status, text } = await get(path, client)
  assert.equal(status, 200, text)
  return JSON.parse(text).result
}

async function assertRefused(path: string, message: string): Promise<void> {
  const { status, text } = await get(path)
  assert.deepEqual([status, JSON.parse(text)], [400, { error: message }])
}

const expected = (list: JsonDataset, client = harbour) => expectedVersion1Records(extract, client, list)
const locators = (found: readonly JsonRecord[]) => found.map((record) => record.recordLocator)

describe('GET /api/v1/bookings, invoices and itineraries', () => {
  for (const list of lists) {
    for (const client of [harbour, limmat, newcomer]) {
      it(`2.9: carry the records in result, in the default order (${list} of ${client})`, async () => {
        const { text, headers } = await get(`/api/v1/${list}?fetch=100`, client)
        assert.equal(
          text,
          `{"result":[${expected(list, client)
            .map((record) => JSON.stringify(record))
            .join(',')}]}`,
        )
        assert.equal(headers['content-type'], 'application/json; charset=utf-8')
        assert.equal(headers['content-length'], String(Buffer.byteLength(text)))
      })
    }
  }

  it('2.9: have an empty array for no matching records, and for no further ones', async () => {
    assert.deepEqual(await records('/api/v1/bookings?query=RecordLocator^EQNONE'), [])
    assert.deepEqual(await records('/api/v1/bookings?offset=1000'), [])
    assert.deepEqual(await records('/api/v1/bookings?offset=99999999999999999999999'), [])
  })

  it('4.2: a whole dataset is read by increasing offset by fetch until result comes back empty', async () => {
    for (const list of lists) {
      for (const fetch of [1, 2, 3, 7, 100]) {
        const read: JsonRecord[] = []
        for (let offset = 0; ; offset += fetch) {
          const page = await records(`/api/v1/${list}?fetch=${fetch}&offset=${offset}`)
          assert.ok(page.length <= fetch)
          if (page.length === 0) break
          read.push(...page)
        }
        assert.deepEqual(read, expected(list))
      }
    }
  })

  it('4.2: offset is applied after the query filter', async () => {
    const all = expected('bookings').filter(({ isTicketed }) => isTicketed === false)
    assert.deepEqual(
      await records('/api/v1/bookings?query=IsTicketed^EQfalse&offset=1&fetch=2'),
      all.slice(1, 3),
    )
  })

  it('4.2: another unknown argument is ignored, and named in a header', async () => {
    const plain = await records('/api/v1/bookings')
    const { text, headers } = await get('/api/v1/bookings?IsTicketed^EQtrue&$filter=x&%22')
    assert.deepEqual(JSON.parse(text).result, plain)
    assert.equal(
      headers.warning,
      [
        `299 - "Unknown query parameter 'IsTicketed^EQtrue' ignored; write query= in front of it"`,
        `299 - "Unknown query parameter '$filter' ignored; use query with clauses such as BookingDate^GE2026-01-31"`,
        `299 - "Unknown query parameter '\\"' ignored"`,
      ].join(', '),
    )
    assert.equal(
      (await get('/api/v1/bookings?query=IsTicketed^EQ1&fetch=1&offset=1')).headers.warning,
      undefined,
    )
  })

  it('4.2: an unknown argument is named on a refusal, too', async () => {
    const { status, headers } = await get('/api/v1/bookings?query=x&ofset=1')
    assert.deepEqual(
      [status, headers.warning],
      [400, `299 - "Unknown query parameter 'ofset' ignored; did you mean offset?"`],
    )
  })

  it('carry the same headers as version 2, and answer HEAD and conditional requests', async () => {
    const path = '/api/v1/bookings?query=IsTicketed^EQtrue'
    const found = await get(path)
    const { etag, vary } = found.headers
    assert.equal(vary, 'psk, X-API-Key, Authorization, Accept, Accept-Encoding, Snapshot-Id')
    assert.match(String(found.headers['snapshot-id']), /^\d{8}T/)
    const psk = psks.get(harbour) as string
    const unchanged = await send(path, { psk, 'if-none-match': String(etag) })
    assert.deepEqual([unchanged.status, unchanged.text, unchanged.headers.etag], [304, '', etag])
    const head = await send(path, { psk }, 'HEAD')
    assert.deepEqual([head.status, head.text], [200, ''])
    assert.equal(head.headers['content-length'], found.headers['content-length'])
    const tags = new Set<unknown>()
    for (const other of ['IsTicketed^EQtrue&fetch=11', 'IsTicketed^EQtrue&offset=1', 'IsTicketed^EQfalse']) {
      tags.add((await get(`/api/v1/bookings?query=${other}`)).headers.etag)
    }
    assert.equal(tags.size, 3)
    assert.ok(!tags.has(etag))
    assert.equal((await get('/api/v1/bookings?query=isticketed^eq1')).headers.etag, etag)
  })
})

describe('rules of the version 1 query language (4.2)', () => {
  const bookings = (query: string) => records(`/api/v1/bookings?fetch=100&query=${query}`).then(locators)
  const invoices = (query: string) =>
    records(`/api/v1/invoices?fetch=100&query=${query}`).then((found) =>
      found.map(({ invoiceNumber, recordLocator }) => `${invoiceNumber} ${recordLocator}`),
    )

  it('1: clauses are combined with logical AND, and their order does not change the result', async () => {
    const both = ['ABC123']
    assert.deepEqual(await bookings('IsTicketed^EQtrue;Department^EQBridges'), both)
    assert.deepEqual(await bookings('Department^EQBridges;IsTicketed^EQtrue'), both)
    assert.deepEqual(await bookings(';Department^EQBridges;;IsTicketed^EQtrue;'), both)
  })

  it('2: only top-level properties can be queried', async () => {
    for (const [list, type, property] of [
      ['bookings', 'BookingGetDtoV1', 'Travellers.Name'],
      ['bookings', 'BookingGetDtoV1', 'Travellers'],
      ['itineraries', 'ItineraryGetDtoV1', 'Segments'],
      ['itineraries', 'ItineraryGetDtoV1', 'segments.status'],
      ['invoices', 'InvoiceGetDtoV1', 'LineItems.Product'],
      ['invoices', 'InvoiceGetDtoV1', 'payments'],
    ]) {
      await assertRefused(
        `/api/v1/${list}?query=${property}^EQx`,
        `Unknown search property: '${property}' not found on type ${type}.`,
      )
    }
  })

  it('3: property names and strings are case-insensitive for all operators', async () => {
    assert.deepEqual(await bookings('DEPARTMENT^EQbridges'), ['abc123', 'ABC123', 'CANX01'].sort(byDefault))
    assert.deepEqual(await bookings('department^CTRIDG'), ['abc123', 'ABC123', 'CANX01'].sort(byDefault))
    assert.deepEqual(await bookings('recordLOCATOR^INqf0001,zz9'), ['QF0001', 'ZZ9'])
    assert.deepEqual(
      await bookings('RecordLocator^NIabc123,QF0001;IsTicketed^EQtrue'),
      locators(
        expected('bookings').filter((r) => r.isTicketed && !/^(abc123|qf0001)$/i.test(`${r.recordLocator}`)),
      ),
    )
  })

  it('4: strings are given as-is, numbers without quotes or formatting', async () => {
    assert.deepEqual(await bookings("Traveller^EQO'Brien/Siobh%C3%A1n Ms".replaceAll(' ', '%20')), ['ABC123'])
    assert.deepEqual(await bookings('CostCentre^EQ4711'), ['ABC123'])
    assert.deepEqual(await invoices('TotalAmount^EQ121.0'), ['INV-2 QF0001'])
    assert.deepEqual(await invoices('TotalAmount^LT0'), ['CR-1 ABC123'])
    assert.deepEqual(await invoices('BalanceAmount^GE12.1e1'), ['INV-2 QF0001'])
  })

  it('5: for date-time properties only the date component is compared', async () => {
    const on = (day: string) =>
      locators(expected('bookings').filter((r) => String(r.modifiedDateTime).startsWith(day)))
    assert.deepEqual(await bookings('ModifiedDateTime^EQ2026-01-16'), on('2026-01-16'))
    assert.equal(on('2026-01-16').length, 2)
    const later = (from: string) =>
      locators(expected('bookings').filter((r) => `${r.modifiedDateTime}` > from))
    assert.deepEqual(await bookings('ModifiedDateTime^GT2026-01-16'), later('2026-01-17'))
    assert.deepEqual(await bookings('ModifiedDateTime^GE2026-01-16'), later('2026-01-16'))
    assert.deepEqual(
      await bookings('ModifiedDateTime^LE2026-01-16;ModifiedDateTime^NI2026-01-15,2026-01-01'),
      locators(
        expected('bookings').filter(
          (r) => `${r.modifiedDateTime}` < '2026-01-17' && !/^2026-01-(15|01)T/.test(`${r.modifiedDateTime}`),
        ),
      ),
    )
    assert.deepEqual(await bookings('BookingDate^EQ2024-02-29'), ['NULLS'])
  })

  it('6: the keyword null selects null values', async () => {
    const without = locators(expected('bookings').filter(({ department }) => department === null))
    assert.ok(without.length > 0)
    assert.deepEqual(await bookings('Department^EQNULL'), without)
    assert.deepEqual(
      await bookings('Department^INnull,Tunnels'),
      locators(
        expected('bookings').filter(({ department }) => department === null || department === 'Tunnels'),
      ),
    )
    assert.deepEqual(await invoices('BalanceAmount^EQnull'), ['INV-1 null', 'INV-3 null'])
  })

  it('7: booleans are true, false, 1 or 0', async () => {
    const yes = locators(expected('bookings').filter(({ isInternational }) => isInternational === true))
    for (const value of ['true', 'TRUE', '1'])
      assert.deepEqual(await bookings(`IsInternational^EQ${value}`), yes)
    for (const value of ['false', 'False', '0'])
      assert.deepEqual(await bookings(`IsInternational^NE${value}`), yes)
  })

  it('8: leading and trailing whitespace in values is trimmed', async () => {
    assert.deepEqual(await bookings('RecordLocator^EQ%20QF0001%09'), ['QF0001'])
    assert.deepEqual(await bookings('RecordLocator^IN%20QF0001%20,%20ZZ9'), ['QF0001', 'ZZ9'])
  })

  it('9: special characters in values are URL-encoded, a raw semicolon separates clauses', async () => {
    assert.deepEqual(await bookings('OriginatingAgency^EQMelbourne%2C%20Collins%20St'), ['ZZ9'])
    assert.deepEqual(await bookings('OriginatingAgency^INMelbourne%2C%20Collins%20St,nowhere'), ['ZZ9'])
    await assertRefused(
      '/api/v1/bookings?query=OriginatingAgency^EQMelbourne;Collins',
      'Invalid query format: Missing operator.',
    )
    // The encoding of client libraries, which covers the whole parameter.
    const whole = new URLSearchParams({ query: 'OriginatingAgency^EQMelbourne%2C Collins St;IsTicketed^EQ0' })
    assert.deepEqual(locators(await records(`/api/v1/bookings?${whole}`)), ['ZZ9'])
  })

  it('10: operator and value are written directly after the property and caret', async () => {
    await assertRefused(
      '/api/v1/bookings?query=RecordLocator^%20EQQF0001',
      'Invalid query format: Missing operator.',
    )
    assert.deepEqual(await bookings('RecordLocator^eqQF0001'), ['QF0001'])
  })
})

/** Locators in the default order of the fixture. */
function byDefault(a: string, b: string): number {
  const order = locators(expected('bookings'))
  return order.indexOf(a) - order.indexOf(b)
}

describe('refusals of version 1 (7.2)', () => {
  const rows: readonly (readonly [query: string, message: string])[] = [
    ['Traveller', 'Invalid query format: Missing operator.'],
    ['Traveller^', 'Invalid query format: Missing operator.'],
    ['Traveller^XXSmith', "Invalid query format: Unknown operator 'XXSmith'."],
    ['Traveller^EQ', "Invalid query format: Argument for property 'Traveller' is null or empty."],
    ['traveller^IN,%20,', "Invalid query format: Argument for property 'traveller' is null or empty."],
    [
      'BookingDate^GTyesterday',
      "Invalid query format: Expected numeric or date value for operator '^GT' on property 'BookingDate', but got 'yesterday'.",
    ],
    ['Nothing^EQx', "Unknown search property: 'Nothing' not found on type BookingGetDtoV1."],
  ]
  for (const [query, message] of rows) {
    it(`400 for ${query}`, () => assertRefused(`/api/v1/bookings?query=${query}`, message))
  }

  it('401 for missing or incorrect credentials, with an error body', async () => {
    for (const headers of [{}, { psk: 'wrong' }, { psk: crypto.randomUUID() }, { 'x-api-key': 'wrong' }]) {
      const {
        status,
        text,
        headers: answered,
      } = await send('/api/v1/bookings', headers as Record<string, string>)
      assert.equal(status, 401)
      assert.deepEqual(Object.keys(JSON.parse(text)), ['error'])
      assert.ok(answered['www-authenticate'])
    }
  })

  it('401 for the API key as a psk and for the psk as an API key, also in version 2', async () => {
    const apiKey = await service.keyOf(harbour)
    const psk = psks.get(harbour) as string
    assert.equal((await send('/api/v1/bookings', { psk: apiKey })).status, 401)
    assert.equal((await send('/api/v1/bookings', { 'x-api-key': psk })).status, 401)
    assert.equal((await send('/api/v2/bookings', { psk })).status, 401)
    assert.equal((await send('/api/v2/bookings', { 'x-api-key': psk })).status, 401)
    assert.equal((await send('/api/v1/bookings', { 'X-API-Key': apiKey })).status, 200)
  })

  it('401 from the next request after a psk was replaced, removed, or its account disabled', async () => {
    const { id, psk: first } = await service.pskOf(limmat)
    const status = async (psk: string) => (await send('/api/v1/bookings', { psk })).status
    assert.equal(await status(first), 200)
    const { psk: second } = await service.accounts.issuePsk(id, 'test')
    assert.deepEqual([await status(first), await status(second)], [401, 200])
    assert.equal(await status(`{${second.toUpperCase()}}`), 200)
    await service.accounts.setActive(id, false, 'test')
    assert.equal(await status(second), 401)
    await service.accounts.setActive(id, true, 'test')
    assert.equal(await status(second), 200)
    await service.accounts.removePsk(id, 'test')
    assert.equal(await status(second), 401)
  })

  it('404 for an invalid endpoint or API version', async () => {
    for (const path of [
      '/api/v1/flights',
      '/api/v0/bookings',
      '/api/v3/bookings',
      '/api/v1',
      '/api/v1/bookings/1',
    ]) {
      const { status, text } = await get(path)
      assert.deepEqual([status, Object.keys(JSON.parse(text))], [404, ['error']], path)
    }
    assert.equal((await get('/API/V1/Bookings')).status, 200)
  })

  it('405 with Allow for another method', async () => {
    const { status, headers } = await send('/api/v1/bookings', { psk: psks.get(harbour) as string }, 'POST')
    assert.deepEqual([status, headers.allow], [405, 'GET, HEAD, OPTIONS'])
  })
})

describe('limits of version 1 (8)', () => {
  const rows: readonly (readonly [parameters: string, first: number, count: number])[] = [
    ['', 0, 10],
    ['fetch=3', 0, 3],
    ['FETCH=3', 0, 3],
    ['fetch=0', 0, 10],
    ['fetch=-5', 0, 10],
    ['fetch=ten', 0, 10],
    ['fetch=2.5', 0, 10],
    ['fetch=', 0, 10],
    ['fetch=101', 0, 100],
    ['fetch=99999999999999999999', 0, 100],
    ['offset=2&fetch=2', 2, 2],
    ['offset=-1&fetch=2', 0, 2],
    ['offset=two&fetch=2', 0, 2],
    ['offset=1.5&fetch=2', 0, 2],
    ['offset=', 0, 10],
  ]
  for (const [parameters, first, count] of rows) {
    it(`'${parameters}' answers ${count} records from number ${first}`, async () => {
      assert.deepEqual(
        await records(`/api/v1/bookings?${parameters}`, frequent),
        expected('bookings', frequent).slice(first, first + count),
      )
    })
  }
})
