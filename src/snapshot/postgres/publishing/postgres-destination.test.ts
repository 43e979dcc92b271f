import assert from 'node:assert/strict'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { Client } from 'pg'
import { storedNames } from '../../../schema/datasets.ts'
import { CollectionBuilder } from '../../format/collection-builder.ts'
import { addLocators } from '../../testing/data-folder.ts'
import type { SnapshotDraft } from '../../writing/snapshot-writer.ts'
import { describePlaced, verifyPlaced } from '../placed-operations.ts'
import { RecordDatabase } from '../testing/record-database.ts'
import { openPostgresDestination } from './postgres-destination.ts'

let data: RecordDatabase

function prepareEachTest(): void {
  beforeEach(async () => {
    data = await RecordDatabase.make()
  })
  afterEach(() => data.remove())
}

const about = (...clients: readonly string[]) => ({
  extractedAt: new Date('2026-01-02T03:04:05Z'),
  clients: clients.map((clientNumber) => ({ clientNumber, name: clientNumber })),
  rejects: 0,
})

const publish = async (draft: SnapshotDraft, locators: Record<string, string>) => {
  await addLocators(draft, locators)
  return draft.publish(about(...Object.keys(locators)))
}

const generationOf = async (clientNumber: string) =>
  (await (await data.catalogue()).current()?.placed(clientNumber, 'bookings'))?.generation

