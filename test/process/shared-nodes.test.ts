/** Two nodes on one PostgreSQL and one storage of snapshots, and refreshes of theirs that are killed. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Called } from '../../src/cli/testing/call-cli.ts'
import type { ControlStore } from '../../src/directory/control-store.ts'
import { openControlStore } from '../../src/directory/open-stores.ts'
import { type TestDatabase, testDatabase } from '../../src/postgres/testing/postgres-server.ts'
import { type S3Request, type S3Server, takeS3 } from '../../src/snapshot/objects/testing/s3-server.ts'
import { campaignSeed, repeated } from '../campaign.ts'
import { fixtureExtract, harbour, limmat } from '../fixtures/fixture-extract.ts'
import { writeExtract } from '../fixtures/write-extract.ts'
import { runCommand } from './run-command.ts'
import { type ServingHere, whileServingHere } from './service-in-process.ts'

let folder: string
let s3: S3Server
let database: TestDatabase
let control: ControlStore
/** The environment of every node and command. */
let env: Readonly<Record<string, string>>
/** API keys by client. */
const keys: Record<string, string> = {}
const source = () => join(folder, 'extract')

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tripfolio-nodes-'))
  s3 = await takeS3()
  database = await testDatabase()
  env = {
    ...s3.env,
    TRIPFOLIO_STORE: database.url,
    TRIPFOLIO_SNAPSHOTS: s3.location(),
    TRIPFOLIO_WARM_UP: 'none',
  }
  control = await openControlStore({ data: folder, store: database.url })
  for (const clientNumber of [harbour, limmat]) {
    keys[clientNumber] = (await control.accounts.create({ clientNumber, name: clientNumber }, 'test')).apiKey
  }
  await writeExtract(source(), fixtureExtract, 'csv')
})
after(async () => {
  await control.close()
  // A server that this file has started is gone by now.
  await database.drop().catch(() => undefined)
  await s3.stop()
  await rm(folder, { recursive: true })
})

const ask = (
  { address }: Pick<ServingHere, 'address'>,
  client: string,
  { query = '', snapshotId }: { readonly query?: string; readonly snapshotId?: string } = {},
): Promise<Response> =>
  fetch(`${address}/api/v2/bookings${query}`, {
    headers: {
      'X-API-Key': keys[client] ?? '',
      ...(snapshotId !== undefined && { 'Snapshot-Id': snapshotId }),
    },
  })

const ingest = (data: string) =>
  runCommand(['ingest', '--source', source(), '--data', join(folder, data), '--json'], env)

let changes = 0

/** Changes one booking of the extract. */
async function change(): Promise<void> {
  const name = `Agency ${++changes}`
  const [first, ...others] = fixtureExtract.bookings
  if (first === undefined) throw new Error('The extract has bookings')
  await writeExtract(
    source(),
    { ...fixtureExtract, bookings: [{ ...first, originating_agency: name }, ...others] },
    'csv',
  )
}

/** Publishes from a machine of its own. */
async function publish(): Promise<string> {
  const { code, stdout, stderr } = await ingest('publisher')
  assert.equal(code, 0, stderr)
  return JSON.parse(stdout).snapshot
}

const onTwoNodes = (work: (one: ServingHere, other: ServingHere) => Promise<void>): Promise<void> =>
  whileServingHere(
    join(folder, 'node-1'),
    (one) => whileServingHere(join(folder, 'node-2'), (other) => work(one, other), { env }),
    { env },
  )

const servedBy = async (node: Pick<ServingHere, 'address'>) =>
  (await ask(node, harbour)).headers.get('snapshot-id')

/** Fails instead of waiting for what never comes. @returns how long it took, in milliseconds */
async function untilServed(node: Pick<ServingHere, 'address'>, snapshot: string): Promise<number> {
  const began = performance.now()
  while ((await servedBy(node)) !== snapshot) {
    if (performance.now() - began > 20_000) throw new Error(`After 20 s, ${snapshot} is not served`)
    await sleep(20)
  }
  return performance.now() - began
}

