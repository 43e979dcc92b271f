import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createCallRates } from '../../auth/limits/call-rates.ts'
import { assertProblem } from '../testing/answered-problem.ts'
import { endpoint, startEndpoints, userWith } from '../testing/endpoints.ts'

const SECOND = 1_000_000_000n

function clockAt(start: bigint) {
  const time = { now: start }
  return { time, callRates: createCallRates({ clock: () => time.now }) }
}

describe('an endpoint with a rate', () => {
  it('refuses a caller beyond it with 429, says what is left, and admits the caller again', async (t) => {
    const { time, callRates } = clockAt(SECOND)
    const { call, jobs, observations } = await startEndpoints(t, {
      endpoints: [
        endpoint('GET', 'slow', { rateLimit: { calls: 2, per: 'minute' } }),
        endpoint('GET', 'free'),
      ],
      callRates,
    })
    const first = await call('GET', 'slow')
    assert.equal(first.headers.get('ratelimit-policy'), '"endpoint";q=2;w=60')
    assert.equal(first.headers.get('ratelimit'), '"endpoint";r=1;t=30')
    assert.equal((await call('GET', 'slow')).status, 200)
    const refused = await call('GET', 'slow')
    assert.equal(refused.status, 429)
    assert.equal(refused.headers.get('retry-after'), '30')
    assert.match(refused.headers.get('ratelimit') ?? '', /r=0/)
    await assertProblem(observations, refused, 'SRV142')
    const free = await call('GET', 'free')
    assert.deepEqual([free.status, free.headers.get('ratelimit')], [200, null])
    time.now += 30n * SECOND
    assert.equal((await call('GET', 'slow')).status, 200)
    assert.equal(jobs.length, 4)
  })

  it('is not used up by calls of another endpoint, nor by a caller who is named like an address', async (t) => {
    const { callRates } = clockAt(SECOND)
    const rateLimit = { calls: 1, per: 'second' } as const
    const { call } = await startEndpoints(t, {
      endpoints: [endpoint('GET', 'slow', { rateLimit }), endpoint('GET', 'other', { rateLimit })],
      callRates,
      verifyToken: (authorization) =>
        authorization === undefined
          ? { kind: 'none' }
          : { kind: 'valid', user: { ...userWith(), principalId: authorization } },
    })
    const named = { headers: { Authorization: '127.0.0.1' } }
    const answers = [
      await call('GET', 'slow', named),
      await call('GET', 'slow', named),
      await call('GET', 'slow'),
      await call('GET', 'other', named),
      await call('GET', 'other'),
    ]
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 429, 200, 200, 200],
    )
  })

  it('counts each caller for itself, or each address', async (t) => {
    for (const [by, expected] of [
      ['caller', [200, 200, 429, 200]],
      ['address', [200, 429, 429, 429]],
    ] as const) {
      const { callRates } = clockAt(SECOND)
      const { call } = await startEndpoints(t, {
        endpoints: [endpoint('GET', 'slow', { rateLimit: { calls: 1, per: 'second', by } })],
        callRates,
        verifyToken: (authorization) =>
          authorization === undefined
            ? { kind: 'none' }
            : { kind: 'valid', user: { ...userWith(), principalId: authorization } },
      })
      const statuses: number[] = []
      for (const token of ['ada', 'bob', 'ada', undefined]) {
        const headers = token === undefined ? {} : { Authorization: token }
        statuses.push((await call('GET', 'slow', { headers })).status)
      }
      assert.deepEqual(statuses, expected)
    }
  })

  it('does not count calls without the token that it requires', async (t) => {
    const { callRates } = clockAt(SECOND)
    const rateLimit = { calls: 1, per: 'minute', by: 'address' } as const
    const { call } = await startEndpoints(t, {
      endpoints: [endpoint('GET', 'slow', { rateLimit, requiresAuthentication: true })],
      callRates,
    })
    assert.equal((await call('GET', 'slow')).status, 401)
    assert.equal((await call('GET', 'slow', { headers: { Authorization: 'Bearer valid' } })).status, 200)
  })
})
