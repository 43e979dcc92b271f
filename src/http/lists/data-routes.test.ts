import assert from 'node:assert/strict'
import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import type { Cancellation } from '../../kernel/cancellation.ts'
import type { DataRequest } from '../../read/answer.ts'
import { apiKey, record, snapshot, standInAnswer, startServer, until } from '../testing/server.ts'

const listHeaders = {
  etag: '"2-bookings"',
  'last-modified': 'Fri, 02 Jan 2026 03:04:05 GMT',
  'cache-control': 'private, no-cache',
  vary: 'X-API-Key, Authorization, Accept, Accept-Encoding, Snapshot-Id',
  'snapshot-id': snapshot.id,
  'x-content-type-options': 'nosniff',
}

const headersOf = (response: Response, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, response.headers.get(name)]))

describe('the envelope', () => {
  it('holds the client, the count and the records, in the order of the specification', async (t) => {
    const { get } = await startServer(t, { recordCount: 2 })
    for (const dataset of ['bookings', 'invoices', 'itineraries']) {
      const records = `${JSON.stringify(record(0))},${JSON.stringify(record(1))}`
      const response = await get(`/api/v2/${dataset}`)
      assert.equal(response.status, 200)
      assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8')
      assert.equal(await response.text(), `{"clientNumber":"C01234","count":2,"${dataset}":[${records}]}`)
    }
  })

  it('ends with the totals of a page, in a fixed order', async (t) => {
    const { get } = await startServer(t)
    const text = await (await get('/api/v2/bookings?$pageSize=3')).text()
    const meta = '{"page":1,"pageSize":3,"total":10,"totalPages":4,"filteredCount":10}'
    assert.ok(text.endsWith(`],"_meta":${meta}}`), text.slice(-120))
  })

  it('has only the totals without paging', async (t) => {
    const { get } = await startServer(t)
    const body = await (await get('/api/v2/bookings?$filter=any')).text()
    assert.ok(body.endsWith('],"_meta":{"total":10,"filteredCount":10}}'), body.slice(-120))
  })

  it('is empty for a client without records', async (t) => {
    const { get } = await startServer(t, { recordCount: 0 })
    assert.equal(
      await (await get('/api/v2/invoices')).text(),
      '{"clientNumber":"C01234","count":0,"invoices":[]}',
    )
  })
})

describe('the address of a list', () => {
  for (const path of ['/API/V2/Bookings', '/api/v2/bookings/', '/api/v2/book%69ngs']) {
    it(`may be written ${path}`, async (t) => {
      const { get, asked } = await startServer(t)
      assert.equal((await get(path)).status, 200)
      assert.equal(asked[0]?.list, 'bookings')
    })
  }

  it('may be absolute, as a proxy sends it', async (t) => {
    const { port, asked } = await startServer(t)
    const status = await new Promise((resolve, reject) => {
      const path = 'http://example.test/api/v2/invoices?$page=2'
      httpRequest({ port, host: '127.0.0.1', path, headers: { 'X-API-Key': apiKey } }, (response) => {
        response.resume()
        resolve(response.statusCode)
      })
        .on('error', reject)
        .end()
    })
    assert.equal(status, 200)
    assert.deepEqual(asked[0]?.parameters(), [['$page', '2']])
  })

  it('passes parameters decoded, in their order, repetitions included', async (t) => {
    const { get, asked } = await startServer(t)
    await get('/api/v2/bookings?%24filter=a+eq+%27%C3%A9%27&x&page=1&$page=2')
    assert.deepEqual(asked[0]?.parameters(), [
      ['$filter', "a eq 'é'"],
      ['x', ''],
      ['page', '1'],
      ['$page', '2'],
    ])
  })

  it('reads the records of the account of the key', async (t) => {
    const { get, asked } = await startServer(t)
    await get('/api/v2/bookings?clientNumber=OTHER')
    assert.equal(asked[0]?.principal.clientNumber, 'C01234')
  })
})

