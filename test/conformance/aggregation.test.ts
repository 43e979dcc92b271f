/**
 * Tests that every engine aggregates as its contract says: random aggregations of random records against a row-by-row
 * evaluation, all values exact. A failure prints its seed: set TRIPFOLIO_PROPERTY_SEED to it and run again.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { arbitraryQueries, labels } from '../../src/engine/memory/testing/arbitrary-queries.ts'
import { arbitraryAggregations } from '../../src/engine/testing/arbitrary-aggregations.ts'
import { evaluateAggregation } from '../../src/engine/testing/evaluate-aggregation.ts'
import type { AggregationPlan } from '../../src/query/aggregation.ts'
import { datasets } from '../../src/schema/datasets.ts'
import { engines } from './engines.ts'
import { snapshotOf } from './snapshots.ts'

const seed = Number(process.env.TRIPFOLIO_PROPERTY_SEED ?? Math.floor(Math.random() * 0x7fffffff))

const company = { of: 'record', column: { kind: 'field', name: 'company', type: 'text' } } as const

const planOf = (dimensions: AggregationPlan['dimensions']): AggregationPlan => ({
  dataset: 'invoices',
  where: null,
  collection: null,
  groupsOf: 'records',
  dimensions,
  aggregates: [{ member: 'n', method: 'count' }],
  orderBy: dimensions.map((_, member) => ({ member, descending: false })),
  paging: null,
})

for (const { name, create } of engines) {
  describe(`the ${name} engine`, () => {
    for (const queries of arbitraryQueries) {
      const { dataset, row } = queries
      it(`groups ${dataset} and their elements like a row-by-row evaluation`, async () => {
        const property = fc.asyncProperty(
          fc.array(row, { maxLength: 40 }),
          fc.array(arbitraryAggregations(queries), { minLength: 1, maxLength: 8 }),
          async (given, plans) => {
            const { snapshot, rows } = snapshotOf(datasets[dataset].stored, given, labels)
            const data = await create().open(snapshot, 'C1', dataset)
            for (const plan of plans) {
              const { total, count, columns } = await data.aggregate(plan)
              assert.deepEqual({ total, count, columns }, evaluateAggregation(rows, plan))
            }
          },
        )
        await fc.assert(property, { numRuns: 40, seed })
      })
    }

    it('has one empty group, or none, for a client that the snapshot does not know', async () => {
      const { snapshot } = snapshotOf('invoices', [], labels)
      const partition = snapshot.partition
      const unknown = { ...snapshot, partition: () => partition('nobody', 'invoices') }
      const data = await create().open(unknown, 'nobody', 'invoices')
      const whole = await data.aggregate(planOf([]))
      assert.deepEqual([whole.total, whole.columns.map(({ values }) => values)], [1, [[0]]])
      const grouped = await data.aggregate(planOf([{ member: 'c', value: company, part: null }]))
      assert.deepEqual([grouped.total, grouped.columns.map(({ values }) => values)], [0, [[], []]])
      const beyond = await data.aggregate({ ...planOf([]), paging: { offset: 1, limit: 5 } })
      assert.deepEqual([beyond.total, beyond.count], [1, 0])
    })
  })
}
