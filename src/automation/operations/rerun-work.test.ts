/** Batches of reruns with real stores, real scripts and the real work, and what is left of them when the service ends. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { scriptDigest } from '../../directory/endpoints/text.ts'
import type { Reruns } from '../../directory/history/history.ts'
import { storeNotWritable } from '../../directory/problems.ts'
import type { Observation } from '../../observe/observation.ts'
import { queueFull, runCancelledFor, runLost } from '../problems.ts'
import { openRuns, type Runs } from '../testing/open-runs.ts'
import { chooseReruns, isEmptyFilter } from './choose-reruns.ts'
import { createEndpointOperations, type EndpointOperations } from './endpoint-operations.ts'
import { startReruns } from './rerun-work.ts'

let runs: Runs
let endpointId: string
before(async () => {
  runs = await openRuns()
  const { endpoints } = runs.store
  const { id } = await endpoints.create(
    {
      ...{ name: 'Import', description: '', category: 'Webhook', method: 'POST', path: 'test/it' },
      ...{ requiresAuthentication: false, allowedRoles: [], allowedHosts: [], limits: {}, signature: null },
      ...{ deduplication: null, record: 'full', maskedFields: [], schedules: [] },
      script: 'if Data.request.body.n == 13 then fail "unlucky" end\nData._payload = Data.request.body.n',
    },
    'test',
  )
  await endpoints.publish(id, 'test')
  endpointId = id
})
after(() => runs.close())

const BY = 'user:ann@example.com'

/** Records runs of callers. */
async function called(bodies: readonly string[]): Promise<readonly string[]> {
  const ids: string[] = []
  for (const rawBody of bodies) {
    const headers = { 'content-type': 'application/json' }
    const asked = { request: { rawBody, headers }, source: { version: 1 }, endpointId } as const
    const { execution } = await runs.run('', asked)
    assert.ok(execution !== null)
    await runs.history.record([execution])
    ids.push(execution.id)
  }
  return ids
}

async function jobOf(executionIds: readonly string[]): Promise<string> {
  const id = crypto.randomUUID()
  await runs.history.reruns.create({
    ...{
      id,
      requestedBy: BY,
      requestId: 'r-batch',
      filter: { endpointId },
      version: 'original',
      executionIds,
    },
  })
  return id
}

const operations = () =>
  createEndpointOperations({
    endpoints: runs.store.endpoints,
    modules: runs.store.modules,
    history: runs.history,
    audit: runs.store.audit,
    run: runs.runJob,
  })

/** Works until the job is not open any more. */
async function worked(id: string, rerun: EndpointOperations['rerun'] = operations().rerun) {
  const observations: Observation[] = []
  const observe = (observation: Observation) => void observations.push(observation)
  const stop = startReruns({ reruns: runs.history.reruns, rerun, observe, everyMs: 1 })
  while ((await runs.history.reruns.find(id))?.isOpen) await new Promise(setImmediate)
  await stop()
  assert.deepEqual(observations, [])
  return { job: await runs.history.reruns.find(id), items: await runs.history.reruns.items(id) }
}

