/** Schedules of a running service: each due time is run once, also when one of two nodes is killed; a stop leaves no run open. */
import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openControlStore, openHistory } from '../../src/directory/open-stores.ts'
import type { EndpointDefinition } from '../../src/schema/endpoint-shapes.ts'
import type { ExecutionSummary } from '../../src/schema/execution-shapes.ts'
import { type Installation, type Node, type NodeProcess, openInstallation } from './nodes.ts'
import { serveHere } from './service-in-process.ts'

const TAKEN = /scheduled work runs on this node/
const YEAR_MS = 366 * 86_400_000

/** Rarely due by the clock, so that only what a test asks for runs. */
const yearly: EndpointDefinition = {
  ...{ name: 'Yearly', description: '', category: 'Utility', method: null, path: null },
  ...{
    requiresAuthentication: true,
    allowedRoles: [],
    allowedHosts: [],
    signature: null,
    deduplication: null,
  },
  ...{ record: 'full', maskedFields: [] },
  schedules: [
    {
      ...{ name: 'yearly', cron: '0 0 1 1 *', timeZone: 'UTC', input: { number: 7 } },
      ...{ missedRuns: 'once', overlap: false },
    },
  ],
  limits: { milliseconds: 300_000, statements: 1_000_000_000, loops: 1_000_000_000 },
  script: 'Data._payload = Data.request.body.number',
}

const endless = 'var i = 0\nwhile true do\n  i = i + 1\nend'

async function seen<T>(look: () => Promise<T | undefined | null>): Promise<T> {
  for (;;) {
    const found = await look()
    if (found !== undefined && found !== null) return found
    await sleep(50)
  }
}

describe('a schedule of a service that stops', () => {
  it('has its run cancelled and recorded, and none of it open', async () => {
    const data = await mkdtemp(join(tmpdir(), 'tripfolio-schedules-'))
    const serving = await serveHere(data)
    const store = await openControlStore(data)
    const history = await openHistory(data)
    try {
      const { id } = await store.endpoints.create({ ...yearly, script: endless }, 'test')
      await store.endpoints.publish(id, 'test')
      const key = { endpointId: id, name: 'yearly' }
      const { executionId } = await store.schedules.requestRun(key, crypto.randomUUID(), 'test', new Date())
      await seen(async () => (await store.schedules.openRuns(id))[0]?.startedAt)
      await serving.close()
      assert.deepEqual(await store.schedules.openRuns(id), [])
      const { lastRun, failuresInARow } = await store.schedules.find(key)
      assert.deepEqual([lastRun?.executionId, lastRun?.status, failuresInARow], [executionId, 'Cancelled', 0])
      assert.equal((await history.find(executionId))?.status, 'Cancelled')
    } finally {
      await serving.close()
      await store.close()
      await history.close()
      await rm(data, { recursive: true, force: true })
    }
  })
})

describe('a schedule whose run waits when the service stops', () => {
  it('is due again, without a row for what did not run', async () => {
    const data = await mkdtemp(join(tmpdir(), 'tripfolio-schedules-'))
    // Half of it is left for the answer of the run that is ended, which a busy machine needs; the run burns for the other half.
    const env = { TRIPFOLIO_SCRIPT_CONCURRENCY: '1', TRIPFOLIO_STOP_SECONDS: '3' }
    const serving = await serveHere(data, { env })
    const store = await openControlStore(data)
    const history = await openHistory(data)
    try {
      const holding = { ...yearly, name: 'Holding', schedules: [], script: endless }
      const route = { method: 'POST', path: 'holding', requiresAuthentication: false } as const
      const { id: holder } = await store.endpoints.create({ ...holding, ...route }, 'test')
      await store.endpoints.publish(holder, 'test')
      const { id } = await store.endpoints.create(yearly, 'test')
      await store.endpoints.publish(id, 'test')
      const held = fetch(`${serving.address}/api/dynamic/v1/holding`, { method: 'POST' })
      const live = async (state: string) => (await liveRuns(data)).filter((line) => line.includes(state))
      await seen(async () => (await live('holding')).at(0))
      const key = { endpointId: id, name: 'yearly' }
      const { handledUntil } = await store.schedules.find(key)
      const before = new Date(Date.now() - 2 * YEAR_MS).toISOString()
      assert.ok(await store.schedules.skip(key, handledUntil, before))
      await seen(async () => (await live('/schedules/yearly')).at(0))
      await serving.close()
      assert.equal((await held).status, 503)
      assert.deepEqual(await store.schedules.openRuns(id), [])
      const after = await store.schedules.find(key)
      assert.deepEqual([after.lastRun, after.handledUntil], [null, before])
      assert.deepEqual((await history.list({ endpointId: id }, { limit: 1 })).items, [])
    } finally {
      await serving.close()
      await store.close()
      await history.close()
      await rm(data, { recursive: true, force: true })
    }
  })
})

