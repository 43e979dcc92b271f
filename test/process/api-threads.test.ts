/** The supervisor with real threads, each a whole server on one port. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, get as httpGet } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRateLimiter } from '../../src/auth/limits/rate-limiter.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import type { ControlStore } from '../../src/directory/control-store.ts'
import { openControlStore } from '../../src/directory/open-stores.ts'
import { placesMemory } from '../../src/http/connections/connection-places.ts'
import { portToShare } from '../../src/http/connections/listen.ts'
import { runRefresh } from '../../src/ingest/cycle.ts'
import type { MetricValues } from '../../src/observe/metrics.ts'
import type { Observation } from '../../src/observe/observation.ts'
import { SharedFiles } from '../../src/snapshot/files/shared-files.ts'
import type { Manifest } from '../../src/snapshot/manifest.ts'
import { SnapshotCatalogue } from '../../src/snapshot/snapshot-catalogue.ts'
import { type ApiPool, startApiPool } from '../../src/threads/api-pool.ts'
import { fixtureExtract } from '../fixtures/fixture-extract.ts'
import { publishExtract } from '../fixtures/published-extract.ts'
import { writeExtract } from '../fixtures/write-extract.ts'

const THREADS = 2
const script = new URL('../../src/service/api-worker.ts', import.meta.url)
const clientNumber = fixtureExtract.clients[0]?.client_number as string
const host = '127.0.0.1'

let folder: string
let data: string
let store: ControlStore
let files: SharedFiles
let catalogue: SnapshotCatalogue
let threads: ApiPool
let port: NonNullable<Awaited<ReturnType<typeof portToShare>>>
/** There is none until a test announces one. */
let announced: Manifest | null = null
let closing: Promise<void> | undefined
const observations: Observation[] = []
const log: string[] = []
const observe = (observation: Observation) => observations.push(observation)

/** Room for all that are opened here. */
const places = { limits: { total: 10_000, perAddress: 0 }, memory: placesMemory(THREADS) }

/** Nothing here runs scripts, or refreshes. */
const noScripts = {
  readiness: () => ({ notWritten: [], skipped: null }),
  runScript: () => Promise.reject(new Error('There are no scripts here')),
  liveRuns: async () => ({ runs: [], silent: [] }),
  openLiveRuns: async () => ({ node: 'here', sequence: 0, runs: [] }),
  liveEvents: async () => ({ sequence: 0, events: [], dropped: 0 }),
  cancelRuns: async () => [],
  refreshState: async () => ({ state: 'none' }) as const,
  startRefresh: async () => 'no-source' as const,
}

/** Slow enough that a busy machine regains few requests, and no thread refuses requests because it is late. */
const configured = () =>
  loadConfig({
    env: {},
    flags: {
      data,
      warmUp: 'none',
      failedAuthPerMinute: 0,
      rateLimitV1: 1,
      loadSheddingDelayMilliseconds: 0,
    },
  })

async function publish(): Promise<void> {
  const source = join(folder, 'extract')
  await writeExtract(source, fixtureExtract, 'csv')
  await runRefresh({
    source,
    dataFolder: data,
    maxRejectShare: 0,
    retainSnapshots: 2,
    databaseThreads: 1,
    observe,
  })
}

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tripfolio-threads-'))
  data = join(folder, 'data')
  await publishExtract({ data }, fixtureExtract)
  store = await openControlStore(data)
  files = new SharedFiles(data, observe)
  catalogue = new SnapshotCatalogue(data, observe, files.open)
  port = (await portToShare({ host, port: 0 })) ?? assert.fail()
  const config = configured()
  threads = await startApiPool({
    count: THREADS,
    script,
    data: {
      config,
      port: port.port,
      isTerminal: false,
      lruClock: files.lruClock.memory,
      rateMemories: {
        v1: createRateLimiter({ rate: config.rateLimitV1, burst: config.rateBurstV1 })?.memory,
      },
      places,
    },
    files,
    currentManifest: async () => announced,
    writeLog: (lines) => log.push(lines),
    metricValues: async () => [],
    functions: noScripts,
    observe,
  })
})
after(async () => {
  await closeThreads()
  await store.close()
  await rm(folder, { recursive: true, force: true })
})