/** An ingest that is killed when it has sent a request, before the request is answered. */
async function ingestKilledAt(isMoment: (request: S3Request) => boolean): Promise<void> {
  const tripfolio = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
  const args = [
    '--disable-warning=ExperimentalWarning',
    tripfolio,
    'ingest',
    '--source',
    source(),
    '--data',
    join(folder, 'killed'),
  ]
  const child = spawn(process.execPath, args, { env: { ...process.env, ...env }, stdio: 'ignore' })
  const ended = new Promise<NodeJS.Signals | null>((resolve) =>
    child.once('exit', (_, signal) => resolve(signal)),
  )
  s3.breaks = (request) => {
    if (!isMoment(request)) return null
    child.kill('SIGKILL')
    return { kind: 'hangs' }
  }
  assert.equal(await ended, 'SIGKILL')
  s3.breaks = () => null
}

describe('two nodes on shared snapshots', () => {
  it('serve what any machine publishes, within two seconds, and a walk over pages never mixes snapshots', async () => {
    await onTwoNodes(async (one, other) => {
      assert.equal((await ask(one, harbour)).status, 503)
      const first = await publish()
      await Promise.all([one, other].map((node) => untilServed(node, first)))

      const records = async (response: Response) => ((await response.json()) as { data: unknown[] }).data
      const page = async (node: ServingHere, number: number, snapshotId?: string) => {
        const query = `?%24page=${number}&%24pageSize=2`
        const response = await ask(
          node,
          harbour,
          snapshotId === undefined ? { query } : { query, snapshotId },
        )
        assert.equal(response.status, 200)
        return { records: await records(response), snapshot: response.headers.get('snapshot-id') }
      }
      const expected = [(await page(one, 1)).records, (await page(other, 2)).records]

      await change()
      const second = await publish()
      const took = await Promise.all([one, other].map((node) => untilServed(node, second)))
      // Both look every second; a slow machine gets more time before this test fails.
      assert.ok(Math.max(...took) < 10_000, `${took} ms`)

      // The walk began before the publication, and goes on at whichever node.
      for (const node of [one, other]) {
        const pages = [await page(node, 1, first), await page(node, 2, first)]
        assert.deepEqual(
          pages.map((each) => each.snapshot),
          [first, first],
        )
        assert.deepEqual(
          pages.map((each) => each.records),
          expected,
        )
      }

      const rolledBack = await runCommand(
        ['snapshot', 'rollback', '--data', join(folder, 'publisher'), '--json'],
        env,
      )
      assert.equal(JSON.parse(rolledBack.stdout).snapshot, first, rolledBack.stderr)
      const resume = ['refresh', 'resume', '--data', join(folder, 'publisher')]
      assert.equal((await runCommand(resume, env)).code, 0)
      await Promise.all([one, other].map((node) => untilServed(node, first)))
    })
  })

  it('answer the clients that are loaded while the storage is away, and the others with 503', async () => {
    const snapshot = await publish()
    await rm(join(folder, 'node-1', 'snapshot-cache'), { recursive: true, force: true })
    await whileServingHere(
      join(folder, 'node-1'),
      async (node) => {
        await untilServed(node, snapshot)
        await s3.refuse()
        assert.equal((await ask(node, harbour)).status, 200)
        const cold = await ask(node, limmat)
        assert.equal(cold.status, 503)
        assert.match(cold.headers.get('retry-after') ?? '', /^\d+$/)
        // The reason names servers, and is for operators only.
        assert.match(await cold.text(), /The bookings of client 'C200' cannot be read at the moment/)
        await node.until(/storage of the snapshots fails/)
        const ready = await fetch(`${node.address}/readyz`)
        assert.equal(ready.status, 200)
        assert.match(((await ready.json()) as { storage: string }).storage, /answered with 503/)
        assert.match(
          await (await fetch(`${node.address}/metrics`)).text(),
          /tripfolio_object_fetch_failures_total [1-9]/,
        )
        await s3.restore()
        // Nobody has to ask for a client.
        await node.until(/storage of the snapshots works again/)
        assert.equal(
          ((await (await fetch(`${node.address}/readyz`)).json()) as { storage?: string }).storage,
          undefined,
        )
        assert.equal((await ask(node, limmat)).status, 200)
      },
      // Loaded in one thread, refused in another: the reason goes from thread to thread.
      { env, threads: 2 },
    )
  })
})

