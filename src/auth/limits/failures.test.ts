import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { Observation } from '../../observe/observation.ts'
import { createFailureMemory } from './failure-table.ts'
import { createFailures, type Failure, type FailureOptions, MOST_TOLD_ADDRESSES } from './failures.ts'

const SECOND = 1_000_000_000n
/** 20 at once, then one every two seconds. */
const limit = { rate: 0.5, burst: 20 }

function start(options: Partial<FailureOptions> = {}) {
  const observations: Observation[] = []
  const time = { now: 7_000n * SECOND }
  const failures = createFailures({
    limit,
    observe: (observation) => observations.push(observation),
    clock: () => time.now,
    ...options,
  })
  let requests = 0
  const note = (failure: Partial<Failure> = {}) =>
    failures.note({
      requestId: `r-${++requests}`,
      address: '192.0.2.1',
      credential: undefined,
      routes: 'v2',
      ...failure,
    })
  /** Notes a number of failures and returns how many were answered with 429. */
  const limitedOf = (times: number, failure: Partial<Failure> = {}) =>
    Array.from({ length: times }, () => note(failure)).filter(
      ({ retryAfterSeconds }) => retryAfterSeconds > 0,
    ).length
  return { failures, note, limitedOf, observations, time }
}

describe('the limit on failures', () => {
  it('answers a burst of each address with 401, and then as many as the bucket regains', () => {
    const { limitedOf, time } = start()
    assert.equal(limitedOf(20), 0)
    assert.equal(limitedOf(100), 100)
    assert.equal(limitedOf(20, { address: '192.0.2.2' }), 0)
    time.now += 10n * SECOND
    assert.equal(limitedOf(100), 95)
    time.now += 3600n * SECOND
    assert.equal(limitedOf(100), 80)
  })

  it('says when a failure is answered with 401 again', () => {
    const { limitedOf, note, time } = start()
    limitedOf(20)
    for (const _ of [1, 2, 3]) assert.equal(note().retryAfterSeconds, 2)
    time.now += SECOND
    assert.equal(note().retryAfterSeconds, 1)
    time.now += SECOND
    assert.equal(note().retryAfterSeconds, 0)
  })

  it('counts a credential that comes from many addresses', () => {
    const { limitedOf } = start()
    const from = (count: number, credential: string) =>
      Array.from({ length: count }, (_, i) => limitedOf(1, { address: `198.51.100.${i}`, credential }))
    assert.equal(from(100, 'q83vASNF').filter((limited) => limited === 1).length, 80)
    assert.deepEqual(from(10, 'another1'), new Array(10).fill(0))
    assert.equal(limitedOf(1, { address: '203.0.113.9', credential: 'q83vASNF' }), 1)
    assert.equal(limitedOf(1, { address: '203.0.113.9' }), 0)
  })

  it('is off when it is null, but failures are still reported', () => {
    const { limitedOf, observations, failures } = start({ limit: null })
    assert.equal(limitedOf(1000), 0)
    failures.tellAll()
    assert.deepEqual(
      observations.map(({ kind }) => kind),
      ['authentication-failed', 'authentication-failures'],
    )
  })

  it('never answers more with 401 than the burst and the regained tokens, for each address, at any times', () => {
    const step = fc.record({
      waits: fc.integer({ min: 0, max: 5000 }),
      address: fc.integer({ min: 1, max: 3 }),
      times: fc.integer({ min: 1, max: 30 }),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const { limitedOf, time } = start()
        const began = time.now
        const passed = new Map<number, number>()
        for (const { waits, address, times } of steps) {
          time.now += BigInt(waits) * 1_000_000n
          const limited = limitedOf(times, { address: `192.0.2.${address}` })
          passed.set(address, (passed.get(address) ?? 0) + times - limited)
        }
        const seconds = Number(time.now - began) / 1e9
        for (const count of passed.values()) assert.ok(count <= limit.burst + limit.rate * seconds + 1e-6)
      }),
    )
  })

  it('is shared by all threads with the same memory', () => {
    const memory = createFailureMemory()
    const [one, other] = [start({ memory }), start({ memory })]
    assert.equal(one.limitedOf(15) + other.limitedOf(15), 10)
    assert.equal(other.observations.length, 0)
  })
})

