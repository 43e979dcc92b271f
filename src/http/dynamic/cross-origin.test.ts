import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { CrossOrigin } from '../../schema/endpoint-shapes.ts'
import { endpoint, startEndpoints } from '../testing/endpoints.ts'

const app = 'https://app.example.com'
const setting = 'https://setting.example.com'

const stage = (cors: CrossOrigin) => ({
  endpoints: [
    endpoint('POST', 'orders', { cors, requiresAuthentication: true }),
    endpoint('GET', 'orders'),
    endpoint('GET', 'shared', { cors }),
  ],
  corsOrigins: [setting],
  script: () => ({ headers: { 'content-type': 'text/plain', vary: 'X-Lang' } }),
})

const preflight = (origin: string, method: string, headers?: string) => ({
  headers: {
    Origin: origin,
    'Access-Control-Request-Method': method,
    ...(headers && { 'Access-Control-Request-Headers': headers }),
  },
})

const sharing = ({ headers }: Response) =>
  ['origin', 'methods', 'headers', 'credentials'].map((name) => headers.get(`access-control-allow-${name}`))

describe('an endpoint with origins of its own', () => {
  it('answers the preflight request of a page without a credential and without a run', async (t) => {
    const { call, jobs } = await startEndpoints(t, stage({ origins: [app] }))
    const response = await call('OPTIONS', 'orders', preflight(app, 'POST', 'authorization, x-a'))
    assert.equal(response.status, 204)
    assert.deepEqual(sharing(response), [app, 'GET, HEAD, OPTIONS, POST', 'authorization, x-a', null])
    assert.equal(response.headers.get('access-control-max-age'), '600')
    assert.equal(response.headers.get('vary'), 'Origin')
    assert.equal(response.headers.get('allow'), 'GET, HEAD, OPTIONS, POST')
    assert.deepEqual(jobs, [])
  })

  it('names the headers and the age that it allows', async (t) => {
    const { call } = await startEndpoints(
      t,
      stage({ origins: [app], headers: ['Authorization', 'X-B'], maxAgeSeconds: 5 }),
    )
    const response = await call('OPTIONS', 'orders', preflight(app, 'POST', 'x-a'))
    assert.equal(response.headers.get('access-control-allow-headers'), 'Authorization, X-B')
    assert.equal(response.headers.get('access-control-max-age'), '5')
  })

  const rows: readonly (readonly [
    what: string,
    origins: readonly string[],
    origin: string,
    allowed: string | null,
  ])[] = [
    ['its origin', [app], app, app],
    ['another origin', [app], 'https://evil.example.com', null],
    ['an origin of the setting only', [app], setting, null],
    ['any origin', ['*'], 'https://any.example.com', '*'],
    ['no origin at all', [], setting, null],
  ]
  for (const [what, origins, origin, allowed] of rows) {
    it(`lets pages read its answers, or not: ${what}`, async (t) => {
      const { call } = await startEndpoints(t, stage({ origins: [...origins] }))
      const headers = { Origin: origin }
      for (const response of [
        await call('GET', 'shared', { headers }),
        await call('POST', 'orders', { headers }),
        await call('OPTIONS', 'orders', preflight(origin, 'POST')),
      ]) {
        assert.equal(response.headers.get('access-control-allow-origin'), allowed)
      }
    })
  }

  it('leaves the other endpoints to the setting', async (t) => {
    const { call } = await startEndpoints(t, stage({ origins: [app] }))
    const answers = [
      await call('OPTIONS', 'orders', preflight(setting, 'GET')),
      await call('GET', 'orders', { headers: { Origin: setting } }),
    ]
    for (const { headers } of answers) assert.equal(headers.get('access-control-allow-origin'), setting)
  })

  it('keeps what a script says of its variants', async (t) => {
    const { call } = await startEndpoints(t, stage({ origins: [app] }))
    const response = await call('GET', 'shared', { headers: { Origin: app } })
    assert.equal(response.headers.get('vary'), 'X-Lang, Origin')
  })
})
