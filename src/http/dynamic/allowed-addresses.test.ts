import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertProblem } from '../testing/answered-problem.ts'
import { endpoint, startEndpoints } from '../testing/endpoints.ts'

describe('an endpoint for some addresses', () => {
  const rows: readonly (readonly [ranges: readonly string[], isAllowed: boolean])[] = [
    [['127.0.0.1'], true],
    [['10.0.0.0/8', '127.0.0.0/8'], true],
    [['::ffff:127.0.0.1'], true],
    [['10.0.0.0/8', '2001:db8::/32'], false],
  ]
  for (const [ranges, isAllowed] of rows) {
    it(`${isAllowed ? 'answers' : 'refuses'} 127.0.0.1 when it allows ${ranges.join(', ')}`, async (t) => {
      const { call, jobs, observations } = await startEndpoints(t, {
        endpoints: [
          endpoint('POST', 'hook', { allowedAddresses: [...ranges], requiresAuthentication: true }),
        ],
      })
      // The address is checked before the token.
      const headers = isAllowed ? { Authorization: 'Bearer valid' } : {}
      const response = await call('POST', 'hook', { headers })
      assert.equal(response.status, isAllowed ? 200 : 403)
      assert.equal(jobs.length, isAllowed ? 1 : 0)
      if (isAllowed) return assert.equal(jobs[0]?.request.address, '127.0.0.1')
      await assertProblem(observations, response, 'SRV143')
    })
  }

  it('goes by the address that a trusted proxy names, and tells the script', async (t) => {
    const { call, jobs } = await startEndpoints(t, {
      endpoints: [endpoint('GET', 'hook', { allowedAddresses: ['203.0.113.0/24'] })],
      trustedProxies: '127.0.0.1',
    })
    const from = (address: string) => call('GET', 'hook', { headers: { 'X-Forwarded-For': address } })
    assert.equal((await from('203.0.113.9')).status, 200)
    assert.equal(jobs[0]?.request.address, '203.0.113.9')
    const refused = await from('198.51.100.9')
    assert.equal(refused.status, 403)
    assert.match(await refused.text(), /198\.51\.100\.9/)
    assert.equal((await from('203.0.113.9, 198.51.100.9')).status, 403)
  })
})
