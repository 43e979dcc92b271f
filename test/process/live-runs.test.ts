/** Live runs as an operator meets them: listed, streamed, cancelled, and cancelled because their caller has left. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { History } from '../../src/directory/history/history.ts'
import { openHistory } from '../../src/directory/open-stores.ts'
import type { EndpointDefinition } from '../../src/schema/endpoint-shapes.ts'
import type { Json } from '../fixtures/json.ts'
import {
  BY,
  endless,
  type LiveStream,
  type Operator,
  openStream,
  operatorOf,
  rowOf,
  tokenFor,
} from './live-calls.ts'
import { type EndpointsFolder, openEndpointsFolder } from './published-endpoints.ts'
import { runCommand } from './run-command.ts'
import { type ServingHere, serveHere } from './service-in-process.ts'

let folder: EndpointsFolder
let serving: ServingHere
let history: History
let operate: Operator
let token: string

before(async () => {
  folder = await openEndpointsFolder()
  token = await tokenFor(folder.data)
  await folder.publish('quick', 'Data._payload = 1')
  serving = await serveHere(folder.data)
  operate = operatorOf(serving.address, token)
  history = await openHistory(folder.data)
})
after(async () => {
  await history.close()
  await serving.close()
  await folder.close()
})

let made = 0

/** Publishes an endpoint under a new path. */
async function publish(script: string, more: Partial<EndpointDefinition> = {}) {
  made++
  const path = `made/${made}`
  const { id } = await folder.store.endpoints.create(
    {
      ...{ name: path, description: '', category: 'Utility', method: 'GET', path, limits: endless, script },
      ...{
        requiresAuthentication: false,
        allowedRoles: [],
        allowedHosts: [],
        signature: null,
        deduplication: null,
      },
      ...{ record: 'full', maskedFields: [], schedules: [] },
      ...more,
    },
    'test',
  )
  await folder.store.endpoints.publish(id, 'test')
  const url = `${serving.address}/api/dynamic/v1/${path}`
  const method = more.method ?? 'GET'
  return { id, url, call: (init: RequestInit = {}) => fetch(url, { method, ...init }) }
}

const live = async (query: string): Promise<Json[]> =>
  (await operate('GET', `/executions/live?${query}`)).body.items

/** Waits until this many runs are in this state. */
async function untilLive(endpointId: string, state: string, count: number): Promise<Json[]> {
  for (;;) {
    const items = await live(`endpointId=${endpointId}&state=${state}`)
    if (items.length === count) return items
  }
}

const burn = 'while true do var a = 1 end'

/** One run at a time: what else is called has to wait. */
const oneAtATime = { limits: { ...endless, concurrency: 1 } }

describe('the list of live runs', () => {
  it('has those that run, with their counters, and those that wait, and no run that has ended', async () => {
    const { id, call } = await publish(
      'Log("Information", "begun") GetAllOrganizations() while true do var a = 1 end',
      oneAtATime,
    )
    const calls = [call({ headers: { 'X-Request-Id': 'the-first' } })]
    const [running] = await untilLive(id, 'running', 1)
    calls.push(call())
    const [queued] = await untilLive(id, 'queued', 1)
    assert.ok(running !== undefined && queued !== undefined)
    let shown: Json = running
    while (!(shown.loopCount > 0)) [shown] = (await live(`endpointId=${id}&state=running`)) as [Json]
    const { statementCount, loopCount, logLineCount, hostCallCount, ageMs, ...rest } = shown
    assert.ok(statementCount > 0 && ageMs >= 0)
    assert.deepEqual([logLineCount, hostCallCount], [1, 2])
    assert.deepEqual(
      { ...rest, arrivedAt: '', startedAt: '', queuedMs: 0, node: '' },
      {
        ...{ id: running.id, type: 'DynamicEndpoint', state: 'running', endpointId: id },
        ...{ endpointName: `made/${made}`, category: 'Utility', version: 1, method: 'GET' },
        ...{ path: `/api/dynamic/v1/made/${made}`, principalId: null, requestId: 'the-first', rerunOf: null },
        ...{ arrivedAt: '', startedAt: '', queuedMs: 0, node: '' },
      },
    )
    assert.deepEqual(
      [queued.startedAt, queued.statementCount, queued.logLineCount, queued.requestId !== 'the-first'],
      [null, null, null, true],
    )
    const all = await operate('GET', `/executions/live?endpointId=${id}&limit=1`)
    assert.deepEqual(
      [all.body.total, all.body.items.length, all.body.next !== null, all.body.silentNodes],
      [2, 1, true, []],
    )
    await operate('POST', `/endpoints/${id}/cancel-runs`)
    await Promise.all(calls)
    assert.deepEqual(await live(`endpointId=${id}`), [])
  })
})