describe('publishing a snapshot into PostgreSQL', () => {
  prepareEachTest()

  it('makes it current, with the records of each client', async () => {
    const { id } = await data.publish({ A: 'AAA111', "b'; --": 'BBB111' })
    const current = (await data.catalogue()).current()
    assert.equal(current?.id, id)
    assert.equal(current?.extractedAt.toISOString(), '2026-01-02T03:04:05.000Z')
    assert.equal(await data.locatorIn(current, 'A'), 'AAA111')
    assert.equal(await data.locatorIn(current, "b'; --", 'bookings-v1'), 'BBB111')
    assert.equal(await current?.placed('a', 'bookings'), null)
  })

  it('writes rows of changed clients only', async () => {
    await data.publish({ A: 'AAA111', B: 'BBB111' })
    const before = await generationOf('A')
    const { kept } = await data.publish({ A: 'AAA111', B: 'BBB222' })
    assert.equal(kept, 2 * storedNames.length - 2)
    assert.equal(await generationOf('A'), before)
    assert.notEqual(await generationOf('B'), before)
    const { kept: all } = await data.publish({ A: 'AAA111', B: 'BBB222' })
    assert.equal(all, 2 * storedNames.length)
  })

  it('does not write again what any retained snapshot has', async () => {
    await data.publish({ A: 'AAA111' })
    const first = await generationOf('A')
    await data.publish({ A: 'AAA222' })
    await data.publish({ A: 'AAA111' })
    assert.equal(await generationOf('A'), first)
    assert.equal(await data.locatorIn((await data.catalogue()).current(), 'A'), 'AAA111')
  })

  it('leaves the current snapshot and no table when the draft is abandoned', async () => {
    const { id } = await data.publish({ A: 'AAA111' })
    const tables = await data.generationTables()
    const draft = await data.destination.begin()
    await writeFile(join(draft.folder, 'rejects.ndjson'), '')
    await addLocators(draft, { A: 'AAA222' })
    assert.notDeepEqual(await data.generationTables(), tables)
    await draft.abandon()
    assert.deepEqual(await data.generationTables(), tables)
    assert.equal((await data.catalogue()).current()?.id, id)
    assert.deepEqual(await readdir(join(data.folder, 'rejects')), [id])
  })

  it('refuses a client without all collections', async () => {
    const draft = await data.destination.begin()
    await draft.add(new CollectionBuilder('bookings', 'A', []))
    await assert.rejects(draft.publish(about('A')), /Client 'A' lacks invoices/)
    await draft.abandon()
  })

  it('compares with the counts of the current snapshot', async () => {
    const first = await data.destination.begin()
    assert.deepEqual([first.previous, first.rowsBefore, first.bookingsBefore], [null, null, 0])
    await publish(first, { A: 'AAA111', B: 'BBB111' })
    await data.publish({ A: 'AAA222' })
    const draft = await data.destination.begin()
    assert.deepEqual(draft.previous?.counts, { bookings: 1, invoices: 0, segments: 0, lineItems: 0 })
    assert.equal(draft.bookingsBefore, 1)
    assert.equal(draft.rowsBefore?.tables.clients, 1)
    assert.deepEqual([...(draft.rowsBefore?.clients ?? [])], [['A', { bookings: 1, invoices: 0 }]])
    await draft.abandon()
  })

  it('refuses a refresh that another one has overtaken, and drops its tables', async () => {
    const slow = await data.destination.begin()
    await addLocators(slow, { A: 'SLOW11' })
    const { id } = await data.publish({ A: 'FAST11' })
    await assert.rejects(slow.publish(about('A')), /./)
    await slow.abandon()
    const empty = await data.destination.begin()
    const elsewhere = openPostgresDestination(data.url, join(data.folder, 'other-machine'))
    const published = await publish(await elsewhere.begin(), { A: 'LATE11' }).finally(elsewhere.close)
    await addLocators(empty, { A: 'FAST11' })
    await assert.rejects(empty.publish(about('A')), { code: 'SNP203' })
    await empty.abandon()
    const catalogue = await data.catalogue()
    assert.equal(catalogue.current()?.id, published.id)
    assert.equal(await data.locatorIn(await catalogue.retained(id), 'A'), 'FAST11')
  })

  it('lets an overtaken refresh remove nothing that the later one has written', async () => {
    await data.publish({ A: 'FAST11' })
    const elsewhere = openPostgresDestination(data.url, join(data.folder, 'other-machine'))
    const later = await elsewhere.begin()
    await addLocators(later, { A: 'LATE11' })
    // The first one has published, stalled, and lost its lock without knowing.
    await assert.rejects(data.destination.removeOldSnapshots(1), { code: 'SNP203' })
    await later.publish(about('A'))
    await elsewhere.close()
    assert.equal(await data.locatorIn((await data.catalogue()).current(), 'A'), 'LATE11')
  })

  it('refuses to publish when rows are missing', async () => {
    const draft = await data.destination.begin()
    await addLocators(draft, { A: 'AAA111' })
    const [table] = await data.generationTables()
    await data.ask(`delete from tripfolio_records.${table}`)
    await assert.rejects(draft.publish(about('A')), { code: 'SNP204' })
    await draft.abandon()
    assert.deepEqual(await data.generationTables(), [])
  })

  for (const [what, sql] of [
    ['dropped', 'drop table tripfolio_records.bookings_g1_records'],
    ['emptied', 'truncate tripfolio_records.bookings_g1'],
  ] as const) {
    it(`writes clients again whose tables were ${what}`, async () => {
      await data.publish({ A: 'AAA111', B: 'BBB111' })
      await data.ask(sql)
      const { kept } = await data.publish({ A: 'AAA111', B: 'BBB111' })
      assert.equal(kept, 2 * (storedNames.length - 1))
      const current = (await data.catalogue()).current()
      assert.equal(await data.locatorIn(current, 'A'), 'AAA111')
      assert.equal(await data.locatorIn(current, 'B'), 'BBB111')
      const [newest] = await verifyPlaced(data.pool)
      assert.deepEqual(newest?.damaged, [])
    })

    it(`refuses to publish a snapshot whose tables are ${what} meanwhile`, async () => {
      const { id } = await data.publish({ A: 'AAA111' })
      const draft = await data.destination.begin()
      await addLocators(draft, { A: 'AAA111' })
      await data.ask(sql)
      await assert.rejects(draft.publish(about('A')), { code: 'SNP205' })
      await draft.abandon()
      const catalogue = await data.catalogue()
      assert.equal(catalogue.current()?.id, id)
    })
  }

  it('keeps what a broken connection has committed', async () => {
    const draft = await data.destination.begin()
    await addLocators(draft, { A: 'AAA111' })
    // Ends the connection when the transaction is about to end, as late as a statement can.
    await data.ask(`create function break() returns trigger language plpgsql as
      'begin perform pg_terminate_backend(pg_backend_pid()); return null; end'`)
    await data.ask(`create constraint trigger break after update on tripfolio_records.state
      deferrable initially deferred for each row when (new.current is not null) execute function break()`)
    await assert.rejects(draft.publish(about('A')), { code: 'PGS101' })
    await draft.abandon()
    assert.deepEqual(await data.generationTables(), [])
    await data.ask('drop function break cascade')
    await data.publish({ A: 'AAA222' })
  })
})

