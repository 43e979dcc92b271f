import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import { Problem } from '../../kernel/problem.ts'
import type { RunPlace } from '../../script/script.ts'
import { RunQueue, type RunQueueLimits } from './run-queue.ts'

const limits: RunQueueLimits = { running: 3, existing: 6, runningOfOne: 2, waiting: 4, waitMs: 60_000 }

/** Closed after the tests, so that no run is left waiting. */
const queues = new Set<RunQueue>()
after(() => {
  for (const queue of queues) queue.close()
})

/** Who begins next depends on how long runs have held their places: here, for no time at all. */
const queueWithStoppedClock = (own: Partial<RunQueueLimits> = {}) =>
  new RunQueue({ ...limits, ...own }, () => 0)

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
    const queue = queueWithStoppedClock()
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
    const queue = queueWithStoppedClock()
    assert.deepEqual(
      ['a', 'a', 'a'].map((endpoint) => start(queue, endpoint, 3).began),
      [true, true, true],
    )
    const other = queueWithStoppedClock()
    assert.deepEqual(
      ['a', 'a'].map((endpoint) => start(other, endpoint, 1).began),
      [true, false],
    )
  })

  it('takes a waiting run out when it is told to, and does nothing when the run has begun', async () => {
    const queue = queueWithStoppedClock()
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
    const queue = queueWithStoppedClock()
    const [first, , , other] = ['a', 'a', 'a', 'b'].map((endpoint) => start(queue, endpoint))
    const late = start(queue, 'b')
    assert.equal(late.began, false)
    other?.end()
    await turn()
    assert.equal(late.began, true)
    first?.end()
  })

  it('refuses with END101 when the queue is full, for one endpoint when half of it is', async () => {
    const queue = queueWithStoppedClock()
    for (const endpoint of ['a', 'a', 'a', 'a']) start(queue, endpoint)
    await assert.rejects(start(queue, 'a').result, refusal('END101'))
    for (const endpoint of ['b', 'b', 'b']) start(queue, endpoint)
    assert.equal(queue.waiting, 4)
    await assert.rejects(start(queue, 'c').result, refusal('END101'))
  })

  it('refuses a run with END102 when no place becomes free in time, and frees its place in the queue', async () => {
    const queue = queueWithStoppedClock({ waitMs: 1 })
    const runs = ['a', 'a', 'a'].map((endpoint) => start(queue, endpoint))
    await assert.rejects(runs[2]?.result as Promise<unknown>, refusal('END102'))
    assert.deepEqual([queue.running, queue.waiting, runs[2]?.began], [2, 0, false])
  })

  it('lets a waiting run be taken out, and nothing else', async () => {
    const queue = queueWithStoppedClock({ runningOfOne: 1 })
    const first = start(queue, 'a')
    const refusals: ((reason: Error) => void)[] = []
    const wait = () =>
      queue.run(
        'a',
        undefined,
        async () => 'done',
        (refuse) => void refusals.push(refuse),
      )
    const [out, kept] = [wait(), wait()]
    assert.equal(refusals.length, 2)
    refusals[0]?.(new Error('taken out'))
    await assert.rejects(out, /taken out/)
    assert.equal(queue.waiting, 1)
    first.end()
    assert.equal(await kept, 'done')
    for (const refuse of refusals) refuse(new Error('too late'))
    assert.deepEqual([queue.running, queue.waiting], [0, 0])
  })

  it('gives the place of a failed run to the next run', async () => {
    const queue = queueWithStoppedClock()
    const [first, , third] = ['a', 'a', 'a'].map((endpoint) => start(queue, endpoint))
    first?.fail(new Error('lost'))
    await assert.rejects(first?.result as Promise<unknown>, /lost/)
    assert.equal(third?.began, true)
  })

  it('refuses waiting and new runs once it is closed, and lets running ones end', async () => {
    const queue = queueWithStoppedClock()
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
})

/** A clock that only tests move. */
function openWithClock(own: Partial<RunQueueLimits> = {}) {
  let now = 0
  const queue = new RunQueue({ ...limits, waiting: 1000, ...own }, () => now)
  queues.add(queue)
  return {
    queue,
    pass: (milliseconds: number) => {
      now += milliseconds
    },
  }
}

