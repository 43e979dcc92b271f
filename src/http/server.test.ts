import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { createLogger } from '../observe/logger.ts'
import { createObserver } from '../observe/observer.ts'
import { createMetrics } from '../observe/service-metrics.ts'
import { account, apiKey, exchange, startServer, until } from './testing/server.ts'

const list = '/api/v2/bookings'
const rotate = '/api/v2/service-accounts/me/rotate-api-key'
const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${apiKey}\r\n\r\n`

describe('the request id', () => {
  const ids: readonly (readonly [given: string, isKept: boolean])[] = [
    ['order-7.a:B_c', true],
    ['x'.repeat(64), true],
    ['x'.repeat(65), false],
    ['two words', false],
    ['"quoted"', false],
  ]
  for (const [given, isKept] of ids) {
    it(`is ${isKept ? 'kept' : 'replaced'}: ${given}`, async (t) => {
      const { get, observations } = await startServer(t)
      for (const path of [list, '/nowhere', `${list}?$filter=wrong`]) {
        const response = await get(path, { headers: { 'X-Request-Id': given } })
        assert.equal(response.headers.get('x-request-id') === given, isKept)
      }
      await until(() => observations.filter(({ kind }) => kind === 'request-answered').length === 3)
      for (const one of observations)
        if (one.kind === 'request-answered') assert.equal(one.requestId === given, isKept)
    })
  }

  it('differs from request to request', async (t) => {
    const { get } = await startServer(t)
    const ids = await Promise.all([1, 2, 3].map(async () => (await get(list)).headers.get('x-request-id')))
    assert.equal(new Set(ids).size, 3)
  })
})

describe('OPTIONS', () => {
  const allowed: readonly (readonly [path: string, allow: string])[] = [
    [list, 'GET, HEAD, OPTIONS'],
    [rotate, 'OPTIONS, POST'],
    ['/livez', 'GET, HEAD, OPTIONS'],
    ['/api/v2/book%69ngs', 'GET, HEAD, OPTIONS'],
    ['/docs/static/swagger-ui.css', 'GET, HEAD, OPTIONS'],
  ]
  for (const [path, allow] of allowed) {
    it(`lists the methods of ${path}, without a key`, async (t) => {
      const { url } = await startServer(t)
      const response = await fetch(url + path, { method: 'OPTIONS' })
      assert.equal(response.status, 204)
      assert.equal(response.headers.get('allow'), allow)
    })
  }

  it('* asks about the server', async (t) => {
    const { port } = await startServer(t)
    assert.match(
      await exchange(port, 'OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'),
      /^HTTP\/1.1 204 /,
    )
  })
})

describe('a raw #', () => {
  it('is refused, because the rest of the address would not be read', async (t) => {
    const { port } = await startServer(t)
    const last = request(`${list}#$filter=wrong`).replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')
    assert.match(await exchange(port, last), /^HTTP\/1.1 400 [\s\S]*%23/)
  })
})