function closeThreads(): Promise<void> {
  closing ??= threads.close()
  return closing
}

async function announce(): Promise<Manifest> {
  announced = (await catalogue.refresh()) ?? assert.fail('There is nothing new')
  await threads.announce(announced)
  return announced
}

type Answered = { readonly status: number; readonly snapshotId: string; readonly body: string }

/** A connection of its own, unless an agent keeps one: which thread takes it is the system's choice. */
function ask(path: string, apiKey: string, agent: Agent | false = false): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const request = httpGet(`${threads.address}${path}`, { agent, headers: { 'X-API-Key': apiKey } })
    request.once('error', reject)
    request.once('response', async (response) => {
      const body = await text(response)
      resolve({
        status: response.statusCode as number,
        snapshotId: String(response.headers['snapshot-id']),
        body,
      })
    })
  })
}

const askAtOnce = (count: number, path: string, apiKey: string, agents?: readonly Agent[]) =>
  Promise.all(Array.from({ length: count }, (_, i) => ask(path, apiKey, agents?.[i] ?? false)))

const statusesOf = (answers: readonly Answered[]) => [...new Set(answers.map(({ status }) => status))]

const newKey = async () => (await store.accounts.create({ clientNumber, name: 'Threads' }, 'test')).apiKey

function answeredBy(values: MetricValues): number {
  const durations = values.find(({ name }) => name === 'tripfolio_http_request_duration_seconds')
  const counts = durations?.values.filter((value) =>
    String(Reflect.get(value, 'metricName')).endsWith('_count'),
  )
  return (counts ?? []).reduce((total, { value }) => total + value, 0)
}

/** Leaves out the counts of threads that have ended. */
const eachThread = async () => (await threads.metricValues()).slice(1)

/** So many connections that no thread is left out, except with a chance of one in billions. */
const MANY = 64

/** Milliseconds between two looks: without a pause, asking takes the processor that a new thread needs. */
const PAUSE_MS = 30

