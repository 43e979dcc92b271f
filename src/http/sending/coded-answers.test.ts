/** Formats and codings at the HTTP edge: buffered and streamed bodies, their headers, readers that pause or leave. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import type { DataRequest } from '../../read/answer.ts'
import { apiKey, type Pulled, snapshot, standInAnswer, startServer, until } from '../testing/server.ts'

type Reply = {
  readonly status: number | undefined
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

/** Returns the bytes as they were sent: fetch would decode them. */
function ask(port: number, path: string, headers: Record<string, string>, method = 'GET'): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const options = { port, host: '127.0.0.1', path, method, headers: { 'X-API-Key': apiKey, ...headers } }
    httpRequest(options, async (response) => {
      const chunks: Buffer[] = []
      try {
        for await (const chunk of response) chunks.push(chunk)
        resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) })
      } catch (broken) {
        reject(broken)
      }
    })
      .on('error', reject)
      .end()
  })
}

const decoders = { gzip: gunzipSync, zstd: zstdDecompressSync } as const
const codings = ['gzip', 'zstd'] as const

describe('an answer in a coding', () => {
  for (const coding of codings) {
    for (const [size, recordCount] of [
      ['small', 10],
      ['streamed', 5000],
    ] as const) {
      it(`is the same once decoded: ${size}, ${coding}`, async (t) => {
        const { port, observations } = await startServer(t, { recordCount })
        const plain = await ask(port, '/api/v2/bookings', {})
        const coded = await ask(port, '/api/v2/bookings', { 'Accept-Encoding': coding })
        assert.equal(coded.headers['content-encoding'], coding)
        assert.equal(coded.headers['content-type'], plain.headers['content-type'])
        assert.equal(coded.headers.etag, `"2-bookings-${coding}"`)
        assert.equal(plain.headers.etag, '"2-bookings"')
        const length = size === 'small' ? String(coded.body.length) : undefined
        assert.equal(coded.headers['content-length'], length)
        assert.ok(coded.body.length < plain.body.length / 2)
        assert.ok(decoders[coding](coded.body).equals(plain.body))
        await until(() => observations.filter(({ kind }) => kind === 'request-answered').length === 2)
        const bytes = observations.flatMap((one) => (one.kind === 'request-answered' ? [one.bytes] : []))
        assert.deepEqual(bytes, [plain.body.length, coded.body.length])
      })
    }

    it(`is cached for the next request in ${coding}, separately from the plain one`, async (t) => {
      let executed = 0
      const answer = async (request: DataRequest) => {
        const found = standInAnswer(request, 10, { chunks: 0, bytes: 0, ended: false })
        return {
          ...found,
          execute: () => {
            executed++
            return found.execute()
          },
        }
      }
      const { port } = await startServer(t, { answer })
      const replies: Reply[] = []
      for (let i = 0; i < 4; i++) {
        replies.push(await ask(port, '/api/v2/bookings?$format=csv', { 'Accept-Encoding': coding }))
      }
      assert.equal(executed, 2)
      for (const { headers, body } of replies) {
        const { date: _first, 'x-request-id': _id, ...first } = replies[0]?.headers ?? {}
        const { date: _next, 'x-request-id': _other, ...next } = headers
        assert.deepEqual(next, first)
        assert.equal(next['x-total-count'], '10')
        assert.ok(body.equals(replies[0]?.body as Buffer))
      }
      const plain = await ask(port, '/api/v2/bookings?$format=csv', {})
      assert.deepEqual([plain.headers['content-encoding'], executed], [undefined, 3])
    })
  }

  it('is sent uncompressed when it is small, with the plain tag, unless identity is refused', async (t) => {
    const { port } = await startServer(t, { recordCount: 1 })
    const small = await ask(port, '/api/v2/bookings', { 'Accept-Encoding': 'gzip' })
    assert.deepEqual([small.headers['content-encoding'], small.headers.etag], [undefined, '"2-bookings"'])
    const again = { 'Accept-Encoding': 'gzip', 'If-None-Match': small.headers.etag as string }
    assert.equal((await ask(port, '/api/v2/bookings', again)).status, 304)
    const coded = await ask(port, '/api/v2/bookings', { 'Accept-Encoding': 'gzip, identity;q=0' })
    assert.deepEqual([coded.headers['content-encoding'], coded.headers.etag], ['gzip', '"2-bookings-gzip"'])
    assert.ok(gunzipSync(coded.body).equals(small.body))
  })

  it('is one that each caller accepts, even when other codings of it are cached', async (t) => {
    const { port } = await startServer(t, { recordCount: 1 })
    const codingOf = async (accepted: string) =>
      (await ask(port, '/api/v2/bookings', { 'Accept-Encoding': accepted })).headers['content-encoding']
    for (let i = 0; i < 3; i++) assert.equal(await codingOf('gzip'), undefined)
    for (let i = 0; i < 3; i++) assert.equal(await codingOf('gzip, identity;q=0'), 'gzip')
    assert.equal(await codingOf('gzip'), undefined)
  })

  it('is not used for refusals and answers without a body', async (t) => {
    const { port } = await startServer(t)
    const headers = { 'Accept-Encoding': 'gzip', Accept: 'text/csv' }
    const refused = await ask(port, '/api/v2/bookings?$filter=wrong', headers)
    assert.deepEqual([refused.status, refused.headers['content-encoding']], [400, undefined])
    assert.equal(refused.headers['content-type'], 'application/json; charset=utf-8')
    const good = await ask(port, '/api/v2/bookings', { ...headers, 'If-None-Match': '"2-bookings-csv-gzip"' })
    assert.deepEqual([good.status, good.headers['content-encoding'], good.body.length], [304, undefined, 0])
    assert.equal(good.headers.etag, '"2-bookings-csv-gzip"')
    assert.equal(good.headers.vary, 'X-API-Key, Authorization, Accept, Accept-Encoding, Snapshot-Id')
  })
})

