import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { sumOf } from './amounts.ts'

describe('sumOf', () => {
  const rows = [
    [[], '0'],
    [[0.1, 0.2], '0.3'],
    [[1.005, -2.5, null, undefined], '-1.495'],
    [[94.47675, 0.00001], '94.47676'],
    [[-0.00001], '-0.00001'],
    [[90071992547.40993, 0.00001], '90071992547.40994'],
  ] as const
  for (const [amounts, sum] of rows) {
    it(`of ${JSON.stringify(amounts)} is ${sum}`, () => assert.equal(sumOf(amounts), sum))
  }

  it('is exact for whatever amounts', () => {
    const units = fc.array(fc.integer({ min: -1e12, max: 1e12 }))
    fc.assert(
      fc.property(units, (all) => {
        const sum = all.reduce((total, each) => total + each, 0)
        assert.equal(Number(sumOf(all.map((each) => each / 1e5))), sum / 1e5)
      }),
    )
  })
})
