import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import { Problem } from '../../kernel/problem.ts'
import { RunQueue, type RunQueueLimits } from './run-queue.ts'

const limits: RunQueueLimits = { running: 3, runningOfOne: 2, waiting: 4, waitMs: 60_000 }

/** Closed after the tests, so that no run is left waiting. */
const queues = new Set<RunQueue>()
after(() => {
  for (const queue of queues) queue.close()
})

/** A run that continues until the test ends it. */
function start(queue: RunQueue, endpoint: string, most?: number) {
  queues.add(queue)
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const run = { endpoint, began: false, end: () => resolve('done'), fail: reject }
  const result = queue.run(endpoint, most, () => {
    run.began = true
    return promise
  })
  result.catch(() => undefined)
  return Object.assign(run, { result })
}

const refusal = (code: string) => (thrown: unknown) => thrown instanceof Problem && thrown.code === code

describe('RunQueue', () => {
  it('limits the runs of one endpoint and of all endpoints', async () => {
    const queue = new RunQueue(limits)
    const runs = ['a', 'a', 'a', 'b', 'b'].map((endpoint) => start(queue, endpoint))
    assert.deepEqual(
      runs.map(({ began }) => began),
      [true, true, false, true, false],
    )
    assert.deepEqual([queue.running, queue.waiting], [3, 2])
    runs[0]?.end()
    await turn()
    assert.deepEqual(
      runs.map(({ began }) => began),
      [true, true, true, true, false],
    )
  })

  it('lets an endpoint have a higher or lower limit of its own', () => {
    const queue = new RunQueue(limits)
    assert.deepEqual(
      ['a', 'a', 'a'].map((endpoint) => start(queue, endpoint, 3).began),
      [true, true, true],
    )
    const other = new RunQueue(limits)
    assert.deepEqual(
      ['a', 'a'].map((endpoint) => start(other, endpoint, 1).began),
      [true, false],
    )
  })

  it('takes a waiting run out when it is told to, and does nothing when the run has begun', async () => {
    const queue = new RunQueue(limits)
    const [first, second] = ['a', 'a'].map((endpoint) => start(queue, endpoint))
    const refuse: ((reason: Error) => void)[] = []
    const waiting = ['refused', 'runs'].map((name) =>
      queue.run(
        'a',
        undefined,
        async () => name,
        (take) => void refuse.push(take),
      ),
    )
    assert.deepEqual([queue.waiting, refuse.length], [2, 2])
    refuse[0]?.(new Error('cancelled'))
    await assert.rejects(waiting[0] as Promise<string>, /cancelled/)
    first?.end()
    assert.equal(await waiting[1], 'runs')
    for (const take of refuse) take(new Error('too late'))
    assert.deepEqual([queue.running, queue.waiting], [1, 0])
    second?.end()
  })

  it('lets runs overtake those of an endpoint that has used all its places', async () => {
    const queue = new RunQueue(limits)
    const [first, , , other] = ['a', 'a', 'a', 'b'].map((endpoint) => start(queue, endpoint))
    const late = start(queue, 'b')
    assert.equal(late.began, false)
    other?.end()
    await turn()
    assert.equal(late.began, true)
    first?.end()
  })

  it('refuses with END101 when the queue is full, for one endpoint when half of it is', async () => {
    const queue = new RunQueue(limits)
    for (const endpoint of ['a', 'a', 'a', 'a']) start(queue, endpoint)
    await assert.rejects(start(queue, 'a').result, refusal('END101'))
    for (const endpoint of ['b', 'b', 'b']) start(queue, endpoint)
    assert.equal(queue.waiting, 4)
    await assert.rejects(start(queue, 'c').result, refusal('END101'))
  })

  it('refuses a run with END102 when no place becomes free in time, and frees its place in the queue', async () => {
    const queue = new RunQueue({ ...limits, waitMs: 1 })
    const runs = ['a', 'a', 'a'].map((endpoint) => start(queue, endpoint))
    await assert.rejects(runs[2]?.result as Promise<unknown>, refusal('END102'))
    assert.deepEqual([queue.running, queue.waiting, runs[2]?.began], [2, 0, false])
  })

  it('gives the place of a failed run to the next run', async () => {
    const queue = new RunQueue(limits)
    const [first, , third] = ['a', 'a', 'a'].map((endpoint) => start(queue, endpoint))
    first?.fail(new Error('lost'))
    await assert.rejects(first?.result as Promise<unknown>, /lost/)
    assert.equal(third?.began, true)
  })

  it('refuses waiting and new runs once it is closed, and lets running ones end', async () => {
    const queue = new RunQueue(limits)
    const [first, second, waiting] = ['a', 'a', 'a'].map((endpoint) => start(queue, endpoint))
    let isIdle = false
    const idle = queue.idle().then(() => {
      isIdle = true
    })
    queue.close()
    await assert.rejects(waiting?.result as Promise<unknown>, refusal('END104'))
    await assert.rejects(start(queue, 'b').result, refusal('END104'))
    assert.deepEqual([queue.running, queue.waiting, waiting?.began], [2, 0, false])
    first?.fail(new Error('over'))
    await assert.rejects(first?.result as Promise<unknown>, /over/)
    assert.equal(isIdle, false)
    second?.fail(new Error('over'))
    await assert.rejects(second?.result as Promise<unknown>, /over/)
    await idle
    await queue.idle()
  })

  it('never exceeds its limits, and runs everything that it does not refuse', async () => {
    const arrivals = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.nat(2)), { maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(arrivals, async (endpoints) => {
        const queue = new RunQueue(limits)
        const running = { a: 0, b: 0, c: 0 }
        let finished = 0
        const runs = endpoints.map(async ([endpoint, turns]) => {
          const name = endpoint as keyof typeof running
          await queue.run(endpoint, undefined, async () => {
            running[name]++
            assert.ok(running[name] <= 2 && running.a + running.b + running.c <= 3)
            for (let i = 0; i < turns; i++) await turn()
            running[name]--
            finished++
          })
        })
        const outcomes = await Promise.allSettled(runs)
        const refused = outcomes.filter(({ status }) => status === 'rejected')
        for (const outcome of refused) assert.ok(refusal('END101')((outcome as PromiseRejectedResult).reason))
        assert.equal(finished + refused.length, endpoints.length)
        assert.deepEqual([queue.running, queue.waiting], [0, 0])
      }),
      { numRuns: 50 },
    )
  })
})
