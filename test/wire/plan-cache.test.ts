/** Cached plans change no answer: neither for another client, nor after a refresh, nor for a refusal. */
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { Stage } from '../../src/observe/observation.ts'
import { answer } from '../../src/read/answer.ts'
import { readCurrentId, snapshotFolder } from '../../src/snapshot/format/layout.ts'
import { readManifest } from '../../src/snapshot/manifest.ts'
import type { Snapshot } from '../../src/snapshot/snapshot.ts'
import { fixtureExtract, harbour, limmat } from '../fixtures/fixture-extract.ts'
import { bodyOf, startService } from './start-service.ts'

describe('a repeated query', () => {
  it('is not parsed, bound or planned a second time, and gets the same answer', async (t) => {
    const { answering, close } = await startService()
    t.after(close)
    const stages: Stage[] = []
    const deps = {
      ...answering,
      observe: (observation: Parameters<typeof answering.observe>[0]) => {
        if (observation.kind === 'stage-timed') stages.push(observation.stage)
      },
    }
    let read = 0
    const ask = async (clientNumber: string, query: string | null) => {
      stages.length = 0
      const found = await answer(
        {
          version: 2,
          list: 'bookings',
          principal: { accountId: 'a', accountName: 'a', clientNumber },
          query,
          parameters: () => {
            read++
            return [['$filter', "originatingAgency eq 'Online'"]]
          },
        },
        deps,
      )
      const { total } = await found.execute()
      return { etag: found.etag, total }
    }
    const first = await ask(harbour, 'q')
    assert.deepEqual(stages, ['parse', 'load', 'bind', 'plan', 'execute'])
    assert.deepEqual(await ask(harbour, 'q'), first)
    assert.deepEqual(stages, ['load', 'execute'])
    assert.equal(read, 1)
    const other = await ask(limmat, 'q')
    assert.deepEqual(stages, ['parse', 'load', 'bind', 'plan', 'execute'])
    assert.notEqual(other.etag, first.etag)
    assert.deepEqual(await ask(harbour, 'another'), first)
    for (let i = 0; i < 2; i++) assert.deepEqual(await ask(harbour, null), first)
    assert.deepEqual(stages, ['parse', 'load', 'bind', 'plan', 'execute'])
  })

  it('gets a new answer after a refresh, and one from the older file when the new one is damaged', async (t) => {
    const service = await startService()
    t.after(service.close)
    const key = await service.keyOf(harbour)
    const paths = [
      '/api/v1/bookings?query=RecordLocator^EQZZ9',
      "/api/v2/bookings?$filter=recordLocator eq 'ZZ9'",
    ]
    /** Sends the query three times, so that every cache has an entry. */
    const ask = async (path: string) => {
      const answers = []
      for (let i = 0; i < 3; i++) {
        const response = await service.request(path, key)
        const [etag, snapshot] = ['etag', 'snapshot-id'].map((name) => response.headers.get(name))
        answers.push({ status: response.status, etag, snapshot, body: await response.text() })
      }
      for (const answer of answers) assert.deepEqual(answer, answers[0])
      return answers[0] as (typeof answers)[number]
    }
    const withAgency = (originating_agency: string) => ({
      ...fixtureExtract,
      bookings: fixtureExtract.bookings.map((row) =>
        row.record_locator === 'ZZ9' ? { ...row, originating_agency } : row,
      ),
    })
    const before = await Promise.all(paths.map(ask))

    await service.publish(withAgency('Renamed'))
    for (const [i, path] of paths.entries()) {
      const after = await ask(path)
      assert.equal(after.status, 200)
      assert.match(after.body, /"originatingAgency":"Renamed"/)
      assert.notEqual(after.etag, before[i]?.etag)
      assert.notEqual(after.snapshot, before[i]?.snapshot)
      const headers = { 'X-API-Key': key, 'If-None-Match': String(before[i]?.etag) }
      const stale = await fetch(`http://127.0.0.1:${service.port}${path}`, { headers })
      assert.equal(stale.status, 200)
    }
    const renamed = await Promise.all(paths.map(ask))

    await service.publish(withAgency('Damaged'))
    const id = (await readCurrentId(service.dataFolder)) as string
    const folder = snapshotFolder(service.dataFolder, id)
    const client = (await readManifest(folder)).clients.find(({ clientNumber }) => clientNumber === harbour)
    for (const stored of ['bookings', 'bookings-v1'] as const) {
      const path = join(folder, client?.[stored].path as string)
      const bytes = await readFile(path)
      bytes.fill(0, bytes.length >> 1, (bytes.length >> 1) + 8)
      await writeFile(path, bytes)
    }
    for (const [i, path] of paths.entries()) assert.deepEqual(await ask(path), renamed[i])

    await service.publish(withAgency('Mended'))
    for (const path of paths) assert.match((await ask(path)).body, /"originatingAgency":"Mended"/)
  })

  it('is planned again when the file is replaced by an older one, whose labels stand elsewhere', async (t) => {
    const rowOf = (label: string, employee: string, other: string) => ({
      ...fixtureExtract,
      custom_field_labels: [
        { client_number: harbour, field: label === 'first' ? 'employee_id' : 'booked_by', label: 'Cost' },
        { client_number: harbour, field: label === 'first' ? 'booked_by' : 'employee_id', label: 'Who' },
      ],
      bookings: fixtureExtract.bookings.map((row) =>
        row.record_locator === 'ZZ9' ? { ...row, employee_id: employee, booked_by: other } : row,
      ),
    })
    let older: Snapshot | null = null
    const service = await startService({
      extract: rowOf('first', 'K1', 'Kim'),
      // What the engine does when it finds the file of the snapshot damaged.
      wrapEngine: (engine) => ({
        ...engine,
        open: (snapshot, ...rest) => engine.open(older ?? snapshot, ...rest),
      }),
    })
    t.after(service.close)
    const key = await service.keyOf(harbour)
    const ask = async () => {
      const filter = encodeURIComponent("customDataFields['Cost'] eq 'K1'")
      const response = await service.request(`/api/v2/bookings?$filter=${filter}`, key)
      const { bookings } = (await response.json()) as { readonly bookings: readonly object[] }
      return { etag: response.headers.get('etag'), found: JSON.stringify(bookings) }
    }
    const before = await ask()
    const [first] = [service.answering.catalogue.current()]
    await service.publish(rowOf('second', 'Kim', 'K1'))
    const after = [await ask(), await ask()]
    assert.deepEqual(after[0], after[1])
    assert.notEqual(after[0]?.etag, before.etag)
    for (const { found } of [before, ...after]) assert.match(found, /"ZZ9"/)
    older = first
    assert.deepEqual([await ask(), await ask()], [before, before])
  })

  it('is not confused with another one that a label of the client imitates', async (t) => {
    const imitation = 'A),null(customB'
    const labels = { employee_id: 'A', booked_by: 'B', authorised_by: imitation }
    const service = await startService({
      extract: {
        ...fixtureExtract,
        custom_field_labels: Object.entries(labels).map(([field, label]) => ({
          client_number: harbour,
          field,
          label,
        })),
        bookings: fixtureExtract.bookings.map((row) =>
          row.record_locator === 'ZZ9'
            ? { ...row, employee_id: null, booked_by: null, authorised_by: 'Kim' }
            : row,
        ),
      },
    })
    t.after(service.close)
    const key = await service.keyOf(harbour)
    const ask = async (condition: string) => {
      const filter = encodeURIComponent(`${condition} and originatingAgency gt ''`)
      const response = await service.request(`/api/v2/bookings?$filter=${filter}`, key)
      const found = JSON.stringify((await bodyOf(response)).bookings)
      return { etag: response.headers.get('etag'), hasZZ9: found.includes('"ZZ9"') }
    }
    const both = await ask("customDataFields['A'] eq null and customDataFields['B'] eq null")
    const imitated = await ask(`customDataFields['${imitation}'] eq null`)
    assert.deepEqual([both.hasZZ9, imitated.hasZZ9], [true, false])
    assert.notEqual(both.etag, imitated.etag)
  })

  it('is refused each time when it is malformed, with its own message', async (t) => {
    const service = await startService()
    t.after(service.close)
    const key = await service.keyOf(harbour)
    for (let i = 0; i < 3; i++) {
      const { status, headers } = await service.request('/api/v2/bookings?$filter=nothing eq 1', key)
      assert.deepEqual([status, headers.get('etag')], [400, null])
      const body = await bodyOf(await service.request('/api/v2/bookings?$filter=nothing eq 1', key))
      assert.equal(body.parameter, '$filter')
      assert.equal((await service.request('/api/v2/invoices?$filter=company ne null', key)).status, 200)
      assert.equal((await service.request('/api/v2/bookings?$filter=company ne null', key)).status, 400)
    }
  })
})
