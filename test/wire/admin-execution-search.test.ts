/** Searching runs, figures over time, and what operators do with many runs at once, over the admin API. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  contentNotRecorded,
  emptyFilter,
  nothingRan,
  unknownRerunJob,
} from '../../src/automation/operations/problems.ts'
import { execution, failed } from '../../src/directory/testing/executions.ts'
import type { Json } from '../fixtures/json.ts'
import { type EndpointAdmin, startEndpointAdmin } from './start-endpoint-admin.ts'

let admin: EndpointAdmin
before(async () => {
  admin = await startEndpointAdmin()
})
after(() => admin.close())

const get = (path: string) => admin.send('GET', path)
const idsOf = (body: Json): string[] => body.items.map(({ id }: Json) => id)

/** Runs of a new endpoint, a minute apart. */
async function recorded(members: readonly Parameters<typeof execution>[0][]) {
  const endpointId = crypto.randomUUID()
  const runs = members.map((more, minute) =>
    execution({ endpointId, startedAt: `2026-03-01T10:0${minute}:30.000Z`, ...more }),
  )
  await admin.history.record(runs)
  return { endpointId, runs, ids: runs.map(({ id }) => id) }
}

/** Without looks at contents, which have their own test. */
const newChanges = async () =>
  (await admin.newAudit()).filter(({ action }) => !['execution.search', 'execution.view'].includes(action))

describe('the search of runs', () => {
  it('filters by caller, request, id, answer, version, duration and contents, sorts, and counts', async () => {
    const requestId = crypto.randomUUID()
    const { endpointId, ids } = await recorded([
      { principalId: 'user:bo@example.com', executionTimeMs: 5 },
      { requestId, responseStatus: 404, executionTimeMs: 70 },
      { ...failed('no'), version: 9, executionTimeMs: 30 },
    ])
    const [first, second, third] = ids as [string, string, string]
    const found = async (query: string) =>
      idsOf((await get(`/executions?endpointId=${endpointId}&${query}`)).body)
    assert.deepEqual(await found('principalId=user:bo@example.com'), [first])
    assert.deepEqual(await found(`requestId=${requestId}`), [second])
    assert.deepEqual(await found(`executionId=${third.slice(0, 13)}`), [third])
    assert.deepEqual(await found('responseStatus=4xx'), [second])
    assert.deepEqual(await found('responseStatus=404&status=Success'), [second])
    assert.deepEqual(await found('responseStatus=500'), [third])
    assert.deepEqual(await found('version=9'), [third])
    assert.deepEqual(await found('minExecutionTimeMs=30&maxExecutionTimeMs=69'), [third])
    assert.deepEqual(await found('content=No+cost+centre'), [third, second, first])
    assert.deepEqual(await found('sort=-executionTimeMs'), [second, third, first])
    assert.deepEqual(await found('sort=startedAt'), ids)
    const { body } = await get(`/executions?endpointId=${endpointId}&limit=1`)
    assert.deepEqual([body.total, body.totalIsExact, body.items.length], [3, true, 1])
    const later = await get(`/executions?endpointId=${endpointId}&limit=1&after=${body.next}&total=false`)
    assert.deepEqual([idsOf(later.body), later.body.total], [[second], null])
  })

  for (const [query, expected] of [
    ['responseStatus=six', /404, or 4xx/],
    ['executionId=0123', /eight characters/],
    ['content=x&sort=executionTimeMs', /Leave out `sort`/],
    ['sort=name', /sort/],
  ] as const) {
    it(`refuses ?${query}`, async () => {
      const { status, body } = await get(`/executions?${query}`)
      assert.equal(status, 400)
      assert.match(body.error, expected)
    })
  }
})

describe('a viewer', () => {
  it('searches runs, but not for what bodies contain', async () => {
    const { endpointId, ids } = await recorded([{}])
    const search = (token: string, query: string) =>
      admin.send('GET', `/executions?endpointId=${endpointId}&${query}`, { token })
    assert.deepEqual(idsOf((await search('viewer', 'text=spend')).body), ids)
    for (const content of ['No+cost+centre', 'nowhere']) {
      assert.equal((await search('viewer', `content=${content}`)).status, 403)
    }
    for (const role of ['support', 'author', 'admin']) {
      assert.deepEqual(idsOf((await search(role, 'content=No+cost+centre')).body), ids)
    }
  })
})

describe('the figures over time', () => {
  it('have a point for every minute, of one endpoint', async () => {
    const { endpointId } = await recorded([
      { executionTimeMs: 10 },
      failed('no'),
      { status: 'Refused', requestCount: 5 },
    ])
    const { status, body } = await get(
      `/executions/series?endpointId=${endpointId}&step=minute&from=2026-03-01T10:00&to=2026-03-01T10:04`,
    )
    assert.equal(status, 200)
    assert.deepEqual(
      body.items.map(({ at, count, failed, refused }: Json) => [at.slice(11, 16), count, failed, refused]),
      [
        ['10:00', 1, 0, 0],
        ['10:01', 1, 1, 0],
        ['10:02', 0, 0, 5],
        ['10:03', 0, 0, 0],
      ],
    )
    const [{ p50, p99 }, , { p50: none }] = body.items
    assert.ok(Math.abs(p50 - 10) < 0.22 && p50 === p99)
    assert.equal(none, null)
    const hours = (await get('/executions/series')).body
    assert.deepEqual([hours.step, hours.items.length], ['hour', 49])
    const tooMany = await get('/executions/series?step=minute&from=2026-01-01&to=2026-03-01')
    assert.equal(tooMany.status, 400)
  })
})

