/** The work budget of a request: 400 when the request will certainly exceed it, 503 when it does so while it runs. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import type { WorkBudget } from '../../src/engine/work-budget.ts'
import { assertProblem } from '../../src/http/testing/answered-problem.ts'
import { harbour } from '../fixtures/fixture-extract.ts'
import { bodyOf, startService } from './start-service.ts'

/** @param tick milliseconds between two reads of the clock */
const start = async (t: TestContext, budget: WorkBudget, tick = 0) => {
  let time = 0
  const now = () => (time += tick)
  const service = await startService({ budget, workClock: { now, cpu: now } })
  t.after(service.close)
  const key = await service.keyOf(harbour)
  const { psk } = await service.pskOf(harbour)
  return {
    service,
    version2: (path: string) => service.request(`/api/v2/${path}`, key),
    version1: (path: string) =>
      fetch(`http://127.0.0.1:${service.port}/api/v1/${path}`, { headers: { psk } }),
  }
}

const search = "any(segments,contains(code,'q')) or any(segments,endswith(vendor,'z'))"
const failures = ({ kind }: { readonly kind: string }) => kind === 'request-failed'

describe('a request that exceeds its budget', () => {
  it('is refused with 400 when that is certain beforehand, as a problem of $filter', async (t) => {
    const { service, version2 } = await start(t, { rowsScanned: 5, cpuMs: Infinity })
    const response = await version2(`itineraries?$filter=${encodeURIComponent(search)}&$pageSize=1`)
    assert.equal(response.status, 400)
    assert.equal(response.headers.get('retry-after'), null)
    const { error, message, parameter, input } = await bodyOf(response)
    assert.deepEqual([error, parameter, input], ['Invalid $filter', '$filter', search])
    assert.match(
      message,
      /^Expected a filter that looks at no more than 5 rows, found one that looks at \d+ at least; the limit is requestRowsScanned = 5; ask with fewer conditions/,
    )
    await assertProblem(service.observations, response, 'QRY316')
    // The same text again, which is cached now.
    const again = await version2(`itineraries?$filter=${encodeURIComponent(search)}&$pageSize=1`)
    assert.deepEqual([again.status, (await bodyOf(again)).input], [400, search])
    assert.deepEqual(service.observations.filter(failures), [])
  })

  it('is refused with 400 in version 1, and its unknown parameters are named', async (t) => {
    const { service, version1 } = await start(t, { rowsScanned: 5, cpuMs: Infinity })
    const response = await version1('bookings?query=Traveller^CTa&quarry=1')
    assert.equal(response.status, 400)
    assert.match(String(response.headers.get('warning')), /quarry/)
    const body = (await response.json()) as { readonly error: string }
    assert.deepEqual(Object.keys(body), ['error'])
    assert.match(
      body.error,
      /^Invalid query format: Expected a query that looks at no more than 5 rows, but got one that looks at \d+ at least; the limit is requestRowsScanned = 5;/,
    )
    await assertProblem(service.observations, response, 'QRY414')
  })

  const stops: readonly (readonly [what: string, budget: WorkBudget, message: RegExp])[] = [
    [
      'rows',
      { rowsScanned: 1, cpuMs: Infinity },
      /^The request was stopped: .* 1 rows \(requestRowsScanned\)/,
    ],
    [
      'processor time',
      { rowsScanned: Infinity, cpuMs: 1 },
      /^The request was stopped: .* 1 ms of processor time \(requestCpuMs\)/,
    ],
  ]
  for (const [what, budget, message] of stops) {
    for (const [version, path] of [
      ['version2', `bookings?$filter=${encodeURIComponent("recordLocator gt 'A' and isTicketed eq true")}`],
      ['version1', 'bookings?query=ModifiedDateTime^GT2000-01-01'],
    ] as const) {
      it(`is stopped with 503 in ${version} when it takes more ${what}`, async (t) => {
        const ask = await start(t, budget, 5)
        const response = await ask[version](path)
        assert.equal(response.status, 503)
        assert.equal(response.headers.get('retry-after'), '30')
        const body = (await response.json()) as { readonly error: string }
        assert.deepEqual(Object.keys(body), ['error'])
        assert.match(body.error, message)
        assert.match(body.error, /Narrow it by a date/)
        await assertProblem(ask.service.observations, response, 'SRV241')
        assert.deepEqual(ask.service.observations.filter(failures), [])
        assert.equal((await ask[version]('bookings')).status, 200)
      })
    }
  }

  it('is never the export of a whole collection, in any format', async (t) => {
    const { version2 } = await start(t, { rowsScanned: 1, cpuMs: 1 }, 5)
    for (const format of ['json', 'ndjson', 'csv', 'arrow']) {
      const response = await version2(`invoices?$format=${format}`)
      assert.equal(response.status, 200, format)
      assert.ok((await response.arrayBuffer()).byteLength > 0)
    }
  })
})
