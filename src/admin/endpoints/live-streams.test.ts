import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { LiveFeed } from '../../automation/live/live-feed.ts'
import type { LiveEvent } from '../../schema/execution-shapes.ts'
import { LiveStreams } from './live-streams.ts'

const line = (message: string): LiveEvent => ({
  event: 'log',
  ...{ id: 'r-1', endpointId: 'e-1', time: '2026-01-31T12:00:00.000Z', level: 'Information', message },
})

/** A stream over a feed that keeps few events. Nothing is read from it unless the test reads. */
function start({ heartbeatMs = 60_000 } = {}) {
  const feed = new LiveFeed({ events: 10, waitMs: 5 })
  let asked = 0
  const live = {
    open: async () => {
      feed.watch()
      return { node: 'here', sequence: feed.sequence, runs: [] }
    },
    events: (after: number) => {
      asked++
      return feed.after(after)
    },
  }
  const streams = new LiveStreams(live, { heartbeatMs, retryMs: 1 })
  const closing = new EventEmitter()
  const response = Object.assign(closing, {
    closed: false,
    destroy: () => closing.emit('close'),
  }) as unknown as ServerResponse
  const failures: unknown[] = []
  const output = streams.open({
    endpointId: undefined,
    expiresAt: Date.now() + 60_000,
    response,
    onFailure: (cause) => void failures.push(cause),
  })
  return { feed, streams, response, output, failures, asked: () => asked }
}

describe('a stream of live runs', () => {
  it('begins its answer with the list, after which nothing is missed', async () => {
    const { output, response } = start()
    const [first] = (await once(output, 'data')) as [Buffer]
    assert.match(first.toString(), /^retry: 1\n\nevent: list\n/)
    response.destroy()
  })

  it('asks for nothing more while its reader takes nothing, then tells what was missed and gives the list again', async () => {
    const { feed, output, asked, response, failures } = start()
    let text = ''
    output.on('data', (chunk: Buffer) => {
      text += chunk.toString()
    })
    const until = async (pattern: RegExp) => {
      while (!pattern.test(text)) await new Promise((resolve) => setTimeout(resolve, 1))
    }
    await until(/event: list/)
    output.pause()
    for (let i = 0; i < 10; i++) feed.add(line('x'.repeat(50_000)))
    await new Promise((resolve) => setTimeout(resolve, 20))
    const before = asked()
    for (let i = 0; i < 1000; i++) feed.add(line(`late ${i}`))
    await new Promise((resolve) => setTimeout(resolve, 20))
    assert.equal(asked(), before)
    assert.ok(output.readableLength + output.writableLength < 300_000, 'nothing piles up')
    text = ''
    output.resume()
    await until(/event: missed\ndata: {"events":9\d\d}\n\nevent: list/)
    feed.add(line('the newest'))
    await until(/the newest/)
    assert.deepEqual(failures, [])
    response.destroy()
  })

  it('cuts off a reader that takes nothing for long', async () => {
    const { feed, output, response, streams } = start({ heartbeatMs: 30 })
    const closed = once(response, 'close')
    while (streams.size === 0 || !feed.isWatched) await turn()
    for (let i = 0; i < 10; i++) feed.add(line('x'.repeat(50_000)))
    await closed
    assert.equal(streams.size, 0)
    assert.equal(output.destroyed, true)
  })

  it('shows that it is alive, and ends when the server closes', async () => {
    const { output, streams } = start({ heartbeatMs: 1 })
    let text = ''
    output.on('data', (chunk: Buffer) => {
      text += chunk.toString()
    })
    while (!/^:$/m.test(text)) await turn()
    const ended = once(output, 'end')
    streams.close()
    await ended
  })
})
