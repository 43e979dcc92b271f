import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ReusedMemory } from './chunk-memory.ts'

describe('the memory of chunks', () => {
  it('is given out again when it has been released', () => {
    const memory = new ReusedMemory(1 << 20)
    const first = memory.take(1000)
    assert.notEqual(memory.take(1000).buffer, first.buffer)
    memory.release(first)
    assert.equal(memory.take(500).buffer, first.buffer)
  })

  it('is never memory that others may share', () => {
    const memory = new ReusedMemory(1 << 20)
    const shared = new Uint8Array(new ArrayBuffer(64 * 1024), 0, 100)
    memory.release(shared)
    assert.notEqual(memory.take(100).buffer, shared.buffer)
  })
})
