import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { Scratch } from './scratch.ts'
import { runWork } from './work.ts'

const MANY = 100_000

describe('Scratch', () => {
  it('reuses memory that was given back', () => {
    const scratch = new Scratch()
    const first = scratch.integers(MANY)
    assert.equal(first.length, MANY)
    scratch.give(first)
    const words = scratch.words(MANY - 1000)
    assert.equal(words.buffer, first.buffer)
    assert.equal(words.length, MANY - 1000)
  })

  it('never hands out memory that is in use', () => {
    const scratch = new Scratch()
    const buffers = Array.from({ length: 5 }, () => scratch.words(MANY).buffer)
    assert.equal(new Set(buffers).size, 5)
  })

  it('keeps no more than it may', () => {
    const scratch = new Scratch(2 ** 20)
    const arrays = Array.from({ length: 5 }, () => scratch.integers(MANY))
    for (const array of arrays) scratch.give(array)
    assert.equal(scratch.keptBytes, 2 ** 20)
  })

  it('evicts memory that was not used for a while', async () => {
    const scratch = new Scratch(2 ** 26, 5)
    scratch.give(scratch.integers(MANY))
    assert.equal(scratch.keptBytes, 2 ** 19)
    while (scratch.keptBytes > 0) await wait(1)
  })

  it('copies an array that is to be kept', async () => {
    const scratch = new Scratch()
    const array = scratch.integers(MANY).fill(7)
    const kept = await runWork(scratch.settled(array))
    scratch.integers(MANY).fill(8)
    assert.deepEqual(kept, new Int32Array(MANY).fill(7))
    assert.equal(kept.buffer.byteLength, 4 * MANY)
  })

  it('accepts only memory that it has handed out', () => {
    const scratch = new Scratch()
    scratch.give(new Int32Array(MANY))
    scratch.give(scratch.integers(2 * MANY).subarray(MANY))
    assert.equal(scratch.keptBytes, 0)
  })
})
