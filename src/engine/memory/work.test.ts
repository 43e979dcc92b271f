import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { done, KEPT, runWork, type Step, type Work } from './work.ts'

/** Limits nothing, and tells the time as the test wants it, in milliseconds. */
const meterOf = (now: () => number) => ({
  now,
  spend: () => undefined,
  pause: () => undefined,
  resume: () => undefined,
})

describe('runWork', () => {
  it('answers what the work returns', async () => {
    function* add(a: Work<number>, b: Work<number>): Work<number> {
      return (yield* a) + (yield* b)
    }
    assert.equal(await runWork(add(done(1), add(done(2), done(3)))), 6)
  })

  it('lets other code run once a share of time is used up', async () => {
    const events: string[] = []
    setImmediate(() => events.push('other'))
    let nowMs = 0
    await runWork(
      (function* long(): Work<void> {
        for (let step = 0; step < 20; step++) yield
        events.push('work')
      })(),
      undefined,
      meterOf(() => nowMs++),
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
      undefined,
      meterOf(() => 0),
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

  it('lets the event loop turn between the shares of different works', async () => {
    let turn = 0
    const counting = setInterval(() => undefined, 1000)
    const count = () => {
      turn++
      if (finished < works.length) setImmediate(count)
    }
    let finished = 0
    const worksOfTurn = new Map<number, Set<number>>()
    function* long(id: number): Work<void> {
      for (let step = 0; step < 30; step++) {
        const end = performance.now() + 1
        while (performance.now() < end);
        worksOfTurn.set(turn, (worksOfTurn.get(turn) ?? new Set()).add(id))
        yield
      }
      finished++
    }
    const works = [0, 1, 2, 3].map((id) => long(id))
    setImmediate(count)
    await Promise.all(works.map((work) => runWork(work)))
    clearInterval(counting)
    const afterTheFirst = [...worksOfTurn].filter(([at]) => at > 0).map(([, ids]) => ids.size)
    assert.ok(afterTheFirst.length >= 4)
    assert.deepEqual(new Set(afterTheFirst), new Set([1]))
  })

  it('gives an owner with few works as many turns as an owner with many', async (t) => {
    let now = 1000
    t.mock.method(performance, 'now', () => now)
    const order: string[] = []
    function* take(milliseconds: number, owner: string): Work<void> {
      for (let spent = 0; spent < milliseconds; spent += 3) {
        now += 3
        order.push(owner)
        yield
      }
    }
    const run = (owner: string, milliseconds: number) =>
      runWork(take(milliseconds, owner), { aborted: false, owner })
    const many = Array.from({ length: 10 }, () => run('many', 300))
    const one = run('one', 300).then(() => order.length)
    const turnsUntilDone = await one
    await Promise.all(many)
    // A hundred turns of its own and about as many of the others, whose works take a thousand.
    assert.ok(turnsUntilDone <= 220, `${turnsUntilDone} turns`)
    assert.equal(order.length, 1100)
  })

  it('ends with the reason of a signal that is aborted while it pauses', async () => {
    const leaving = new AbortController()
    let steps = 0
    const endless = (function* go(): Work<void> {
      for (;;) {
        if (++steps === 1000) leaving.abort(new Error('the caller has left'))
        yield
      }
    })()
    await assert.rejects(runWork(endless, leaving.signal), /the caller has left/)
  })

  it('tells the meter the cost of each step, the time since the step before, and the pauses', async () => {
    let time = 0
    const told: (readonly [Step, number] | 'pause' | 'resume')[] = []
    const meter = {
      now: () => time,
      spend: (step: Step, ms: number) => told.push([step, ms]),
      pause: () => told.push('pause'),
      resume: () => told.push('resume'),
    }
    function* work(): Work<string> {
      time += 1
      yield 10
      time += 20
      yield
      time += 300
      yield KEPT
      time += 4000
      return 'done'
    }
    assert.equal(await runWork(work(), undefined, meter), 'done')
    assert.deepEqual(told, [[10, 1], [undefined, 20], 'pause', 'resume', [KEPT, 300], 'pause', 'resume'])
  })

  it('does not continue a work that the meter stops', async () => {
    const done: string[] = []
    function* work(): Work<void> {
      yield 1
      done.push('first')
      yield 2
      done.push('second')
    }
    const nothing = () => undefined
    const spend = (step: Step) => {
      if (step === 2) throw new Error('too much')
    }
    await assert.rejects(
      runWork(work(), undefined, { now: () => 0, spend, pause: nothing, resume: nothing }),
      /too much/,
    )
    assert.deepEqual(done, ['first'])
  })
})
