import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { watchCancellation } from './watched-cancellation.ts'

describe('a watched cancellation', () => {
  it('is the cancellation itself when that is a signal', () => {
    const { signal } = new AbortController()
    assert.equal(watchCancellation(signal).signal, signal)
  })

  it('is aborted from the start when the cancellation has already happened', () => {
    const { signal } = watchCancellation({ aborted: true, reason: 'gone' })
    assert.deepEqual([signal.aborted, signal.reason], [true, 'gone'])
  })

  it('is aborted with the reason of a cancellation that must be polled', async (t) => {
    const asked = { aborted: false, reason: new Error('The caller left') }
    const { signal, release } = watchCancellation(asked)
    t.after(release)
    assert.equal(signal.aborted, false)
    // The watch alone would not keep the process alive.
    const alive = setInterval(() => undefined, 1000)
    t.after(() => clearInterval(alive))
    asked.aborted = true
    await once(signal, 'abort')
    assert.equal(signal.reason, asked.reason)
  })
})
