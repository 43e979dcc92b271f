import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Slot } from './frame.ts'
import { noLimits } from './limits.ts'
import { Meter, PLACE_BYTES, TEXT_BYTES, UNIT_BYTES } from './meter.ts'

const memoryBytes = 1000

function start({ held = 0, root = null }: { readonly held?: number; readonly root?: Slot } = {}) {
  const state = { held, root, measured: 0 }
  const roots = (): readonly Slot[] => {
    state.measured++
    return [state.root]
  }
  const meter = new Meter(
    { ...noLimits, memoryBytes },
    roots,
    () => state.held,
    () => undefined,
  )
  const isRefused = (bytes: number) =>
    assert.throws(() => meter.allocate(bytes), { code: 'JM5910', limit: 'memoryBytes' })
  return { meter, state, isRefused }
}

/** A root that takes so many bytes: a text in one place. */
const textOf = (bytes: number): string => 'x'.repeat((bytes - PLACE_BYTES - TEXT_BYTES) / UNIT_BYTES)

describe('the memory of a run', () => {
  it('may reach its limit, but not exceed it by a byte, while a function allocates', () => {
    const { meter, isRefused } = start()
    meter.beginNative()
    // The place of the root is counted, too.
    meter.allocate(memoryBytes - PLACE_BYTES)
    meter.allocate(PLACE_BYTES)
    isRefused(1)
  })

  it('includes values that only a function holds', () => {
    const { meter, state, isRefused } = start({ held: 800 })
    meter.allocate(memoryBytes)
    isRefused(memoryBytes - 800 - PLACE_BYTES + 1)
    state.held = 0
    meter.allocate(1)
  })

  it('does not include values that nothing leads to any more', () => {
    const { meter, state } = start()
    for (let i = 0; i < 100; i++) meter.allocate(memoryBytes / 10)
    assert.ok(state.measured > 5, `measured ${state.measured} times`)
  })

  it('is measured again before a quarter of the limit more is taken', () => {
    const { meter, state, isRefused } = start({ root: textOf(900) })
    meter.allocate(memoryBytes)
    meter.allocate(1)
    assert.equal(state.measured, 1)
    meter.allocate(memoryBytes / 4)
    assert.equal(state.measured, 1)
    state.root = textOf(1000)
    isRefused(1)
    assert.equal(state.measured, 2)
  })

  it('tells the bytes allocated since a function began', () => {
    const { meter } = start()
    meter.allocate(100)
    meter.beginNative()
    meter.allocate(30)
    meter.allocate(12)
    assert.equal(meter.endNative(), 42)
    assert.equal(meter.endNative(), 0)
  })
})