describe('failures in the log', () => {
  it('are one line for the first failure of an address in a minute, and one for the others when it is over', () => {
    const { limitedOf, note, observations, failures, time } = start()
    assert.equal(note().inSummary, false)
    limitedOf(300)
    assert.equal(note({ routes: 'v1' }).inSummary, true)
    note({ routes: 'admin' })
    failures.tellPast()
    assert.deepEqual(observations, [
      { kind: 'authentication-failed', requestId: 'r-1', address: '192.0.2.1', routes: 'v2' },
    ])
    time.now += 60n * SECOND
    failures.tellPast()
    failures.tellPast()
    assert.deepEqual(observations.slice(1), [
      {
        kind: 'authentication-failures',
        address: '192.0.2.1',
        addresses: 1,
        failures: 302,
        limited: 283,
        routes: ['v2', 'v1', 'admin'],
      },
    ])
  })

  it('are one line for a single failure', () => {
    const { note, observations, failures, time } = start()
    note()
    time.now += 60n * SECOND
    failures.tellPast()
    failures.tellAll()
    assert.equal(observations.length, 1)
  })

  it('are reported before the next minute of the address begins, also without a call of tellPast', () => {
    const { limitedOf, note, observations, failures, time } = start()
    limitedOf(10)
    time.now += 3600n * SECOND
    note()
    failures.tellAll()
    assert.deepEqual(
      observations.map((one) => (one.kind === 'authentication-failures' ? one.failures : one.kind)),
      ['authentication-failed', 9, 'authentication-failed'],
    )
  })

  it('are reported at the end', () => {
    const { limitedOf, observations, failures } = start()
    limitedOf(10)
    failures.tellAll()
    assert.equal(observations.length, 2)
  })

  it('are the same lines from several threads as from one', () => {
    const memory = createFailureMemory()
    const threads = [start({ memory }), start({ memory }), start({ memory })]
    for (let i = 0; i < 30; i++) for (const { note } of threads) note()
    for (const { failures, time } of threads) {
      time.now += 60n * SECOND
      failures.tellPast()
    }
    const all = threads.flatMap(({ observations }) => observations)
    assert.deepEqual(
      all.map((one) => (one.kind === 'authentication-failures' ? one.failures : one.kind)),
      ['authentication-failed', 89],
    )
  })

  // Few enough that nine of them never share a set of eight rows, with any salt.
  it('are one line for all addresses beyond the most that are reported one by one', () => {
    const { note, observations, failures, time } = start()
    for (let i = 0; i < 400; i++) note({ address: `2001:db8:0:${i.toString(16)}::/64` })
    for (let i = 0; i < 400; i++) note({ address: `2001:db8:0:${i.toString(16)}::/64` })
    time.now += 60n * SECOND
    failures.tellPast()
    const first = observations.filter(({ kind }) => kind === 'authentication-failed')
    assert.equal(first.length, MOST_TOLD_ADDRESSES)
    const told = observations.filter((one) => one.kind === 'authentication-failures')
    assert.equal(told.length, MOST_TOLD_ADDRESSES + 1)
    const others = told.find(({ address }) => address === null)
    assert.equal(others?.addresses, 400 - MOST_TOLD_ADDRESSES)
    const counted = told.reduce((sum, one) => sum + one.failures, first.length)
    assert.equal(counted, 800)
  })

  it('of addresses that were not reported one by one are reported when the next minute begins', () => {
    const memory = createFailureMemory()
    const [one, other] = [start({ memory }), start({ memory })]
    for (let i = 0; i < MOST_TOLD_ADDRESSES + 7; i++) one.note({ address: `192.0.2.${i}` })
    other.time.now += 60n * SECOND
    other.note()
    assert.deepEqual(other.observations[0], {
      kind: 'authentication-failures',
      address: null,
      addresses: 7,
      failures: 7,
      limited: null,
      routes: null,
    })
  })

  it('contain neither a key nor a part of one', () => {
    const { note, observations, failures } = start()
    for (let i = 0; i < 100; i++) note({ credential: 'q83vASNF', address: `192.0.2.${i}` })
    failures.tellAll()
    assert.ok(!JSON.stringify(observations).includes('q83v'))
  })
})

describe('the memory of failures', () => {
  it('has a fixed size for any number of addresses, and counts the latest failures', () => {
    const memory = createFailureMemory(4)
    const size = memory.byteLength
    const { note, limitedOf, time } = start({ memory })
    for (let i = 0; i < 5000; i++) {
      time.now += 1_000_000n
      note({ address: `198.51.${i >> 8}.${i & 255}` })
    }
    assert.equal(memory.byteLength, size)
    assert.equal(limitedOf(40, { address: '203.0.113.1' }), 20)
  })

  it('does not report failures of one address as those of another that had its row before', () => {
    const { note, observations, failures, time } = start({ memory: createFailureMemory(1) })
    for (let i = 0; i < 20; i++) {
      for (let times = 0; times <= i; times++) {
        time.now += 1_000_000n
        note({ address: `192.0.2.${i}` })
      }
    }
    failures.tellAll()
    const named = observations.filter((one) => one.kind === 'authentication-failures' && one.address !== null)
    assert.equal(named.length, 8)
    for (const one of named) {
      if (one.kind !== 'authentication-failures') continue
      assert.equal(one.failures, Number(one.address?.split('.').at(-1)), `${one.address}`)
    }
  })

  it('has room for as many addresses without a limit', () => {
    const { note, observations } = start({ limit: null, memory: createFailureMemory(1) })
    for (let i = 0; i < 80; i++) note({ address: `192.0.2.${i % 8}` })
    assert.equal(observations.length, 8)
  })

  it('loses no failure when addresses evict each other', () => {
    const { note, observations, failures } = start({ memory: createFailureMemory(1) })
    const times = 50
    for (let i = 0; i < times; i++)
      for (let j = 0; j < 120; j++) note({ address: `198.51.100.${Math.floor(j / 3)}` })
    failures.tellAll()
    const told = observations.reduce(
      (sum, one) =>
        sum +
        (one.kind === 'authentication-failed'
          ? 1
          : one.kind === 'authentication-failures'
            ? one.failures
            : 0),
      0,
    )
    assert.equal(told, times * 40 * 3)
  })
})