describe('records that the version before has written, without additional fields', () => {
  prepareEachTest()

  it('are compared with, written again whole, and go with their snapshots', async () => {
    await data.publish({ A: 'AAA111', B: 'BBB111' })
    await data.ask('update tripfolio_records.snapshots set format = format - 1')
    await data.ask('drop table tripfolio_records.bookings_g1_travellers')
    await data.ask(
      'alter table tripfolio_records.bookings_g1 drop column traveller, drop column "segmentCount"',
    )
    assert.equal((await data.catalogue()).current(), null)
    const draft = await data.destination.begin()
    assert.deepEqual([draft.bookingsBefore, draft.rowsBefore?.tables.clients], [2, 2])
    await publish(draft, { A: 'AAA111', B: 'BBB111' })
    const current = (await data.catalogue()).current()
    assert.deepEqual(
      [await data.locatorIn(current, 'A'), await data.locatorIn(current, 'B')],
      ['AAA111', 'BBB111'],
    )
    await data.ask('select name from tripfolio_records.bookings_g2_travellers')
    const { kept } = await data.publish({ A: 'AAA111', B: 'BBB111' }, 1)
    assert.equal(kept, 2 * storedNames.length)
    assert.ok(!(await data.generationTables()).some((name) => name.includes('_g1')))
  })
})

describe('what a killed refresh leaves', () => {
  prepareEachTest()

  it('is removed by the next one, tables and folders', async () => {
    const { id } = await data.publish({ A: 'AAA111' })
    const before = await data.generationTables()
    const killed = await data.destination.begin()
    await addLocators(killed, { A: 'AAA222' })
    const next = await data.destination.begin()
    assert.deepEqual(await data.generationTables(), before)
    await next.abandon()
    assert.deepEqual(await readdir(join(data.folder, 'rejects')), [id])
  })
})

describe('old snapshots', () => {
  prepareEachTest()

  it('go with the tables that only they need', async () => {
    const ids = []
    for (const locator of ['ONE111', 'TWO222', 'THREE3', 'FOUR44']) {
      ids.push((await data.publish({ A: locator, B: 'BBB111' }, 2)).id)
    }
    const catalogue = await data.catalogue()
    for (const id of ids.slice(0, 2)) await assert.rejects(catalogue.retained(id), { code: 'SNP305' })
    assert.equal(await data.locatorIn(await catalogue.retained(ids[2] as string), 'A'), 'THREE3')
    assert.equal(await data.locatorIn(catalogue.current(), 'B'), 'BBB111')
    assert.equal((await data.generationTables()).filter((name) => name.startsWith('bookings_g')).length, 3)
    assert.deepEqual((await readdir(join(data.folder, 'rejects'))).sort(), ids.slice(2))
  })

  it('never include an older state because the same records were published again', async () => {
    const old = await data.publish({ A: 'OLD111' }, 2)
    const ids = []
    for (let time = 0; time < 5; time++) ids.push((await data.publish({ A: 'NEW222' }, 2)).id)
    const left = (await describePlaced(data.pool)).map(({ id }) => id)
    assert.deepEqual(left, [ids.at(-1), ids.at(-2), old.id])
    assert.equal(await data.locatorIn(await (await data.catalogue()).retained(old.id), 'A'), 'OLD111')
  })

  it('never include the current one and the one before it', async () => {
    const first = await data.publish({ A: 'ONE111' }, 1)
    const second = await data.publish({ A: 'TWO222' }, 1)
    const catalogue = await data.catalogue()
    assert.equal(catalogue.current()?.id, second.id)
    assert.equal(await data.locatorIn(await catalogue.retained(first.id), 'A'), 'ONE111')
  })

  it('keep the tables that somebody reads until a later refresh, which does not wait for that', async () => {
    await data.publish({ A: 'ONE111' })
    const [table] = await data.generationTables()
    const reader = new Client({ connectionString: data.url })
    await reader.connect()
    try {
      await reader.query(`begin; select from tripfolio_records.${table}`)
      for (const locator of ['TWO222', 'THREE3']) await data.publish({ A: locator }, 1)
      assert.ok((await data.generationTables()).includes(table as string))
      await reader.query('commit')
    } finally {
      await reader.end()
    }
    await data.publish({ A: 'THREE3' }, 1)
    assert.ok(!(await data.generationTables()).includes(table as string))
  })
})

describe('a generation of which less than half is live', () => {
  prepareEachTest()

  it('is emptied into the next one, and then dropped', async () => {
    const clients = Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`C${n}`, `FIRST${n}`]))
    await data.publish(clients, 1)
    const old = await generationOf('C0')
    for (let n = 0; n < 5; n++) clients[`C${n}`] = `SECND${n}`
    await data.publish(clients, 1)
    assert.equal(await generationOf('C9'), old)
    clients.C5 = 'THIRD5'
    await data.publish(clients, 1)
    assert.notEqual(await generationOf('C9'), old)
    const current = (await data.catalogue()).current()
    for (const [client, locator] of Object.entries(clients)) {
      assert.equal(await data.locatorIn(current, client), locator)
    }
    await data.publish(clients, 1)
    clients.C0 = 'FOURTH'
    await data.publish(clients, 1)
    assert.ok(!(await data.generationTables()).includes(`bookings_g${old}`))
  })
})
