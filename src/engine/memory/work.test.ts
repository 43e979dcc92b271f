import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { done, runWork, type Work } from './work.ts'

describe('runWork', () => {
  it('answers what the work returns', async () => {
    function* add(a: Work<number>, b: Work<number>): Work<number> {
      return (yield* a) + (yield* b)
    }
    assert.equal(await runWork(add(done(1), add(done(2), done(3)))), 6)
  })

  it('lets others run once a share of time is used up', async () => {
    const events: string[] = []
    setImmediate(() => events.push('other'))
    await runWork(
      (function* long(): Work<void> {
        const end = performance.now() + 20
        while (performance.now() < end) yield
        events.push('work')
      })(),
    )
    assert.deepEqual(events, ['other', 'work'])
  })

  it('does not pause short work', async () => {
    const events: string[] = []
    setImmediate(() => events.push('other'))
    await runWork(
      (function* short(): Work<void> {
        yield
        events.push('work')
      })(),
    )
    assert.deepEqual(events, ['work'])
  })

  it('rejects with what the work throws', async () => {
    const failing = (function* fail(): Work<void> {
      yield
      throw new Error('defect')
    })()
    await assert.rejects(runWork(failing), /defect/)
  })
})
