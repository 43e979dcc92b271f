import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { openProgress } from './progress.ts'

/** A clock that stands still until it is moved. */
function handClock() {
  let now = 5000
  let next = Number.POSITIVE_INFINITY
  let work = () => {}
  let everyMs = 0
  return {
    now: () => now,
    every(milliseconds: number, repeated: () => void) {
      everyMs = milliseconds
      next = now + milliseconds
      work = repeated
      return () => {
        next = Number.POSITIVE_INFINITY
      }
    },
    advance(milliseconds: number) {
      const end = now + milliseconds
      while (next <= end) {
        now = next
        next += everyMs
        work()
      }
      now = end
    },
  }
}

describe('progress without a terminal', () => {
  it('is a line every 10 s that says what is at work, also while nothing is reported', async () => {
    const stderr = new PassThrough()
    const clock = handClock()
    const { show, close } = openProgress({ stderr, clock })
    clock.advance(10_000)
    show({ stage: 'read', done: 4, total: 9, table: 'travellers' })
    clock.advance(5_000)
    show({ stage: 'read', done: 5, total: 9, table: 'segments' })
    clock.advance(16_000)
    show({ stage: 'build', done: 300, total: 900 })
    clock.advance(9_000)
    close()
    close()
    clock.advance(60_000)
    stderr.end()
    assert.deepEqual((await text(stderr)).split('\n'), [
      'tripfolio: read: segments, table 6 of 9, 20 s so far',
      'tripfolio: read: segments, table 6 of 9, 30 s so far',
      'tripfolio: build: 300 of 900 (33 %), 40 s so far',
      '',
    ])
  })

  it('prints nothing for work of less than 10 s', async () => {
    const stderr = new PassThrough()
    const clock = handClock()
    const { show, close } = openProgress({ stderr, clock })
    show({ stage: 'publish', done: 0, total: 1 })
    clock.advance(9_999)
    close()
    stderr.end()
    assert.equal(await text(stderr), '')
  })
})
