/** What changed in a list, over HTTP: every format, pages, tokens, and what is refused. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { tableFromIPC } from 'apache-arrow'
import { assertProblem } from '../../src/http/testing/answered-problem.ts'
import type { ListName } from '../../src/schema/datasets.ts'
import type { ExtractTables } from '../fixtures/extract-rows.ts'
import { fixtureExtract, harbour, limmat } from '../fixtures/fixture-extract.ts'
import { type Service, startService } from './start-service.ts'

type Change = Readonly<Record<string, unknown>> & { readonly _change: 'added' | 'changed' | 'removed' }
type Body = { readonly clientNumber: string; readonly count: number } & {
  readonly [List in ListName]: readonly Change[]
} & { readonly _meta: Readonly<Record<string, unknown>> & { readonly token: string } }

/** One booking goes, one changes, one gets another segment, and one comes. */
const later: ExtractTables = {
  ...fixtureExtract,
  bookings: [
    ...fixtureExtract.bookings
      .filter(({ record_locator: locator }) => locator !== 'NULLS')
      .map((row) => (row.record_locator === 'ABC123' ? { ...row, originating_agency: 'Elsewhere' } : row)),
    { ...(fixtureExtract.bookings[0] as (typeof fixtureExtract.bookings)[0]), record_locator: 'NEW001' },
  ],
  segments: fixtureExtract.segments.filter(({ record_locator: locator }) => locator !== 'NULLS'),
  invoices: fixtureExtract.invoices.map((row, i) => (i === 0 ? { ...row, due_date: '2030-01-01' } : row)),
  invoice_lines: fixtureExtract.invoice_lines,
}

async function serving(t: TestContext): Promise<{ readonly service: Service; readonly key: string }> {
  const service = await startService()
  t.after(service.close)
  return { service, key: await service.keyOf(harbour) }
}

const pathOf = (list: ListName, query = ''): string =>
  `/api/v2/${list}/changes${query === '' ? '' : `?${query}`}`

async function ask(service: Service, key: string, list: ListName, query = ''): Promise<Body> {
  const response = await service.request(pathOf(list, query), key)
  assert.equal(response.status, 200, await response.clone().text())
  const body = (await response.json()) as Body
  assert.equal(response.headers.get('changes-token'), body._meta.token)
  return body
}

async function problemOf(service: Service, key: string, path: string, status: number, code?: string) {
  const response = await service.request(path, key)
  assert.equal(response.status, status, await response.clone().text())
  if (code !== undefined) await assertProblem(service.observations, response, code)
  return (await response.json()) as { readonly error: string; readonly message?: string }
}

const summary = (changes: readonly Change[], name = 'recordLocator') =>
  changes.map((change) => `${change[name]} ${change._change}`)

