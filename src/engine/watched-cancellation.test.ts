import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { watchCancellation } from './watched-cancellation.ts'

describe('a watched cancellation', () => {
  it('is the signal itself where it is one', () => {
    const { signal } = new AbortController()
    assert.equal(watchCancellation(signal).signal, signal)
  })

  it('has aborted from the start where nobody waits any longer', () => {
    const { signal } = watchCancellation({ aborted: true, reason: 'gone' })
    assert.deepEqual([signal.aborted, signal.reason], [true, 'gone'])
  })

  it('tells of a cancellation that only answers when it is asked, with its reason', async (t) => {
    const asked = { aborted: false, reason: new Error('The caller left') }
    const { signal, release } = watchCancellation(asked)
    t.after(release)
    assert.equal(signal.aborted, false)
    // Without anything else to wait for, the watch would not keep the process alive.
    const alive = setInterval(() => undefined, 1000)
    t.after(() => clearInterval(alive))
    asked.aborted = true
    await once(signal, 'abort')
    assert.equal(signal.reason, asked.reason)
  })
})
