import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { LiveEvent } from '../../schema/execution-shapes.ts'
import { LEASE_MS, LiveFeed } from './live-feed.ts'

const line = (message: string): LiveEvent => ({
  event: 'log',
  ...{ id: 'r-1', endpointId: 'e-1', time: '2026-01-31T12:00:00.000Z', level: 'Information', message },
})

const messages = (events: readonly LiveEvent[]) =>
  events.map((event) => (event.event === 'log' ? event.message : event.event))

describe('the feed of live runs', () => {
  it('gives each watcher every event in order, or the number of those that are gone', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 8 }),
        fc.array(fc.nat(12), { minLength: 1, maxLength: 20 }),
        async (most, batches) => {
          const feed = new LiveFeed({ events: most, waitMs: 0 })
          feed.watch()
          let [added, read, told] = [0, 0, 0]
          for (const batch of batches) {
            for (let i = 0; i < batch; i++) feed.add(line(String(added++)))
            const { events, dropped, sequence } = await feed.after(read)
            assert.equal(sequence, added)
            assert.ok(events.length <= most)
            assert.deepEqual(
              messages(events),
              Array.from({ length: events.length }, (_, nth) => String(added - events.length + nth)),
            )
            told += events.length + dropped
            read = sequence
          }
          assert.equal(told, added)
          feed.close()
        },
      ),
    )
  })

  it('keeps no more than its size, however long the lines are', async () => {
    const feed = new LiveFeed({ size: 10_000, waitMs: 0 })
    feed.watch()
    for (let i = 0; i < 100; i++) feed.add(line('x'.repeat(4000)))
    const { events, dropped } = await feed.after(0)
    assert.deepEqual([events.length, dropped], [2, 98])
    feed.close()
  })

  it('wakes who waits with the first event', async () => {
    const feed = new LiveFeed({ waitMs: 600_000 })
    feed.watch()
    const waiting = feed.after(0)
    feed.add(line('now'))
    assert.deepEqual(messages((await waiting).events), ['now'])
    feed.close()
  })

  it('is watched until nobody has asked for some seconds, and keeps nothing then', async (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] })
    const feed = new LiveFeed()
    assert.equal(feed.isWatched, false)
    feed.watch()
    feed.add(line('1'))
    test.mock.timers.tick(LEASE_MS - 1)
    assert.equal(feed.isWatched, true)
    test.mock.timers.tick(1)
    assert.equal(feed.isWatched, false)
    feed.watch()
    feed.add(line('2'))
    const { events, dropped } = await feed.after(0)
    assert.deepEqual([messages(events), dropped], [['2'], 1])
    feed.close()
  })
})
