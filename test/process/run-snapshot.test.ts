/** A run reads one snapshot, whatever is published meanwhile. */
import assert from 'node:assert/strict'
import { mkdtemp, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { ControlStore } from '../../src/directory/control-store.ts'
import { openControlStore, openHistory } from '../../src/directory/open-stores.ts'
import type { ExtractTables } from '../fixtures/extract-rows.ts'
import { extractColumns } from '../fixtures/extract-rows.ts'
import { fixtureExtract } from '../fixtures/fixture-extract.ts'
import { writeExtract } from '../fixtures/write-extract.ts'
import { refresh } from './ingest-fixture.ts'
import { whileServingHere } from './service-in-process.ts'

const [booking] = fixtureExtract.bookings
assert.ok(booking)
const clientNumber = booking.client_number as string
/** With one more booking. */
const later: ExtractTables = {
  ...fixtureExtract,
  bookings: [...fixtureExtract.bookings, { ...booking, record_locator: 'ZZZZZ9' }],
}
const extractedAt = ['2026-03-01T02:03:04.000Z', '2026-03-02T02:03:04.000Z'] as const

let folder: string
let data: string
let store: ControlStore

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tripfolio-run-snapshot-'))
  data = join(folder, 'data')
  await ingest(fixtureExtract, extractedAt[0])
  store = await openControlStore(data, { secretKey: () => secretKey })
})
after(async () => {
  await store.close()
  await rm(folder, { recursive: true, force: true })
})

const secretKey = Buffer.alloc(32, 7)
const env = { TRIPFOLIO_SECRET_KEY: secretKey.toString('hex') }

async function ingest(tables: ExtractTables, at: string): Promise<void> {
  const source = join(folder, 'extract')
  await writeExtract(source, tables, 'csv')
  for (const table of Object.keys(extractColumns)) {
    await utimes(join(source, `${table}.csv`), new Date(at), new Date(at))
  }
  await refresh({ source, data })
}

/** Queries, reports that it has queried, waits for a signal, and queries again. */
const SCRIPT = `
var client = "${clientNumber}"
func asked(client)
  return [QueryBookings(client).count, QueryItineraries(client).count, GetDataAsOf().extractedAt]
end
var first = asked(client)
CreateNotepad("asked")
while Data.request.query.waits == "yes" and GetSecret("go on") == null do Sleep(20) end
Data._payload = {first: first, second: asked(client), invoices: QueryInvoices(client).count}`

describe('a run during a publication', () => {
  it('answers from the snapshot of its beginning to its end, and the next one from the new one', () =>
    whileServingHere(
      data,
      async ({ address, until, output }) => {
        const { id } = await store.endpoints.create(
          {
            name: 'asks twice',
            description: '',
            category: 'Utility',
            method: 'GET',
            path: 'asks-twice',
            requiresAuthentication: false,
            allowedRoles: [],
            allowedHosts: [],
            limits: { milliseconds: 300_000, statements: 1_000_000_000, loops: 1_000_000_000 },
            signature: null,
            deduplication: null,
            record: 'full',
            maskedFields: [],
            schedules: [],
            script: SCRIPT,
          },
          'test',
        )
        await store.endpoints.publish(id, 'test')
        const call = async (query = '') => {
          const response = await fetch(`${address}/api/dynamic/v1/asks-twice${query}`)
          const text = await response.text()
          assert.equal(response.status, 200, `${text} ${output()}`)
          return JSON.parse(text)
        }
        const count = fixtureExtract.bookings.filter((row) => row.client_number === clientNumber).length
        const invoices = fixtureExtract.invoices.filter((row) => row.client_number === clientNumber).length
        let isOver = false
        const waiting = call('?waits=yes').finally(() => {
          isOver = true
        })
        await Promise.race([hasAsked(id, () => isOver), waiting])
        await ingest(later, extractedAt[1])
        await until(new RegExp(`"extractedAt":"${extractedAt[1]}"`))
        await store.secrets.set('go on', { value: 'it may go on' }, 'test')
        const old = [count, count, extractedAt[0]]
        assert.deepEqual(await waiting, { first: old, second: old, invoices })
        const now = [count + 1, count + 1, extractedAt[1]]
        assert.deepEqual(await call(), { first: now, second: now, invoices })
      },
      { env },
    ))
})

/** @param isOver whether it will not any more */
async function hasAsked(sourceId: string, isOver: () => boolean): Promise<void> {
  const history = await openHistory(data)
  try {
    while (!isOver() && (await history.notepads.list({ sourceId })).length === 0) {
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  } finally {
    await history.close()
  }
}
