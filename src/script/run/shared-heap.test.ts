import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ScriptFailure } from '../failure.ts'
import { compileScript, runWith } from '../script.ts'
import { serviceLimits } from './limits.ts'
import { type HeapPlace, SharedHeap } from './shared-heap.ts'

const MIB = 2 ** 20

async function entered(heap: SharedHeap): Promise<HeapPlace> {
  const place = await heap.enter(1000)
  assert.ok(place !== null)
  return place
}

/** A run that uses so many bytes, of which it still reaches some. */
function tenant(place: HeapPlace, charged: number, reached = charged) {
  const run = { charged, measured: 0, ended: null as ScriptFailure | null }
  place.begin({
    get charged() {
      return run.charged
    },
    measure: () => {
      run.measured++
      run.charged = Math.min(run.charged, reached)
    },
    end: (failure) => {
      run.ended = failure
    },
  })
  place.grow(charged)
  return run
}

describe('the memory that the runs of a thread share', () => {
  it('admits runs while there is a share for each, and the next ones when others leave, in turn', async () => {
    const heap = new SharedHeap(2 * MIB)
    const [first, second] = [await entered(heap), await entered(heap)]
    const order: string[] = []
    const third = entered(heap).then((place) => {
      order.push('third')
      return place
    })
    const fourth = entered(heap).then((place) => {
      order.push('fourth')
      return place
    })
    first.leave()
    const admitted = await third
    assert.deepEqual(order, ['third'])
    second.leave()
    admitted.leave()
    const last = await fourth
    assert.deepEqual(order, ['third', 'fourth'])
    last.leave()
    assert.equal(heap.taken, 0)
  })

  it('refuses a run for which there is no room in time, and takes nothing for it', async () => {
    const heap = new SharedHeap(MIB)
    const first = await entered(heap)
    assert.equal(await heap.enter(1), null)
    first.leave()
    assert.equal(heap.taken, 0)
    ;(await entered(heap)).leave()
  })

  it('ends the run that holds the most for one that waits, but none that holds little', async () => {
    const heap = new SharedHeap(12 * MIB)
    const small = tenant(await entered(heap), 3 * MIB, Number.POSITIVE_INFINITY)
    const large = tenant(await entered(heap), 7 * MIB, Number.POSITIVE_INFINITY)
    // Both use all that they hold.
    small.charged = 4 * MIB
    large.charged = 8 * MIB
    const waiting = await entered(heap)
    assert.deepEqual([small.ended, large.ended?.code], [null, 'JM5912'])
    waiting.leave()
    const full = new SharedHeap(4 * MIB)
    const only = tenant(await entered(full), 3 * MIB, Number.POSITIVE_INFINITY)
    only.charged = 4 * MIB
    assert.equal(await full.enter(500), null)
    assert.equal(only.ended, null)
  })

  it('ends nobody while runs can give back what they do not reach any more', async () => {
    const heap = new SharedHeap(16 * MIB)
    const dropping = tenant(await entered(heap), 8 * MIB, MIB)
    const growing = tenant(await entered(heap), 2 * MIB)
    const place = await entered(heap)
    tenant(place, 6 * MIB)
    assert.deepEqual([dropping.ended, growing.ended, dropping.measured], [null, null, 1])
  })

  it('ends the run that holds the most for the one that needs more, which goes on', async () => {
    const heap = new SharedHeap(16 * MIB)
    const small = tenant(await entered(heap), 2 * MIB)
    const large = tenant(await entered(heap), 9 * MIB)
    const place = await entered(heap)
    tenant(place, 6 * MIB)
    assert.equal(small.ended, null)
    assert.equal(large.ended?.code, 'JM5912')
    assert.match(String(large.ended?.message), /it held the most of it \(\d+ MiB\)/)
    assert.ok(heap.taken <= heap.bytes, `${heap.taken} bytes`)
  })

  it('refuses more to the run that needs more when that holds the most itself', async () => {
    const heap = new SharedHeap(16 * MIB)
    const small = tenant(await entered(heap), 4 * MIB)
    const place = await entered(heap)
    assert.throws(() => tenant(place, 14 * MIB), { code: 'JM5912', limit: 'memoryBytes' })
    assert.equal(small.ended, null)
    place.leave()
  })

  const program = (text: string) => {
    const compiled = compileScript(text)
    assert.ok(compiled.program !== null, JSON.stringify(compiled.problems))
    return compiled.program
  }

  it('tells the same of a run that is ended while it sorts', async () => {
    const place = await entered(new SharedHeap(16 * MIB))
    const text = `func k(x) var m = [] for i in 0 to 900000 do m.add("a" + i) end return x end
var r = SortBy([2, 1], x => k(x))`
    const { problem } = await runWith(program(text), { limits: serviceLimits, heap: place }, (c) =>
      c.object(),
    )
    place.leave()
    assert.equal(problem?.code, 'JM5912')
  })

  it('ends a waiting run at once and soon tells it, and lets the others end well', async () => {
    const heap = new SharedHeap(24 * MIB)
    const run = async (text: string) => {
      const place = await entered(heap)
      try {
        return await runWith(program(text), { limits: serviceLimits, heap: place }, (c) => c.object())
      } finally {
        place.leave()
      }
    }
    const large = run('Data.large = Range(1, 1500000) Sleep(4000)')
    await new Promise((resolve) => setTimeout(resolve, 200))
    const other = await run('Data.other = Range(1, 1200000) Data.sum = Length(Data.other)')
    assert.equal(other.problem, null)
    const ended = await large
    assert.deepEqual([ended.problem?.code, ended.limit, ended.data], ['JM5912', 'memoryBytes', null])
    assert.ok(ended.usedMs < 3000, `${ended.usedMs} ms`)
    assert.equal(heap.taken, 0)
  })
})
