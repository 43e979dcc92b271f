import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { PassThrough } from 'node:stream'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { defaultHttpLimits } from '../server.ts'
import { account, apiKey, exchange, startServer, until } from '../testing/server.ts'
import { openPlaces } from './connection-places.ts'

const livez = 'GET /livez HTTP/1.1\r\nHost: x\r\n\r\n'
const list = `GET /api/v2/bookings HTTP/1.1\r\nHost: x\r\nX-API-Key: ${apiKey}\r\n\r\n`
const rotate = 'POST /api/v2/service-accounts/me/rotate-api-key HTTP/1.1\r\nHost: x\r\n'

describe('a stream of events', () => {
  it('ends when its reader stops, however many events are still to come', async (t) => {
    let isOver = false
    const { port, observations } = await startServer(t, {
      limits: { ...defaultHttpLimits, readerIdleMs: 500 },
      plugins: [
        (scope) =>
          void scope.get('/events', (_request, reply) => {
            const output = new PassThrough()
            const beat = setInterval(() => {
              if (!output.writableNeedDrain) output.write(`:${' '.repeat(2 ** 16)}\n\n`)
            }, 1)
            reply.raw.once('close', () => {
              isOver = true
              clearInterval(beat)
            })
            return reply.type('text/event-stream').send(output)
          }),
      ],
    })
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => undefined)
    socket.write('GET /events HTTP/1.1\r\nHost: x\r\n\r\n')
    await once(socket, 'readable')
    await until(() => isOver)
    const cutOff = observations.filter(({ kind }) => kind === 'readers-cut-off')
    assert.deepEqual(cutOff, [{ kind: 'readers-cut-off', readers: 1, seconds: 0.5, reason: 'idle' }])
    socket.destroy()
  })
})

describe('a server that closes', () => {
  it('answers all requests that arrived together on one connection, and the last answer ends it', async (t) => {
    const held = Promise.withResolvers<null>()
    const { port, server } = await startServer(t, {
      authenticate: () => account,
      rotateOwnKey: () => held.promise,
    })
    const exchanged = exchange(port, `${rotate}\r\n`.repeat(3))
    await once(server.server, 'request')
    const closing = server.close()
    await until(() => !server.server.listening)
    held.resolve(null)
    const text = await exchanged
    const heads = [...text.matchAll(/HTTP\/1\.1 (\d+)|\r\nconnection: ([a-z-]+)/gi)].map(
      (head) => head[1] ?? head[2],
    )
    assert.deepEqual(heads, ['401', 'keep-alive', '401', 'keep-alive', '401', 'close'])
    await closing
  })

  it('answers a request whose body it has not read yet, however long that takes', async (t) => {
    const held = Promise.withResolvers<void>()
    const { port, server } = await startServer(t, {
      plugins: [
        (scope) => {
          scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
          scope.post('/slow', async ({ raw }) => {
            await held.promise
            let bytes = 0
            for await (const chunk of raw) bytes += (chunk as Buffer).length
            return { bytes }
          })
        },
      ],
    })
    const bytes = 2 ** 20
    const head = `POST /slow HTTP/1.1\r\nHost: x\r\nContent-Type: a/b\r\nContent-Length: ${bytes}\r\n\r\n`
    const exchanged = exchange(port, head + 'x'.repeat(bytes))
    await once(server.server, 'request')
    const closing = server.close()
    // Longer than the pause that a caller may make.
    await wait(1500)
    held.resolve()
    assert.match(await exchanged, /^HTTP\/1\.1 200 .*\{"bytes":1048576\}$/s)
    await closing
  })

  it('does not wait for connections on which nothing, or only half a request, has arrived', async (t) => {
    const { port, server } = await startServer(t)
    const sent = ['', 'GET / HT', `${rotate}X-API-Key: ${apiKey}\r\nContent-Length: 9\r\n\r\nx`]
    let accepted = 0
    server.server.on('connection', () => {
      accepted++
    })
    const exchanged = sent.map((text) => exchange(port, text))
    await until(() => accepted === sent.length)
    await server.close()
    assert.deepEqual(await Promise.all(exchanged), ['', '', ''])
  })
})

describe('a caller that leaves in the middle of a body', () => {
  it('is not reported as a failure of the service', async (t) => {
    const { port, observations } = await startServer(t)
    const socket = connect(port, '127.0.0.1')
    socket.write(`${rotate}X-API-Key: ${apiKey}\r\nContent-Length: 9\r\n\r\nx`)
    await once(socket, 'connect')
    socket.end()
    await until(() => observations.some(({ kind }) => kind === 'request-answered'))
    assert.ok(observations.every(({ kind }) => kind !== 'request-failed'))
  })
})

describe('a connection beyond the limit', () => {
  it('is closed when it sends no request, and the oldest one is closed when others arrive', async (t) => {
    const { port, observations } = await startServer(t, { places: openPlaces({ total: 1, perAddress: 0 }) })
    const first = connect(port, '127.0.0.1')
    first.write(livez.slice(0, 20))
    await once(first, 'connect')
    const spare = Array.from({ length: 9 }, () => connect(port, '127.0.0.1'))
    for (const socket of spare) socket.resume().on('error', () => undefined)
    await once(spare[0] as (typeof spare)[number], 'close')
    const text = await exchange(port, list)
    assert.match(text, /^HTTP\/1\.1 503 .*connection: close.*Too many connections/is)
    const told = () => observations.find((one) => one.kind === 'request-answered' && one.status === 503)
    await until(() => told() !== undefined)
    assert.partialDeepStrictEqual(told(), { problem: 'SRV140' })
    assert.match(await exchange(port, livez), /^HTTP\/1\.1 200 .*connection: close/is)
    await Promise.all(spare.map((socket) => socket.closed || once(socket, 'close')))
    first.destroy()
  })
})
