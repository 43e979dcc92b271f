import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { account, apiKey, startServer, until } from './testing/server.ts'

const path = '/api/v2/service-accounts/me/rotate-api-key'

describe('rotating a key', () => {
  it('answers with the new key, which must not be cached', async (t) => {
    const { get } = await startServer(t)
    const response = await get(path, { method: 'POST' })
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('cache-control'), 'no-store')
    assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8')
    assert.deepEqual(await response.json(), {
      id: account.accountId,
      name: account.accountName,
      apiKey: apiKey.replace('q83v', 'AAAA'),
      rotatedAt: '2026-01-20T03:04:05.678Z',
    })
  })

  it('rotates the key that the request was made with', async (t) => {
    const rotated: string[] = []
    const { get } = await startServer(t, {
      rotateOwnKey: async (keyHash) => {
        rotated.push(keyHash)
        return null
      },
    })
    await get(path, { method: 'POST' })
    assert.deepEqual(rotated, [account.keyHash])
  })

  it('answers 401 when another rotation was faster', async (t) => {
    const { get } = await startServer(t, { rotateOwnKey: async () => null })
    const response = await get(path, { method: 'POST' })
    assert.equal(response.status, 401)
    assert.deepEqual(Object.keys((await response.json()) as object), ['error'])
  })

  it('is reported by account, without either key', async (t) => {
    const { get, observations } = await startServer(t)
    await get(path, { method: 'POST' })
    await until(() => observations.some(({ kind }) => kind === 'request-answered'))
    assert.deepEqual(
      observations.find(({ kind }) => kind === 'key-rotated'),
      { kind: 'key-rotated', accountId: account.accountId },
    )
    assert.doesNotMatch(JSON.stringify(observations), /q83v|AAAA|hash-of-the-key/)
  })

  it('works without a snapshot', async (t) => {
    const { get } = await startServer(t, { catalogue: { current: () => null } })
    assert.equal((await get(path, { method: 'POST' })).status, 200)
  })
})

describe('a body that the route does not need', () => {
  const bodies: readonly (readonly [what: string, type: string | undefined, body: string])[] = [
    ['JSON', 'application/json', '{"a":1}'],
    ['broken JSON', 'application/json', '{'],
    ['a form', 'application/x-www-form-urlencoded', 'a=1'],
    ['an unknown type', 'application/x-what', 'x'],
    ['a malformed type', 'what', 'x'],
    ['the largest that is ignored', 'text/plain', 'x'.repeat(64 * 1024)],
  ]
  for (const [what, type, body] of bodies) {
    it(`is ignored: ${what}`, async (t) => {
      const { get } = await startServer(t)
      const response = await get(path, {
        method: 'POST',
        body,
        ...(type && { headers: { 'Content-Type': type } }),
      })
      assert.equal(response.status, 200)
    })
  }

  it('is refused with 413 when it is large, with or without Content-Length', async (t) => {
    const { get } = await startServer(t)
    const large = 'x'.repeat(64 * 1024 + 1)
    const streamed = new Blob([large]).stream()
    assert.equal((await get(path, { method: 'POST', body: large })).status, 413)
    const init = { method: 'POST', body: streamed, duplex: 'half' } satisfies RequestInit & { duplex: 'half' }
    assert.equal((await get(path, init)).status, 413)
  })

  it('is not read before the key is checked', async (t) => {
    let rotations = 0
    const { get } = await startServer(t, {
      rotateOwnKey: async () => {
        rotations++
        return null
      },
    })
    const response = await get(path, {
      method: 'POST',
      body: 'x'.repeat(1024 * 1024),
      headers: { 'X-API-Key': 'wrong', 'Content-Type': 'what' },
    })
    assert.equal(response.status, 401)
    assert.equal(rotations, 0)
  })
})
