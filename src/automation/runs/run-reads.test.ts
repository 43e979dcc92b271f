import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { QueryRecords } from '../host/query-records.ts'
import { openRuns, type Runs } from '../testing/open-runs.ts'
import { MOST_COUNTED, MOST_NAMES, type ReadName, RunReads } from './run-reads.ts'
import type { Recording } from './run-states.ts'

const query: QueryRecords = async ({ clientNumber }) => {
  if (clientNumber === 'BAD') throw new Error('a defect')
  return { count: 1, meta: null, chunks: () => [Buffer.from('{"n":1}')] }
}

let runs: Runs
before(async () => {
  runs = await openRuns({
    query,
    snapshot: {
      id: 's',
      extractedAt: new Date(0),
      publishedAt: new Date(0),
      clients: async () => [{ clientNumber: 'C1', name: 'One', bookings: 1, invoices: 1 }],
    },
  })
  await runs.store.secrets.set('Top-Secret', { value: 'the value' }, 'test')
})
after(() => runs.close())

const none: Recording = { record: 'none', maskedFields: ['client'], pattern: '/p' }

async function readOf(script: string, asked: Parameters<Runs['run']>[1] = {}) {
  const { execution } = await runs.run(script, { recording: none, ...asked })
  const { read, status, recorded } = execution ?? assert.fail()
  assert.equal(recorded, 'none')
  return { clients: read?.clientNumbers, secrets: read?.secretNames, functions: read?.functions, status }
}

describe('the record of a run that records nothing else', () => {
  const reads: readonly (readonly [
    script: string,
    clients: readonly string[],
    secrets: readonly string[],
    functions: readonly string[],
  ])[] = [
    ...['Bookings', 'Invoices', 'Itineraries'].map(
      (list) => [`Data._payload = Query${list}("C1", {})`, ['C1'], [], [`Query${list}`]] as const,
    ),
    ...['Booking', 'Invoice', 'Itinerary'].map(
      (one) => [`foreach r in Each${one}("C2") do Data.x = r end`, ['C2'], [], [`Each${one}`]] as const,
    ),
    ['Data._payload = GetSecret("TOP-secret")', [], ['top-secret'], ['GetSecret']],
    ['Data._payload = GetSecret("unknown")', [], [], ['GetSecret']],
    ['Data._payload = GetClients()', [], [], ['GetClients']],
    ['Data._payload = GetState("k")', [], [], ['GetState']],
    [
      'var x = QueryBookings("C1", {}) x = QueryInvoices("C1", {}) x = QueryBookings("C2", {})',
      ['C1', 'C2'],
      [],
      ['QueryBookings', 'QueryInvoices'],
    ],
    ['Data.client = "C9" Data._payload = QueryBookings(Data.client, {})', ['C9'], [], ['QueryBookings']],
    [
      'var s = GetSecret("top-secret") Data._payload = QueryBookings("x" + s, {})',
      ['[redacted]'],
      ['top-secret'],
      ['GetSecret', 'QueryBookings'],
    ],
    ['Data._payload = 1', [], [], []],
  ]
  for (const [script, clients, secrets, functions] of reads) {
    it(`names what was read by ${script}`, async () => {
      const found = await readOf(script)
      assert.deepEqual(found, { clients, secrets, functions, status: 'Success' })
    })
  }

  const READS = 'var r = QueryBookings("C1", {}) var s = GetSecret("top-secret")'
  const ends: readonly (readonly [
    end: string,
    script: string,
    status: string,
    asked?: Parameters<Runs['run']>[1],
  ])[] = [
    ['fails', 'fail "no"', 'Failed'],
    ['divides by nothing', 'Data.x = r.foo.bar[1] + {}', 'Failed'],
    ['has a bad answer', 'Data._statusCode = "x"', 'Failed'],
    ['reaches a limit', 'while true do Data.x = 1 end', 'Failed', { limits: { loops: 10 } }],
    [
      'takes too long',
      'while true do Data.x = 1 end',
      'Failed',
      { limits: { milliseconds: 300, loops: 1e9, statements: 1e9 } },
    ],
    ['is cancelled by its script', 'CancelAction("no")', 'Cancelled'],
    ['asks for a client that cannot be read', 'Data.x = QueryBookings("BAD", {})', 'Failed'],
  ]
  for (const [end, script, status, asked] of ends) {
    it(`names what was read by a run that ${end}`, async () => {
      const found = await readOf(`${READS}\n${script}`, asked)
      assert.deepEqual([found.clients?.[0], found.secrets, found.status], ['C1', ['top-secret'], status])
    })
  }

  it('names it for trials, reruns, schedules and calls alike', async () => {
    for (const type of ['Test', 'Rerun', 'ScheduledScript', 'DynamicEndpoint'] as const) {
      const { clients, secrets } = await readOf(READS, { type })
      assert.deepEqual([clients, secrets], [['C1'], ['top-secret']], type)
    }
  })
})

describe('what is noted of a run', () => {
  it('is told before the answer, each name once', async () => {
    const told: ReadName[] = []
    const reads = new RunReads((read) => told.push(read))
    for (const name of ['C1', 'C2', 'C1']) reads.add('client', name)
    reads.addSecret('Key', 'v')
    reads.addSecret('KEY', 'v')
    assert.deepEqual(told, [
      ['client', 'C1'],
      ['client', 'C2'],
      ['secret', 'key'],
    ])
  })

  it('is bounded, whatever a script asks for', () => {
    const told: ReadName[] = []
    const reads = new RunReads((read) => told.push(read))
    for (let n = 0; n < MOST_COUNTED + 500; n++) reads.add('client', `${n}${'x'.repeat(10_000)}`)
    const { read } = reads
    assert.equal(read.clientCount, MOST_COUNTED)
    assert.equal(read.clientNumbers.length, MOST_NAMES)
    assert.ok(JSON.stringify(read).length < 150_000)
    assert.equal(told.length, MOST_COUNTED)
  })
})
