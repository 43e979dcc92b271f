import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { datasets } from '../../schema/datasets.ts'
import { evaluatePlan } from '../testing/evaluate-plan.ts'
import { createPlanExecutor } from './plan-executor.ts'
import { arbitraryQueries, labels } from './testing/arbitrary-queries.ts'
import { partitionOf, textOf } from './testing/partitions.ts'

describe('the memory engine, against reading row by row', () => {
  for (const { dataset, row, query } of arbitraryQueries) {
    const { stored } = datasets[dataset]

    it(`selects, orders and pages the same ${dataset}`, async () => {
      const plans = fc.array(query, { minLength: 1, maxLength: 12 })
      const property = fc.asyncProperty(
        fc.array(row, { maxLength: 150, size: 'max' }),
        plans,
        fc.constantFrom(0, 10_000_000),
        async (given, queries, selectionCacheBytes) => {
          const { partition, rows, records } = partitionOf(stored, given, labels)
          const numbered = rows.map((each, row) => ({ ...each, row }))
          const engine = createPlanExecutor({ selectionCacheBytes })
          // Once with fresh columns, then again once indexes have been built on some of them.
          for (const asked of [...queries, ...queries, ...queries]) {
            const expected = evaluatePlan(numbered, asked)
            const result = await engine.execute({ dataset, ...asked }, partition)
            assert.equal(result.total, expected.total)
            assert.equal(result.count, expected.page.length)
            assert.equal(textOf(result, 'json', 100), expected.page.map(({ row }) => records[row]).join(','))
          }
        },
      )
      await fc.assert(property, { numRuns: 150 })
    })
  }
})
