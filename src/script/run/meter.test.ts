import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Code } from '../compile/code.ts'
import { bytesOfUnits, PAIR_BYTES } from '../values/sizes.ts'
import { ScriptArray } from '../values/value.ts'
import { Cell, Lambda, type Slot } from './frame.ts'
import { noLimits } from './limits.ts'
import { Meter } from './meter.ts'

const memoryBytes = 1000
/** The place of a root. */
const ROOT_BYTES = 8

function start({
  held = 0,
  root = null,
  most = memoryBytes,
}: {
  held?: number
  root?: Slot
  most?: number
} = {}) {
  const state = { held, root, measured: 0, work: 0 }
  const meter = new Meter(
    { ...noLimits, memoryBytes: most },
    {
      roots: () => {
        state.measured++
        return [state.root]
      },
      held: () => state.held,
      hasSteps: () => false,
      work: (units) => {
        state.work += units
      },
    },
  )
  const isRefused = (bytes: number) =>
    assert.throws(() => meter.allocate(bytes), { code: 'JM5910', limit: 'memoryBytes' })
  return { meter, state, isRefused }
}

/** A root that takes so many bytes: a text that no run made. */
const textOf = (bytes: number): string => 'x'.repeat(bytes - ROOT_BYTES - bytesOfUnits(0, false) - PAIR_BYTES)

describe('the memory of a run', () => {
  it('may reach its limit, but not exceed it by a byte, while a function allocates', () => {
    const { meter, isRefused } = start()
    meter.beginNative()
    // The place of the root is counted, too.
    meter.allocate(memoryBytes - ROOT_BYTES)
    meter.allocate(ROOT_BYTES)
    isRefused(1)
  })

  it('includes values that only a function holds', () => {
    const { meter, state, isRefused } = start({ held: 800 })
    meter.allocate(memoryBytes)
    isRefused(memoryBytes - 800 - ROOT_BYTES + 1)
    state.held = 0
    meter.allocate(1)
  })

  it('does not include values that nothing leads to any more', () => {
    const { meter, state } = start()
    for (let i = 0; i < 100; i++) meter.allocate(memoryBytes / 10)
    assert.ok(state.measured > 5, `measured ${state.measured} times`)
  })

  it('is measured again before an eighth of the limit more is taken', () => {
    const { meter, state, isRefused } = start({ root: textOf(904) })
    meter.allocate(memoryBytes)
    meter.allocate(1)
    assert.equal(state.measured, 1)
    meter.allocate(memoryBytes / 8)
    assert.equal(state.measured, 1)
    state.root = textOf(1008)
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

  it('counts the measuring as work', () => {
    const { meter, state } = start({ root: textOf(904) })
    meter.allocate(memoryBytes)
    meter.allocate(1)
    assert.ok(state.work > 0)
  })
})

/** What is measured for values that the run made: texts of 1,000 units. */
function measured(make: (meter: Meter) => readonly Slot[]): number {
  const state: { roots: readonly Slot[] } = { roots: [] }
  const meter = new Meter(
    { ...noLimits, memoryBytes: 2 ** 40 },
    { roots: () => state.roots, held: () => 0, hasSteps: () => false, work: () => undefined },
  )
  state.roots = make(meter)
  meter.measure()
  return meter.charged
}

const TEXT = 1000

const made = (meter: Meter, text: string): string => {
  meter.newText(text)
  return text
}

describe('measured values', () => {
  const one = 'a'.repeat(TEXT)

  it('count equal texts as often as they were made', () => {
    const bytes = measured((meter) => [made(meter, one), made(meter, one), made(meter, one)])
    assert.ok(bytes >= 3 * TEXT && bytes < 3.3 * TEXT, `${bytes} bytes`)
  })

  it('count a text of several places once', () => {
    const bytes = measured((meter) => {
      const text = made(meter, one)
      return [text, text, text]
    })
    assert.ok(bytes >= TEXT && bytes < 1.3 * TEXT, `${bytes} bytes`)
  })

  it('count two bytes for each character of a text beyond U+00FF, whichever of the texts is left', () => {
    const bytes = measured((meter) => {
      const wide = made(meter, '€'.repeat(TEXT))
      return [one, wide, wide]
    })
    assert.ok(bytes >= 2 * TEXT, `${bytes} bytes`)
  })

  it('forget texts that nothing leads to any more', () => {
    const state: { roots: readonly Slot[] } = { roots: [] }
    const meter = new Meter(
      { ...noLimits, memoryBytes: 2 ** 40 },
      { roots: () => state.roots, held: () => 0, hasSteps: () => false, work: () => undefined },
    )
    for (let i = 0; i < 100; i++) made(meter, one)
    state.roots = [one]
    meter.measure()
    state.roots = Array.from({ length: 100 }, () => one)
    meter.measure()
    assert.ok(meter.charged < 2.3 * TEXT, `${meter.charged} bytes`)
  })

  it('remember texts that a function has made and still holds', () => {
    const state: { roots: readonly Slot[] } = { roots: [] }
    const meter = new Meter(
      { ...noLimits, memoryBytes: 2 ** 40 },
      { roots: () => state.roots, held: () => 0, hasSteps: () => false, work: () => undefined },
    )
    meter.beginNative()
    for (let i = 0; i < 10; i++) made(meter, one)
    meter.measure()
    meter.endNative()
    state.roots = Array.from({ length: 10 }, () => one)
    meter.measure()
    assert.ok(meter.charged >= 10 * TEXT, `${meter.charged} bytes`)
  })

  it('include the variables that a lambda captured, once for all lambdas that share them', () => {
    const code = {} as Code
    const alone = measured(() => [new Lambda(code, [])])
    const array = new ScriptArray(Array.from({ length: 1000 }, () => null))
    const cell = new Cell(array)
    const capturing = measured(() => [new Lambda(code, [cell])])
    assert.ok(capturing > alone + 8000, `${capturing} bytes`)
    const sharing = measured(() => [new Lambda(code, [cell]), new Lambda(code, [cell])])
    assert.ok(sharing < capturing + 300, `${sharing} bytes`)
  })
})
