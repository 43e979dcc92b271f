/** Refreshes over the admin API: the one that runs, the stream of its progress, the history, and what refreshes found. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { assertProblem } from '../../src/http/testing/answered-problem.ts'
import { runRefresh } from '../../src/ingest/cycle.ts'
import { recordRefresh } from '../../src/ingest/refresh/refresh-recorder.ts'
import type { RefreshEnd } from '../../src/ingest/refresh/refresh-report.ts'
import { readCurrentId } from '../../src/snapshot/format/layout.ts'
import type { ExtractTables } from '../fixtures/extract-rows.ts'
import { fixtureExtract, harbour, limmat } from '../fixtures/fixture-extract.ts'
import type { Json } from '../fixtures/json.ts'
import { writeExtract } from '../fixtures/write-extract.ts'
import { type Admin, startAdmin } from './start-admin.ts'

let admin: Admin
before(async () => {
  admin = await startAdmin()
})
after(() => admin.close())

const get = async (path: string, from = admin): Promise<Json> => {
  const { status, body } = await from.send('GET', path)
  assert.equal(status, 200, `${path}: ${JSON.stringify(body)}`)
  return body
}

const record = (requestedBy: string) =>
  recordRefresh({
    history: admin.store.refreshes,
    dataFolder: admin.dataFolder,
    origin: 'service',
    requestedBy,
    onFailure: (cause) => assert.fail(String(cause)),
  })

const published = (snapshot: string): RefreshEnd => ({
  outcome: 'published',
  snapshot,
  reasons: [],
  report: null,
})
const stopped: RefreshEnd = { outcome: 'cancelled', snapshot: null, reasons: [], report: null }

describe('GET /refreshes/current', () => {
  it('has none before the first, then the one that runs, then the last one', async () => {
    assert.deepEqual(await get('/refreshes/current'), { current: null, last: null })
    const recorder = await record('schedule')
    const { current } = await get('/refreshes/current')
    assert.deepEqual([current.outcome, current.requestedBy, current.endedAt], ['running', 'schedule', null])
    await recorder.end(published('s1'))
    const { current: none, last } = await get('/refreshes/current')
    assert.deepEqual([none, last.id, last.outcome, last.tables], [null, current.id, 'published', []])
    assert.deepEqual(await get(`/refreshes/${current.id}`), last)
  })
})

describe('GET /refreshes', () => {
  const ids = async (query: string): Promise<Json[]> => (await get(`/refreshes?${query}`)).items

  it('lists them in pages, with a total, sorted and searched', async () => {
    for (const by of ['user:ann@example.com', 'schedule', 'start']) await (await record(by)).end(stopped)
    const all = await get('/refreshes')
    assert.equal(all.total, all.items.length)
    const walked: Json[] = []
    let after = ''
    for (;;) {
      const page = await get(`/refreshes?limit=2${after}`)
      assert.equal(page.total, all.total)
      walked.push(...page.items)
      if (page.next === null) break
      after = `&after=${page.next}`
    }
    assert.deepEqual(walked, all.items)
    assert.deepEqual(await ids('sort=startedAt'), all.items.toReversed())
    const byTime = (await ids('sort=-milliseconds')).map(({ milliseconds }) => milliseconds)
    assert.deepEqual(
      byTime,
      byTime.toSorted((a, b) => b - a),
    )
    assert.deepEqual(
      (await ids('text=ANN@')).map(({ requestedBy }) => requestedBy),
      ['user:ann@example.com'],
    )
    assert.deepEqual(
      (await ids('outcome=published')).map(({ snapshotId }) => snapshotId),
      ['s1'],
    )
    assert.equal((await ids('snapshot=s1')).length, 1)
    assert.deepEqual(await ids(`to=${all.items.at(-1).startedAt}`), [])
    assert.equal('rejectsByRule' in all.items[0], false)
  })

  for (const query of ['sort=nothing', 'outcome=gone', 'from=x', 'after=x', 'limit=0', 'before=1']) {
    it(`refuses ?${query}`, async () => {
      assert.equal((await admin.send('GET', `/refreshes?${query}`)).status, 400)
    })
  }

  it('refuses a cursor of another order', async () => {
    const { next } = await get('/refreshes?limit=1')
    assert.equal((await admin.send('GET', `/refreshes?limit=1&sort=startedAt&after=${next}`)).status, 400)
  })

  it('answers 404 for an unknown or malformed id', async () => {
    for (const id of ['x', crypto.randomUUID()]) {
      const { status, headers } = await admin.send('GET', `/refreshes/${id}`)
      assert.equal(status, 404)
      await assertProblem(admin.observations, { headers }, 'DIR490')
    }
  })
})

describe('GET /refreshes/current/stream', () => {
  const open = (from: Admin, headers: Record<string, string> = {}, token = 'admin') =>
    fetch(`${from.url}/refreshes/current/stream`, {
      headers: { authorization: `Bearer ${token}`, ...headers },
    })

  type Event = { readonly id: number; readonly name: string; readonly data: Json }

  async function* events({ body }: Response): AsyncGenerator<Event> {
    let text = ''
    for await (const chunk of (body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream())) {
      text += chunk
      const parts = text.split('\n\n')
      text = parts.pop() as string
      for (const part of parts) {
        const [, id, name, data] = /^id: (\d+)\nevent: (.*)\ndata: (.*)$/m.exec(part) ?? []
        if (name !== undefined) yield { id: Number(id), name, data: JSON.parse(data as string) }
      }
    }
  }

  const next = async (stream: AsyncGenerator<Event>): Promise<Event> => {
    const { value } = await stream.next()
    return value ?? assert.fail('The stream ended')
  }

  it('sends a snapshot first, then progress in order, then the end', async () => {
    const response = await open(admin)
    assert.equal(response.headers.get('content-type'), 'text/event-stream')
    const stream = events(response)
    const first = await next(stream)
    assert.deepEqual([first.name, first.data], ['snapshot', await get('/refreshes/current')])
    const recorder = await record('schedule')
    const begun = await next(stream)
    assert.deepEqual([begun.name, begun.data.outcome, begun.data.progress], ['progress', 'running', null])
    recorder.progress({ stage: 'read', done: 2, total: 9, table: 'bookings' })
    const reading = await next(stream)
    assert.deepEqual(reading.data.progress, {
      stage: 'read',
      table: 'bookings',
      tables: { done: 2, expected: 9 },
      rows: null,
      bytes: null,
    })
    recorder.progress({ stage: 'build', done: 5, total: 10 })
    const building = await next(stream)
    assert.deepEqual(building.data.progress.rows, { done: 5, expected: 10 })
    assert.deepEqual(
      building.data.stages.map(({ stage }: Json) => stage),
      ['read', 'build'],
    )
    await recorder.end(published('s2'))
    const ended = await next(stream)
    assert.deepEqual([ended.name, ended.data.outcome, ended.data.id], ['ended', 'published', begun.data.id])
    const numbers = [first, begun, reading, building, ended].map(({ id }) => id)
    assert.deepEqual(
      numbers,
      numbers.toSorted((a, b) => a - b),
    )
    assert.equal(new Set(numbers.slice(1)).size, 4)
    await stream.return(undefined)
  })

  it('tells what ended since Last-Event-ID', async () => {
    const newest = await admin.store.refreshes.newestRevision()
    await (await record('missed')).end(stopped)
    const stream = events(await open(admin, { 'last-event-id': String(newest) }))
    assert.equal((await next(stream)).name, 'snapshot')
    const { name, data } = await next(stream)
    assert.deepEqual([name, data.requestedBy], ['ended', 'missed'])
    await stream.return(undefined)
    assert.equal((await open(admin, { 'last-event-id': 'x' })).status, 400)
  })

  it('writes progress to the store at most once a second, however much there is', async () => {
    const before = await admin.store.refreshes.newestRevision()
    const recorder = await record('schedule')
    for (let done = 0; done < 1000; done++) recorder.progress({ stage: 'build', done, total: 1000 })
    await recorder.end(stopped)
    const [ended] = await admin.store.refreshes.after(before, 10)
    assert.equal(ended?.revision, before + 2)
    assert.deepEqual(ended?.progress?.rows, { done: 999, expected: 1000 })
  })

  it('is refused when a hundred are open', async () => {
    const full = await startAdmin()
    try {
      await Promise.all(Array.from({ length: 100 }, () => open(full)))
      const refused = await open(full)
      assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '30'])
      await assertProblem(full.observations, refused, 'ADM132')
    } finally {
      await full.close()
    }
  })
})

describe('what refreshes found', () => {
  let snapshots: readonly string[]
  const [segment] = fixtureExtract.segments
  const [line] = fixtureExtract.invoice_lines
  if (segment === undefined || line === undefined) assert.fail('The fixture has segments and lines')
  const faulty: ExtractTables = {
    ...fixtureExtract,
    bookings: fixtureExtract.bookings.filter(({ client_number }) => client_number !== limmat),
    segments: [
      ...fixtureExtract.segments.filter(({ client_number }) => client_number !== limmat),
      ...['NO1', 'NO2', 'NO3'].map((record_locator) => ({
        ...segment,
        client_number: harbour,
        record_locator,
      })),
      { ...segment, client_number: limmat, record_locator: '=NO4' },
    ],
    booking_custom_data: fixtureExtract.booking_custom_data.filter(
      ({ client_number }) => client_number !== limmat,
    ),
    travellers: fixtureExtract.travellers.filter(({ client_number }) => client_number !== limmat),
  }

  async function refresh(extract: ExtractTables): Promise<string> {
    const source = join(admin.dataFolder, 'extract')
    await writeExtract(source, extract, 'csv')
    await runRefresh({
      source,
      dataFolder: admin.dataFolder,
      maxRejectShare: 0.9,
      retainSnapshots: 5,
      acceptShrink: true,
      observe: () => undefined,
    })
    return (await readCurrentId(admin.dataFolder)) as string
  }

  before(async () => {
    snapshots = [await refresh(fixtureExtract), await refresh(faulty)]
  })

  it('is filtered by table, rule and client, page by page', async () => {
    const list = async (query: string): Promise<Json[]> =>
      (await get(`/snapshots/${snapshots[1]}/rejects?${query}`)).items
    const locators = async (query: string) => (await list(query)).map(({ key }) => key.record_locator)
    assert.deepEqual(await locators(`client=${harbour}`), ['NO1', 'NO2', 'NO3'])
    assert.deepEqual(await locators(`client=${limmat}&table=segments`), ['=NO4'])
    assert.equal((await list('rule=reference.booking')).length, 4)
    assert.deepEqual(await list('rule=type.date'), [])
    assert.deepEqual(await list('table=bookings'), [])
    const first = await get(`/snapshots/${snapshots[1]}/rejects?client=${harbour}&limit=2`)
    assert.equal(first.items.length, 2)
    assert.deepEqual(await locators(`client=${harbour}&limit=2&after=${first.next}`), ['NO3'])
    assert.equal((await admin.send('GET', `/snapshots/${snapshots[1]}/rejects?clients=x`)).status, 400)
  })

  it('is downloaded as CSV and as NDJSON', async () => {
    const download = (query: string) =>
      fetch(`${admin.url}/snapshots/${snapshots[1]}/rejects/file?${query}`, {
        headers: { authorization: 'Bearer admin' },
      })
    const csv = await download(`client=${limmat}`)
    assert.equal(csv.headers.get('content-type'), 'text/csv; charset=utf-8')
    assert.equal(csv.headers.get('content-disposition'), 'attachment; filename="rejects.csv"')
    const lines = (await csv.text()).split('\r\n')
    assert.equal(lines[0], 'table,client,file,row,key,field,rule,value,message')
    assert.match(lines[1] as string, new RegExp(`^segments,${limmat},segments.csv,\\d+,"{""client_number`))
    assert.equal(lines.length, 3)
    const ndjson = await download('format=ndjson')
    const rows = (await ndjson.text()).trimEnd().split('\n')
    const { items } = await get(`/snapshots/${snapshots[1]}/rejects`)
    assert.deepEqual(
      rows.map((row) => JSON.parse(row)),
      items,
    )
    assert.equal((await admin.send('GET', '/snapshots/x/rejects/file')).status, 404)
    assert.equal((await admin.send('GET', '/snapshots/last-refusal/rejects/file')).status, 404)
  })

  it('differs between snapshots, client by client', async () => {
    const compare = (id: string | undefined, against: string | undefined, more = '') =>
      get(`/snapshots/${id}/differences?against=${against}${more}`)
    const { items, next, total } = await compare(snapshots[1], snapshots[0])
    const lost = fixtureExtract.bookings.filter(({ client_number }) => client_number === limmat).length
    assert.deepEqual([next, total], [null, items.length])
    const ofLimmat = items.find(({ clientNumber }: Json) => clientNumber === limmat)
    assert.equal(ofLimmat.presence, 'both')
    assert.deepEqual(ofLimmat.lists.bookings, { added: 0, changed: 0, removed: lost })
    const back = await compare(snapshots[0], snapshots[1])
    assert.deepEqual(back.items.find(({ clientNumber }: Json) => clientNumber === limmat).lists.bookings, {
      added: lost,
      changed: 0,
      removed: 0,
    })
    assert.deepEqual(await compare(snapshots[0], snapshots[0]), { items: [], next: null, total: 0 })
    assert.deepEqual(
      await get(`/snapshots/${snapshots[1]}/differences`),
      await compare(snapshots[1], snapshots[0]),
    )
    const { items: all } = await get(`/snapshots/${snapshots[0]}/differences?limit=1`)
    assert.equal(all[0].presence, 'added')
    const unknown = `/snapshots/${snapshots[0]}/differences?against=x`
    assert.equal((await admin.send('GET', unknown)).status, 404)
  })
})
