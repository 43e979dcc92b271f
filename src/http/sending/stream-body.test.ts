import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Writable } from 'node:stream'
import { describe, it } from 'node:test'
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises'
import { ReusedMemory } from './chunk-memory.ts'
import { streamBody } from './stream-body.ts'

const CHUNK_BYTES = 40_000

/** A writer that reads each chunk until it calls back. */
function slowSink(delay: () => Promise<unknown>) {
  const received: Buffer[] = []
  const sink = new Writable({
    highWaterMark: 3 * CHUNK_BYTES,
    write(chunk: Buffer, _encoding, done) {
      delay().then(() => {
        received.push(Buffer.from(chunk))
        done()
      })
    },
  })
  return { sink, received }
}

/** Chunks of one digit each, and the memory that each was in. */
function digits(count: number, memory: ReusedMemory) {
  const rooms = new Set<ArrayBufferLike>()
  let ended = false
  function* chunks(): Generator<Buffer, void, undefined> {
    try {
      for (let i = 0; i < count; i++) {
        const chunk = memory.take(CHUNK_BYTES + (i % 3)).fill(`${i % 10}`)
        rooms.add(chunk.buffer)
        yield chunk
      }
    } finally {
      ended = true
    }
  }
  return { chunks: chunks(), rooms, hasEnded: () => ended }
}

const watch = (memory: ReusedMemory) => ({
  onChunk: () => undefined,
  onTaken: (chunk: Uint8Array) => memory.release(chunk),
  onFailure: (cause: unknown) => assert.fail(String(cause)),
})

describe('streamBody', () => {
  for (const [reader, delay] of [
    ['fast', () => Promise.resolve()],
    ['slow', () => wait(1)],
    ['turning', () => turn()],
  ] as const) {
    it(`sends every byte to a ${reader} reader, from memory that is reused`, async () => {
      const memory = new ReusedMemory(2 ** 20)
      const { sink, received } = slowSink(delay)
      const source = digits(40, memory)
      streamBody({ chunks: source.chunks, sink, ...watch(memory) })
      await once(sink, 'finish')
      assert.equal(received.length, 40)
      for (const [i, chunk] of received.entries()) {
        assert.deepEqual(chunk, Buffer.alloc(CHUNK_BYTES + (i % 3), `${i % 10}`))
      }
      assert.ok(source.rooms.size <= 4, `${source.rooms.size} rooms`)
    })
  }

  it('builds no more than the sink has room for', async () => {
    const memory = new ReusedMemory(2 ** 20)
    const { sink } = slowSink(() => new Promise(() => undefined))
    const source = digits(100, memory)
    streamBody({ chunks: source.chunks, sink, ...watch(memory) })
    await wait(10)
    assert.equal(source.rooms.size, 3)
    sink.destroy()
  })

  it('ends the chunks of a reader that left, and does not reuse memory that may still be read', async () => {
    const memory = new ReusedMemory(2 ** 20)
    const { sink } = slowSink(() => new Promise(() => undefined))
    const source = digits(100, memory)
    streamBody({ chunks: source.chunks, sink, ...watch(memory) })
    sink.destroy()
    await once(sink, 'close')
    assert.ok(source.hasEnded())
    assert.ok(!source.rooms.has(memory.take(CHUNK_BYTES).buffer))
  })

  it('destroys the sink when building a chunk fails, immediately or later', async () => {
    for (const successes of [0, 20]) {
      const memory = new ReusedMemory(2 ** 20)
      const { sink, received } = slowSink(() => turn())
      const cause = new Error('No such row')
      function* chunks(): Generator<Uint8Array, void, undefined> {
        yield* digits(successes, memory).chunks
        throw cause
      }
      const failures: unknown[] = []
      const onFailure = (failure: unknown) => failures.push(failure)
      streamBody({ chunks: chunks(), sink, ...watch(memory), onFailure })
      if (!sink.closed) await once(sink, 'close')
      assert.deepEqual(failures, [cause])
      assert.ok(received.length <= successes)
      assert.ok(!sink.writableFinished)
    }
  })

  it('waits for chunks that are promises, and ends their iterator when the reader leaves', async () => {
    let ended = 0
    async function* chunks() {
      try {
        for (let i = 0; i < 40; i++) {
          await turn()
          yield Buffer.alloc(CHUNK_BYTES, `${i % 10}`)
        }
      } finally {
        ended++
      }
    }
    const memory = new ReusedMemory(2 ** 20)
    const { sink, received } = slowSink(() => turn())
    streamBody({ chunks: chunks(), sink, ...watch(memory) })
    await once(sink, 'finish')
    assert.equal(received.length, 40)
    for (const [i, chunk] of received.entries())
      assert.deepEqual(chunk, Buffer.alloc(CHUNK_BYTES, `${i % 10}`))
    const left = slowSink(() => new Promise(() => undefined))
    streamBody({ chunks: chunks(), sink: left.sink, ...watch(memory) })
    left.sink.destroy()
    await once(left.sink, 'close')
    while (ended < 2) await turn()
  })

  it('destroys the sink when an awaited chunk fails', async () => {
    const cause = new Error('The connection was lost')
    async function* chunks(): AsyncGenerator<Uint8Array, void, undefined> {
      yield Buffer.alloc(10)
      throw cause
    }
    const failures: unknown[] = []
    const { sink } = slowSink(() => turn())
    const onFailure = (failure: unknown) => failures.push(failure)
    streamBody({ chunks: chunks(), sink, ...watch(new ReusedMemory(2 ** 20)), onFailure })
    if (!sink.closed) await once(sink, 'close')
    assert.deepEqual([failures, sink.writableFinished], [[cause], false])
  })

  it('lets other work run, however fast the reader is', async () => {
    const memory = new ReusedMemory(2 ** 20)
    let written = 0
    const sink = new Writable({
      write(chunk: Buffer, _encoding, done) {
        written += chunk.length
        done()
      },
    })
    streamBody({ chunks: digits(500, memory).chunks, sink, ...watch(memory) })
    await turn()
    assert.ok(written < 5_000_000, `${written} bytes in one turn`)
    await once(sink, 'finish')
  })
})

describe('ReusedMemory', () => {
  it('returns memory that is large enough and not in use', () => {
    const memory = new ReusedMemory(2 ** 20)
    const [small, large] = [memory.take(10_000), memory.take(100_000)]
    memory.release(small)
    memory.release(large)
    assert.equal(memory.take(90_000).buffer, large.buffer)
    assert.notEqual(memory.take(90_000).buffer, large.buffer)
    assert.equal(memory.take(20_000).buffer, small.buffer)
  })

  it('keeps at most its limit', () => {
    const memory = new ReusedMemory(100_000)
    const rooms = [memory.take(60_000), memory.take(60_000)]
    for (const room of rooms) memory.release(room)
    assert.equal(memory.take(60_000).buffer, rooms[0]?.buffer)
    assert.notEqual(memory.take(60_000).buffer, rooms[1]?.buffer)
  })
})