describe('the deletion of runs', () => {
  it('counts first, then deletes, and keeps who did it with the filter', async () => {
    const { endpointId, ids } = await recorded([{}, failed('no'), {}])
    const path = `/executions?endpointId=${endpointId}&status=Failed`
    const dry = await admin.send('DELETE', path)
    assert.deepEqual(dry.body, { dryRun: true, total: 1, totalIsExact: true, deleted: 0, more: true })
    assert.deepEqual(await newChanges(), [])
    const wet = await admin.send('DELETE', `${path}&dryRun=false`)
    assert.deepEqual(wet.body, { dryRun: false, total: 1, totalIsExact: true, deleted: 1, more: false })
    const [{ action, actor, after: kept }] = (await newChanges()) as [Json]
    assert.deepEqual([action, actor], ['execution.delete', 'user:admin@example.com'])
    assert.deepEqual(kept.filter, { endpointId, status: 'Failed' })
    const { body } = await get(`/executions?endpointId=${endpointId}&sort=startedAt`)
    assert.deepEqual(idsOf(body), [ids[0], ids[2]])
    assert.equal((await get(`/executions/${ids[1]}`)).status, 404)
  })

  for (const query of ['', '?dryRun=false', '?dryRun=false&text=']) {
    it(`refuses to delete everything: ${query}`, async () => {
      const { status, body } = await admin.send('DELETE', `/executions${query}`)
      assert.equal(status, 400)
      assert.match(body.error, /at least one condition/)
    })
  }
})

describe('a batch of reruns', () => {
  it('is shown first; then it is a job with its runs that can be watched and stopped', async () => {
    const { endpointId, ids } = await recorded([failed('no'), {}, failed('again')])
    const body = { filter: { endpointId, status: 'Failed' } }
    const dry = await admin.send('POST', '/executions/rerun', { body })
    assert.equal(dry.status, 200, JSON.stringify(dry.body))
    const { total, chosen, leftOut, repeatedBefore, items, job } = dry.body
    assert.deepEqual([total, chosen, repeatedBefore, job], [2, 2, 0, null])
    assert.deepEqual(leftOut, { trials: 0, refused: 0, reruns: 0 })
    assert.deepEqual(idsOf({ items }), [ids[0], ids[2]])
    assert.deepEqual(await newChanges(), [])

    const wet = await admin.send('POST', '/executions/rerun', { body: { ...body, dryRun: false, limit: 1 } })
    const { id } = wet.body.job
    const [entry] = (await newChanges()) as [Json]
    assert.deepEqual([entry.action, entry.after.runs], ['execution.rerun-batch', 1])
    assert.deepEqual(entry.after.filter, body.filter)
    const watched = (await get(`/executions/reruns/${id}`)).body
    assert.deepEqual(
      [watched.isOpen, watched.waiting, watched.requestedBy],
      [true, 1, 'user:admin@example.com'],
    )
    assert.deepEqual(watched.items[0].executionId, ids[0])
    assert.ok(idsOf((await get('/executions/reruns')).body).includes(id))

    const again = await admin.send('POST', '/executions/rerun', { body })
    assert.equal(again.body.repeatedBefore, 1)
    const stopped = await admin.send('POST', `/executions/reruns/${id}/stop`)
    assert.deepEqual([stopped.body.isOpen, stopped.body.stopped], [false, 1])
    assert.deepEqual(
      (await newChanges()).map(({ action }) => action),
      ['execution.rerun-stop'],
    )
    assert.equal((await admin.send('POST', `/executions/reruns/${id}/stop`)).status, 200)
    assert.deepEqual(await newChanges(), [])
  })

  it('is refused without a condition, and unknown jobs are not found', async () => {
    const empty = await admin.send('POST', '/executions/rerun', { body: { filter: {} } })
    assert.equal(empty.status, 400)
    const wrong = await admin.send('POST', '/executions/rerun', { body: { filter: { from: 'soon' } } })
    assert.deepEqual([wrong.status, wrong.body.details[0].path], [400, '/filter/from'])
    const id = crypto.randomUUID()
    assert.equal((await get(`/executions/reruns/${id}`)).status, 404)
    assert.equal((await admin.send('POST', `/executions/reruns/${id}/stop`)).status, 404)
  })
})

describe('what cannot be repeated or deleted', () => {
  for (const [code, raised] of [
    ['END112', contentNotRecorded('x')],
    ['END113', emptyFilter()],
    ['END114', unknownRerunJob('x')],
    ['END115', nothingRan('x')],
  ] as const) {
    it(`has a code for the log: ${code}`, () => assert.equal(raised.code, code))
  }
})

describe('a rerun of one', () => {
  it('is refused when nothing ran, or when the request was not recorded', async () => {
    const { ids } = await recorded([{ status: 'Refused' }, { recorded: 'metadata' }])
    for (const [nth, expected] of [/refused before its script ran/, /contents were not/].entries()) {
      const { status, body } = await admin.send('POST', `/executions/${ids[nth]}/rerun`)
      assert.equal(status, 409)
      assert.match(body.error, expected)
    }
  })
})