describe('the headers of a list', () => {
  it('say how to cache it and which snapshot it is from', async (t) => {
    const { get } = await startServer(t)
    const response = await get('/api/v2/bookings')
    const body = await response.arrayBuffer()
    assert.deepEqual(headersOf(response, Object.keys(listHeaders)), listHeaders)
    assert.equal(response.headers.get('content-length'), String(body.byteLength))
  })

  it('are the same on a streamed list, except for the length', async (t) => {
    const { get } = await startServer(t, { recordCount: 2000 })
    const response = await get('/api/v2/bookings')
    assert.equal(((await response.json()) as { bookings: [] }).bookings.length, 2000)
    assert.deepEqual(headersOf(response, Object.keys(listHeaders)), listHeaders)
    assert.equal(response.headers.get('content-length'), null)
  })

  it('include the length of a large page', async (t) => {
    const { get } = await startServer(t, { recordCount: 1000 })
    const response = await get('/api/v2/bookings?$pageSize=500')
    const body = await response.arrayBuffer()
    assert.equal(response.headers.get('content-length'), String(body.byteLength))
  })
})

describe('a copy that is still good', () => {
  const conditions: readonly (readonly [string, number])[] = [
    ['"2-bookings"', 304],
    ['"other", W/"2-bookings"', 304],
    ['*', 304],
    ['"v1"', 200],
  ]
  for (const [header, status] of conditions) {
    it(`If-None-Match: ${header} is answered ${status}`, async (t) => {
      const { get, pulled } = await startServer(t)
      const response = await get('/api/v2/bookings', { headers: { 'If-None-Match': header } })
      assert.equal(response.status, status)
      assert.deepEqual(headersOf(response, Object.keys(listHeaders)), listHeaders)
      assert.equal((await response.text()) === '', status === 304)
      assert.equal(pulled.chunks > 0, status === 200)
    })
  }

  it('does not hide a parameter that cannot be understood', async (t) => {
    const { get } = await startServer(t)
    const response = await get('/api/v2/bookings?$filter=wrong', { headers: { 'If-None-Match': '*' } })
    assert.equal(response.status, 400)
  })
})

describe('HEAD', () => {
  it('sends the headers of GET, including the length, without a body', async (t) => {
    const { get } = await startServer(t)
    const names = [...Object.keys(listHeaders), 'content-type', 'content-length']
    const head = await get('/api/v2/bookings', { method: 'HEAD' })
    assert.deepEqual(headersOf(head, names), headersOf(await get('/api/v2/bookings'), names))
    assert.equal(await head.text(), '')
  })

  it('builds a large collection only until it is known to be large, and ends it', async (t) => {
    const { get, pulled } = await startServer(t, { recordCount: 100_000 })
    const head = await get('/api/v2/bookings', { method: 'HEAD' })
    assert.deepEqual(headersOf(head, Object.keys(listHeaders)), listHeaders)
    assert.ok(pulled.chunks <= 17, `${pulled.chunks} chunks`)
    assert.equal(pulled.ended, true)
  })
})