describe('a refresh into shared snapshots', () => {
  it('does no harm when it is killed at any moment', async () => {
    const before = await publish()
    const keysBefore = await keysOf()
    await change()
    let puts = 0
    type Moment = readonly [moment: string, isMoment: (request: S3Request) => boolean]
    // They are alike, so that one of them is enough in a short campaign.
    const objects: readonly Moment[] = [
      ['it uploads the first object', ({ method }) => method === 'PUT'],
      ['it uploads the second object', ({ method }) => method === 'PUT' && ++puts === 2],
    ]
    const moments: readonly Moment[] = [
      ['it begins to look', ({ query }) => query.includes('list-type')],
      ...repeated(
        objects.filter((_, at) => at === campaignSeed % 2),
        objects,
      ),
      ['it uploads the manifest', ({ method }) => method === 'PUT' && ++puts === 4],
    ]
    for (const [moment, isMoment] of moments) {
      puts = 0
      await ingestKilledAt(isMoment)
      assert.equal((await control.snapshots.current())?.id, before, moment)
    }
    // The next one needs no help, and removes what the others left once nobody can need it.
    const next = await publish()
    assert.ok(next > before)
    const keysLeft = await keysOf()
    const ofKilled = keysLeft.filter((key) => !key.includes(next) && !keysBefore.includes(key))
    assert.deepEqual(ofKilled, [])
    const verified = await runCommand(
      ['snapshot', 'verify', '--data', join(folder, 'publisher'), '--json'],
      env,
    )
    assert.equal(verified.code, 0, verified.stdout)
  })

  it('is published when it is killed after the transaction, while it removes old objects', async () => {
    const before = await publish()
    // The first list is of the objects that are there, the second one of what was current when.
    let lists = 0
    await ingestKilledAt(({ query }) => query.includes('list-type') && ++lists === 3)
    const current = await control.snapshots.current()
    assert.ok(current !== null && current.id > before)
    const listed = await runCommand(['snapshot', 'list', '--data', join(folder, 'publisher'), '--json'], env)
    const [newest] = JSON.parse(listed.stdout)
    assert.deepEqual([newest.id, newest.current, newest.state], [current.id, true, 'ok'])
  })

  it('keeps a second one out, on whichever machine', async () => {
    await change()
    const second = Promise.withResolvers<Called>()
    let isAsked = false
    s3.breaks = ({ method }) => {
      if (method !== 'PUT') return null
      // The first one uploads: it cannot go on before the second one has ended.
      if (!isAsked) ingest('another').then(second.resolve, second.reject)
      isAsked = true
      return { kind: 'held', until: second.promise }
    }
    const { code, stderr } = await ingest('publisher')
    s3.breaks = () => null
    assert.equal(code, 0, stderr)
    const refused = await second.promise
    assert.notEqual(refused.code, 0)
    assert.match(refused.stderr, /ING121.*Another refresh of 's3:.*' is running/)
  })
})

async function keysOf(): Promise<readonly string[]> {
  const { openSharedStorage } = await import('../../src/snapshot/objects/shared-storage.ts')
  const store = openSharedStorage(env.TRIPFOLIO_SNAPSHOTS ?? '')
  const { id } = await control.tenant()
  const keys: string[] = []
  for await (const { key } of store.list(`${id}/`)) keys.push(key)
  store.close()
  return keys
}