describe('cancelling runs', () => {
  it('ends a run that works: its caller gets 503, and its row names the operator', async () => {
    const { id, call } = await publish(burn)
    const calling = call()
    let [run] = await untilLive(id, 'running', 1)
    while (!(run?.statementCount > 0)) [run] = await untilLive(id, 'running', 1)
    const { status, body } = await operate('POST', `/executions/live/${run?.id}/cancel`)
    assert.deepEqual([status, body], [202, { cancelled: [run?.id] }])
    const response = await calling
    assert.equal(response.status, 503)
    assert.deepEqual(await response.json(), {
      error: 'The run was cancelled by an operator',
      executionId: run?.id,
    })
    const row = await rowOf(history, run?.id)
    assert.deepEqual([row.status, row.responseStatus, row.error?.code], ['Cancelled', 503, 'END105'])
    assert.equal(row.cancellationReason, `The run was cancelled by ${BY}`)
    assert.ok(row.statementCount > 0)
    const { items } = await folder.store.audit.list({ subjectId: run?.id, limit: 10 })
    assert.deepEqual(
      items.map(({ actor, action }) => [actor, action]),
      [[BY, 'execution.cancel']],
    )
  })

  it('ends a run that waits for its turn, with a row that says it never began', async () => {
    const { id, call } = await publish(burn, oneAtATime)
    const calls = [call()]
    await untilLive(id, 'running', 1)
    calls.push(call())
    const [waiting] = await untilLive(id, 'queued', 1)
    await operate('POST', `/executions/live/${waiting?.id}/cancel`)
    const response = await calls[1]
    assert.equal(response?.status, 503)
    assert.equal(response?.headers.get('x-execution-id'), waiting?.id)
    const row = await rowOf(history, waiting?.id)
    assert.deepEqual([row.status, row.error?.code], ['Cancelled', 'END105'])
    assert.deepEqual([row.executionTimeMs, row.statementCount], [0, 0])
    assert.ok(row.queuedMs > 0)
    assert.equal((await untilLive(id, 'running', 1)).length, 1)
    await operate('POST', `/endpoints/${id}/cancel-runs`)
    await calls[0]
  })

  it('ends all runs of an endpoint, and no run of another one', async () => {
    const { id, call } = await publish(burn, { limits: { ...endless, concurrency: 3 } })
    const other = await publish(burn)
    const calls = Array.from({ length: 5 }, () => call())
    const spared = other.call()
    await untilLive(id, 'running', 3)
    await untilLive(id, 'queued', 2)
    const [kept] = await untilLive(other.id, 'running', 1)
    const { status, body } = await operate('POST', `/endpoints/${id}/cancel-runs`)
    assert.deepEqual([status, body.cancelled.length], [202, 5])
    assert.deepEqual(
      (await Promise.all(calls)).map((response) => response.status),
      [503, 503, 503, 503, 503],
    )
    for (const each of body.cancelled) assert.equal((await rowOf(history, each)).status, 'Cancelled')
    assert.deepEqual(
      (await live(`endpointId=${other.id}`)).map((run) => run.id),
      [kept?.id],
    )
    await operate('POST', `/executions/live/${kept?.id}/cancel`)
    await spared
  })

  it('refuses a run that does not run, and an endpoint that does not exist', async () => {
    const unknown = '00000000-0000-4000-8000-000000000009'
    const { status, body } = await operate('POST', `/executions/live/${unknown}/cancel`)
    assert.deepEqual([status, /waits or runs.*It may have ended/.test(body.error)], [404, true])
    assert.equal((await operate('POST', `/endpoints/${unknown}/cancel-runs`)).status, 404)
  })
})

