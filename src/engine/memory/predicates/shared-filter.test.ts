import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { BitmapPool, type Window } from '../bitmap.ts'
import type { Scope } from '../scope.ts'
import { countedWork } from '../testing/work.ts'
import { nothingLeft } from '../work.ts'
import type { Filter } from './filter.ts'
import { sharedFilter } from './shared-filter.ts'

const COUNT = 320
const scope: Scope = {
  count: COUNT,
  column: () => assert.fail('no column is needed'),
  bitmaps: new BitmapPool(COUNT),
  collections: new Map(),
}

/** A filter that matches the first row of each word of the window. */
function firstOfEachWord(filled: Window[]): Filter {
  return {
    atMost: COUNT,
    effort: COUNT,
    effortPerRow: 5,
    fill: (bits, window) => {
      filled.push(window)
      bits.fill(1, window.from, window.to)
      return nothingLeft
    },
    test: (row) => row % 32 === 0,
  }
}

describe('a shared filter', () => {
  for (const [what, windows, fills] of [
    [
      'once for the same words',
      [
        [0, 10],
        [0, 10],
        [0, 10],
      ],
      1,
    ],
    [
      'once for words within the words that it was filled for',
      [
        [0, 10],
        [2, 4],
        [9, 10],
      ],
      1,
    ],
    [
      'again for more words',
      [
        [2, 4],
        [0, 10],
        [3, 5],
      ],
      2,
    ],
    [
      'again for other words',
      [
        [0, 5],
        [5, 10],
        [5, 6],
      ],
      2,
    ],
  ] as const) {
    it(`is filled ${what}, and always with the right rows`, () => {
      const filled: Window[] = []
      const shared = sharedFilter(firstOfEachWord(filled), scope, windows.length)
      for (const [from, to] of windows) {
        const bits = scope.bitmaps.take().fill(0xffffffff)
        countedWork(shared.fill(bits, { from, to }))
        assert.deepEqual([...bits.subarray(from, to)], Array(to - from).fill(1))
        for (let row = 0; row < COUNT; row++) assert.equal(shared.test(row), row % 32 === 0)
        scope.bitmaps.give(bits)
      }
      assert.equal(filled.length, fills)
    })
  }
})