describe('threads on one port', () => {
  it('all answer that they are not ready while there is no snapshot', async () => {
    // The first thread answers all requests until the others listen.
    for (;;) {
      assert.deepEqual(statusesOf(await askAtOnce(8, '/readyz', '')), [503])
      if ((await eachThread()).every((values) => answeredBy(values) > 0)) break
      await sleep(PAUSE_MS)
    }
    assert.equal((await eachThread()).length, THREADS)
  })

  it('all answer, from one copy of the data', async () => {
    const key = await newKey()
    await announce()
    const counts = async () => (await eachThread()).map(answeredBy)
    const before = await counts()
    assert.deepEqual(statusesOf(await askAtOnce(MANY, '/api/v2/bookings', key)), [200])
    // A thread tells of a request after its answer.
    while (!(await counts()).every((count, thread) => count > (before[thread] ?? 0))) await sleep(PAUSE_MS)
    const loads = observations.filter((o) => o.kind === 'partition-loaded' && o.stored === 'bookings')
    assert.equal(loads.length, 1)
  })

  it('give one set of metrics and one log', async () => {
    const key = await newKey()
    await askAtOnce(MANY, '/api/v2/invoices', key)
    const wanted = `route="/api/v2/invoices",status="200"} ${MANY}`
    while (!(await ask('/metrics', key)).body.includes(wanted)) await sleep(PAUSE_MS)
    const lines = () =>
      log
        .join('')
        .split('\n')
        .filter((line) => line.includes('/api/v2/invoices'))
    while (lines().length < MANY) await sleep(PAUSE_MS)
    for (const line of lines()) assert.equal(JSON.parse(line).status, 200)
  })

  it('learn of a rotated key at once', async () => {
    const key = await newKey()
    const agents = Array.from({ length: MANY }, () => new Agent({ keepAlive: true }))
    assert.deepEqual(statusesOf(await askAtOnce(MANY, '/api/v2/bookings?$pageSize=1', key, agents)), [200])
    const rotation = await fetch(`${threads.address}/api/v2/service-accounts/me/rotate-api-key`, {
      method: 'POST',
      headers: { 'X-API-Key': key },
    })
    const { apiKey } = (await rotation.json()) as { apiKey: string }
    assert.deepEqual(statusesOf(await askAtOnce(MANY, '/api/v2/bookings?$pageSize=1', key, agents)), [401])
    assert.deepEqual(statusesOf(await askAtOnce(MANY, '/api/v2/bookings?$pageSize=1', apiKey, agents)), [200])
    for (const agent of agents) agent.destroy()
  })

  it('count the requests of an account together', async () => {
    const key = await newKey()
    const { rateBurstV1 } = configured()
    const answers = await askAtOnce(3 * rateBurstV1, '/api/v1/invoices?fetch=1&query=TotalAmount^LT-1', key)
    const admitted = answers.filter(({ status }) => status === 200).length
    assert.deepEqual(statusesOf(answers).sort(), [200, 429])
    // Each for itself they would have admitted twice the burst; few are regained while they arrive.
    assert.ok(admitted >= rateBurstV1 && admitted < 2 * rateBurstV1, `${admitted}`)
  })

  it('answer from a new snapshot as soon as it has been announced', async () => {
    const key = await newKey()
    const before = catalogue.current()?.id
    await publish()
    const manifest = await announce()
    assert.notEqual(manifest.id, before)
    const answers = await askAtOnce(MANY, '/api/v2/bookings?$pageSize=1', key)
    assert.deepEqual([...new Set(answers.map(({ snapshotId }) => snapshotId))], [manifest.id])
    // The files are the same as before.
    const loads = observations.filter((o) => o.kind === 'partition-loaded' && o.stored === 'bookings')
    assert.equal(loads.length, 1)
  })

  it('are replaced when they die, while the others go on', async () => {
    const key = await newKey()
    const countAll = async () =>
      (await threads.metricValues()).reduce((sum, values) => sum + answeredBy(values), 0)
    const counted = await countAll()
    const victim = threads.workers()[0]
    const seen = observations.length
    await victim?.terminate()
    while (threads.workers()[0] === victim) await sleep(PAUSE_MS)
    assert.deepEqual(
      observations.slice(seen).flatMap((o) => (o.kind === 'thread-ended' ? [o.thread] : [])),
      [0],
    )
    assert.deepEqual(statusesOf(await askAtOnce(MANY, '/api/v2/bookings', key)), [200])
    // The new one takes part as soon as it listens.
    const answered = async () => answeredBy((await eachThread())[0] ?? [])
    while ((await answered()) === 0) {
      assert.deepEqual(statusesOf(await askAtOnce(8, '/livez', key)), [200])
      await sleep(PAUSE_MS)
    }
    const answers = await askAtOnce(MANY, '/api/v2/bookings?$pageSize=1', key)
    assert.equal(statusesOf(answers).join(), '200')
    assert.ok(counted > 0 && (await countAll()) >= counted, 'what it had told of its counts is kept')
  })
})

describe('threads that cannot start', () => {
  it('say why, and leave none running', async () => {
    const failing = new URL('data:text/javascript,throw new Error("no good")')
    const options = {
      count: 2,
      script: failing,
      data: {},
      files,
      currentManifest: async () => null,
      writeLog: () => undefined,
      metricValues: async () => [],
      functions: noScripts,
      observe,
    }
    const seen = observations.length
    await assert.rejects(startApiPool(options), /no good/)
    assert.ok(observations.slice(seen).every(({ kind }) => kind !== 'thread-ended'))
  })
})

describe('threads that are closed', () => {
  it('finish what they are answering and free the port', async () => {
    const exits = threads.workers().map((worker) => once(worker, 'exit'))
    await closeThreads()
    assert.deepEqual(await Promise.all(exits), [[0], [0]])
    port.release()
    const again = await portToShare({ host, port: port.port })
    assert.equal(again?.port, port.port)
    again?.release()
  })
})
