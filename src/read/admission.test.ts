import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { Admission, type AdmissionLimits, type Place, type Refusal, type Slot } from './admission.ts'

const limits: AdmissionLimits = { running: 3, runningOfOne: 2, waitingOfOne: 3, waitMs: 1000, lateMs: 100 }

/** An admission whose time and event loop the test controls. */
function simulated(changes: Partial<AdmissionLimits> = {}) {
  const time = { now: 0, delayMs: 0 }
  const due: (() => void)[] = []
  const admission = new Admission(
    { ...limits, ...changes },
    { clock: () => time.now, delayMs: () => time.delayMs, nextTurn: (callback) => void due.push(callback) },
  )
  /** Lets the event loop turn until nothing is left to do. */
  const turn = () => {
    while (due.length > 0) {
      time.now += 10
      due.shift()?.()
    }
  }
  const requests: Request[] = []
  const ask = (account: string): Request => {
    const request: Request = { account, slot: admission.enter(account), place: null, refusal: null }
    requests.push(request)
    if (request.slot !== null) return request
    const found = admission.queue(account, (slot) => {
      request.slot = slot
      request.place = null
    })
    if ('reason' in found) request.refusal = found
    else request.place = found
    return request
  }
  return { admission, time, turn, ask, requests }
}

type Request = {
  readonly account: string
  slot: Slot | null
  place: Place | null
  refusal: Refusal | null
}

/** r: runs, w: waits, -: refused. */
const states = (requests: readonly Request[]) =>
  requests.map(({ slot, place }) => (slot !== null ? 'r' : place !== null ? 'w' : '-')).join('')

