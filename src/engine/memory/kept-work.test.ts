import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { KeptWork } from './kept-work.ts'
import { countedWork } from './testing/work.ts'
import { KEPT, type Step, type Work } from './work.ts'

/** A work with a number of steps, and a count of the steps done. */
function counting(steps: number) {
  const counted = { begun: 0, steps: 0 }
  function* work(): Work<string> {
    counted.begun++
    for (let i = 0; i < steps; i++) {
      counted.steps++
      yield 1000
    }
    return 'done'
  }
  return { counted, work }
}

function stepsOf<T>(work: Work<T>, count: number): Step[] {
  const steps = work[Symbol.iterator]()
  return Array.from({ length: count }, () => steps.next().value as Step)
}

describe('KeptWork', () => {
  it('is done once, and does not count as cost of the request', () => {
    const kept = new KeptWork<object, string>()
    const { counted, work } = counting(3)
    const key = {}
    assert.deepEqual(countedWork(kept.get(key, work)), { value: 'done', rowsScanned: 0 })
    assert.deepEqual(countedWork(kept.get(key, work)), { value: 'done', rowsScanned: 0 })
    assert.deepEqual(counted, { begun: 1, steps: 3 })
  })

  it('continues where a stopped request left it', () => {
    const kept = new KeptWork<object, string>()
    const { counted, work } = counting(6)
    const key = {}
    assert.deepEqual(stepsOf(kept.get(key, work), 4), [KEPT, KEPT, KEPT, KEPT])
    assert.deepEqual(counted, { begun: 1, steps: 4 })
    assert.equal(countedWork(kept.get(key, work)).value, 'done')
    assert.deepEqual(counted, { begun: 1, steps: 6 })
  })

  it('is done together by all requests that need it at the same time', () => {
    const kept = new KeptWork<object, string>()
    const { counted, work } = counting(6)
    const key = {}
    const [one, other] = [kept.get(key, work)[Symbol.iterator](), kept.get(key, work)[Symbol.iterator]()]
    for (let i = 0; i < 3; i++) assert.deepEqual([one.next().value, other.next().value], [KEPT, KEPT])
    assert.deepEqual(counted, { begun: 1, steps: 6 })
    assert.equal(one.next().value, KEPT)
    assert.deepEqual(other.next(), { done: true, value: 'done' })
    assert.deepEqual(one.next(), { done: true, value: 'done' })
  })

  it('is begun again after it failed, even by a request that was waiting for it', () => {
    const kept = new KeptWork<object, string>()
    const key = {}
    let fails = true
    function* work(): Work<string> {
      yield
      if (fails) throw new Error('defect')
      return 'done'
    }
    const waiting = kept.get(key, work)[Symbol.iterator]()
    waiting.next()
    assert.throws(() => countedWork(kept.get(key, work)), /defect/)
    fails = false
    assert.deepEqual([waiting.next().value, waiting.next().value, waiting.next().value], [KEPT, KEPT, 'done'])
  })
})