describe('a large collection', () => {
  const recordCount = 60_000
  const ask = `GET /api/v2/bookings HTTP/1.1\r\nHost: x\r\nX-API-Key: ${apiKey}\r\nConnection: close\r\n\r\n`

  /** Requests everything, reads nothing, and waits until the socket buffers are full. */
  async function stall(port: number, server: { once: (event: 'request', listener: Listener) => unknown }) {
    const responding = new Promise<ServerResponse>((resolve) => {
      server.once('request', (_request, response) => resolve(response))
    })
    const reader = connect(port, '127.0.0.1')
    reader.pause()
    reader.write(ask)
    const socket = (await responding).socket
    assert.ok(socket)
    let written = 0
    for (let calm = 0; calm < 50; written = socket.bytesWritten) {
      await new Promise((resolve) => setImmediate(resolve))
      calm = socket.writableLength > 0 && socket.bytesWritten === written ? calm + 1 : 0
    }
    return { reader, socket }
  }
  type Listener = (request: IncomingMessage, response: ServerResponse) => void

  it('holds only a few chunks for a reader that pauses, and continues when the reader does', async (t) => {
    const { port, server, pulled } = await startServer(t, { recordCount })
    const { reader, socket } = await stall(port, server.server)
    const held = pulled.bytes - (socket.bytesWritten - socket.writableLength)
    assert.ok(held <= 4 * 64 * 1024 + 2048, `${held} bytes are held`)
    assert.equal(pulled.ended, false)
    let received = 0
    for await (const chunk of reader) received += chunk.length
    assert.ok(received > pulled.bytes, `${received} of ${pulled.bytes}`)
    assert.equal(pulled.ended, true)
  })

  it('is not built any further when its reader leaves', async (t) => {
    const { port, server, pulled, observations } = await startServer(t, { recordCount })
    const { reader } = await stall(port, server.server)
    const { chunks } = pulled
    reader.destroy()
    await until(() => observations.some(({ kind }) => kind === 'request-answered'))
    assert.equal(pulled.ended, true)
    assert.ok(pulled.chunks <= chunks + 1, `${pulled.chunks - chunks} more`)
    const answered = observations.find((one) => one.kind === 'request-answered')
    assert.ok(answered?.aborted)
  })

  it('is not computed any further when its reader leaves before the answer', async (t) => {
    let leaving: Cancellation | undefined
    const answer = async (request: DataRequest) => ({
      ...standInAnswer(request, 1, { chunks: 0, bytes: 0, ended: false }),
      // Like the engine: checks from time to time whether the caller still waits.
      execute: async (cancellation?: Cancellation) => {
        leaving = cancellation
        await until(() => cancellation?.aborted === true)
        throw new Error('cancelled')
      },
    })
    const { port, observations } = await startServer(t, { answer })
    const socket = connect(port, '127.0.0.1')
    socket.write(`GET /api/v2/bookings HTTP/1.1\r\nHost: x\r\nX-API-Key: ${apiKey}\r\n\r\n`)
    await until(() => leaving !== undefined)
    socket.destroy()
    await until(() => leaving?.aborted === true)
    await until(() => observations.some(({ kind }) => kind === 'request-answered'))
    assert.ok(observations.every(({ kind }) => kind !== 'request-failed'))
  })

  it('does not block other requests while it is read', async (t) => {
    const { get } = await startServer(t, { recordCount })
    const order: string[] = []
    const large = get('/api/v2/bookings')
      .then((response) => response.arrayBuffer())
      .then(() => order.push('large'))
    const small = get('/api/v2/bookings?$pageSize=1')
      .then((response) => response.arrayBuffer())
      .then(() => order.push('small'))
    await Promise.all([large, small])
    assert.deepEqual(order, ['small', 'large'])
  })

  it('is cut off without an end when building it fails, and the cause is reported', async (t) => {
    const { get, observations } = await startServer(t, { recordCount })
    const response = await get('/api/v2/bookings?$filter=breaks-off')
    assert.equal(response.status, 200)
    await assert.rejects(response.text())
    await until(() => observations.some(({ kind }) => kind === 'request-answered'))
    const failed = observations.find((one) => one.kind === 'request-failed')
    assert.ok(failed?.cause instanceof TypeError)
  })
})

describe('a header that cannot be sent', () => {
  it('is answered with an error and reported', async (t) => {
    const answer = async (request: DataRequest) => ({
      ...standInAnswer(request, 1, { chunks: 0, bytes: 0, ended: false }),
      etag: '"line\nfeed"',
    })
    const { get, observations } = await startServer(t, { answer })
    const response = await get('/api/v2/bookings')
    assert.equal(response.status, 500)
    assert.ok(observations.some(({ kind }) => kind === 'request-failed'))
  })
})
