/** Clients and snapshots over the admin API: published data, rows that were set aside, and requests for a refresh. */
import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { assertProblem } from '../../src/http/testing/answered-problem.ts'
import { runRefresh } from '../../src/ingest/cycle.ts'
import type { Refreshing } from '../../src/ingest/refresh/refresh-state.ts'
import { readCurrentId, snapshotFolder } from '../../src/snapshot/format/layout.ts'
import type { ExtractTables } from '../fixtures/extract-rows.ts'
import { fixtureExtract, harbour, limmat, newcomer } from '../fixtures/fixture-extract.ts'
import type { Json } from '../fixtures/json.ts'
import { writeExtract } from '../fixtures/write-extract.ts'
import { type Admin, startAdmin } from './start-admin.ts'

/** Segments without a booking: rejects that do not stop a refresh by themselves. */
const strays = (count: number): ExtractTables => ({
  ...fixtureExtract,
  segments: [
    ...fixtureExtract.segments,
    ...Array.from({ length: count }, (_, i) => ({
      ...(fixtureExtract.segments[0] as (typeof fixtureExtract.segments)[number]),
      record_locator: `NO${i}`,
    })),
  ],
})

let admin: Admin
let current: string | null = null
let earlier: string

async function refresh(extract: ExtractTables, maxRejectShare: number): Promise<void> {
  const source = join(admin.dataFolder, 'extract')
  const observe = () => undefined
  await writeExtract(source, extract, 'csv')
  await runRefresh({ source, dataFolder: admin.dataFolder, maxRejectShare, retainSnapshots: 2, observe })
}

before(async () => {
  admin = await startAdmin({ currentSnapshotId: () => current })
  await refresh(fixtureExtract, 0)
  earlier = (await readCurrentId(admin.dataFolder)) as string
  await refresh(strays(3), 0.9)
  current = (await readCurrentId(admin.dataFolder)) as string
})
after(() => admin.close())

const get = async (path: string): Promise<Json> => {
  const { status, body } = await admin.send('GET', path)
  assert.equal(status, 200, path)
  return body
}

describe('clients', () => {
  it('are those of the current snapshot, with the counts of each', async () => {
    await admin.store.accounts.create({ name: 'One', clientNumber: limmat }, 'test')
    await admin.store.accounts.create({ name: 'Two', clientNumber: limmat }, 'test')
    const { items, next } = await get('/clients')
    assert.equal(next, null)
    const rows = (table: 'bookings' | 'invoices', client: string) =>
      fixtureExtract[table].filter(({ client_number }) => client_number === client).length
    const names = new Map(fixtureExtract.clients.map((row) => [row.client_number, row.name]))
    assert.deepEqual(
      items.map(({ bytes, ...client }: Json) => client),
      [harbour, limmat, newcomer].map((number) => ({
        number,
        name: names.get(number),
        bookings: rows('bookings', number),
        invoices: rows('invoices', number),
        accounts: number === limmat ? 2 : 0,
      })),
    )
    const bytes = items.reduce((total: number, client: Json) => total + client.bytes, 0)
    assert.equal(bytes, (await get(`/snapshots/${current}`)).bytes)
  })

  it('are found by number and by part of a number or name', async () => {
    const numbers = async (query: string) =>
      (await get(`/clients?${query}`)).items.map(({ number }: Json) => number)
    assert.deepEqual(await numbers('text=zÜRICH'), [limmat])
    assert.deepEqual(await numbers(`text=${newcomer.toLowerCase()}`), [newcomer])
    assert.deepEqual(await numbers('text=nowhere'), [])
    const { next } = await get('/clients?limit=2')
    assert.deepEqual(await numbers(`limit=2&after=${next}`), [newcomer])
    assert.equal((await get(`/clients/${harbour}`)).number, harbour)
    assert.equal((await admin.send('GET', `/clients/${harbour.toLowerCase()}`)).status, 404)
  })

  it('are none while there is no snapshot', async () => {
    const empty = await startAdmin()
    try {
      assert.deepEqual((await empty.send('GET', '/clients')).body, { items: [], next: null, total: 0 })
      assert.equal((await empty.send('GET', `/clients/${harbour}`)).status, 404)
      assert.deepEqual((await empty.send('GET', '/snapshots')).body, { items: [], next: null, total: 0 })
    } finally {
      await empty.close()
    }
  })
})