describe('a caller who leaves', () => {
  it('cancels its run, whether it runs or waits', async () => {
    const { id, call } = await publish(burn, oneAtATime)
    const leaving = [new AbortController(), new AbortController()] as const
    const left = [assert.rejects(call({ signal: leaving[0].signal }))]
    const [running] = await untilLive(id, 'running', 1)
    left.push(assert.rejects(call({ signal: leaving[1].signal })))
    const [queued] = await untilLive(id, 'queued', 1)
    for (const [run, gone] of [
      [queued, leaving[1]],
      [running, leaving[0]],
    ] as const) {
      gone.abort()
      const row = await rowOf(history, run?.id)
      assert.deepEqual([row.status, row.error?.code], ['Cancelled', 'END106'])
      assert.match(row.cancellationReason ?? '', /its caller closed the connection/)
    }
    await Promise.all(left)
    assert.deepEqual(await live(`endpointId=${id}`), [])
  })

  for (const method of ['GET', 'POST'] as const) {
    it(`does not cancel the run of a ${method} whose endpoint says so`, async () => {
      const { id, call } = await publish('Sleep(200) Data._payload = 7', {
        method,
        finishWhenCallerLeaves: true,
      })
      const leaving = new AbortController()
      const left = assert.rejects(call({ signal: leaving.signal }))
      const [run] = await untilLive(id, 'running', 1)
      leaving.abort()
      await left
      const row = await rowOf(history, run?.id)
      assert.deepEqual([row.status, row.response.body], ['Success', '7'])
    })
  }

  it('cancels the run of a POST, too', async () => {
    const { id, call } = await publish(burn, { method: 'POST' })
    const leaving = new AbortController()
    const left = assert.rejects(call({ signal: leaving.signal }))
    const [run] = await untilLive(id, 'running', 1)
    leaving.abort()
    await left
    assert.equal((await rowOf(history, run?.id)).error?.code, 'END106')
  })
})