describe('a batch of reruns', () => {
  it('repeats each run once, in order; each has a record and an entry in the audit trail', async () => {
    const ids = await called(['{"n":1}', '{"n":13}', '{"n":3}'])
    const id = await jobOf(ids)
    const { job, items } = await worked(id)
    assert.deepEqual([job?.done, job?.failed, job?.total], [3, 1, 3])
    assert.deepEqual(
      items.map(({ executionId, status }) => [executionId, status]),
      [
        [ids[0], 'Success'],
        [ids[1], 'Failed'],
        [ids[2], 'Success'],
      ],
    )
    for (const [nth, { rerunId, executionId }] of items.entries()) {
      const rerun = await runs.history.find(rerunId ?? '')
      assert.deepEqual([rerun?.rerunOf, rerun?.type], [ids[nth], 'Rerun'])
      const [entry] = (await runs.store.audit.list({ subjectId: executionId, limit: 5 })).items
      assert.deepEqual([entry?.actor, entry?.action], [BY, 'execution.rerun'])
      const { script, ...after } = (entry ?? assert.fail()).after as { readonly script: object }
      assert.deepEqual(after, { executionId: rerunId, endpointId, version: 1, jobId: id })
      assert.deepEqual(
        script,
        scriptDigest((await runs.store.endpoints.version(endpointId, 1)).definition.script),
      )
      const [ended] = (await runs.store.audit.list({ subjectId: rerunId ?? '', limit: 5 })).items
      assert.deepEqual([ended?.actor, ended?.action], [BY, 'execution.read'])
      assert.deepEqual(ended?.after, { endpointId, status: rerun?.status, read: rerun?.read })
    }
  })

  it('says of each run that it could not repeat why', async () => {
    const [good] = await called(['{"n":1}'])
    const gone = crypto.randomUUID()
    const { job, items } = await worked(await jobOf([gone, good as string]))
    assert.deepEqual([job?.skipped, job?.done], [1, 1])
    assert.match(items[0]?.problem ?? '', /^END131: /)
    assert.equal(items[0]?.rerunId, null)
  })

  it('waits while no run has a place, and counts a lost run as failed', async () => {
    const ids = await called(['{"n":1}', '{"n":2}'])
    const { rerun } = operations()
    let attempts = 0
    const { job, items } = await worked(await jobOf(ids), async (...given) => {
      attempts++
      if (attempts < 3) throw queueFull(100, 1)
      if (given[0] === ids[1]) throw runLost(given[3]?.executionId ?? '', 'its thread ended')
      return rerun(...given)
    })
    assert.equal(attempts, 4)
    assert.deepEqual([job?.done, job?.failed], [2, 1])
    assert.deepEqual(
      items.map(({ status }) => status),
      ['Success', 'Failed'],
    )
  })

  it('counts a run that was cancelled while it waited as cancelled', async () => {
    const ids = await called(['{"n":1}'])
    const { items } = await worked(await jobOf(ids), async (...given) => {
      throw runCancelledFor({ kind: 'operator', by: BY }, given[3]?.executionId ?? '')
    })
    assert.deepEqual([items[0]?.state, items[0]?.status], ['done', 'Cancelled'])
  })

  it('repeats no run twice while the disk is full, and knows afterwards how each has ended', async () => {
    const ids = await called(['{"n":1}', '{"n":2}'])
    const id = await jobOf(ids)
    const full = storeNotWritable('/data/history.db', new Error('the disk is full'))
    const { history, store } = runs
    const refusals = { record: 0, settle: 0 }
    const begun: unknown[] = []
    const { rerun } = createEndpointOperations({
      ...{ endpoints: store.endpoints, modules: store.modules, audit: store.audit },
      history: {
        find: history.find,
        record: async () => {
          refusals.record++
          throw full
        },
      },
      run: (job) => {
        begun.push(job.rerunOf)
        return runs.runJob(job)
      },
    })
    const reruns: Reruns = {
      ...history.reruns,
      settle: async (...given) => {
        if (++refusals.settle % 2 === 1) throw full
        await history.reruns.settle(...given)
      },
    }
    const told: Observation[] = []
    const stop = startReruns({ reruns, rerun, observe: (o) => void told.push(o), everyMs: 1 })
    while ((await history.reruns.find(id))?.isOpen) await new Promise(setImmediate)
    await stop()
    assert.deepEqual([begun, refusals], [ids, { record: 2, settle: 4 }])
    assert.deepEqual(
      (await history.reruns.items(id)).map(({ state, status }) => [state, status]),
      [
        ['done', 'Success'],
        ['done', 'Success'],
      ],
    )
    assert.deepEqual(
      told.map(({ kind }) => kind),
      ['history-lost', 'history-lost'],
    )
  })

  it('goes on after the service has ended, without the run that was under way', async () => {
    const ids = await called(['{"n":1}', '{"n":2}', '{"n":3}'])
    const id = await jobOf(ids)
    // A process that was ended by force leaves a claim behind.
    const left = await runs.history.reruns.claim(crypto.randomUUID())
    assert.equal(left?.executionId, ids[0])
    const repeated: string[] = []
    const { rerun } = operations()
    const { job, items } = await worked(id, (...given) => {
      repeated.push(given[0])
      return rerun(...given)
    })
    assert.deepEqual(repeated, ids.slice(1))
    assert.deepEqual([job?.interrupted, job?.done], [1, 2])
    assert.match(items[0]?.problem ?? '', /may have done a part/)
    assert.equal(items[0]?.rerunId, left?.rerunId)
  })
})

describe('the choice of runs to repeat', () => {
  it('takes the oldest, leaves out what cannot run, and tells what was repeated before', async () => {
    const ids = await called(['{"n":5}', '{"n":6}', '{"n":7}'])
    const { execution: refused } = await runs.run('', {
      ...{ request: { rawBody: '{' }, source: { version: 1 }, endpointId },
    })
    assert.ok(refused !== null)
    await runs.history.record([refused])
    const { startedAt } = (await runs.history.find(ids[0] as string))!
    const filter = { endpointId, from: startedAt }
    await worked(await jobOf(ids.slice(0, 1)))
    const all = await chooseReruns(runs.history, filter, 10)
    assert.deepEqual(
      all.chosen.filter(({ id }) => ids.includes(id)).map(({ id }) => id),
      ids,
    )
    assert.deepEqual([all.leftOut, all.repeatedBefore], [{ trials: 0, refused: 1, reruns: 1 }, 1])
    const oldest = await chooseReruns(runs.history, filter, 1)
    assert.equal(oldest.chosen.length, 1)
    const reruns = await chooseReruns(runs.history, { ...filter, type: 'Rerun' }, 10)
    assert.deepEqual([reruns.chosen.length, reruns.leftOut.reruns], [1, 0])
  })

  it('knows a filter that restricts nothing', () => {
    assert.deepEqual([{}, { text: '' }, { from: undefined }].map(isEmptyFilter), [true, true, true])
    assert.equal(isEmptyFilter({ version: 1 }), false)
  })
})