describe('Admission', () => {
  const rows: readonly (readonly [asked: string, states: string, what: string])[] = [
    ['a', 'r', 'lets a request compute at once'],
    ['aa', 'rr', 'lets an account use all of its slots'],
    ['aaa', 'rrw', 'lets a request wait when its account uses all of its slots'],
    ['aaaaaa', 'rrwww-', 'refuses a request when the queue of its account is full'],
    ['aaaab', 'rrwwr', 'gives a slot to another account while one waits for its own'],
    ['aabb', 'rrrw', 'lets a request wait when all slots are taken'],
    [
      'aabbbbb',
      'rrrwww-',
      'refuses a request when the queue of its account is full, also while it waits for others',
    ],
    ['aaaaaab', 'rrwww-r', 'answers another account while it refuses one'],
  ]
  for (const [asked, expected, what] of rows) {
    it(`${what}: ${asked}`, () => {
      const { ask } = simulated()
      assert.equal(states([...asked].map(ask)), expected)
    })
  }

  it('gives a free slot to the request that has waited longest, in the next turn of the event loop', () => {
    const { ask, turn } = simulated()
    const [first, , third, fourth] = [...'aaaa'].map(ask)
    first?.slot?.release()
    assert.ok(third?.place)
    turn()
    assert.ok(third?.slot)
    assert.ok(fourth?.place)
  })

  it('gives slots to the accounts in turn, however many requests of one wait', () => {
    const { ask, turn, requests } = simulated({ running: 1, runningOfOne: 1, waitingOfOne: 10 })
    for (const account of 'aaaaaabbc') ask(account)
    const order: string[] = []
    for (let running = requests.find(({ slot }) => slot !== null); running !== undefined; ) {
      order.push(running.account)
      running.slot?.release()
      running.slot = null
      turn()
      running = requests.find(({ slot }) => slot !== null)
    }
    assert.equal(order.join(''), 'aabcabaaa')
  })

  it('serves short requests one after another for a millisecond, and then lets the event loop turn', () => {
    const time = { now: 0 }
    const due: (() => void)[] = []
    const admission = new Admission(
      { ...limits, runningOfOne: 1, waitingOfOne: 100 },
      { clock: () => time.now, delayMs: () => 0, nextTurn: (callback) => void due.push(callback) },
    )
    const first = admission.enter('a')
    const served: Slot[] = []
    for (let n = 0; n < 50; n++) admission.queue('a', (slot) => served.push(slot))
    first?.release()
    assert.equal(served.length, 0)
    const perTurn: number[] = []
    let ended = 0
    while (due.length > 0) {
      due.shift()?.()
      const before = ended
      for (; ended < served.length; ended++) {
        time.now += 0.25
        served[ended]?.release()
      }
      perTurn.push(ended - before)
    }
    assert.deepEqual(perTurn.slice(0, 3), [4, 4, 4])
    assert.equal(ended, 50)
  })

  it('releases a place when its request leaves', () => {
    const { ask, admission, turn } = simulated()
    const [first, , third, fourth] = [...'aaaa'].map(ask)
    third?.place?.leave()
    third?.place?.leave()
    assert.deepEqual(admission.counts, {
      running: 2,
      waiting: 1,
      refused: { account: 0, queue: 0, late: 0 },
    })
    first?.slot?.release()
    turn()
    assert.equal(third?.slot, null)
    assert.ok(fourth?.slot)
  })

  it('frees one slot only, however often it is released', () => {
    const { ask, admission } = simulated()
    const [first] = [...'aa'].map(ask)
    first?.slot?.release()
    first?.slot?.release()
    first?.slot?.stream()()
    assert.equal(admission.counts.running, 1)
  })

  it('lets other requests compute while an answer is streamed', () => {
    const { ask, turn } = simulated()
    const [first, , third] = [...'aaa'].map(ask)
    first?.slot?.stream()
    turn()
    assert.ok(third?.slot)
  })

  const obstacles: readonly (readonly [asked: string, reason: string, what: string])[] = [
    ['aaa', 'account', 'its own requests'],
    ['aabb', 'queue', 'requests of other accounts'],
    ['aabc', 'queue', 'requests of other accounts, without one of its own'],
  ]
  for (const [asked, reason, what] of obstacles) {
    it(`gives a request that gives up the reason that it waited for ${what}: ${asked}`, () => {
      const { ask, admission } = simulated()
      const last = [...asked].map(ask).at(-1)
      assert.equal(last?.place?.giveUp().reason, reason)
      assert.equal(admission.counts.waiting, 0)
    })
  }

  const late: readonly (readonly [delayMs: number, lateMs: number, states: string, what: string])[] = [
    [100, 100, 'rr', 'admits all accounts up to the delay of the limit'],
    [101, 100, '-r', 'refuses an account in service above the limit'],
    [200, 100, '-r', 'admits other accounts up to twice the limit'],
    [201, 100, '--', 'refuses all accounts above twice the limit'],
    [9999, 0, 'rr', 'ignores the delay when there is no limit'],
  ]
  for (const [delayMs, lateMs, expected, what] of late) {
    it(`${what}: ${delayMs} ms of ${lateMs}`, () => {
      const { ask, time } = simulated({ lateMs })
      ask('a')
      time.delayMs = delayMs
      const requests = [...'ab'].map(ask)
      assert.equal(states(requests), expected)
      for (const { refusal } of requests) if (refusal !== null) assert.equal(refusal.reason, 'late')
    })
  }

  it('counts an account as being served until its streamed answers are sent', () => {
    const { ask, time } = simulated()
    const end = ask('a').slot?.stream()
    time.delayMs = 150
    assert.equal(ask('a').refusal?.reason, 'late')
    end?.()
    end?.()
    assert.ok(ask('a').slot)
  })

  it('sets Retry-After to the time in which the waiting requests will be served', () => {
    const { ask, time, turn, requests } = simulated({ runningOfOne: 1, waitingOfOne: 5 })
    for (const account of 'aaaaaa') ask(account)
    for (let ended = 0; ended < 3; ended++) {
      time.now += 990
      requests.find(({ slot }) => slot !== null)?.slot?.release()
      for (const request of requests) if (request.slot !== null) request.slot = null
      turn()
      ask('a')
    }
    // Five requests wait, and one of them is served about every second.
    assert.equal(ask('a').refusal?.retryAfterSeconds, 6)
  })

  it('sets Retry-After to 1 s for an idle account, and to at most 30 s', () => {
    const { ask, time } = simulated({ waitingOfOne: 0 })
    assert.equal([...'aaa'].map(ask).at(-1)?.refusal?.retryAfterSeconds, 1)
    time.delayMs = 90_000
    assert.equal(ask('a').refusal?.retryAfterSeconds, 30)
  })

  it('sends the first refusal at once and the next ones one by one, each after at most four seconds', () => {
    const { ask, time } = simulated({ waitingOfOne: 0 })
    const heldMs = () => ask('a').refusal?.heldMs
    for (const account of 'aa') ask(account)
    assert.deepEqual([heldMs(), heldMs(), heldMs()], [0, 4, 8])
    time.now += 1000
    assert.equal(heldMs(), 0)
    for (let refused = 0; refused < 5000; refused++) heldMs()
    assert.equal(heldMs(), 4000)
    ask('b')
    assert.equal(ask('c').refusal?.heldMs, 0)
  })
})

