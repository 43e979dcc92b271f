import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createAddressLimit } from './address-limit.ts'

const SECOND = 1_000_000_000n

describe('the limit of an address', () => {
  it('admits the burst, then tells how long to wait, and leaves other addresses alone', () => {
    let now = 1000n * SECOND
    const secondsToWait = createAddressLimit({ rate: 0.5, burst: 3 }, () => now)
    const ask = (address: string, times: number) =>
      Array.from({ length: times }, () => secondsToWait(address))
    assert.deepEqual(ask('192.0.2.1', 5), [0, 0, 0, 2, 2])
    assert.deepEqual(ask('192.0.2.2', 4), [0, 0, 0, 2])
    now += 2n * SECOND
    assert.deepEqual(ask('192.0.2.1', 2), [0, 2])
  })
})