/** The begun and waiting runs, as the journal of the service has them. */
async function liveRuns(data: string): Promise<readonly string[]> {
  const folder = join(data, 'live-runs')
  const names = await readdir(folder).catch(() => [])
  // A journal that is begun anew gets another name in between.
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8').catch(() => '')))
  return texts.flatMap((text) => text.split('\n'))
}

describe('a schedule on two nodes', () => {
  let installation: Installation
  let nodes: readonly [NodeProcess, Node]
  before(async () => {
    installation = await openInstallation()
    const first = await installation.startProcess()
    await first.until(TAKEN)
    nodes = [first, await installation.startNode()]
  })
  after(() => installation.close())

  async function publish(members: Partial<EndpointDefinition>) {
    const { endpoints } = installation.stores.control
    const { id } = await endpoints.create({ ...yearly, ...members }, 'test')
    await endpoints.publish(id, 'test')
    return { endpointId: id, name: 'yearly' }
  }

  /** Makes it due at once: nothing has handled the years before. */
  async function missAYear(key: Awaited<ReturnType<typeof publish>>): Promise<void> {
    const { schedules } = installation.stores.control
    const { handledUntil } = await schedules.find(key)
    const before = new Date(Date.now() - 2 * YEAR_MS).toISOString()
    assert.ok(await schedules.skip(key, handledUntil, before))
  }

  const runsOf = async (endpointId: string): Promise<readonly ExecutionSummary[]> =>
    (await installation.stores.history.list({ endpointId }, { limit: 50 })).items

  it('runs a due time once', async () => {
    const key = await publish({})
    const { schedules } = installation.stores.control
    await missAYear(key)
    const lastRun = await seen(async () => (await schedules.find(key)).lastRun)
    assert.deepEqual([lastRun.status, lastRun.error], ['Success', null])
    // As many looks as it takes to run it twice.
    await sleep(2500)
    const runs = await runsOf(key.endpointId)
    assert.deepEqual(
      runs.map(({ id, type }) => [id, type]),
      [[lastRun.executionId, 'ScheduledScript']],
    )
    assert.equal((await schedules.find(key)).handledUntil, lastRun.dueAt)
  })

  it('records a run as lost whose node was killed, and the other node goes on without it', async () => {
    const key = await publish({ name: 'Endless', script: endless })
    const { schedules } = installation.stores.control
    await missAYear(key)
    const run = await seen(async () => (await schedules.openRuns(key.endpointId))[0])
    const [first, second] = nodes
    await first.kill('SIGKILL')
    const killed = performance.now()
    await second.until(TAKEN)
    assert.ok(performance.now() - killed < 10_000)
    // Otherwise the other node waits for half a minute before it holds the first one for dead.
    await schedules.renew([run.executionId], new Date(0).toISOString())
    const lastRun = await seen(async () => (await schedules.find(key)).lastRun)
    assert.deepEqual([lastRun.executionId, lastRun.status], [run.executionId, 'Failed'])
    const { error } = (await installation.stores.history.find(run.executionId)) ?? {}
    assert.equal(error?.code, 'END171')
    assert.equal((await runsOf(key.endpointId)).length, 1)

    const answer = await second.operate('GET', `/endpoints/${key.endpointId}/schedules/yearly`)
    assert.deepEqual([answer.state, answer.failuresInARow, answer.openRuns], ['Active', 1, []])
  })
})