/** One event of a random sequence: a request arrives, ends, becomes a stream, leaves, gives up, or the event loop turns. */
const arbitraryStep = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('ask' as const), account: fc.constantFrom(...'abcd') }),
  },
  fc.record({
    do: fc.constantFrom('end' as const, 'stream' as const, 'leave' as const, 'giveUp' as const),
    which: fc.nat(),
  }),
  fc.record({ do: fc.constant('turn' as const) }),
)

const arbitraryLimits = fc.record({
  running: fc.integer({ min: 1, max: 5 }),
  runningOfOne: fc.integer({ min: 1, max: 4 }),
  waitingOfOne: fc.integer({ min: 0, max: 6 }),
})

describe('in any order of events', () => {
  it('the limits hold, every slot is released, and every waiting request is served', () => {
    fc.assert(
      fc.property(arbitraryLimits, fc.array(arbitraryStep, { maxLength: 200 }), (some, steps) => {
        const { admission, ask, turn, requests } = simulated(some)
        const running = (account?: string) =>
          requests.filter((one) => one.slot !== null && (account ?? one.account) === one.account)
        const waiting = (account?: string) =>
          requests.filter((one) => one.place !== null && (account ?? one.account) === one.account)
        const end = (request: Request | undefined) => {
          request?.slot?.release()
          if (request !== undefined) request.slot = null
        }
        const check = () => {
          const { counts } = admission
          assert.deepEqual([counts.running, counts.waiting], [running().length, waiting().length])
          assert.ok(counts.running <= some.running)
          for (const account of 'abcd') {
            assert.ok(running(account).length <= some.runningOfOne)
            assert.ok(waiting(account).length <= some.waitingOfOne)
          }
        }
        for (const step of steps) {
          if (step.do === 'ask') ask(step.account)
          else if (step.do === 'turn') turn()
          else if (step.do === 'end' || step.do === 'stream') {
            const request = running()[step.which % Math.max(1, running().length)]
            if (step.do === 'stream') request?.slot?.stream()
            end(request)
          } else {
            const request = waiting()[step.which % Math.max(1, waiting().length)]
            if (step.do === 'leave') request?.place?.leave()
            else request?.place?.giveUp()
            if (request !== undefined) request.place = null
          }
          check()
        }
        turn()
        for (let left = waiting().length + running().length; left > 0; left--) {
          end(running()[0])
          turn()
          check()
        }
        assert.deepEqual([admission.counts.running, admission.counts.waiting], [0, 0])
        assert.ok(
          [...'abcd'].every((account) => ask(account).slot !== null || running().length === some.running),
        )
      }),
    )
  })

  it('the request of a quiet account is served before any other account is served twice', () => {
    fc.assert(
      fc.property(
        arbitraryLimits,
        fc.array(fc.constantFrom(...'abc'), { minLength: 1, maxLength: 60 }),
        fc.array(fc.nat(), { minLength: 100, maxLength: 100 }),
        (some, flood, order) => {
          const { ask, turn, requests } = simulated({ ...some, waitingOfOne: 100 })
          for (const account of flood) ask(account)
          const quiet = ask('quiet')
          const served = new Map<string, number>()
          const before = new Set(requests.filter(({ slot }) => slot !== null))
          for (const which of order) {
            if (quiet.slot !== null) break
            const running = requests.filter(({ slot }) => slot !== null)
            const ended = running[which % running.length]
            ended?.slot?.release()
            if (ended !== undefined) ended.slot = null
            turn()
            for (const request of requests) {
              if (request.slot === null || request === quiet || before.has(request)) continue
              before.add(request)
              served.set(request.account, (served.get(request.account) ?? 0) + 1)
            }
          }
          assert.notEqual(quiet.slot, null)
          for (const times of served.values()) assert.equal(times, 1)
        },
      ),
    )
  })
})