describe('RunQueue, between endpoints', () => {
  it('gives the places by how long runs hold them, not by order of arrival', async () => {
    const { queue, pass } = openWithClock({ running: 1, runningOfOne: 1 })
    const order: string[] = []
    const runs = ['long', 'long', 'long', 'short', 'short', 'short', 'short'].map((endpoint) =>
      queue.run(endpoint, undefined, async () => {
        order.push(endpoint)
        pass(endpoint === 'long' ? 100 : 1)
      }),
    )
    await Promise.all(runs)
    assert.deepEqual(order, ['long', 'short', 'short', 'short', 'short', 'long', 'long'])
  })

  it('admits an endpoint within a bounded number of runs, however many runs of others wait', async () => {
    const { queue, pass } = openWithClock({ running: 1, runningOfOne: 1 })
    let others = 0
    const begin = (endpoint: string, milliseconds: number) =>
      queue.run(endpoint, undefined, async () => {
        if (endpoint !== 'late') others++
        pass(milliseconds)
      })
    const all = Array.from({ length: 400 }, (_, i) => begin(i % 2 === 0 ? 'a' : 'b', 0.1))
    let before = -1
    all.push(begin('late', 1).then(() => void (before = others)))
    await Promise.all(all)
    // Each of the two has at most 20 runs in a round, and one that has begun.
    assert.ok(before >= 0 && before <= 41, `${before} runs of others`)
    assert.equal(others, 400)
  })
})

describe('a run that waits for something slow', () => {
  /** A run that the test sends away, brings back and ends. */
  function startAway(queue: RunQueue, endpoint: string) {
    queues.add(queue)
    const { promise, resolve } = Promise.withResolvers<void>()
    const run = { began: false, isBack: false, leave: () => {}, retake: async () => {}, end: resolve }
    const result = queue.run(endpoint, undefined, async (place) => {
      run.began = true
      run.leave = place.leave
      run.retake = async () => {
        await place.retake()
        run.isBack = true
      }
      await promise
    })
    result.catch(() => undefined)
    return Object.assign(run, { result })
  }

  it('leaves its place to a waiting run, and takes one again before new runs of its endpoint', async () => {
    const queue = queueWithStoppedClock({ running: 1 })
    const slow = startAway(queue, 'a')
    const second = startAway(queue, 'a')
    assert.deepEqual([slow.began, second.began], [true, false])
    slow.leave()
    await turn()
    assert.deepEqual([second.began, queue.running, queue.away, queue.waiting], [true, 2, 1, 0])
    assert.deepEqual(queue.counts, { queued: 0, working: 1, away: 1 })
    const third = startAway(queue, 'b')
    const returning = slow.retake()
    await turn()
    assert.deepEqual([slow.isBack, third.began], [false, false])
    second.end()
    third.end()
    await returning
    await third.result
    assert.deepEqual([slow.isBack, queue.running, queue.away], [true, 1, 0])
    slow.end()
    await slow.result
    assert.equal(queue.running, 0)
  })

  it('counts as a run of its endpoint, and as one of those that may exist', async () => {
    const queue = queueWithStoppedClock({ existing: 3 })
    const [first, second] = [startAway(queue, 'a'), startAway(queue, 'a')]
    first.leave()
    second.leave()
    const third = startAway(queue, 'a')
    assert.equal(third.began, false, 'the endpoint may have two runs')
    const other = startAway(queue, 'b')
    assert.equal(other.began, true)
    other.leave()
    const beyond = startAway(queue, 'c')
    assert.equal(beyond.began, false, 'three runs may exist')
    first.end()
    await turn()
    assert.deepEqual([third.began, beyond.began], [true, false])
    second.end()
    await turn()
    assert.equal(beyond.began, true)
  })

  it('gives everything back when it ends while it waits for a place', async () => {
    const queue = queueWithStoppedClock({ running: 1 })
    const slow = startAway(queue, 'a')
    slow.leave()
    const other = startAway(queue, 'b')
    void slow.retake()
    slow.end()
    await slow.result
    assert.deepEqual([queue.running, queue.away], [1, 0])
    const last = startAway(queue, 'c')
    other.end()
    await other.result
    assert.deepEqual([slow.isBack, last.began], [false, true])
    slow.leave()
    await slow.retake()
    assert.deepEqual(queue.counts, { queued: 0, working: 1, away: 0 })
  })
})

