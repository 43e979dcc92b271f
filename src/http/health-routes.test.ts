import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { metricsText } from '../observe/metrics.ts'
import { createMetrics } from '../observe/service-metrics.ts'
import { storeAway } from '../read/problems.ts'
import { startServer } from './testing/server.ts'

describe('/livez', () => {
  it('answers without a key and without a snapshot', async (t) => {
    const { url } = await startServer(t, { catalogue: { current: () => null } })
    const response = await fetch(`${url}/livez`)
    assert.equal(response.status, 200)
    assert.equal(await response.text(), '{"status":"live"}')
  })
})

describe('/readyz', () => {
  it('is ready once there is a snapshot', async (t) => {
    const { url } = await startServer(t)
    const response = await fetch(`${url}/readyz`)
    assert.equal(response.status, 200)
    assert.equal(await response.text(), '{"status":"ready"}')
    assert.equal((await fetch(`${url}/readyz`, { method: 'HEAD' })).status, 200)
  })

  it('is not ready before the first snapshot, says why and when to retry', async (t) => {
    const { url, observations } = await startServer(t, { catalogue: { current: () => null } })
    const response = await fetch(`${url}/readyz`)
    assert.equal(response.status, 503)
    assert.equal(response.headers.get('retry-after'), '30')
    assert.match(await response.text(), /^\{"error":"The data is not ready yet/)
    assert.equal(
      observations.some(({ kind }) => kind === 'request-failed'),
      false,
    )
  })
})

describe('/readyz of a service with a fault', () => {
  const effect = 'runs of scripts are not recorded'

  it('is ready and says what is not written, and which snapshot is skipped', async (t) => {
    const notWritten = [{ store: 'history', effect }] as const
    const skipped = 'Snapshot 1 is of format 9'
    const { url } = await startServer(t, { readiness: async () => ({ notWritten, skipped }) })
    const response = await fetch(`${url}/readyz`)
    assert.equal(response.status, 200)
    assert.deepEqual(await response.json(), { status: 'ready', notWritten, skipped })
  })

  it('is not ready while the database of the accounts is away, and names no server', async (t) => {
    const notWritten = [{ store: 'control', effect }] as const
    const { url } = await startServer(t, {
      readiness: async () => ({ notWritten, away: ['control'], skipped: null }),
    })
    const response = await fetch(`${url}/readyz`)
    assert.deepEqual([response.status, response.headers.get('retry-after')], [503, '30'])
    assert.match(await response.text(), /cannot reach the database of its accounts/)
    assert.equal(storeAway().code, 'SRV202')
  })

  it('is not ready while the threads that run scripts are starting', async (t) => {
    const { url } = await startServer(t, {
      readiness: async () => ({ notWritten: [], skipped: null, isStarting: true }),
    })
    const response = await fetch(`${url}/readyz`)
    assert.equal(response.status, 503)
    assert.match(await response.text(), /the threads that run scripts are starting/)
  })

  it('is not ready when the only snapshot is skipped, and says why', async (t) => {
    const skipped = 'Snapshot 1 is of format 9. Run `tripfolio ingest --source FOLDER`'
    const { url } = await startServer(t, {
      catalogue: { current: () => null },
      readiness: async () => ({ notWritten: [], skipped }),
    })
    const response = await fetch(`${url}/readyz`)
    assert.equal(response.status, 503)
    assert.match(await response.text(), /there is no snapshot to answer from\. Snapshot 1 is of format 9/)
  })
})

describe('/metrics', () => {
  it('has what was observed, in the Prometheus text format', async (t) => {
    const metrics = createMetrics()
    const { get, url } = await startServer(t, {
      metricsText: async () => metricsText([await metrics.values()]),
      observe: metrics.record,
    })
    await get('/api/v2/bookings')
    await get('/api/v2/nothing')
    const response = await fetch(`${url}/metrics`)
    const text = await response.text()
    assert.match(response.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/)
    assert.match(text, /duration_seconds_count\{method="GET",route="\/api\/v2\/bookings",status="200"\} 1/)
    assert.match(text, /duration_seconds_count\{method="GET",route="unmatched",status="404"\} 1/)
    assert.match(text, /tripfolio_stage_duration_seconds_count\{stage="authenticate"\} 1/)
    assert.match(text, /process_cpu_seconds_total/)
  })

  it('does not exist when nothing is measured', async (t) => {
    const { url } = await startServer(t)
    assert.equal((await fetch(`${url}/metrics`)).status, 404)
  })
})
