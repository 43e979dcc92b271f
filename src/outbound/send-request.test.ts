/** Requests to a real server on this machine: what is sent, what is read, and what ends a request. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { type OutboundRequest, openSender } from './send-request.ts'
import { checkedLookup, targetRules } from './target.ts'

async function serve(test: TestContext, listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  test.after(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

const send = openSender(targetRules('127.0.0.1'))

const post = (port: number, members: Partial<OutboundRequest> = {}): OutboundRequest => ({
  method: 'POST',
  url: `http://127.0.0.1:${port}/hook?x=1`,
  headers: { 'content-type': 'application/json' },
  body: '{"ä":1}',
  timeoutMs: 5000,
  mostBodyBytes: 1000,
  ...members,
})

describe('a request', () => {
  it('is sent with method, path, headers and body, and answered with status, headers and body', async (test) => {
    const port = await serve(test, async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      const { method, url, headers } = request
      response.writeHead(202, { 'X-Two': ['a', 'b'] })
      response.end(
        JSON.stringify({
          ...{ method, url, type: headers['content-type'], body: `${Buffer.concat(chunks)}` },
          coding: headers['accept-encoding'],
        }),
      )
    })
    const { status, headers, body, isWholeBody } = await send(post(port))
    assert.deepEqual([status, headers['x-two'], isWholeBody], [202, 'a, b', true])
    assert.deepEqual(JSON.parse(`${body}`), {
      method: 'POST',
      url: '/hook?x=1',
      type: 'application/json',
      body: '{"ä":1}',
      // Nothing would decode another one.
      coding: 'identity',
    })
  })

  it('reads no more of an answer than it may', async (test) => {
    const port = await serve(test, (_request, response) => {
      const pour = () => {
        while (!response.destroyed && response.write('x'.repeat(10_000)));
        response.once('drain', pour)
      }
      pour()
    })
    const { body, isWholeBody } = await send(post(port))
    assert.deepEqual([body.length, isWholeBody], [1000, false])
  })

  it('follows no redirect', async (test) => {
    let requests = 0
    const port = await serve(test, (_request, response) => {
      requests++
      response.writeHead(307, { Location: '/elsewhere' }).end()
    })
    await assert.rejects(send(post(port)), { code: 'OUT113' })
    assert.equal(requests, 1)
  })

  it('does not change to another protocol', async (test) => {
    const closed = Promise.withResolvers<void>()
    const port = await serve(test, (request) => {
      request.socket.once('close', () => closed.resolve())
      request.socket.write(
        'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\nhello',
      )
    })
    await assert.rejects(send(post(port)), { code: 'OUT111', message: /another protocol \(101\)/ })
    // Nobody else would ever close it.
    await closed.promise
  })

  it('ends when its time is up, before and within the answer', async (test) => {
    const silent = await serve(test, () => undefined)
    await assert.rejects(send(post(silent, { timeoutMs: 50 })), { code: 'OUT112' })
    const slow = await serve(test, (_request, response) => void response.write('x'))
    await assert.rejects(send(post(slow, { timeoutMs: 50 })), { code: 'OUT112' })
  })

  it('ends with the reason of its signal', async (test) => {
    const stop = new AbortController()
    const port = await serve(test, () => stop.abort(new Error('stopped')))
    await assert.rejects(send(post(port), stop.signal), { message: 'stopped' })
  })

  it('says when nobody answers, and when the connection breaks', async (test) => {
    const port = await serve(test, (request) => request.socket.destroy())
    await assert.rejects(send(post(port)), { code: 'OUT111' })
    await assert.rejects(send(post(1)), {
      code: 'OUT111',
      message: /127\.0\.0\.1 cannot be reached: .*ECONNREFUSED/,
    })
  })

  it('is not sent to an address of the URL that is not public, which needs no look-up', async (test) => {
    let connections = 0
    const server = createServer().on('connection', () => connections++)
    server.listen(0, '127.0.0.1')
    test.after(() => server.close())
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const strict = openSender(targetRules(undefined))
    const urls = [
      `https://127.0.0.1:${port}/`,
      `https://[::ffff:127.0.0.1]:${port}/`,
      `http://127.0.0.1:${port}/`,
    ]
    for (const [at, url] of urls.entries()) {
      await assert.rejects(strict(post(port, { url })), { code: at < 2 ? 'OUT102' : 'OUT101' })
    }
    assert.equal(connections, 0)
  })

  it('goes to the address that was checked, whatever its name means a moment later', async (test) => {
    let requests = 0
    const port = await serve(test, (_request, response) => {
      requests++
      response.end()
    })
    const answers = ['127.0.0.1', '1.1.1.1']
    const rebinding = ((_name: string, _options: object, done: (error: null, found: object[]) => void) =>
      done(null, [{ address: answers.pop(), family: 4 }])) as never
    const rules = targetRules('hooks.example')
    const untrusting = { ...rules, isTrusted: () => false }
    // The URL passes as trusted; its name is then resolved to a public and, the next time, to a private address.
    const sender = openSender(rules, checkedLookup(untrusting, rebinding))
    const url = `http://hooks.example:${port}/`
    await assert.rejects(sender(post(port, { url, timeoutMs: 100 })), { code: /OUT11[12]/ })
    await assert.rejects(sender(post(port, { url })), { code: 'OUT102' })
    assert.equal(requests, 0)
  })
})
