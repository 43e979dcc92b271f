/**
 * Requests that HTTP clients would not send: unknown paths, several hosts, no version. Each is refused in the one error shape,
 * and none counts as an error of the service.
 */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { harbour } from '../fixtures/fixture-extract.ts'
import { type Service, startService } from './start-service.ts'

let service: Service
let apiKey: string

before(async () => {
  service = await startService()
  apiKey = await service.keyOf(harbour)
})
after(() => service.close())

type Received = { readonly status: number; readonly body: string }

/** Sends bytes as they are, and reads until the connection ends. */
function exchange(text: string): Promise<Received> {
  return new Promise((resolve, reject) => {
    let received = ''
    const socket = connect(service.port, '127.0.0.1', () => socket.write(Buffer.from(text, 'latin1')))
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      received += chunk
    })
    socket.on('error', reject)
    socket.on('close', () => {
      const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(received)?.[1])
      resolve({ status, body: received.slice(received.indexOf('\r\n\r\n') + 4) })
    })
  })
}

const target = (address: string) => `GET ${address} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`

const failures = () => service.observations.filter(({ kind }) => kind === 'request-failed')

/** Checks a refusal with `{error}`, without internals in the body and without an error in the log. */
async function assertRefused(sent: string, status: number): Promise<void> {
  const received = await exchange(sent)
  assert.equal(received.status, status, received.body)
  const body = JSON.parse(received.body) as { readonly error: string }
  assert.deepEqual(Object.keys(body), ['error'])
  assert.doesNotMatch(received.body, /\bat |node_modules|FST_|stack/)
  assert.deepEqual(failures(), [])
}

describe('an address without a route', () => {
  const addresses: readonly (readonly [address: string, status: number])[] = [
    ['/docs/static/..', 404],
    ['/docs/static/../', 404],
    ['/docs/static/.', 404],
    ['/docs/static/', 404],
    ['/docs/static//', 404],
    ['/docs/static/%2e%2e', 404],
    ['/docs/static/%2e%2e/', 404],
    ['/docs/static/%2e%2e/%2e%2e/package.json', 404],
    ['/docs/static/..%2f..%2fpackage.json', 404],
    ['/docs/static/%5c..%5c', 404],
    ['/docs/static/%00', 404],
    ['/docs/static/index.html%00.js', 404],
    [`/docs/static/${'a'.repeat(5000)}`, 404],
    ['/docs/static/%', 400],
    ['/docs/static/%zz', 400],
    ['/docs/static/%ff', 400],
    ['/docs/%00', 404],
    ['/docs/..', 404],
    ['/docs//', 404],
    ['//', 404],
    ['//x', 404],
    ['//x/docs/static/..', 404],
    ['//livez', 404],
    ['///', 404],
    ['/..', 404],
    ['/../livez', 404],
    ['/%00', 404],
    ['/livez%00', 404],
    ['/%', 400],
    ['/%c0%80', 400],
    ['/%ff', 400],
    ['/api/v2/bookings%00', 404],
    ['/api/v2//bookings', 404],
    ['http://x/docs/static/..', 404],
    ['http://x//livez', 404],
    ['http://', 400],
    ['http:///livez', 400],
    ['ftp://x/livez', 400],
    ['*', 400],
    ['livez', 400],
  ]
  for (const [address, status] of addresses) {
    it(`is refused with ${status}: ${address.slice(0, 60)}`, () => assertRefused(target(address), status))
  }

  it('is refused in the same way with other methods', async () => {
    for (const method of ['HEAD', 'POST', 'OPTIONS', 'DELETE']) {
      for (const address of ['/docs/static/..', '/docs/static/%00', '//x', '/%00', '/%zz']) {
        const { status } = await exchange(target(address).replace('GET', method))
        assert.ok(status >= 200 && status < 500, `${method} ${address}: ${status}`)
      }
    }
    assert.deepEqual(failures(), [])
  })

  it('is not the absolute address of a proxy request, because its path is read', async () => {
    for (const address of ['http://y/livez', 'HTTPS://[::1]:8080/livez?a=b'])
      assert.equal((await exchange(target(address))).status, 200)
  })
})

/** RFC 9112, section 3.2: "a server MUST respond with a 400 status code". */
describe('the Host header', () => {
  const request = (hosts: readonly string[], version = '1.1') =>
    `GET /api/v2/bookings HTTP/${version}\r\n${hosts.map((host) => `${host}\r\n`).join('')}X-API-Key: ${apiKey}\r\nConnection: close\r\n\r\n`

  const refused: readonly (readonly string[])[] = [
    [],
    ['Host: a', 'Host: b'],
    ['Host: a', 'host: a'],
    ['HOST: a', 'X: y', 'hOST: a'],
    ['Host:'],
    ['Host:   '],
    ['Host: a b'],
    ['Host: a, b'],
    ['Host: a/b'],
    ['Host: user@a'],
    ['Host: a:b'],
    ['Host: a:1:2'],
    ['Host: [::1'],
    ['Host: ::1'],
    ['Host: a%zz'],
    ['Host: \u00e9'],
    ['Host: http://a'],
  ]
  for (const hosts of refused) {
    it(`is refused: ${hosts.join(' | ') || 'none'}`, () => assertRefused(request(hosts), 400))
  }

  it('is refused when there are two in HTTP/1.0 as well', () =>
    assertRefused(request(['Host: a', 'Host: b'], '1.0'), 400))

  for (const host of [
    'a',
    'A.example:8080',
    'my_service:80',
    '127.0.0.1',
    '[::1]:8080',
    '[::ffff:10.0.0.1]',
    'a:',
    'x.y.',
  ]) {
    it(`is accepted: ${host}`, async () => {
      assert.equal((await exchange(request([`Host: ${host}`]))).status, 200)
    })
  }

  it('may be missing in HTTP/1.0', async () => {
    assert.equal((await exchange(request([], '1.0'))).status, 200)
  })
})

