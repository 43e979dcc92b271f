/** A store that answers with a promise has the same effect on requests as one that answers at once. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { storeIsBusy } from '../directory/problems.ts'
import { endpoint, startEndpoints } from './testing/endpoints.ts'
import { account, apiKey, psk, startServer } from './testing/server.ts'

const fail = (): never => {
  throw storeIsBusy('/data/control.db', undefined)
}

describe('accounts that are read asynchronously', () => {
  it('let the request in or refuse it, in both versions', async (t) => {
    const { get } = await startServer(t, {
      authenticate: async (header) => (header === apiKey ? account : null),
      authenticateVersion1: async (headers) => (headers.psk === psk ? account : null),
    })
    assert.equal((await get('/api/v2/bookings')).status, 200)
    assert.equal((await get('/api/v2/bookings', { headers: { 'X-API-Key': 'wrong' } })).status, 401)
    assert.equal((await get('/api/v1/bookings', { headers: { psk } })).status, 200)
    assert.equal((await get('/api/v1/bookings', { headers: { psk: 'wrong' } })).status, 401)
  })

  it('fail alike when the read throws and when it rejects', async (t) => {
    const now = await startServer(t, { authenticate: fail })
    const later = await startServer(t, { authenticate: async () => fail() })
    const statuses = await Promise.all([now, later].map(({ get }) => get('/api/v2/bookings')))
    assert.deepEqual(
      statuses.map(({ status }) => status),
      [503, 503],
    )
  })
})

describe('endpoints that are read asynchronously', () => {
  it('are found, refused, and listed by their methods', async (t) => {
    const { call } = await startEndpoints(t, { endpoints: async () => [endpoint('POST', 'hook')] })
    assert.equal((await call('POST', 'hook')).status, 200)
    assert.equal((await call('POST', 'other')).status, 404)
    const refused = await call('PUT', 'hook')
    assert.deepEqual([refused.status, refused.headers.get('allow')], [405, 'OPTIONS, POST'])
    const asked = await call('OPTIONS', 'hook')
    assert.deepEqual([asked.status, asked.headers.get('allow')], [204, 'OPTIONS, POST'])
    assert.equal((await call('OPTIONS', 'other')).status, 404)
  })

  it('fail alike when the read throws and when it rejects', async (t) => {
    for (const endpoints of [fail, async () => fail()]) {
      const { call } = await startEndpoints(t, { endpoints })
      for (const method of ['POST', 'OPTIONS']) assert.equal((await call(method, 'hook')).status, 503, method)
    }
  })
})