describe('a connection', () => {
  it('answers pipelined requests in their order', async (t) => {
    const { port } = await startServer(t)
    const last = request('/livez').replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')
    const text = await exchange(port, request(`${list}?$pageSize=1`) + request('/nowhere') + last)
    const statuses = [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)
    assert.deepEqual(statuses, ['200', '404', '200'])
  })

  it('answers the requests that arrived completely before a malformed one, then answers that one with 400', async (t) => {
    const { port } = await startServer(t)
    const page = request(`${list}?$pageSize=1`)
    const text = await exchange(port, `${page}${page}nonsense\r\n\r\n`)
    const statuses = [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)
    assert.deepEqual(statuses, ['200', '200', '400'])
  })

  it('answers a malformed body with 400', async (t) => {
    const { port } = await startServer(t)
    const head = `POST ${rotate} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${apiKey}\r\nTransfer-Encoding: chunked\r\n\r\n`
    assert.match(await exchange(port, `${head}nonsense\r\n`), /^HTTP\/1\.1 400 .*\{"error":"[^"]+"\}$/s)
  })

  it('that pauses in the middle of a request is answered with 408', async (t) => {
    const { port, server, observations } = await startServer(t)
    server.server.once('connection', (socket) => {
      const timeout = Object.assign(new Error('timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
      server.server.emit('clientError', timeout, socket)
    })
    const text = await exchange(port, 'GET / HT')
    assert.match(
      text,
      /^HTTP\/1\.1 408 .*connection: close.*\{"error":"The request did not arrive in time"\}$/s,
    )
    assert.ok(observations.some((one) => one.kind === 'request-answered' && one.problem === 'SRV107'))
  })
})

describe('closing', () => {
  it('finishes the requests in flight and accepts no more', async (t) => {
    let proceed = () => {}
    const held = new Promise<void>((resolve) => {
      proceed = resolve
    })
    const { get, url, server, asked } = await startServer(t, {
      rotateOwnKey: async () => {
        await held
        return null
      },
      authenticate: () => account,
    })
    assert.equal(asked.length, 0)
    const answering = get(rotate, { method: 'POST' })
    await until(() => server.server.listening)
    const closed = new Promise<void>((resolve) => server.server.once('close', resolve))
    await once(server.server, 'request')
    const closing = server.close()
    await until(() => !server.server.listening)
    await assert.rejects(fetch(`${url}/livez`))
    proceed()
    assert.equal((await answering).status, 401)
    await Promise.all([closing, closed])
  })

  it('ends connections that are kept alive', async (t) => {
    const { port, server } = await startServer(t)
    const socket = connect(port, '127.0.0.1')
    socket.write(request('/livez'))
    await once(socket, 'data')
    const ended = once(socket, 'end')
    await server.close()
    await ended
  })

  it('ends a connection whose answer had begun before', async (t) => {
    const { port, server } = await startServer(t, { recordCount: 60_000 })
    const socket = connect(port, '127.0.0.1')
    socket.write(request(list))
    await once(socket, 'readable')
    const closing = server.close()
    let received = 0
    for await (const chunk of socket) received += chunk.length
    assert.ok(received > 30_000_000)
    await closing
  })

  it('does not wait for a caller that was refused in the middle of a body', async (t) => {
    const { port, server } = await startServer(t)
    const socket = connect(port, '127.0.0.1')
    socket.write(`POST ${rotate} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nx`)
    const [answer] = await once(socket, 'data')
    assert.match(String(answer), /^HTTP\/1\.1 401 /)
    await server.close()
    socket.destroy()
  })
})

describe('the log', () => {
  it('has one line per request, without keys and search values', async (t) => {
    const lines: string[] = []
    const logger = createLogger({
      level: 'debug',
      format: 'json',
      destination: { write: (text) => lines.push(...text.split('\n').slice(0, -1)) },
    })
    const observe = createObserver({ logger, metrics: createMetrics() })
    const { get, port } = await startServer(t, { observe })
    const secrets = { apiKey, wrongKey: 'wrong-key-0123456789', sought: 'TRAVELLER-SECRET' }
    await get(`${list}?$filter=${secrets.sought}`, {
      headers: { 'X-Request-Id': 'r-1', Authorization: secrets.apiKey },
    })
    await get(list, { headers: { 'X-API-Key': secrets.wrongKey } })
    await get(`${list}?$filter=wrong`)
    await get(`${list}?$filter=${secrets.sought}%zz`)
    await get(`${list}?$filter=defect&x=${secrets.sought}`)
    await get(`/${secrets.sought}?key=${secrets.apiKey}`)
    await get(rotate, { method: 'POST', body: secrets.sought })
    await exchange(port, `GET /${secrets.sought} HTTP/1.1 ${secrets.apiKey}\r\n\r\n`)
    await until(() => lines.filter((line) => line.includes('"msg":"request"')).length === 8)
    for (const secret of [...Object.values(secrets), apiKey.replace('q83v', 'AAAA'), account.keyHash]) {
      assert.equal(lines.join('').includes(secret), false)
    }
    const { time, ms, ...first } = JSON.parse(lines[0] as string)
    assert.equal(typeof time, 'string')
    assert.equal(typeof ms, 'number')
    assert.deepEqual(first, {
      level: 'info',
      requestId: 'r-1',
      method: 'GET',
      route: list,
      status: 200,
      bytes: first.bytes,
      account: account.accountId,
      client: 'C01234',
      address: '127.0.0.1',
      msg: 'request',
    })
    assert.ok(lines.some((line) => line.includes('"status":400') && line.includes('"problem":"QRY101"')))
    assert.ok(lines.some((line) => line.includes('"level":"error"') && line.includes('TypeError')))
  })

  const named = [
    [undefined, '127.0.0.1'],
    ['203.0.113.9', '203.0.113.9'],
    ['203.0.113.9:4711', '203.0.113.9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['[2001:db8::1]:4711', '2001:db8::1'],
    ['198.51.100.1, 203.0.113.9', '203.0.113.9'],
    ['not an address"', '127.0.0.1'],
  ] as const
  for (const [forwarded, address] of named) {
    it(`has the address that a trusted proxy names: ${forwarded} is ${address}`, async (t) => {
      const { get, observations } = await startServer(t, { trustedProxies: '127.0.0.1' })
      await get('/livez', { headers: forwarded === undefined ? {} : { 'X-Forwarded-For': forwarded } })
      await until(() => observations.some(({ kind }) => kind === 'request-answered'))
      const answered = observations.find(({ kind }) => kind === 'request-answered')
      assert.equal(answered && Reflect.get(answered, 'address'), address)
    })
  }

  it('has the address of the connection when its proxy is not trusted', async (t) => {
    const { get, observations } = await startServer(t)
    await get('/livez', { headers: { 'X-Forwarded-For': '203.0.113.9' } })
    await until(() => observations.some(({ kind }) => kind === 'request-answered'))
    const answered = observations.find(({ kind }) => kind === 'request-answered')
    assert.equal(answered && Reflect.get(answered, 'address'), '127.0.0.1')
  })
})