describe('HEAD of a format', () => {
  for (const [size, recordCount] of [
    ['small', 10],
    ['streamed', 100_000],
  ] as const) {
    it(`sends the headers of GET without a body, and builds little: ${size}`, async (t) => {
      const { port, pulled } = await startServer(t, { recordCount })
      const headers = { Accept: 'text/csv', 'Accept-Encoding': 'zstd' }
      const head = await ask(port, '/api/v2/bookings', headers, 'HEAD')
      assert.ok(pulled.chunks <= 17, `${pulled.chunks} chunks`)
      const get = await ask(port, '/api/v2/bookings', headers)
      for (const name of [
        'content-type',
        'content-encoding',
        'content-length',
        'content-disposition',
        'etag',
      ]) {
        assert.equal(head.headers[name], get.headers[name], name)
      }
      assert.equal(head.headers['content-type'], 'text/csv; charset=utf-8; header=present')
      assert.equal(head.headers['x-total-count'], String(recordCount))
      assert.equal(head.body.length, 0)
    })
  }
})

describe('the proposed file name', () => {
  it('has only characters that are safe in a file name and a header', async (t) => {
    const answer = async (request: DataRequest) => ({
      ...standInAnswer(request, 1, { chunks: 0, bytes: 0, ended: false }),
      clientNumber: '../C"1\r\né',
    })
    const { port } = await startServer(t, { answer })
    const names = []
    for (const format of ['json', 'ndjson', 'csv', 'arrow']) {
      const { headers } = await ask(port, `/api/v2/bookings?$format=${format}`, {})
      names.push(headers['content-disposition'])
    }
    const name = `bookings-___C_1___-${snapshot.id}`
    assert.deepEqual(names, [
      undefined,
      undefined,
      `attachment; filename="${name}.csv"`,
      `attachment; filename="${name}.arrows"`,
    ])
  })
})

describe('a large answer in a coding', () => {
  const CHUNK_BYTES = 64 * 1024
  const CHUNKS = 300

  /** Chunks that cannot be compressed, so that the socket buffers fill. */
  const incompressible = (pulled: Pulled) => async (request: DataRequest) => {
    const found = standInAnswer(request, CHUNKS, pulled)
    function* chunks() {
      try {
        while (pulled.chunks < CHUNKS) {
          pulled.chunks++
          pulled.bytes += CHUNK_BYTES
          yield randomBytes(CHUNK_BYTES)
        }
      } finally {
        pulled.ended = true
      }
    }
    return { ...found, execute: async () => ({ total: CHUNKS, count: CHUNKS, chunks }) }
  }

  async function stall(
    coding: string,
    port: number,
    server: { once: (event: 'request', on: Listener) => unknown },
  ) {
    const responding = new Promise<ServerResponse>((resolve) => {
      server.once('request', (_request, response) => resolve(response))
    })
    const reader = connect(port, '127.0.0.1')
    reader.pause()
    reader.write(
      `GET /api/v2/bookings?$format=csv HTTP/1.1\r\nHost: x\r\nX-API-Key: ${apiKey}\r\nAccept-Encoding: ${coding}\r\nConnection: close\r\n\r\n`,
    )
    const { socket } = await responding
    assert.ok(socket)
    let written = 0
    for (let calm = 0; calm < 200; written = socket.bytesWritten) {
      await new Promise((resolve) => setImmediate(resolve))
      calm = socket.writableLength > 0 && socket.bytesWritten === written ? calm + 1 : 0
    }
    return { reader, socket }
  }
  type Listener = (request: IncomingMessage, response: ServerResponse) => void

  for (const coding of codings) {
    it(`holds only a few chunks for a reader that pauses, and continues when the reader does: ${coding}`, async (t) => {
      const pulled: Pulled = { chunks: 0, bytes: 0, ended: false }
      const { port, server } = await startServer(t, { answer: incompressible(pulled) })
      const { reader, socket } = await stall(coding, port, server.server)
      const held = pulled.bytes - (socket.bytesWritten - socket.writableLength)
      assert.ok(held <= 16 * CHUNK_BYTES, `${held} bytes are held`)
      assert.equal(pulled.ended, false)
      let received = 0
      for await (const chunk of reader) received += chunk.length
      assert.ok(received > CHUNKS * CHUNK_BYTES, `${received}`)
      assert.equal(pulled.ended, true)
    })

    it(`is not built any further when its reader leaves, which is not a failure: ${coding}`, async (t) => {
      const pulled: Pulled = { chunks: 0, bytes: 0, ended: false }
      const { port, server, observations } = await startServer(t, { answer: incompressible(pulled) })
      const { reader } = await stall(coding, port, server.server)
      reader.destroy()
      await until(() => observations.some(({ kind }) => kind === 'request-answered') && pulled.ended)
      assert.ok(pulled.chunks < CHUNKS)
      const answered = observations.find((one) => one.kind === 'request-answered')
      assert.ok(answered?.aborted)
      assert.ok(observations.every(({ kind }) => kind !== 'request-failed'))
    })

    it(`is cut off when building it fails, and the cause is reported once: ${coding}`, async (t) => {
      const { port, observations } = await startServer(t, { recordCount: 60_000 })
      const path = '/api/v2/bookings?$filter=breaks-off'
      await assert.rejects(ask(port, path, { 'Accept-Encoding': coding }))
      await until(() => observations.some(({ kind }) => kind === 'request-answered'))
      const causes = observations.flatMap((one) => (one.kind === 'request-failed' ? [one.cause] : []))
      assert.deepEqual(
        causes.map((cause) => cause instanceof TypeError),
        [true],
      )
    })
  }
})
