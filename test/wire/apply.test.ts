/** `$apply` on the wire: the answer and its headers, in every format; caching, pinning, paging and limits as for lists. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { defaultGroupLimits, type GroupLimits } from '../../src/engine/group-set.ts'
import { assertProblem } from '../../src/http/testing/answered-problem.ts'
import { expectedRecords } from '../fixtures/expected-records.ts'
import { fixtureExtract, harbour } from '../fixtures/fixture-extract.ts'
import { openFileReader, readArrow } from '../property/read-formats.ts'
import { bodyOf, type Service, startService } from './start-service.ts'

type Groups = {
  readonly clientNumber: string
  readonly count: number
  readonly groups: readonly Readonly<Record<string, unknown>>[]
  readonly _meta: object
}

const parts = (parameters: Readonly<Record<string, string>>) =>
  Object.entries(parameters)
    .map(([name, value]) => `$${name}=${encodeURIComponent(value)}`)
    .join('&')

const perMonth = 'groupby((month(bookingDate)),aggregate($count as n))'

describe('an aggregation', () => {
  let service: Service
  let key: string
  before(async () => {
    service = await startService()
    key = await service.keyOf(harbour)
  })
  after(() => service.close())

  const ask = (list: string, parameters: Readonly<Record<string, string>>, headers = {}, method = 'GET') =>
    fetch(`http://127.0.0.1:${service.port}/api/v2/${list}?${parts(parameters)}`, {
      method,
      headers: { 'X-API-Key': key, 'Accept-Encoding': 'identity', ...headers },
    })
  const groupsOf = async (list: string, parameters: Readonly<Record<string, string>>) => {
    const response = await ask(list, parameters)
    assert.equal(response.status, 200, await response.clone().text())
    return (await response.json()) as Groups
  }

  const bookings = expectedRecords(fixtureExtract, harbour, 'bookings')
  const invoices = expectedRecords(fixtureExtract, harbour, 'invoices')
  const countBy = (months: readonly string[]) =>
    [...Map.groupBy(months, (month) => month)]
      .map(([month, all]) => ({ month, n: all.length }))
      .sort((a, b) => (a.month < b.month ? -1 : 1))

  it('has an envelope like a list, with groups in the order of the dimensions', async () => {
    const body = await groupsOf('bookings', { apply: perMonth })
    assert.deepEqual(Object.keys(body), ['clientNumber', 'count', 'groups', '_meta'])
    const expected = countBy(bookings.map(({ bookingDate }) => String(bookingDate).slice(0, 7)))
    assert.deepEqual(
      body.groups,
      expected.map(({ month, n }) => ({ 'month(bookingDate)': month, n })),
    )
    assert.deepEqual(body._meta, { total: expected.length, filteredCount: expected.length })
    assert.deepEqual([body.clientNumber, body.count], [harbour, expected.length])
  })

  it('sums the lines of invoices exactly, by type without letter case and as a whole', async () => {
    const lines = invoices.flatMap(({ lineItems }) => lineItems as readonly Record<string, unknown>[])
    const scaled = (all: typeof lines) => {
      const amounts = all.map(({ lineAmountIncGst }) => lineAmountIncGst).filter((each) => each !== null)
      return amounts.length === 0
        ? null
        : amounts.reduce<number>((sum, each) => sum + Math.round(Number(each) * 1e5), 0) / 1e5
    }
    const aggregate = 'aggregate($count as n,lineItems.lineAmountIncGst with sum as spend)'
    const { groups } = await groupsOf('invoices', {
      apply: `groupby((lineItems.lineType as type),${aggregate})`,
    })
    const byType = Map.groupBy(lines, ({ lineType }) => String(lineType).toLowerCase())
    const expected = [...byType.values()].map((all) => ({
      // Texts that differ in letter case are one group, which shows the first spelling.
      type: all.map(({ lineType }) => String(lineType)).sort()[0] as string,
      n: all.length,
      spend: scaled(all),
    }))
    assert.deepEqual(
      groups,
      expected.sort((a, b) => (a.type < b.type ? -1 : 1)),
    )
    const whole = await groupsOf('invoices', { apply: aggregate })
    assert.deepEqual(whole.groups, [{ n: invoices.length, spend: scaled(lines) }])
  })

  it('of nothing has one group without dimensions, and none with them', async () => {
    const filter = "recordLocator eq 'nobody'"
    const apply = 'aggregate($count as n,lineItems.unitPrice with sum as s,company with countdistinct as c)'
    const { groups, count } = await groupsOf('invoices', { filter, apply })
    assert.deepEqual([groups, count], [[{ n: 0, s: null, c: 0 }], 1])
    assert.deepEqual((await groupsOf('invoices', { filter, apply: 'groupby((company))' })).groups, [])
  })

  it('has the same groups in every format', async () => {
    const reader = await openFileReader()
    try {
      const parameters = { apply: `groupby((originatingAgency,bookingDate as day),aggregate($count as n))` }
      const { groups } = await groupsOf('bookings', parameters)
      const body = async (format: string) => {
        const response = await ask('bookings', { ...parameters, format })
        assert.equal(response.headers.get('x-total-count'), String(groups.length))
        return new Uint8Array(await response.arrayBuffer())
      }
      const ndjson = await reader.ndjson(await body('ndjson'))
      assert.deepEqual(
        ndjson.map((text) => JSON.parse(text)),
        groups,
      )
      const [header, ...cells] = await reader.csv(await body('csv'))
      assert.deepEqual(header, ['originatingAgency', 'day', 'n'])
      assert.deepEqual(
        cells,
        groups.map((group) => Object.values(group).map(String)),
      )
      const rows = readArrow(await body('arrow')).map(({ customDataFields: _, ...row }) => ({
        ...row,
        n: Number(row.n),
      }))
      assert.deepEqual(rows, groups)
      const { headers } = await ask('bookings', { ...parameters, format: 'csv' })
      assert.match(String(headers.get('content-disposition')), /filename="bookings-groups-/)
    } finally {
      await reader.close()
    }
  })

  it('is ordered and paged, with links to the other pages', async () => {
    const apply = 'groupby((recordLocator),aggregate($count as n))'
    const all = await groupsOf('bookings', { apply, orderby: 'recordLocator desc' })
    const walked: unknown[] = []
    for (let page = 1; page <= Math.ceil(all.count / 3); page++) {
      const response = await ask('bookings', {
        apply,
        orderby: 'recordLocator desc',
        pageSize: '3',
        page: String(page),
      })
      const body = (await response.json()) as Groups & { readonly _meta: { readonly total: number } }
      assert.equal(body._meta.total, all.count)
      assert.match(String(response.headers.get('link')), /\$page=1/)
      walked.push(...body.groups)
    }
    assert.deepEqual(walked, all.groups)
  })

  it('has an entity tag that depends on its meaning, and a good copy is 304', async () => {
    const first = await ask('bookings', { apply: perMonth })
    const etag = String(first.headers.get('etag'))
    const same = { apply: ' GROUPBY((Month(BookingDate)) , aggregate($Count as n)) ' }
    const again = await ask('bookings', same, { 'If-None-Match': etag })
    assert.equal(again.status, 304)
    for (const apply of [
      perMonth.replace('month', 'week'),
      perMonth.replace('as n', 'as m'),
      `filter(isTicketed eq true)/${perMonth}`,
    ])
      assert.notEqual((await ask('bookings', { apply })).headers.get('etag'), etag)
    assert.notEqual((await ask('itineraries', { apply: perMonth })).headers.get('etag'), etag)
    assert.notEqual((await ask('bookings', {})).headers.get('etag'), etag)
  })

  it('is answered from the cache with the same bytes, and HEAD has its headers', async () => {
    const bodies = await Promise.all(
      [0, 1, 2].map(async () => (await ask('bookings', { apply: perMonth })).text()),
    )
    assert.equal(new Set(bodies).size, 1)
    const head = await ask('bookings', { apply: perMonth }, {}, 'HEAD')
    assert.equal(head.headers.get('content-length'), String(Buffer.byteLength(bodies[0] ?? '')))
    assert.equal(await head.text(), '')
  })

  it('reads the snapshot that it names', async () => {
    const first = await ask('bookings', { apply: perMonth })
    const id = String(first.headers.get('snapshot-id'))
    const before = await first.text()
    await service.publish({
      ...fixtureExtract,
      bookings: fixtureExtract.bookings.map((row) => ({ ...row, booking_date: '2027-01-01' })),
    })
    assert.equal(await (await ask('bookings', { apply: perMonth }, { 'Snapshot-Id': id })).text(), before)
    assert.equal((await groupsOf('bookings', { apply: perMonth })).count, 1)
    await service.publish(fixtureExtract)
    assert.equal((await ask('bookings', { apply: perMonth }, { 'Snapshot-Id': 'gone' })).status, 410)
  })

  it('is not asked together with $select', async () => {
    const response = await ask('bookings', { apply: perMonth, select: 'recordLocator' })
    assert.equal(response.status, 400)
    assert.equal((await bodyOf(response)).parameter, '$select')
    await assertProblem(service.observations, response, 'QRY510')
  })

  it('with a mistake is refused as a problem of $apply, at its column', async () => {
    const apply = 'groupby((month(bokingDate)))'
    const response = await ask('bookings', { apply })
    assert.equal(response.status, 400)
    const { error, message, parameter, column, input } = await bodyOf(response)
    assert.deepEqual([error, parameter, column, input], ['Invalid $apply', '$apply', 15, apply])
    assert.match(message, /did you mean bookingDate\?$/)
    await assertProblem(service.observations, response, 'QRY201')
  })
})

describe('the limits of an aggregation', () => {
  const refusals: readonly (readonly [Partial<GroupLimits>, apply: string, code: string, message: RegExp])[] =
    [
      [
        { groups: 2 },
        'groupby((recordLocator))',
        'QRY513',
        /^Expected at most 2 groups, found more; the limit is applyGroups = 2;/,
      ],
      [
        { bytes: 40 },
        'groupby((recordLocator))',
        'QRY514',
        /^Expected groups of at most 40 bytes in memory, found more; the limit is applyBytes = 40;/,
      ],
      [{ bytes: 40 }, 'aggregate(recordLocator with countdistinct as n)', 'QRY514', /countdistinct$/],
    ]
  for (const [limits, apply, code, message] of refusals) {
    it(`${JSON.stringify(limits)} refuse ${apply} with 400`, async (t) => {
      const service = await startService({ groupLimits: { ...defaultGroupLimits, ...limits } })
      t.after(service.close)
      const key = await service.keyOf(harbour)
      const response = await service.request(`/api/v2/bookings?${parts({ apply, pageSize: '1' })}`, key)
      assert.equal(response.status, 400)
      const body = await bodyOf(response)
      assert.deepEqual([body.parameter, body.input], ['$apply', apply])
      assert.match(body.message, message)
      await assertProblem(service.observations, response, code)
      const small = await service.request(
        `/api/v2/bookings?${parts({ apply: 'aggregate($count as n)' })}`,
        key,
      )
      assert.equal(small.status, 200)
    })
  }
})
