import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createMetrics, metricsText } from '../observe/metrics.ts'
import { startServer } from './test-server.ts'

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

  it('is not ready before, says why and when to ask again', async (t) => {
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

describe('/metrics', () => {
  it('tells what was observed, in the Prometheus text format', async (t) => {
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

  it('is not there when nothing is measured', async (t) => {
    const { url } = await startServer(t)
    assert.equal((await fetch(`${url}/metrics`)).status, 404)
  })
})