/** RFC 9112, section 3: a request line that is not valid is answered with 400. */
describe('a request line', () => {
  const refused = [
    'GET /livez',
    'GET /livez HTTP/0.9',
    'GET /livez HTTP/1.2',
    'GET /livez HTTP/1.10',
    'GET /livez HTTP/2.0',
    'GET /livez HTTP/2',
    'GET /livez HTTP/3.0',
    'GET /livez http/1.1',
    'GET /livez HTTP/1.1 ',
    'PRI * HTTP/2.0',
  ]
  for (const line of refused) {
    it(`is refused: ${line}`, () => assertRefused(`${line}\r\nHost: x\r\nConnection: close\r\n\r\n`, 400))
  }

  it('is refused without a version and without headers', () => assertRefused('GET /livez\r\n\r\n', 400))

  it('may name HTTP/1.0', async () => {
    assert.equal((await exchange('GET /livez HTTP/1.0\r\n\r\n')).status, 200)
  })
})

/** What ends the body is what begins the next request: a proxy in front must not see another end (RFC 9112, section 6.3). */
describe('a body whose end is unclear', () => {
  const next = 'GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
  const request = (headers: string, body = '', line = 'GET /livez HTTP/1.1') =>
    `${line}\r\nHost: x\r\nConnection: close\r\n${headers}\r\n\r\n${body}${next}`

  const refused: readonly (readonly [headers: string, body?: string, line?: string])[] = [
    ['Content-Length: 4\r\nTransfer-Encoding: chunked', '0\r\n\r\n'],
    ['Transfer-Encoding: chunked\r\nContent-Length: 60', '0\r\n\r\n'],
    ['Content-Length: 3\r\nContent-Length: 3', 'abc'],
    ['Content-Length: 3\r\nContent-Length: 0', 'abc'],
    ['Content-Length: 3, 3', 'abc'],
    ['Content-Length: +3', 'abc'],
    ['Content-Length: 0x3', 'abc'],
    ['Content-Length: -1'],
    ['Content-Length: 99999999999999999999'],
    ['Content-Length : 3', 'abc'],
    ['Content-Length:\r\n 3', 'abc'],
    ['Transfer-Encoding : chunked', '0\r\n\r\n'],
    ['Transfer-Encoding:\r\n chunked', '0\r\n\r\n'],
    ['Transfer-Encoding: \x0bchunked', '0\r\n\r\n'],
    ['Transfer-Encoding: xchunked', '0\r\n\r\n'],
    ['Transfer-Encoding: "chunked"', '0\r\n\r\n'],
    ['Transfer-Encoding: identity', '0\r\n\r\n'],
    ['Transfer-Encoding: gzip', '0\r\n\r\n'],
    ['Transfer-Encoding: gzip, chunked', '0\r\n\r\n'],
    ['Transfer-Encoding: chunked, identity', '0\r\n\r\n'],
    ['Transfer-Encoding: chunked, chunked', '0\r\n\r\n'],
    ['Transfer-Encoding: identity\r\nTransfer-Encoding: chunked', '0\r\n\r\n'],
    ['Transfer-Encoding: chunked\r\nTransfer-Encoding: identity', '0\r\n\r\n'],
    ['Transfer-Encoding: chunked', '0\r\n\r\n', 'GET /livez HTTP/1.0'],
    ['X: a\r\n b'],
    ['X: a\nY: b'],
    ['X: a\rTransfer-Encoding: chunked', '0\r\n\r\n'],
    ['X: a\x00b'],
    [' X: a'],
    ['X'],
  ]
  for (const [headers, body, line] of refused) {
    it(`is refused: ${JSON.stringify(headers)}${line === undefined ? '' : ` with ${line}`}`, () =>
      assertRefused(request(headers, body, line), 400))
  }

  it('is never taken for a request: what a body holds is not answered', async () => {
    const inner = 'GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n'
    for (const headers of [
      '',
      'Expect: 100-continue\r\n',
      'Connection: close, upgrade\r\nUpgrade: websocket\r\n',
    ]) {
      for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST']) {
        const sent = `${method} /livez HTTP/1.1\r\nHost: x\r\n${headers}Content-Length: ${inner.length}\r\n\r\n${inner}${next}`
        const received = await exchange(sent)
        assert.doesNotMatch(received.body, /tripfolio_|process_cpu/, `${method} ${headers}`)
      }
    }
  })
})
