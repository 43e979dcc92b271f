import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { reasonOf, throwIfCancelled, whenCancelled } from './watched-cancellation.ts'

describe('a watched cancellation', () => {
  // The watch alone would not keep the process alive.
  const cancelled = async (watch: (act: () => void) => unknown): Promise<void> => {
    const alive = setInterval(() => undefined, 1000)
    await new Promise<void>((resolve) => watch(resolve)).finally(() => clearInterval(alive))
  }

  it('is noticed when it happens, of a signal and of an object', async () => {
    const controller = new AbortController()
    const polled = { aborted: false }
    const noticed = Promise.all([
      cancelled((act) => whenCancelled(controller.signal, act)),
      cancelled((act) => whenCancelled(polled, act)),
    ])
    controller.abort()
    polled.aborted = true
    await noticed
  })

  it('is noticed when it has happened before', () =>
    cancelled((act) => whenCancelled({ aborted: true }, act)))

  it('is not noticed after the watch ended', async () => {
    const cancellation = { aborted: true }
    let acts = 0
    whenCancelled(cancellation, () => acts++)()
    await cancelled((act) => whenCancelled(cancellation, act))
    assert.equal(acts, 0)
  })

  it('is thrown with its reason', () => {
    const reason = new Error('The caller left')
    assert.throws(() => throwIfCancelled({ aborted: true, reason }), reason)
    assert.match(String(reasonOf({ aborted: true })), /cancelled/)
    throwIfCancelled({ aborted: false })
    throwIfCancelled(undefined)
  })
})
