/** A whole service on `engine` `postgres`: it answers as one on the memory engine does, also while others publish. */
import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { after, before, describe, it } from 'node:test'
import type { RunRecords } from '../../src/automation/host/query-records.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { startServer, type TestDatabase, testDatabase } from '../../src/postgres/testing/postgres-server.ts'
import { openReadServices } from '../../src/service/read-services.ts'
import { SharedFiles } from '../../src/snapshot/files/shared-files.ts'
import { Manifests } from '../../src/snapshot/manifests.ts'
import { openPlacedManifests } from '../../src/snapshot/postgres/placed-manifests.ts'
import { fixtureExtract, harbour, limmat } from '../fixtures/fixture-extract.ts'
import { publishExtract } from '../fixtures/published-extract.ts'
import { writeExtract } from '../fixtures/write-extract.ts'
import { createAccount } from './accounts.ts'
import { firstStart } from './first-start.ts'
import { type Folders, makeFolders } from './ingest-fixture.ts'
import { runCommand } from './run-command.ts'
import { type ServingHere, serveHere, whileServingHere } from './service-in-process.ts'

type Side = { readonly serving: ServingHere; readonly keys: ReadonlyMap<string, string> }

const clients = [harbour, limmat]

async function accountsIn(data: string): Promise<Side['keys']> {
  const keys = new Map<string, string>()
  for (const client of clients) keys.set(client, await createAccount(data, client, `Account ${client}`))
  return keys
}

