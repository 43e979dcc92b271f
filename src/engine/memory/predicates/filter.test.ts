import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { BitmapPool, type Bits, type Window, wholeWindow } from '../bitmap.ts'
import type { Scope } from '../scope.ts'
import { countedWork } from '../testing/work.ts'
import { nothingLeft } from '../work.ts'
import { conjunction, constantFilter, disjunction, type Filter } from './filter.ts'

const COUNT = 1024
const scope: Scope = {
  count: COUNT,
  column: () => assert.fail('no column is needed'),
  bitmaps: new BitmapPool(COUNT),
  collections: new Map(),
}

/** A filter for the given rows, which logs when its bitmap is filled. */
function filterOf(name: string, rows: readonly number[], log: string[], atMost = rows.length): Filter {
  const matching = new Set(rows)
  return {
    atMost,
    effort: COUNT,
    effortPerRow: 5,
    fill: (bits: Bits, { from, to }: Window) => {
      log.push(name)
      bits.fill(0, from, to)
      for (const row of rows) bits[row >>> 5] = bits[row >>> 5]! | (1 << (row & 31))
      return nothingLeft
    },
    test: (row) => {
      log.push(`${name}?`)
      return matching.has(row)
    },
  }
}

const upTo = (count: number) => Array.from({ length: count }, (_, row) => row)

describe('the estimate of a disjunction', () => {
  it('is the sum of the rows of its operands, at most all rows', () => {
    const [few, more] = [filterOf('few', upTo(10), []), filterOf('more', upTo(700), [])]
    assert.equal(disjunction([few, more], scope).atMost, 710)
    assert.equal(disjunction([more, more], scope).atMost, COUNT)
  })

  for (const [rows, order] of [
    [15, ['c', 'a', 'b']],
    [25, ['a', 'b', 'c']],
  ] as const) {
    it(`decides whether a conjunction begins with it: ${order.join(', ')}`, () => {
      const log: string[] = []
      const [a, b] = [filterOf('a', upTo(10), log), filterOf('b', upTo(10), log)]
      const c = filterOf('c', upTo(COUNT), log, rows)
      const filter = conjunction([disjunction([a, b], scope), c], scope)
      countedWork(filter.fill(scope.bitmaps.take(), wholeWindow(COUNT)))
      assert.equal(log[0], order[0])
    })
  }

  it('is the cost of all its operands when few rows are tested one by one', () => {
    const log: string[] = []
    const [a, b] = [filterOf('a', [7], log, COUNT), filterOf('b', [9], log, COUNT)]
    const rare = filterOf('rare', [7, 8], log)
    const filter = conjunction([rare, disjunction([a, b], scope)], scope)
    const bits = scope.bitmaps.take()
    assert.equal(countedWork(filter.fill(bits, wholeWindow(COUNT))).rowsScanned, 2 * (5 + 5))
    assert.equal(bits[0], 1 << 7)
    assert.deepEqual(log, ['rare', 'a?', 'a?', 'b?'])
  })
})

describe('testing single rows', () => {
  for (const [effortPerRow, most] of [
    [5, 16_384],
    [2000, 256],
    [10_000_000, 32],
  ] as const) {
    it(`pauses after ${most} rows when each costs ${effortPerRow}`, () => {
      const count = 2 ** 16
      const wide: Scope = { ...scope, count, bitmaps: new BitmapPool(count) }
      const { constant: _, ...everyRow } = constantFilter(true, wide)
      const all: Filter = { ...everyRow, atMost: 1 }
      let asked = 0
      const costly: Filter = {
        atMost: count,
        effort: Number.POSITIVE_INFINITY,
        effortPerRow,
        fill: () => assert.fail('rows are tested one by one'),
        test: () => ++asked > 0,
      }
      const inSteps: number[] = []
      for (const _ of conjunction([all, costly], wide).fill(wide.bitmaps.take(), wholeWindow(count))) {
        inSteps.push(asked)
        asked = 0
      }
      inSteps.push(asked)
      assert.equal(Math.max(...inSteps), most)
    })
  }
})
