import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { bytesForAccounts, type Counters, openCounters } from './shared-counters.ts'

const memoryFor = (accounts: number) => new SharedArrayBuffer(bytesForAccounts(accounts))
const write = (counters: Counters, value: bigint) => Atomics.store(counters, 0, value)
const read = (counters: Counters) => Atomics.load(counters, 0)

describe('openCounters', () => {
  it('finds the same two counters of an account each time the memory is opened, zero at first', () => {
    const memory = memoryFor(8)
    const [here, there] = [openCounters(memory), openCounters(memory)]
    const accountId = randomUUID()
    assert.deepEqual([...here(accountId)], [0n, 0n])
    write(here(accountId), 7n)
    assert.deepEqual([...there(accountId)], [7n, 0n])
    assert.deepEqual([...there(accountId.toUpperCase())], [7n, 0n])
  })

  it('gives every account its own counters, in any order of requests, until the memory is full', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.uuid(), { minLength: 1, maxLength: 40 }),
        fc.infiniteStream(fc.nat()),
        (ids, dice) => {
          const memory = memoryFor(ids.length)
          const openings = [openCounters(memory), openCounters(memory), openCounters(memory)]
          const anyOpening = () => openings[Number(dice.next().value) % 3] as (typeof openings)[number]
          for (const [i, id] of ids.entries()) write(anyOpening()(id), BigInt(i + 1))
          for (const opening of openings) {
            for (const [i, id] of ids.entries()) assert.equal(read(opening(id)), BigInt(i + 1))
          }
        },
      ),
    )
  })

  const alike: readonly (readonly [what: string, one: string, other: string])[] = [
    ['in their first half', '01234567-89ab-4def-8123-456789abcdef', '01234567-89ab-4def-9123-456789abcdef'],
    ['in their second half', '01234567-89ab-4def-8123-456789abcdef', '01234567-89ab-4dee-8123-456789abcdef'],
  ]
  for (const [what, one, other] of alike) {
    it(`keeps apart two accounts whose ids are alike ${what}`, () => {
      const counters = openCounters(memoryFor(2))
      write(counters(one), 1n)
      write(counters(other), 2n)
      assert.deepEqual([read(counters(one)), read(counters(other))], [1n, 2n])
    })
  }

  it('gives an account separate counters in each thread when the memory is full', () => {
    const memory = memoryFor(2)
    const [here, there] = [openCounters(memory), openCounters(memory)]
    const [one, two, late] = [randomUUID(), randomUUID(), randomUUID()]
    for (const [id, value] of [
      [one, 1n],
      [two, 2n],
      [late, 3n],
    ] as const)
      write(here(id), value)
    assert.deepEqual(
      [one, two, late].map((id) => read(here(id))),
      [1n, 2n, 3n],
    )
    assert.deepEqual(
      [one, two, late].map((id) => read(there(id))),
      [1n, 2n, 0n],
    )
  })

  it('refuses an id that is not a UUID', () => {
    const counters = openCounters(memoryFor(2))
    for (const id of ['', 'a-1', '00000000-0000-0000-0000-000000000000', `${randomUUID()}0`]) {
      assert.throws(() => counters(id), TypeError, id)
    }
  })
})
