import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { Notification } from '../schema/directory-shapes.ts'
import { type EventSource, EventStreams, eventText, type StreamPace } from './event-streams.ts'

const READER = 'user:ann@example.com'
const encode = (event: Notification) => eventText('notification', event.sequence, event)
const briskly: StreamPace = { lookMs: 1, heartbeatMs: 600_000, retryMs: 7 }

/** A store in memory: sequence numbers grow, and each reader sees their own notifications and those for all users. */
class Board {
  readonly all: Notification[] = []
  looks = 0
  failure: Error | null = null

  post(audience: string | null = null, message = ''): Notification {
    const notification: Notification = {
      id: crypto.randomUUID(),
      sequence: this.all.length + 1,
      audience,
      title: `Number ${this.all.length + 1}`,
      message,
      type: 'Info',
      link: null,
      createdAt: '2026-01-02T03:04:05.678Z',
      createdBy: 'test',
      readAt: null,
    }
    this.all.push(notification)
    return notification
  }

  async newestSequence(): Promise<number> {
    this.looks++
    await turn()
    if (this.failure !== null) throw this.failure
    return this.all.length
  }

  async after(reader: string, sequence: number, limit: number): Promise<Notification[]> {
    await turn()
    const seen = ({ audience }: Notification) => audience === null || audience === reader
    return this.all.filter((one) => one.sequence > sequence && seen(one)).slice(0, limit)
  }
}

type Stage = {
  readonly board: Board
  readonly streams: EventStreams<Notification>
  readonly failures: unknown[]
  /** Opens a stream over a real connection. Its bytes are not read until the test reads them. */
  readonly listen: (options?: {
    last?: number
    expiresAt?: number
    reader?: string
  }) => Promise<IncomingMessage>
}

/** The events for each reader alone, counted by themselves. */
function numberedByReader(board: Board): EventSource<Notification> {
  const own = (reader: string) => board.all.filter(({ audience }) => audience === reader)
  return {
    newestSequence: () => board.newestSequence(),
    newestOf: async (reader) => own(reader).length,
    after: async (reader, sequence) =>
      own(reader)
        .map((event, at) => ({ ...event, sequence: at + 1 }))
        .slice(sequence),
  }
}

