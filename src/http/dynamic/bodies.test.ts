import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, type IncomingMessage, request as open } from 'node:http'
import { connect } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { ScriptResponse } from '../../automation/runs/run-states.ts'
import { assertProblem } from '../testing/answered-problem.ts'
import { type EndpointServer, endpoint, PREFIX, startEndpoints } from '../testing/endpoints.ts'
import { apiKey, exchange, until } from '../testing/server.ts'

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
const endpoints = methods.map((method) => endpoint(method, 'echo'))

/** Sends all requests over one connection; `reused` says whether the connection existed before. */
function oneConnection(t: TestContext, { url }: EndpointServer) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.after(() => agent.destroy())
  return async (body: string | readonly string[], method = 'POST') => {
    const whole = typeof body === 'string'
    const request = open(`${url}${PREFIX}echo`, {
      agent,
      method,
      headers: whole ? { 'Content-Length': Buffer.byteLength(body) } : { 'Transfer-Encoding': 'chunked' },
    })
    for (const chunk of whole ? [body] : body) request.write(chunk)
    request.end()
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    for await (const _chunk of response);
    return { status: response.statusCode, reused: request.reusedSocket }
  }
}

describe('the body of a call', () => {
  for (const method of methods) {
    const expected = method === 'GET' ? null : '{"a":1}'
    it(`is ${expected === null ? 'ignored' : 'read'} for ${method}, and the connection serves the next call`, async (t) => {
      const server = await startEndpoints(t, { endpoints })
      const send = oneConnection(t, server)
      assert.deepEqual(await send('{"a":1}', method), { status: 200, reused: false })
      assert.deepEqual(await send(['{"a"', ':1}'], method), { status: 200, reused: true })
      assert.deepEqual(await send('', method), { status: 200, reused: true })
      assert.deepEqual(
        server.jobs.map(({ request }) => request.rawBody),
        [expected, expected, null],
      )
    })

    it(`is refused with 413 for ${method} when it is too long, and the connection serves the next call`, async (t) => {
      const server = await startEndpoints(t, { endpoints })
      const send = oneConnection(t, server)
      assert.deepEqual(await send('x'.repeat(1024), method), { status: 200, reused: false })
      assert.deepEqual(await send('x'.repeat(1025), method), { status: 413, reused: true })
      assert.deepEqual(await send(['x'.repeat(1024), 'x'], method), { status: 413, reused: true })
      assert.deepEqual(await send('x'.repeat(2 ** 20), method), { status: 413, reused: true })
      assert.deepEqual(await send('x', method), { status: 200, reused: true })
      assert.equal(server.jobs.length, 2)
    })
  }

  it('is refused at once when its announced length is huge', async (t) => {
    const { port, jobs } = await startEndpoints(t, { endpoints })
    const text = await exchange(
      port,
      `POST ${PREFIX}echo HTTP/1.1\r\nHost: x\r\nContent-Length: 999999999999\r\n\r\nx`,
    )
    assert.match(text, /^HTTP\/1\.1 413 /)
    assert.match(text, /connection: close/i)
    assert.deepEqual(jobs, [])
  })

  it('is not read to its end when it is endless', async (t) => {
    const server = await startEndpoints(t, { endpoints })
    const socket = connect(server.port, '127.0.0.1').on('error', () => undefined)
    const closed = new Promise((resolve) => socket.on('close', resolve))
    socket.resume()
    socket.write(`POST ${PREFIX}echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`)
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`
    while (!socket.destroyed) {
      if (!socket.write(chunk))
        await Promise.race([closed, new Promise((resolve) => socket.once('drain', resolve))])
    }
    await until(() => answered(server).length === 1)
    assert.equal(answered(server)[0]?.status, 413)
    assert.equal(answered(server)[0]?.problem, 'SRV124')
    assert.equal(server.jobs.length, 0)
  })

  it('may arrive byte by byte', async (t) => {
    const { port, jobs } = await startEndpoints(t, { endpoints })
    const body = '{"euro":"€"}'
    const socket = connect(port, '127.0.0.1').setNoDelay(true)
    const length = Buffer.byteLength(body)
    socket.write(
      `POST ${PREFIX}echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${length}\r\n\r\n`,
    )
    for (const byte of Buffer.from(body)) {
      socket.write(Buffer.of(byte))
      await setImmediate()
    }
    await once(socket, 'data')
    socket.destroy()
    assert.equal(jobs[0]?.request.rawBody, body)
  })

  it('that ends early runs nothing, is not a failure of the service, and releases its room', async (t) => {
    const server = await startEndpoints(t, { endpoints, maxHeldBytes: 1024 })
    for (let i = 1; i <= 3; i++) {
      const socket = connect(server.port, '127.0.0.1')
      socket.write(`POST ${PREFIX}echo HTTP/1.1\r\nHost: x\r\nContent-Length: 1024\r\n\r\n${'x'.repeat(900)}`)
      // The body has arrived when a later request on another connection was answered.
      await server.get('/livez')
      socket.destroy()
      await until(() => answered(server).length === i)
    }
    for (const { aborted } of answered(server)) assert.equal(aborted, true)
    assert.ok(!server.observations.some(({ kind }) => kind === 'request-failed'))
    assert.equal((await server.call('POST', 'echo', { body: 'x'.repeat(1024) })).status, 200)
    assert.equal(server.jobs.length, 1)
  })
})

const answered = ({ observations }: EndpointServer) =>
  observations.filter((one) => one.kind === 'request-answered').filter(({ route }) => route.includes('echo'))

describe('a body of a call', () => {
  type Row = readonly [
    what: string,
    headers: Readonly<Record<string, string>>,
    body: string | Uint8Array<ArrayBuffer>,
    outcome: number | readonly [rawBody: string | null, kind: 'json' | 'form' | 'text'],
    problem?: string,
  ]
  const type = (value: string) => ({ 'Content-Type': value })
  const latin = Uint8Array.of(0x22, 0xe9, 0x22)
  const rows: readonly Row[] = [
    ['JSON', type('application/json'), '{"a":"é"}', ['{"a":"é"}', 'json']],
    ['JSON with a suffix type', type('application/cloudevents+json'), '{}', ['{}', 'json']],
    ['malformed JSON, which is not parsed here', type('application/json'), '{', ['{', 'json']],
    ['JSON after a byte order mark', type('application/json'), '\uFEFF{}', ['\uFEFF{}', 'json']],
    ['a form', type('application/x-www-form-urlencoded'), 'a=1&b=%20', ['a=1&b=%20', 'form']],
    ['a form with Latin-1', type('application/x-www-form-urlencoded'), 'a=%E9', 400, 'SRV105'],
    ['a form with a lone percent sign', type('application/x-www-form-urlencoded'), 'a=5%', 400, 'SRV105'],
    ['a text', type('text/plain; charset=UTF-8'), 'é', ['é', 'text']],
    ['a text after a byte order mark', type('text/plain'), '\uFEFFa', ['\uFEFFa', 'text']],
    ['of a malformed type', type('what'), 'x', ['x', 'text']],
    ['of a very long type', type(`a/${'b'.repeat(5000)}`), 'x', ['x', 'text']],
    ['without a type', {}, Buffer.from('{}'), ['{}', 'text']],
    ['empty', type('application/json'), '', [null, 'json']],
    ['ASCII', type('text/plain; charset=us-ascii'), 'a', ['a', 'text']],
    ['a charset in quotes', type('text/plain; charset="utf8"'), 'a', ['a', 'text']],
    ['Latin-1 with its charset', type('application/json; charset=iso-8859-1'), latin, 415, 'SRV125'],
    ['UTF-16 with its charset', type('text/plain;charset=UTF-16'), 'a', 415, 'SRV125'],
    ['Latin-1 without a charset', type('application/json'), latin, 400, 'SRV105'],
    ['a cut character', type('text/plain'), Uint8Array.of(0x61, 0xe2, 0x82), 400, 'SRV105'],
    ['half a surrogate pair', type('text/plain'), Uint8Array.of(0xed, 0xa0, 0x80), 400, 'SRV105'],
    ['gzip', { 'Content-Encoding': 'gzip' }, Uint8Array.of(0x1f, 0x8b), 415, 'SRV126'],
    ['Brotli', { 'Content-Encoding': 'br' }, 'x', 415, 'SRV126'],
    ['with the coding identity', { 'Content-Encoding': 'identity', ...type('text/a') }, 'x', ['x', 'text']],
  ]
  for (const [what, headers, body, outcome, problem] of rows) {
    it(`is ${typeof outcome === 'number' ? `refused with ${outcome}` : 'passed to the script'}: ${what}`, async (t) => {
      const { call, jobs, observations } = await startEndpoints(t, { endpoints })
      const response = await call('POST', 'echo', { body, headers })
      if (typeof outcome === 'number') {
        assert.equal(response.status, outcome)
        assert.deepEqual(Object.keys((await response.json()) as object), ['error'])
        await assertProblem(observations, response, problem)
        assert.deepEqual(jobs, [])
      } else {
        assert.equal(response.status, 200)
        const { rawBody, bodyKind } = jobs[0]?.request ?? assert.fail()
        assert.deepEqual([rawBody, bodyKind], outcome)
      }
    })
  }
})

describe('a caller that asks before it sends its body', () => {
  /** Whether the caller got 100 Continue, and the final status. */
  async function ask(t: TestContext, path: string, length: number, headers: Record<string, string> = {}) {
    const server = await startEndpoints(t, {
      endpoints: [endpoint('POST', 'echo'), endpoint('POST', 'guarded', { requiresAuthentication: true })],
    })
    const request = open(`${server.url}${path}`, {
      method: 'POST',
      headers: { Expect: '100-continue', 'Content-Length': length, ...headers },
    })
    let toldToGoOn = false
    request.on('continue', () => {
      toldToGoOn = true
      request.end('x'.repeat(length))
    })
    request.flushHeaders()
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    request.destroy()
    return [toldToGoOn, response.statusCode]
  }

  const rows: readonly (readonly [path: string, length: number, goesOn: boolean, status: number])[] = [
    [`${PREFIX}echo`, 1024, true, 200],
    [`${PREFIX}echo`, 1025, false, 413],
    [`${PREFIX}guarded`, 10, false, 401],
    [`${PREFIX}nothing`, 10, false, 404],
  ]
  for (const [path, length, goesOn, status] of rows) {
    it(`${goesOn ? 'gets 100 Continue' : `is refused with ${status} at once`}: ${path} ${length}`, async (t) =>
      assert.deepEqual(await ask(t, path, length), [goesOn, status]))
  }

  it('gets 100 Continue at once on other routes', async (t) => {
    const path = '/api/v2/service-accounts/me/rotate-api-key'
    assert.deepEqual(await ask(t, path, 10, { 'X-API-Key': apiKey }), [true, 200])
  })
})

describe('the room for bodies', () => {
  it('is taken until the answer; a body that does not fit is refused with 503, and fits again afterwards', async (t) => {
    const started = Promise.withResolvers<void>()
    const go = Promise.withResolvers<Partial<ScriptResponse>>()
    const { call, observations } = await startEndpoints(t, {
      endpoints,
      maxHeldBytes: 1500,
      script: () => {
        started.resolve()
        return go.promise
      },
    })
    const body = 'x'.repeat(1000)
    const first = call('POST', 'echo', { body })
    await started.promise
    const second = await call('POST', 'echo', { body })
    assert.equal(second.status, 503)
    assert.equal(second.headers.get('retry-after'), '1')
    assert.match(await second.text(), /Too many large request bodies/)
    await assertProblem(observations, second, 'SRV127')
    const third = call('POST', 'echo', { body: 'x'.repeat(500) })
    go.resolve({})
    for (const response of [first, third]) assert.equal((await response).status, 200)
    assert.equal((await call('POST', 'echo', { body })).status, 200)
    assert.ok(!observations.some(({ kind }) => kind === 'request-failed'))
  })

  it('is released after every kind of refusal', async (t) => {
    const { call } = await startEndpoints(t, {
      endpoints: [endpoint('POST', 'echo', { signature: { style: 'plain', secret: 'signing' } })],
      maxHeldBytes: 1024,
    })
    const body = 'x'.repeat(1024)
    assert.equal((await call('POST', 'echo', { body: `${body}x` })).status, 413)
    const broken = new Uint8Array(1024).fill(0xff)
    assert.equal((await call('POST', 'echo', { body: broken })).status, 400)
    for (let i = 0; i < 3; i++) assert.equal((await call('POST', 'echo', { body })).status, 401)
  })
})

describe('a caller that leaves', () => {
  it('does not end the run, and its request is reported as aborted', async (t) => {
    const started = Promise.withResolvers<void>()
    const go = Promise.withResolvers<Partial<ScriptResponse>>()
    const server = await startEndpoints(t, {
      endpoints: [endpoint('POST', 'echo', { deduplication: { header: 'X-Id', windowSeconds: 1 } })],
      script: () => {
        started.resolve()
        return go.promise
      },
    })
    const leaving = new AbortController()
    const call = server.call('POST', 'echo', { headers: { 'X-Id': 'd-1' }, signal: leaving.signal })
    await started.promise
    leaving.abort()
    await assert.rejects(call)
    await until(() => answered(server).length === 1)
    assert.equal(answered(server)[0]?.aborted, true)
    go.resolve({ status: 200 })
    await until(() => server.settled.length === 1)
    assert.deepEqual(server.settled, [['d-1', true]])
    assert.ok(!server.observations.some(({ kind }) => kind === 'request-failed'))
  })
})