describe('RunQueue against a model', () => {
  const endpoints = ['a', 'b', 'c']

  /** What happens next: a run arrives, or one of those that exist goes on. */
  const steps = fc.array(
    fc.oneof(
      fc.record({ kind: fc.constant('arrive' as const), endpoint: fc.constantFrom(...endpoints) }),
      fc.record({ kind: fc.constantFrom('leave', 'retake', 'end'), which: fc.nat(9) }),
    ),
    { maxLength: 60 },
  )

  type Modelled = {
    readonly endpoint: string
    state: 'waiting' | 'working' | 'away' | 'returning' | 'ended'
    place: RunPlace | null
    end: () => void
  }

  it('never exceeds a limit, keeps the order of each endpoint, and runs everything that it does not refuse', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (history) => {
        const most: RunQueueLimits = { ...limits, running: 2, existing: 4, runningOfOne: 2, waiting: 8 }
        const queue = new RunQueue(most)
        const runs: Modelled[] = []
        const results: Promise<unknown>[] = []
        const count = (...states: Modelled['state'][]) =>
          runs.filter(({ state }) => states.includes(state)).length
        const check = () => {
          assert.ok(count('working') <= most.running)
          assert.ok(count('working', 'away', 'returning') <= most.existing)
          for (const name of endpoints) {
            const own = runs.filter(({ endpoint }) => endpoint === name)
            const exist = own.filter(({ state }) => ['working', 'away', 'returning'].includes(state))
            assert.ok(exist.length <= most.runningOfOne)
            // In order of arrival, those that wait come after those that have begun.
            const firstWaiting = own.findIndex(({ state }) => state === 'waiting')
            const lastBegun = own.findLastIndex(({ state }) => state !== 'waiting')
            assert.ok(firstWaiting < 0 || firstWaiting > lastBegun)
          }
          assert.equal(queue.running, count('working', 'away', 'returning'))
          assert.equal(queue.away, count('away', 'returning'))
          assert.equal(queue.waiting, count('waiting'))
          // A place is free only if nobody can use it.
          if (count('working') < most.running) assert.equal(count('returning'), 0)
        }
        const arrive = (endpoint: string) => {
          const { promise, resolve } = Promise.withResolvers<void>()
          const run: Modelled = { endpoint, state: 'waiting', place: null, end: resolve }
          runs.push(run)
          const result = queue.run(endpoint, undefined, async (place) => {
            run.state = 'working'
            run.place = place
            await promise
          })
          results.push(
            result.catch((cause) => {
              assert.ok(refusal('END101')(cause))
              runs.splice(runs.indexOf(run), 1)
            }),
          )
        }
        const move = (run: Modelled, kind: string) => {
          if (kind === 'leave' && run.state === 'working') {
            run.state = 'away'
            run.place?.leave()
          } else if (kind === 'retake' && run.state === 'away') {
            run.state = 'returning'
            void run.place?.retake().then(() => {
              if (run.state === 'returning') run.state = 'working'
            })
          } else if (kind === 'end' && run.state !== 'waiting') {
            run.state = 'ended'
            run.end()
          }
        }
        for (const step of history) {
          if (step.kind === 'arrive') arrive(step.endpoint)
          else {
            const begun = runs.filter(({ state }) => state !== 'waiting' && state !== 'ended')
            const run = begun[step.which % Math.max(1, begun.length)]
            if (run !== undefined) move(run, step.kind)
          }
          await turn()
          check()
        }
        while (count('ended') < runs.length) {
          for (const run of runs) move(run, 'end')
          await turn()
        }
        await Promise.all(results)
        assert.deepEqual([queue.running, queue.away, queue.waiting], [0, 0, 0])
      }),
      { numRuns: 100 },
    )
  })
})