describe('changes', () => {
  it('without a token are all records as added, in the order of their identities', async (t) => {
    const { service, key } = await serving(t)
    for (const list of ['bookings', 'itineraries', 'invoices'] as const) {
      const body = await ask(service, key, list)
      const records = (await (await service.request(`/api/v2/${list}`, key)).json()) as Body
      assert.deepEqual([body.clientNumber, body.count], [harbour, records.count])
      assert.deepEqual(Object.keys(body), ['clientNumber', 'count', list, '_meta'])
      assert.deepEqual(Object.keys(body._meta), ['total', 'token'])
      assert.equal(body._meta.total, records.count)
      const identity = (change: Readonly<Record<string, unknown>>) =>
        list === 'invoices' ? `${change.company}\n${change.invoiceNumber}` : String(change.recordLocator)
      const expected = records[list].map((record) => ({ ...record, _change: 'added' as const }))
      assert.deepEqual(
        body[list],
        expected.sort((one, other) => (identity(one) < identity(other) ? -1 : 1)),
      )
    }
  })

  it('since a token are the records that were added or changed, and the identities of removed ones', async (t) => {
    const { service, key } = await serving(t)
    const before = {
      bookings: (await ask(service, key, 'bookings'))._meta.token,
      itineraries: (await ask(service, key, 'itineraries'))._meta.token,
      invoices: (await ask(service, key, 'invoices'))._meta.token,
    }
    const none = await ask(service, key, 'bookings', `since=${before.bookings}`)
    assert.deepEqual([none.count, none.bookings, none._meta.token], [0, [], before.bookings])

    await service.publish(later)
    const bookings = await ask(service, key, 'bookings', `since=${before.bookings}`)
    assert.deepEqual(summary(bookings.bookings), ['ABC123 changed', 'NEW001 added', 'NULLS removed'])
    assert.equal(bookings.bookings[0]?.originatingAgency, 'Elsewhere')
    assert.deepEqual(bookings.bookings[2], { recordLocator: 'NULLS', _change: 'removed' })
    const invoices = await ask(service, key, 'invoices', `$since=${before.invoices}`)
    assert.deepEqual(
      invoices.invoices.map(({ dueDate, _change }) => [dueDate, _change]),
      [['2030-01-01', 'changed']],
    )
    const itineraries = await ask(service, key, 'itineraries', `SINCE=${before.itineraries}`)
    assert.deepEqual(summary(itineraries.itineraries), summary(bookings.bookings))

    // Changed, and changed back.
    await service.publish(fixtureExtract)
    for (const list of ['bookings', 'itineraries', 'invoices'] as const) {
      const back = await ask(service, key, list, `since=${before[list]}`)
      assert.deepEqual([back[list], back._meta.token], [[], before[list]])
    }
    const undone = await ask(service, key, 'bookings', `since=${bookings._meta.token}`)
    assert.deepEqual(summary(undone.bookings), ['ABC123 changed', 'NEW001 removed', 'NULLS added'])
  })

  it('do not tell a booking of which only the segments changed, and tell its itinerary', async (t) => {
    const { service, key } = await serving(t)
    const [bookings, itineraries] = [
      await ask(service, key, 'bookings'),
      await ask(service, key, 'itineraries'),
    ]
    const segments = fixtureExtract.segments.map((row) =>
      row.client_number === harbour && row.record_locator === 'ABC123' ? { ...row, vendor: 'ZZ' } : row,
    )
    await service.publish({ ...fixtureExtract, segments })
    const since = async (list: ListName, { _meta }: Body) =>
      summary((await ask(service, key, list, `since=${_meta.token}`))[list])
    assert.deepEqual(await since('bookings', bookings), [])
    assert.deepEqual(await since('itineraries', itineraries), ['ABC123 changed'])
  })

  it('are the same in every format', async (t) => {
    const { service, key } = await serving(t)
    const { token } = (await ask(service, key, 'itineraries'))._meta
    await service.publish(later)
    for (const query of ['', `since=${token}`]) {
      const { itineraries } = await ask(service, key, 'itineraries', query)
      const inFormat = async (format: string) => {
        const response = await service.request(pathOf('itineraries', `${query}&format=${format}`), key)
        assert.equal(response.headers.get('x-total-count'), String(itineraries.length))
        assert.match(String(response.headers.get('changes-token')), /^[\w-]{40}$/)
        return response
      }
      const lines = (await (await inFormat('ndjson')).text()).trim().split('\n')
      assert.deepEqual(
        lines.map((line) => JSON.parse(line)),
        itineraries,
      )

      const csv = await inFormat('csv')
      assert.match(String(csv.headers.get('content-disposition')), /filename="itineraries-changes-C100-/)
      const [header = '', ...rows] = (await csv.text()).replace('\ufeff', '').trim().split('\r\n')
      assert.match(header, /^_change,clientNumber,recordLocator,/)
      const shown = itineraries.map(({ clientNumber = '', recordLocator, _change }) =>
        [_change, clientNumber, recordLocator].join(','),
      )
      assert.deepEqual(
        rows.map((row) => row.split(',', 3).join(',')),
        shown,
      )
      if (query !== '') assert.ok(rows.includes(`removed,,NULLS${','.repeat(header.split(',').length - 3)}`))

      const table = tableFromIPC(new Uint8Array(await (await inFormat('arrow')).arrayBuffer()))
      assert.equal(table.schema.fields[0]?.name, '_change')
      assert.equal(table.numRows, itineraries.length)
      for (const [i, change] of itineraries.entries()) {
        const row = table.get(i)?.toJSON() ?? {}
        const {
          _change,
          recordLocator,
          originatingAgency = null,
          isTicketed = null,
          segments = null,
        } = change
        assert.deepEqual(
          [row._change, row.recordLocator, row.originatingAgency, row.isTicketed],
          [_change, recordLocator, originatingAgency, isTicketed],
        )
        assert.equal(row.segments?.length ?? null, (segments as unknown[] | null)?.length ?? null)
        assert.equal(row.customDataFields === null, _change === 'removed')
      }
    }
  })

  it('come in pages of one walk that end at the same data while another snapshot is published', async (t) => {
    const { service, key } = await serving(t)
    const { token } = (await ask(service, key, 'bookings'))._meta
    await service.publish(later)
    const first = await service.request(pathOf('bookings', `since=${token}&$pageSize=2`), key)
    const whole = await ask(service, key, 'bookings', `since=${token}`)
    assert.match(String(first.headers.get('link')), /since=.*page=2>; rel="next"/)
    const body = (await first.json()) as Body
    const { token: end, ...meta } = body._meta
    assert.deepEqual(meta, { page: 1, pageSize: 2, total: 3, totalPages: 2 })
    await service.publish(fixtureExtract)
    const pinned = { headers: { 'X-API-Key': key, 'Snapshot-Id': String(first.headers.get('snapshot-id')) } }
    const address = `http://127.0.0.1:${service.port}${pathOf('bookings', `since=${token}&$pageSize=2&$page=2`)}`
    const second = (await (await fetch(address, pinned)).json()) as Body
    assert.equal(second._meta.token, end)
    assert.deepEqual([...body.bookings, ...second.bookings], whole.bookings)
    const behind = await ask(service, key, 'bookings', 'page=99')
    assert.deepEqual([behind.count, behind.bookings], [0, []])
  })

  it('come in parts by $top and $skip as well', async (t) => {
    const { service, key } = await serving(t)
    const whole = await ask(service, key, 'bookings')
    const first = await service.request(pathOf('bookings', '$top=2'), key)
    assert.equal(first.headers.get('link'), '<?$top=2&$skip=2>; rel="next"')
    const { bookings, count, _meta } = (await first.json()) as Body
    assert.deepEqual([count, bookings], [2, whole.bookings.slice(0, 2)])
    assert.deepEqual(_meta, whole._meta)
    const rest = await service.request(pathOf('bookings', '$skip=2&$count=true'), key)
    assert.deepEqual(((await rest.json()) as Body).bookings, whole.bookings.slice(2))
    const tags = new Set([first, rest].map(({ headers }) => headers.get('etag')))
    assert.equal(tags.size, 2)
  })

  it('have an entity tag, and HEAD has the headers of GET', async (t) => {
    const { service, key } = await serving(t)
    const first = await service.request(pathOf('bookings'), key)
    const etag = String(first.headers.get('etag'))
    const list = await service.request('/api/v2/bookings', key)
    assert.notEqual(list.headers.get('etag'), etag)
    const address = `http://127.0.0.1:${service.port}${pathOf('bookings')}`
    const again = await fetch(address, { headers: { 'X-API-Key': key, 'If-None-Match': etag } })
    assert.equal(again.status, 304)
    assert.equal(again.headers.get('changes-token'), first.headers.get('changes-token'))
    const head = await fetch(address, { method: 'HEAD', headers: { 'X-API-Key': key } })
    for (const name of ['etag', 'changes-token', 'content-length', 'snapshot-id', 'last-modified', 'vary']) {
      assert.equal(head.headers.get(name), first.headers.get(name), name)
    }
    assert.equal((await fetch(address)).status, 401)
  })
})

describe('a token of changes', () => {
  it('is refused with 400 when it is none', async (t) => {
    const { service, key } = await serving(t)
    const { token } = (await ask(service, key, 'bookings'))._meta
    const garbage = ['', 'yesterday', token.slice(1), `${token}A`, `B${token.slice(1)}`, token.toLowerCase()]
    for (const since of garbage) {
      const { error, message } = await problemOf(
        service,
        key,
        pathOf('bookings', `since=${since}`),
        400,
        'QRY351',
      )
      assert.equal(error, 'Invalid since')
      assert.match(String(message), /^Expected the token of an earlier answer, .* leave since out/)
    }
  })

  it('with one letter mistyped is refused with 400, so that nobody reads everything again for it', async (t) => {
    const { service, key } = await serving(t)
    const { token } = (await ask(service, key, 'bookings'))._meta
    const statuses = await Promise.all(
      Array.from(token, async (letter, at) => {
        const mistyped = `${token.slice(0, at)}${letter === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`
        return (await service.request(pathOf('bookings', `since=${mistyped}`), key)).status
      }),
    )
    assert.deepEqual(statuses, Array(token.length).fill(400))
  })

  it('of another client or list is refused with 410 that says what to do', async (t) => {
    const { service, key } = await serving(t)
    const { token } = (await ask(service, key, 'bookings'))._meta
    const other = await service.keyOf(limmat)
    for (const [caller, list] of [
      [other, 'bookings'],
      [key, 'invoices'],
      [key, 'itineraries'],
    ] as const) {
      const { error } = await problemOf(service, caller, pathOf(list, `since=${token}`), 410, 'SNP332')
      assert.match(
        error,
        /is not one of the .* Read everything again with \/api\/v2\/\w+\/changes without since/,
      )
    }
  })

  it('that has changes behind it that nobody knows any more is refused with 410', async (t) => {
    const { service, key } = await serving(t)
    const { token } = (await ask(service, key, 'bookings'))._meta
    await service.publish(later)
    await service.forgetChanges()
    const { error } = await problemOf(service, key, pathOf('bookings', `since=${token}`), 410, 'SNP331')
    assert.match(error, /^What changed since this token is not known any more\. Read everything again/)
    const { token: next } = (await ask(service, key, 'bookings'))._meta
    assert.equal((await ask(service, key, 'bookings', `since=${next}`)).count, 0)
  })
})

describe('a request for changes', () => {
  const refusals: readonly (readonly [query: string, parameter: string, message: RegExp, code?: string])[] = [
    [
      '$filter=isTicketed eq true',
      '$filter',
      /cannot be used with changes: a record that the filter no longer finds/,
      'QRY352',
    ],
    ['orderby=bookingDate', '$orderby', /in the order of the records' identities/],
    ['$select=recordLocator', '$select', /whole records/],
    ['$apply=aggregate($count as n)', '$apply', /ask the list itself for sums/],
    ['sinse=x', 'sinse', /did you mean since\?/],
    ['token=x', 'token', /did you mean since\?/],
    ['changes-token=x', 'changes-token', /did you mean since\?/],
    ['$page=1&$top=2', '$top', /either \$page and \$pageSize or \$top and \$skip/],
    ['$page=0', '$page', /Expected a whole number of at least 1/],
    ['Department=Bridges', 'Department', /use \$filter/],
  ]
  it('that would leave changes out is refused', async (t) => {
    const { service, key } = await serving(t)
    for (const [query, parameter, expected, code] of refusals) {
      const path = pathOf('bookings', encodeURI(query))
      const { error, message } = await problemOf(service, key, path, 400, code)
      assert.equal(error, `Invalid ${parameter}`, query)
      assert.match(String(message), expected)
    }
    const { token } = (await ask(service, key, 'bookings'))._meta
    await problemOf(service, key, pathOf('bookings', `since=${token}&$since=${token}`), 400)
  })

  it('of version 1 does not exist', async (t) => {
    const { service, key } = await serving(t)
    assert.equal((await service.request('/api/v1/bookings/changes', key)).status, 404)
  })
})
