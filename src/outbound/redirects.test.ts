import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { redirectedRequest } from './redirects.ts'
import type { OutboundRequest } from './send-request.ts'

const request: OutboundRequest = {
  method: 'POST',
  url: 'https://a.example/x/y?z=1',
  headers: { authorization: 'a', 'content-type': 'text/plain', 'x-id': '1' },
  body: 'b',
  timeoutMs: 1,
  mostBodyBytes: 1,
}

const after = (status: number, location: string | undefined, method: OutboundRequest['method'] = 'POST') =>
  redirectedRequest(
    { ...request, method },
    { status, headers: location === undefined ? {} : { location } },
    (name) => name === 'authorization',
  )

describe('a redirect', () => {
  it('is an answer with one of five statuses and a location', () => {
    for (const status of [200, 204, 300, 304, 305, 400]) assert.equal(after(status, '/b'), null)
    for (const status of [301, 302, 303, 307, 308]) assert.notEqual(after(status, '/b'), null)
    assert.equal(after(302, undefined), null)
    assert.equal(after(302, 'https://['), null)
  })

  it('becomes a GET without a body where browsers make it one', () => {
    const told = (status: number, method: OutboundRequest['method']) => {
      const next = after(status, '/b', method)
      return [next?.method, next?.body, next?.headers['content-type']]
    }
    for (const status of [301, 302, 303]) assert.deepEqual(told(status, 'POST'), ['GET', null, undefined])
    for (const status of [307, 308]) assert.deepEqual(told(status, 'POST'), ['POST', 'b', 'text/plain'])
    assert.deepEqual(told(302, 'PUT'), ['PUT', 'b', 'text/plain'])
    assert.deepEqual(told(303, 'PUT'), ['GET', null, undefined])
    assert.equal(told(303, 'HEAD')[0], 'HEAD')
  })

  it('gives credentials to the same host, port and protocol only', () => {
    for (const [location, url, keeps] of [
      ['/b', 'https://a.example/b', true],
      ['b#part', 'https://a.example/x/b', true],
      ['https://A.example:443/b', 'https://a.example/b', true],
      ['//b.example/b', 'https://b.example/b', false],
      ['//x.a.example/b', 'https://x.a.example/b', false],
      ['//a.example.net/b', 'https://a.example.net/b', false],
      ['//xa.example/b', 'https://xa.example/b', false],
      ['//a.example@b.example/b', 'https://a.example@b.example/b', false],
      ['https://a.example:444/b', 'https://a.example:444/b', false],
      ['http://a.example/b', 'http://a.example/b', false],
    ] as const) {
      const next = after(307, location)
      assert.deepEqual([next?.url, next?.headers.authorization === 'a'], [url, keeps])
      assert.equal(next?.headers['x-id'], '1')
    }
  })
})
