/** What callers see while the PostgreSQL of the accounts is away. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { openControlStore } from '../../src/directory/open-stores.ts'
import { type RunningServer, startServer } from '../../src/postgres/testing/postgres-server.ts'
import { harbour } from '../fixtures/fixture-extract.ts'
import { type Service, startService } from './start-service.ts'

describe('a service whose accounts are on PostgreSQL', () => {
  let database: RunningServer
  let service: Service
  let key: string
  let psk: string
  before(async () => {
    database = await startServer()
    service = await startService({ store: database.url })
    key = await service.keyOf(harbour)
    psk = (await service.pskOf(harbour)).psk
  })
  after(async () => {
    await service.close()
    await database.stop()
  })

  const requests: readonly (readonly [what: string, send: () => Promise<Response>])[] = [
    ['version 2', () => service.request('/api/v2/bookings', key)],
    ['version 2 with an unknown key', () => service.request('/api/v2/bookings', 'A'.repeat(64))],
    [
      'a rotation',
      () => service.request('/api/v2/service-accounts/me/rotate-api-key', key, { method: 'POST' }),
    ],
    ['version 1', () => service.request('/api/v1/bookings', key)],
    [
      'version 1 with a psk',
      () => fetch(`http://127.0.0.1:${service.port}/api/v1/bookings`, { headers: { psk } }),
    ],
  ]

  it('answers 503 with Retry-After while it is away, names no server, and answers again when it is back', async () => {
    assert.equal((await service.request('/api/v2/bookings', key)).status, 200)
    await database.kill()
    for (const [what, send] of requests) {
      const response = await send()
      assert.deepEqual([response.status, response.headers.get('retry-after')], [503, '30'], what)
      assert.deepEqual(
        await response.json(),
        { error: 'The service cannot reach its database at the moment. Try again.' },
        what,
      )
    }
    await database.start()
    assert.equal((await service.request('/api/v2/bookings', key)).status, 200)
    assert.equal((await service.request('/api/v2/bookings', 'A'.repeat(64))).status, 401)
  })

  it('refuses a key from the next request on after another node has locked its account', async () => {
    const { id, psk } = await service.pskOf(harbour)
    const node = await openControlStore({ data: '/nowhere', store: database.url })
    const status = async () => {
      const url = `http://127.0.0.1:${service.port}/api/v1/bookings`
      return (await fetch(url, { headers: { psk } })).status
    }
    for (const locked of [false, true, false, true]) {
      await node.accounts.setLocked(id, locked, 'test')
      assert.equal(await status(), locked ? 401 : 200)
    }
    await node.close()
  })
})
