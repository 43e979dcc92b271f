import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { defaultGroupLimits } from '../../group-set.ts'
import { countedWork } from '../testing/work.ts'
import type { Codes } from './dimension-codes.ts'
import { groupRows } from './group-numbers.ts'

function dimension(codes: readonly number[], limit: number): Codes {
  const source = {
    kind: 'codes',
    codes: Int32Array.from(codes),
    isScratch: false,
    rows: null,
    map: null,
  } as const
  return { source, limit, nullCode: limit - 1, shownAt: (code) => code, ranks: () => null as never }
}

const MOST_ROWS = 120

it('counts the rows of each combination, with or without the number of each row', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(2), fc.nat(3), fc.nat(4)), { maxLength: MOST_ROWS }),
      // Combinations that are numbered by arithmetic, and with three dimensions in a hash table.
      fc.constantFrom(5, 40),
      fc.integer({ min: 2, max: 3 }),
      fc.boolean(),
      (rows, limit, dimensionCount, wantsNumbers) => {
        const dimensions = Array.from({ length: dimensionCount }, (_, d) =>
          dimension(
            rows.map((row) => row[d] as number),
            limit,
          ),
        )
        const expected = new Map<string, number>()
        for (const row of rows) {
          const key = row.slice(0, dimensionCount).join()
          expected.set(key, (expected.get(key) ?? 0) + 1)
        }
        const { occurring, counts, codes } = countedWork(
          groupRows(dimensions, rows.length, dimensionCount + 1, defaultGroupLimits, wantsNumbers),
        ).value
        const found = Array.from(occurring, (number, place) => [
          codes.map((own) => own[place]).join(),
          counts[number],
        ])
        assert.deepEqual(new Map(found as [string, number][]), expected)
      },
    ),
  )
})
