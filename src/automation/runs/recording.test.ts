/** What the history keeps of a run of an endpoint that records less than everything, or masks fields. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { caller, openRuns, type Runs } from '../testing/open-runs.ts'
import type { RunControl } from './run-endpoint.ts'
import type { Recording } from './run-states.ts'

let runs: Runs
before(async () => {
  runs = await openRuns()
})
after(() => runs.close())

const pattern = '/api/dynamic/v1/test/{person}'
const recording = (members: Partial<Recording>): Recording => ({
  ...{ record: 'full', maskedFields: [], pattern },
  ...members,
})

const CANARY = 'CANARY-4711'

const request = {
  path: `/api/dynamic/v1/test/${CANARY}`,
  queryString: `?q=${CANARY}`,
  query: { q: CANARY },
  headers: { 'x-one': CANARY, 'content-type': 'application/json' },
  params: { person: CANARY },
  rawBody: JSON.stringify({ passport: CANARY, n: 1 }),
  user: caller,
}

const SUCCEEDS = `Log('Information', 'saw ' + Data.request.body.passport)
Data._payload = { "passport": Data.request.body.passport, "n": 2 }`
const FAILS = 'fail "cannot use " + Data.request.body.passport'
const CANCELS = 'CancelAction("found " + Data.request.body.passport)'

describe('the bytes of an answer', () => {
  it('are not recorded, only their number', async () => {
    const { response, execution } = await runs.run('Data._binary = "iVBORw=="', { request })
    assert.deepEqual([response.body, response.bodyEncoding], ['iVBORw==', 'base64'])
    assert.deepEqual(
      [execution?.response.body, execution?.response.truncated],
      ['[4 bytes, not recorded]', true],
    )
    const script = `Data._headers = { "X-Access-Token": "${CANARY}" }\nData._binary = "iVBORw=="`
    const named = await runs.run(script, { request: { ...request, headers: {}, params: {}, rawBody: null } })
    assert.equal(named.response.headers['x-access-token'], CANARY)
    assert.equal(named.execution?.response.headers['x-access-token'], '[redacted]')
  })
})

describe('an endpoint that records metadata', () => {
  for (const script of [SUCCEEDS, FAILS, CANCELS]) {
    it(`keeps no contents: ${script.slice(0, 12)}`, async () => {
      const seen = runs.observations.length
      const asked = {
        request: { ...request, path: '/api/dynamic/v1/test/7' },
        recording: recording({ record: 'metadata' }),
      }
      const { execution, response } = await runs.run(script, asked)
      assert.ok(execution !== null)
      assert.ok(!JSON.stringify(execution).includes(CANARY))
      assert.ok(!JSON.stringify(runs.observations.slice(seen)).includes(CANARY))
      assert.deepEqual(
        [execution.recorded, execution.path, execution.principalId, execution.requestId],
        ['metadata', '/api/dynamic/v1/test/7', caller.principalId, 'r-1'],
      )
      assert.equal(execution.responseStatus, response.status)
      assert.ok(execution.statementCount > 0)
      assert.ok(response.body?.includes(CANARY) || script === FAILS)
      if (script === FAILS) assert.equal(execution.error?.line, 1)
    })
  }
})

describe('an endpoint that records nothing of its callers', () => {
  for (const script of [SUCCEEDS, FAILS, CANCELS]) {
    it(`still leaves a row with times, status and counts: ${script.slice(0, 12)}`, async () => {
      const seen = runs.observations.length
      const { execution, response } = await runs.run(script, {
        request,
        recording: recording({ record: 'none' }),
      })
      assert.ok(execution !== null)
      assert.ok(!JSON.stringify([execution, runs.observations.slice(seen)]).includes(CANARY))
      const { path, principalId, requestId, recorded, status, responseStatus } = execution
      assert.deepEqual([path, principalId, requestId, recorded], [pattern, null, null, 'none'])
      const expected = { [SUCCEEDS]: 'Success', [FAILS]: 'Failed', [CANCELS]: 'Cancelled' }[script]
      assert.deepEqual([status, responseStatus], [expected, response.status])
      assert.ok(execution.executionTimeMs > 0 && execution.statementCount > 0)
      await runs.history.record([execution])
      assert.deepEqual(await runs.history.find(execution.id), execution)
    })
  }
})

describe('an endpoint with masked fields', () => {
  it('keeps their values nowhere: neither in the record nor in the log of the service', async () => {
    const seen = runs.observations.length
    const masking = recording({ maskedFields: ['passport', 'person', '$.found[*].born'] })
    const script = `Log('Information', 'saw ' + Data.request.body.passport + ' and 1980-02-03')
Data._payload = { "found": [{ "born": "1980-02-03", "name": "Ann" }], "n": 2 }`
    const { execution, response } = await runs.run(script, { request, recording: masking })
    assert.ok(execution !== null)
    const kept = JSON.stringify([execution, runs.observations.slice(seen)])
    assert.ok(!kept.includes(CANARY) && !kept.includes('1980-02-03'), kept)
    assert.ok(kept.includes('Ann') && kept.includes('saw [redacted] and [redacted]'))
    assert.deepEqual(JSON.parse(execution.request.body ?? ''), { passport: '[redacted]', n: 1 })
    assert.ok(response.body?.includes('1980-02-03'))
  })

  it('masks card numbers in request, its id, response, log and notepads, unless the setting keeps them', async () => {
    const script = `Log('Information', 'paid with 4111 1111 1111 1111')
CreateNotepad({ "pan": Data.request.body.pan })
Data._payload = Data.request.body`
    const asked = {
      request: { rawBody: '{"pan":"4111111111111111","ticket":"2201234567890"}' },
      requestId: 'paid-4111111111111111',
    }
    const { execution, response } = await runs.run(script, asked)
    assert.ok(execution !== null)
    const notepads = await runs.history.notepads.list({ executionId: execution.id })
    assert.ok(!/1111.?1111/.test(JSON.stringify([execution, notepads])))
    assert.ok(execution.response.body?.includes('2201234567890'))
    assert.ok(response.body?.includes('4111111111111111'))
    const keeping = await openRuns({ cardNumbers: 'keep' })
    try {
      const kept = await keeping.run(script, asked)
      assert.ok(kept.execution?.request.body?.includes('4111111111111111'))
    } finally {
      await keeping.close()
    }
  })
})

describe('who watches a run', () => {
  for (const [record, shown] of [
    ['full', ['saw [redacted]']],
    ['metadata', []],
    ['none', []],
  ] as const) {
    it(`sees no more of its log than is recorded: ${record}`, async () => {
      const lines: string[] = []
      const control: RunControl = { aborted: false, onLogLine: ({ message }) => void lines.push(message) }
      const masking = recording({ record, maskedFields: ['passport', 'person'] })
      await runs.run(SUCCEEDS, { request, recording: masking, cancellation: control })
      assert.deepEqual(lines, shown)
    })
  }
})

describe('a body that is not JSON', () => {
  it('leaves a row that says so, and none for a trial', async () => {
    const asked = { request: { rawBody: '{"a":', bodyKind: 'json' } } as const
    const { execution, response } = await runs.run('Data._payload = 1', asked)
    assert.equal(response.status, 400)
    assert.deepEqual(
      [execution?.status, execution?.responseStatus, execution?.error?.code, execution?.request.body],
      ['Refused', 400, 'END117', null],
    )
    const trial = await runs.run('Data._payload = 1', { ...asked, type: 'Test' })
    assert.equal(trial.execution, null)
  })
})