describe('a service on PostgreSQL', () => {
  let database: TestDatabase
  let folders: Folders
  let env: Readonly<Record<string, string>>
  let memory: Side
  let postgres: Side
  let closeFolders: () => Promise<void>

  before(async () => {
    const removals: (() => Promise<void>)[] = []
    const folder = () => makeFolders({ after: (work) => removals.push(work) })
    closeFolders = async () => {
      for (const remove of removals) await remove()
    }
    database = await testDatabase()
    env = { TRIPFOLIO_ENGINE: 'postgres', TRIPFOLIO_ENGINE_URL: database.url }
    folders = await folder()
    await writeExtract(folders.source, fixtureExtract, 'csv')
    await ingest()
    postgres = {
      keys: await accountsIn(folders.data),
      serving: await serveHere(folders.data, { env, source: folders.source, threads: 2 }),
    }
    const beside = await folder()
    await publishExtract({ data: beside.data }, fixtureExtract)
    memory = { keys: await accountsIn(beside.data), serving: await serveHere(beside.data) }
  })

  after(async () => {
    await Promise.all([postgres?.serving.close(), memory?.serving.close()])
    await database.drop()
    await closeFolders()
  })

  async function command(...args: readonly string[]) {
    const { code, stdout, stderr } = await runCommand([...args, '--data', folders.data], env)
    assert.equal(code, 0, stderr)
    return stdout
  }

  async function ingest(): Promise<string> {
    const printed = await command('ingest', '--source', folders.source, '--json')
    return JSON.parse(printed).snapshot
  }

  const ask = ({ serving, keys }: Side, path: string, headers: Readonly<Record<string, string>> = {}) =>
    fetch(`${serving.address}${path}`, {
      headers: { 'X-API-Key': keys.get(harbour) as string, ...headers },
    })

  const answerOf = async (side: Side, path: string, headers: Readonly<Record<string, string>>) => {
    const response = await ask(side, path, headers)
    const { status } = response
    const type = response.headers.get('content-type')
    return { status, type, etag: response.headers.get('etag'), body: await response.text() }
  }

  const any = encodeURIComponent("any(segments, vendor ne 'x') and not any(segments, code eq 'YY')")
  const all = encodeURIComponent("any(lineItems, lineAmountIncGst gt 10) or company eq 'Harbour'")
  for (const [path, headers = {}] of [
    ['/api/v2/bookings'],
    ['/api/v2/bookings?$pageSize=3&$page=2&$orderby=bookingDate%20desc'],
    ['/api/v2/bookings?$filter=recordLocator%20eq%20%27NULLS%27'],
    [`/api/v2/itineraries?$filter=${any}`],
    [`/api/v2/invoices?$filter=${all}`],
    ['/api/v2/bookings?$filter=nonsense%20eq%201'],
    ['/api/v2/bookings', { accept: 'text/csv' }],
    ['/api/v2/itineraries', { accept: 'application/x-ndjson' }],
    ['/api/v2/invoices', { accept: 'application/vnd.apache.arrow.stream' }],
  ] as const satisfies readonly (readonly [string, Readonly<Record<string, string>>?])[]) {
    const accepts = Object.values(headers).join()
    it(`answers ${decodeURIComponent(path)} ${accepts} as the memory engine does`, async () => {
      assert.deepEqual(await answerOf(postgres, path, headers), await answerOf(memory, path, headers))
    })
  }

  it('is ready, and shows its snapshot in metrics and to operators', async () => {
    assert.equal((await fetch(`${postgres.serving.address}/readyz`)).status, 200)
    const metrics = await (await fetch(`${postgres.serving.address}/metrics`)).text()
    assert.ok(/^tripfolio_snapshot_age_seconds [\d.]+$/m.test(metrics))
    const listed = JSON.parse(await command('snapshot', 'list', '--json'))
    const id = (await ask(postgres, '/api/v2/bookings')).headers.get('snapshot-id')
    assert.deepEqual([listed[0].id, listed[0].current, listed[0].state], [id, true, 'ok'])
    assert.equal(listed[0].bookings, fixtureExtract.bookings.length)
    const [verified] = JSON.parse(await command('snapshot', 'verify', '--json'))
    assert.deepEqual([verified.id, verified.damaged], [id, []])
    assert.deepEqual(await readdir(`${folders.data}/rejects`), [id])
  })

  it('keeps a walk over pages on its snapshot while another is published, and goes back to it', async () => {
    const page = (n: number) => `/api/v2/bookings?$pageSize=3&$page=${n}`
    const locatorsOf = async (response: Response) =>
      ((await response.json()) as { bookings: { recordLocator: string }[] }).bookings.map(
        ({ recordLocator }) => recordLocator,
      )
    const first = await ask(postgres, page(1))
    const before = String(first.headers.get('snapshot-id'))
    const walked = await locatorsOf(first)
    const moved = {
      ...fixtureExtract,
      bookings: fixtureExtract.bookings.map((row) =>
        row.record_locator === 'NULLS' ? { ...row, booking_date: '2027-01-01' } : row,
      ),
    }
    await writeExtract(folders.source, moved, 'csv')
    const id = await ingest()
    await postgres.serving.until(new RegExp(`snapshot.*${id}`))
    const now = await ask(postgres, page(1))
    assert.equal(now.headers.get('snapshot-id'), id)
    assert.ok(!(await locatorsOf(now)).includes('NULLS'))
    for (const n of [2, 3]) {
      const response = await ask(postgres, page(n), { 'Snapshot-Id': before })
      assert.equal(response.headers.get('snapshot-id'), before)
      walked.push(...(await locatorsOf(response)))
    }
    assert.equal(walked.length, 8)
    assert.ok(walked.includes('NULLS'))

    const back = JSON.parse(await command('snapshot', 'rollback', '--json'))
    assert.deepEqual([back.snapshot, back.before], [before, id])
    await command('refresh', 'resume')
    const deadline = Date.now() + 5000
    while ((await ask(postgres, page(1))).headers.get('snapshot-id') !== before) {
      assert.ok(Date.now() < deadline, 'the service goes back within seconds')
    }
  })

  it('lets the queries of a script read one snapshot, while another is published', async () => {
    const config = loadConfig({ env, flags: { data: folders.data } })
    const manifests = openPlacedManifests(database.url, folders.data)
    const ignore = () => undefined
    const openFiles = new SharedFiles(folders.data, ignore).open
    const services = await openReadServices({
      ...{ config, observe: ignore, openFiles, manifests },
      installation: () => Promise.reject(new Error('There are no files')),
    })
    const announce = async () => {
      const manifest = await new Manifests(manifests, ignore).successorOf(services.catalogue.current()?.id)
      if (manifest !== null) await services.announce(manifest)
    }
    try {
      assert.equal(services.records().snapshot, null)
      await announce()
      const run = services.records()
      const question = { list: 'bookings', clientNumber: harbour, parameters: [] } as const
      const agencies = async (records: RunRecords) => {
        const { chunks } = await records.query(question, new AbortController().signal)
        let json = ''
        for await (const chunk of chunks(1000)) json += Buffer.from(chunk)
        return (JSON.parse(`[${json}]`) as { originatingAgency: string }[]).map(
          (one) => one.originatingAgency,
        )
      }
      const before = await agencies(run)
      assert.ok(run.snapshot?.extractedAt)
      const moved = fixtureExtract.bookings.map((row) => ({ ...row, originating_agency: 'Moved' }))
      await writeExtract(folders.source, { ...fixtureExtract, bookings: moved }, 'csv')
      await ingest()
      await announce()
      assert.deepEqual(await agencies(run), before)
      assert.ok((await agencies(services.records())).every((agency) => agency === 'Moved'))
    } finally {
      await services.close()
      await manifests.close()
    }
  })

  it('makes the demo on its first start', async (test) => {
    const { data } = await makeFolders(test)
    const empty = await testDatabase(test)
    const settings = { TRIPFOLIO_ENGINE: 'postgres', TRIPFOLIO_ENGINE_URL: empty.url }
    const { address, apiKey = '', close } = await firstStart(data, settings)
    try {
      const answer = await fetch(`${address}/api/v2/bookings?$pageSize=1`, {
        headers: { 'X-API-Key': apiKey },
      })
      assert.equal(answer.status, 200)
    } finally {
      // Not by a hook: the folder and the database would be gone by then.
      await close()
    }
  })

  it('refuses two refreshes at once, also from two machines', async (test) => {
    const other = await makeFolders(test)
    const args = (data: string) => ['ingest', '--source', folders.source, '--data', data]
    const both = await Promise.all([folders.data, other.data].map((data) => runCommand(args(data), env)))
    const refused = both.filter(({ code }) => code !== 0)
    // One may be so late that the other has finished.
    assert.ok(refused.length < 2)
    for (const { stderr } of refused)
      assert.match(stderr, /Another refresh of '127\.0\.0\.1:\d+\/test_\w+' is running/)
  })
})

describe('a service whose PostgreSQL is killed', () => {
  it('answers 503, and is back without a restart when the server is', async (test) => {
    const folders = await makeFolders(test)
    const server = await startServer()
    test.after(server.stop)
    const env = { TRIPFOLIO_ENGINE: 'postgres', TRIPFOLIO_ENGINE_URL: server.url }
    await writeExtract(folders.source, fixtureExtract, 'csv')
    const { code, stderr } = await runCommand(
      ['ingest', '--source', folders.source, '--data', folders.data],
      env,
    )
    assert.equal(code, 0, stderr)
    const key = await createAccount(folders.data, harbour, 'Account')
    await whileServingHere(
      folders.data,
      async ({ address }) => {
        const ask = () => fetch(`${address}/api/v2/bookings`, { headers: { 'X-API-Key': key } })
        const before = await (await ask()).text()
        await server.kill()
        const away = await ask()
        assert.equal(away.status, 503)
        assert.match(String(away.headers.get('retry-after')), /^\d+$/)
        assert.doesNotMatch(await away.text(), /127\.0\.0\.1/)
        await server.start()
        const back = await ask()
        assert.equal(back.status, 200)
        assert.equal(await back.text(), before)
      },
      { env },
    )
  })
})
