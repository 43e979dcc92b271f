import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { Problem } from '../kernel/problem.ts'
import { requestHeader } from './request-headers.ts'
import { openSender } from './send-request.ts'
import { targetRules } from './target.ts'

describe('a header of a request', () => {
  for (const [name, value, code] of [
    ['X-Id', 'a b', null],
    ['x-id', '', null],
    ['x-id', 'caf\u00e9', null],
    ['', 'a', 'OUT116'],
    ['x id', 'a', 'OUT116'],
    ['x-id:', 'a', 'OUT116'],
    ['x\r\ny', 'a', 'OUT116'],
    ['x-id', 'a\r\nx-other: b', 'OUT116'],
    ['x-id', 'a\nb', 'OUT116'],
    ['x-id', 'a\0', 'OUT116'],
    ['x-id', '\u20ac', 'OUT116'],
    ['Host', 'a', 'OUT116'],
    ['content-length', '1', 'OUT116'],
    ['Transfer-Encoding', 'chunked', 'OUT116'],
    ['connection', 'close', 'OUT116'],
    ['Accept-Encoding', 'gzip', 'OUT116'],
    ['Expect', '100-continue', 'OUT116'],
    ['Keep-Alive', 'timeout=5', 'OUT116'],
    ['Proxy-Authorization', 'Basic eDp5', 'OUT116'],
    ['Proxy-Connection', 'close', 'OUT116'],
    ['TE', 'trailers', 'OUT116'],
    ['Trailer', 'x-id', 'OUT116'],
    ['Upgrade', 'h2c', 'OUT116'],
    ['Tripfolio-Call-Depth', '1', 'OUT116'],
    ['\ufeffx-id', 'a', 'OUT116'],
    ['x-id', '\ufeffa', 'OUT116'],
  ] as const) {
    it(`${JSON.stringify(name)}: ${JSON.stringify(value)} is ${code ?? 'sent'}`, () => {
      const work = () => requestHeader(name, value)
      if (code === null) assert.deepEqual(work(), [name.toLowerCase(), value])
      else assert.throws(work, { code })
    })
  }

  it('that is refused does not show its value', () => {
    assert.throws(
      () => requestHeader('x-key', 'canary\n'),
      (problem) => problem instanceof Problem && !`${problem.message}${problem.hint}`.includes('canary'),
    )
  })

  it('arrives as it was given, alone in its line, or is refused', async (test) => {
    const heads: string[] = []
    const server = createServer((socket) => {
      socket.once('data', (bytes) => {
        heads.push(bytes.toString('latin1'))
        socket.end('HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n')
      })
      socket.on('error', () => undefined)
    }).listen(0, '127.0.0.1')
    test.after(() => void server.close())
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const send = openSender(targetRules('127.0.0.1'))
    const part = fc.string({
      unit: fc.constantFrom('a', 'B', '-', ':', ' ', '\t', '\r', '\n', '\0', '\u00e9', '\u20ac'),
      maxLength: 6,
    })
    await fc.assert(
      fc.asyncProperty(part, part, async (suffix, value) => {
        let header: readonly [string, string]
        try {
          header = requestHeader(`x${suffix}`, value)
        } catch (cause) {
          assert.ok(cause instanceof Problem)
          return
        }
        const url = `http://127.0.0.1:${port}/`
        const headers = Object.fromEntries([header])
        await send({ method: 'GET', url, headers, body: null, timeoutMs: 5000, mostBodyBytes: 0 })
        const lines = (heads.at(-1) as string).split('\r\n')
        const [request, ...rest] = lines.slice(0, -2)
        assert.equal(request, 'GET / HTTP/1.1')
        assert.deepEqual(
          rest.map((line) => line.slice(0, line.indexOf(':')).toLowerCase()).sort(),
          ['accept-encoding', 'connection', 'host', header[0]].sort(),
        )
        assert.ok(rest.includes(`${header[0]}: ${header[1]}`))
      }),
      { numRuns: 60 },
    )
  })
})