describe('the stream of live runs', () => {
  let stream: LiveStream
  after(() => stream?.close())

  it('begins with the list, and tells of each run in the order queued, started, log, ended', async () => {
    const { id, call } = await publish(
      'for i in 0 to 3 do Log("Warning", "round " + i) end Data._payload = 1',
      { limits: { concurrency: 2 } },
    )
    const before = await publish(burn)
    const burning = before.call()
    const [running] = await untilLive(before.id, 'running', 1)
    stream = await openStream(serving.address, token)
    const list = await stream.until(({ event }) => event === 'list')
    assert.deepEqual(
      list.data.runs.map((run: Json) => run.id),
      [running?.id],
    )
    const ids = (await Promise.all(Array.from({ length: 20 }, () => call()))).map((response) =>
      response.headers.get('x-execution-id'),
    )
    for (const each of ids) {
      await stream.until(({ event, data }) => event === 'ended' && data.id === each)
      const own = stream.events.filter(({ data }) => data.id === each)
      assert.deepEqual(
        own.map(({ event, data }) => (event === 'log' ? data.message : event)),
        ['queued', 'started', 'round 0', 'round 1', 'round 2', 'ended'],
      )
      assert.ok(own.every(({ data }) => data.endpointId === id))
      const { status, responseStatus, code } = own.at(-1)?.data ?? ({} as Json)
      assert.deepEqual([status, responseStatus, code], ['Success', 200, null])
    }
    await operate('POST', `/executions/live/${running?.id}/cancel`)
    const { data } = await stream.until(({ event, data }) => event === 'ended' && data.id === running?.id)
    assert.deepEqual([data.status, data.responseStatus, data.code], ['Cancelled', 503, 'END105'])
    await burning
    const failing = await publish('Fail("no")')
    await failing.call()
    const end = await stream.until(({ event, data }) => event === 'ended' && data.endpointId === failing.id)
    assert.deepEqual([end.data.status, end.data.responseStatus], ['Failed', 500])
    assert.match(end.data.code, /^JM\d{4}$/)
  })

  it('has the log lines of the first run, which starts the threads', async () => {
    const cold = await openEndpointsFolder()
    const service = await serveHere(cold.data)
    try {
      const watching = await openStream(service.address, await tokenFor(cold.data))
      await watching.until(({ event }) => event === 'list')
      // Not earlier: a service with an endpoint starts the threads by itself.
      await cold.publish('first', 'Log("Information", "begun") Data._payload = 1')
      assert.equal((await fetch(`${service.address}/api/dynamic/v1/first`)).status, 200)
      await watching.until(({ event }) => event === 'ended')
      assert.deepEqual(
        watching.events.map(({ event, data }) => (event === 'log' ? data.message : event)),
        ['list', 'queued', 'started', 'begun', 'ended'],
      )
      watching.close()
    } finally {
      await service.close()
      await cold.close()
    }
  })

  it('has only the runs of an endpoint when it is asked for them, and no credential of the request', async () => {
    const { id, call } = await publish('Log("Information", "key: " + Data.request.headers["x-api-key"])')
    const own = await openStream(serving.address, token, `?endpointId=${id}`)
    await own.until(({ event }) => event === 'list')
    await fetch(`${serving.address}/api/dynamic/v1/quick`)
    await call({ headers: { 'X-API-Key': 'a-key-of-the-caller' } })
    await own.until(({ event }) => event === 'ended')
    assert.deepEqual(
      own.events.map(({ event, data }) => (event === 'log' ? data.message : event)),
      ['list', 'queued', 'started', 'key: [redacted]', 'ended'],
    )
    own.close()
  })
})

describe('the commands for live runs', () => {
  const places: readonly (readonly [place: string, options: () => readonly string[], by: RegExp])[] = [
    ['that runs on the data folder', () => ['--data', folder.data], /cancelled by operator:/],
    [
      'at an address',
      () => ['--server', new URL(serving.address).origin, '--token', token],
      /cancelled by user:/,
    ],
  ]
  for (const [place, options, by] of places) {
    it(`list and cancel the runs of the service ${place}`, async () => {
      const { id, call } = await publish(burn)
      const calls = [call(), call(), call()]
      const [first] = await untilLive(id, 'running', 3)
      const name = `made/${made}`
      const run = async (...args: string[]) => {
        const { code, stdout, stderr } = await runCommand(['execution', ...args, '--json', ...options()])
        return { code, stderr, json: stdout === '' ? null : (JSON.parse(stdout) as Json) }
      }
      const listed = await run('live', '--endpoint', name)
      assert.equal(listed.code, 0, listed.stderr)
      assert.deepEqual([listed.json?.length, listed.json?.[0].endpointName], [3, name])
      assert.deepEqual((await run('cancel', first?.id)).json, { cancelled: [first?.id] })
      assert.match((await rowOf(history, first?.id)).cancellationReason ?? '', by)
      assert.match((await run('cancel', first?.id)).stderr, /ADM133/)
      assert.equal((await run('cancel', '--endpoint', name)).json?.cancelled.length, 2)
      for (const response of await Promise.all(calls)) assert.equal(response.status, 503)
      const table = await runCommand(['execution', 'live', '--endpoint', name, ...options()])
      assert.equal(table.stdout, 'No run waits or runs.\n')
      assert.match((await run('cancel')).stderr, /either the id of a run or --endpoint/)
    })
  }

  it('are refused where no service runs', async () => {
    const other = await openEndpointsFolder()
    const { code, stderr } = await runCommand(['execution', 'live', '--json', '--data', other.data])
    assert.match(stderr, /ADM135.*No service that runs on|No service that runs on.*ADM135/)
    assert.equal(code, 4)
    await other.close()
  })
})