describe('snapshots', () => {
  it('are listed newest first, with their content', async () => {
    const { items } = await get('/snapshots')
    assert.deepEqual(
      items.map(({ id, current, intact, rejects }: Json) => [id, current, intact, rejects]),
      [
        [current, true, true, 3],
        [earlier, false, true, 0],
      ],
    )
    const [newest] = items
    assert.deepEqual(
      [newest.clients, newest.bookings, newest.invoices, newest.segments, newest.lineItems],
      [
        fixtureExtract.clients.length,
        fixtureExtract.bookings.length,
        fixtureExtract.invoices.length,
        fixtureExtract.segments.length,
        fixtureExtract.invoice_lines.length,
      ],
    )
    assert.equal(newest.invoicesWithoutBooking, 2)
    assert.ok(Date.parse(newest.publishedAt) >= Date.parse(newest.extractedAt))
    assert.deepEqual(await get(`/snapshots/${current}`), newest)
  })

  it('show when they cannot be used', async () => {
    const damaged = await startAdmin()
    try {
      const [source, dataFolder] = [join(damaged.dataFolder, 'extract'), damaged.dataFolder]
      await writeExtract(source, fixtureExtract, 'csv')
      const observe = () => undefined
      await runRefresh({ source, dataFolder, maxRejectShare: 0, retainSnapshots: 2, observe })
      const id = (await readCurrentId(dataFolder)) as string
      await rm(join(snapshotFolder(dataFolder, id), 'manifest.json'))
      const { body } = await damaged.send('GET', `/snapshots/${id}`)
      assert.deepEqual([body.id, body.intact, body.clients, body.bytes], [id, false, null, null])
    } finally {
      await damaged.close()
    }
  })

  it('are not found under a malformed id', async () => {
    for (const id of ['20260101T000000000Z-0000', '..%2Fcontrol.db', '..', 'x']) {
      for (const path of [`/snapshots/${id}`, `/snapshots/${id}/rejects`]) {
        assert.equal((await admin.send('GET', path)).status, 404, path)
      }
    }
    await assertProblem(admin.observations, await admin.send('GET', '/snapshots/x'), 'ADM120')
  })
})

describe('rejects', () => {
  it('are those of the snapshot, page by page', async () => {
    assert.deepEqual(await get(`/snapshots/${earlier}/rejects`), { items: [], next: null })
    const whole = await get(`/snapshots/${current}/rejects`)
    assert.deepEqual(
      whole.items.map(({ table, key }: Json) => [table, key.record_locator]),
      [
        ['segments', 'NO0'],
        ['segments', 'NO1'],
        ['segments', 'NO2'],
      ],
    )
    const first = await get(`/snapshots/${current}/rejects?limit=2`)
    const second = await get(`/snapshots/${current}/rejects?limit=2&after=${first.next}`)
    assert.deepEqual([...first.items, ...second.items], whole.items)
    assert.equal(second.next, null)
    const { status, body } = await admin.send('GET', `/snapshots/${current}/rejects?after=1`)
    assert.deepEqual([status, body.details[0].path], [400, '/after'])
  })

  it('are kept for the latest refused refresh too', async () => {
    assert.equal((await admin.send('GET', '/snapshots/last-refusal/rejects')).status, 404)
    await assert.rejects(refresh(strays(2), 0))
    const { items } = await get('/snapshots/last-refusal/rejects')
    assert.equal(items.length, 2)
    assert.deepEqual(await get('/snapshots/last-refusal/rejects?limit=1'), {
      items: [items[0]],
      next: (await get('/snapshots/last-refusal/rejects?limit=1')).next,
    })
  })
})

describe('POST /snapshots/refresh', () => {
  const running = {
    state: 'running',
    requestedBy: 'user:admin@example.com',
    startedAt: '2026-01-02T03:04:05.678Z',
  } as const

  it('starts a refresh and reports that it runs, and the trail says who asked', async () => {
    const asked: string[] = []
    const refreshing: Refreshing = {
      state: async () => (asked.length === 0 ? { state: 'none' } : running),
      start: async (by) => {
        asked.push(by)
        return 'started'
      },
    }
    const started = await startAdmin({ refreshing })
    try {
      assert.deepEqual((await started.send('GET', '/snapshots/refresh')).body, { state: 'none' })
      const { status, body } = await started.send('POST', '/snapshots/refresh')
      assert.deepEqual([status, body], [202, running])
      assert.deepEqual((await started.send('GET', '/snapshots/refresh')).body, running)
      assert.deepEqual(asked, ['user:admin@example.com'])
      assert.deepEqual(await started.newAudit(), [
        { actor: 'user:admin@example.com', action: 'snapshot.refresh', before: null, after: null },
      ])
    } finally {
      await started.close()
    }
  })

  for (const [start, problem, message] of [
    ['busy', 'ADM121', /running already/],
    ['no-source', 'ADM122', /no source/],
  ] as const) {
    it(`refuses with 409 when the answer is '${start}', and records nothing`, async () => {
      const refused = await startAdmin({
        refreshing: { state: async () => running, start: async () => start },
      })
      try {
        const { status, headers, body } = await refused.send('POST', '/snapshots/refresh')
        assert.equal(status, 409)
        assert.match(body.error, message)
        await assertProblem(refused.observations, { headers }, problem)
        assert.deepEqual(await refused.newAudit(), [])
      } finally {
        await refused.close()
      }
    })
  }
})