async function stage(
  t: TestContext,
  pace: Partial<StreamPace> = {},
  sourceOf: (board: Board) => EventSource<Notification> = (board) => board,
): Promise<Stage> {
  const board = new Board()
  const streams = new EventStreams(sourceOf(board), encode, { ...briskly, ...pace })
  const failures: unknown[] = []
  const server = createServer(async (request, response) => {
    const asked = new URL(request.url as string, 'http://localhost').searchParams
    const output = await streams.open({
      reader: asked.get('reader') as string,
      last: asked.has('last') ? Number(asked.get('last')) : null,
      expiresAt: Number(asked.get('expiresAt')),
      response,
      onFailure: (cause) => void failures.push(cause),
    })
    output.pipe(response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const responses: IncomingMessage[] = []
  t.after(async () => {
    // A client that does not read does not notice that the connection is closed.
    for (const response of responses) response.destroy()
    server.closeAllConnections()
    server.close()
    // The timers of one test must be cleared before the next test sets its own.
    await allGone(streams)
  })
  return {
    board,
    streams,
    failures,
    listen: async ({ last, reader = READER, expiresAt = Date.now() + 3_600_000 } = {}) => {
      const query = new URLSearchParams({ reader, expiresAt: String(expiresAt) })
      if (last !== undefined) query.set('last', String(last))
      const { port } = server.address() as AddressInfo
      const request = get({ port, host: '127.0.0.1', path: `/?${query}`, agent: false })
      request.on('error', () => undefined)
      const [response] = (await once(request, 'response')) as [IncomingMessage]
      response.on('error', () => undefined)
      responses.push(response)
      return response
    },
  }
}

/** Reads until the text is there. */
async function until(response: IncomingMessage, expected: string): Promise<string> {
  const chunks: string[] = []
  let end = ''
  response.setEncoding('utf8')
  for await (const chunk of response.iterator({ destroyOnReturn: false })) {
    chunks.push(chunk)
    // Only the new part is searched, because some of these streams are long.
    end = end.slice(-expected.length) + chunk
    if (end.includes(expected)) return chunks.join('')
  }
  assert.fail(`The stream ended without '${expected}'`)
}

async function rest(response: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of response) text += chunk
  return text
}

const numbersIn = (text: string): number[] =>
  [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data as string).sequence)

async function allGone(streams: EventStreams<Notification>): Promise<void> {
  while (streams.size > 0) await turn()
}

describe('a stream of notifications', () => {
  it('shows a reader whose events have numbers of their own nothing of the events of others', async (t) => {
    const { board, listen } = await stage(t, { heartbeatMs: 5 }, numberedByReader)
    for (let i = 0; i < 3; i++) board.post('user:ben@example.com')
    const response = await listen()
    const told = [await until(response, ':\nid: 0\n')]
    board.post('user:ben@example.com')
    told.push(await until(response, ':\nid: 0\n'), await until(response, ':\nid: 0\n'))
    board.post(READER)
    told.push(await until(response, ':\nid: 1\n'))
    assert.deepEqual(new Set(told.join('').match(/^id: .*$/gm)), new Set(['id: 0', 'id: 1']))
    const again = await until(await listen({ last: 0 }), 'event: notification')
    assert.match(again, /^retry: 7\nid: 0\n\n(:\nid: 0\n\n)*id: 1\nevent/)
  })

  it('begins with the delay for reconnecting and the last sequence number', async (t) => {
    const { board, listen } = await stage(t)
    board.post()
    assert.equal(await until(await listen(), '\n\n'), 'retry: 7\nid: 1\n\n')
  })

  it('sends new notifications as events', async (t) => {
    const { board, listen } = await stage(t)
    board.post()
    const response = await listen()
    const made = board.post(null, 'two\nlines')
    const text = await until(response, 'data:')
    assert.ok(text.endsWith(`id: 2\nevent: notification\ndata: ${JSON.stringify(made)}\n\n`), text)
    board.post()
    assert.deepEqual(numbersIn(await until(response, 'id: 3')), [3])
  })

  it('sends all notifications after the last one that the reader has, however many', async (t) => {
    const { board, listen } = await stage(t)
    for (let i = 0; i < 350; i++) board.post()
    const text = await until(await listen({ last: 10 }), 'id: 350')
    assert.deepEqual(
      numbersIn(text),
      Array.from({ length: 340 }, (_, i) => i + 11),
    )
  })

  it('does not send notifications for other users', async (t) => {
    const { board, listen } = await stage(t)
    const [ann, ben] = [await listen(), await listen({ reader: 'user:ben@example.com' })]
    board.post('user:ben@example.com')
    board.post(READER)
    board.post()
    assert.deepEqual(numbersIn(await until(ann, 'id: 3')), [2, 3])
    assert.deepEqual(numbersIn(await until(ben, 'id: 3')), [1, 3])
  })

  it('sends a notification that the opening of another stream found first', async (t) => {
    const { board, listen } = await stage(t, { lookMs: 600_000 })
    const first = await listen()
    board.post()
    await listen()
    assert.deepEqual(numbersIn(await until(first, 'id: 1')), [1])
  })

  it('takes a number beyond the newest for the newest', async (t) => {
    const { board, listen } = await stage(t)
    board.post()
    const response = await listen({ last: 99 })
    board.post()
    assert.deepEqual(numbersIn(await until(response, 'id: 2')), [2])
  })

  it('sends heartbeats with the position of the reader, also past what is for others', async (t) => {
    const { board, listen } = await stage(t, { heartbeatMs: 1 })
    const response = await listen()
    assert.ok(await until(response, '\n:\nid: 0\n\n:\nid: 0\n\n'))
    board.post('user:ben@example.com')
    assert.ok(await until(response, '\n:\nid: 1\n\n'))
  })

  it('ends when the token expires, also when it has expired already', async (t) => {
    const { listen, streams } = await stage(t)
    await rest(await listen({ expiresAt: Date.now() + 20 }))
    await rest(await listen({ expiresAt: 0 }))
    await allGone(streams)
  })

  it('lasts with a token that expires in many years', async (t) => {
    const { board, listen } = await stage(t)
    const response = await listen({ expiresAt: Date.now() + 1e12 })
    board.post()
    assert.deepEqual(numbersIn(await until(response, 'id: 1')), [1])
  })

  it('is removed when its reader disconnects, and the polling stops', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const { board, listen, streams } = await stage(t)
    const responses = [await listen(), await listen()]
    assert.equal(streams.size, 2)
    for (const response of responses) response.destroy()
    await allGone(streams)
    t.mock.timers.tick(100 * briskly.lookMs)
    assert.equal(board.looks, responses.length, 'one for each that opened')
  })

  it('is not kept when its reader has disconnected before it opens', async (t) => {
    const { streams } = await stage(t)
    const opened = Promise.withResolvers<void>()
    const server = createServer(async (_, response) => {
      await once(response, 'close')
      const expiresAt = Date.now() + 3_600_000
      await streams.open({ reader: READER, last: null, expiresAt, response, onFailure: opened.reject })
      opened.resolve()
    }).listen(0, '127.0.0.1')
    t.after(() => server.close())
    await once(server, 'listening')
    const request = get({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', agent: false })
    request.on('error', () => undefined)
    await once(server, 'request')
    request.destroy()
    await opened.promise
    assert.equal(streams.size, 0)
  })

  it('shares one polling with all other streams', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const { board, listen } = await stage(t)
    for (let i = 0; i < 5; i++) await listen()
    assert.equal(board.looks, 5, 'one for each that opened')
    t.mock.timers.tick(briskly.lookMs)
    assert.equal(board.looks, 6)
  })

  it('waits for a slow reader, and leaves nothing out', async (t) => {
    const { board, listen } = await stage(t)
    for (let i = 0; i < 12; i++) board.post(null, 'x'.repeat(2 ** 20))
    board.post()
    const text = await until(await listen({ last: 0 }), '"title":"Number 13"')
    assert.deepEqual(
      [...text.matchAll(/^id: (\d+)$/gm)].map(([, number]) => Number(number)),
      Array.from({ length: 14 }, (_, i) => i),
    )
  })

  it('is cut off when its reader does not read', async (t) => {
    const { board, listen, streams } = await stage(t, { heartbeatMs: 10 })
    const response = await listen({ last: 0 })
    response.pause()
    for (let i = 0; i < 40; i++) board.post(null, 'x'.repeat(2 ** 20))
    await allGone(streams)
    assert.ok(!response.readableEnded)
  })

  it('ends when the store fails, and the failure is reported', async (t) => {
    const { board, listen, failures, streams } = await stage(t)
    const response = await listen()
    board.failure = new Error('The disk is gone')
    await rest(response)
    await allGone(streams)
    assert.deepEqual(failures, [board.failure])
  })

  it('ends when the server closes, also when it is opened later', async (t) => {
    const { listen, streams } = await stage(t)
    const response = await listen()
    streams.close()
    await rest(response)
    assert.equal(await rest(await listen()), 'retry: 7\nid: 0\n\n')
    await allGone(streams)
  })

  it('is cut off when the server closes and its reader does not read', async (t) => {
    const { board, listen, streams } = await stage(t)
    // More than the buffers of the operating system hold.
    board.post(null, 'x'.repeat(2 ** 25))
    const response = await listen({ last: 0 })
    await until(response, 'event: notification')
    response.pause()
    streams.close()
    await allGone(streams)
    assert.ok(!response.readableEnded)
  })
})
