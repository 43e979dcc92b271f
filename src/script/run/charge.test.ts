/** What is counted for values, against what they take in the heap. `npm run bench -- script-memory` shows the figures. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { chargedAndTaken, LEAST_RATIO, MOST_RATIO } from '../testing/charged-and-taken.ts'
import { kindsOfValues } from '../testing/kinds-of-values.ts'

describe('what is counted for values', () => {
  for (const kind of kindsOfValues) {
    it(`is about what the heap takes for ${kind.name}`, async () => {
      // The first run makes what all further runs share, such as the feedback that decides how V8 stores numbers.
      await chargedAndTaken(kind, 300)
      const { charged, taken, ratio } = await chargedAndTaken(kind, (kind.times ?? 1) * 30_000)
      const found = `${charged.toFixed(0)} bytes are counted for a value of ${taken.toFixed(0)}`
      assert.ok(ratio >= LEAST_RATIO && ratio <= MOST_RATIO, found)
    })
  }
})
