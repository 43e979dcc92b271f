import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { ColumnRef, Predicate, QueryPlan } from '../../query/plan/plan-nodes.ts'
import { datasets } from '../../schema/datasets.ts'
import { OverBudget, type Overrun } from '../work-budget.ts'
import { createPlanExecutor } from './plan-executor.ts'
import type { WorkClock } from './request-meter.ts'
import { arbitraryQueries, labels } from './testing/arbitrary-queries.ts'
import { partitionOf, rowsIn } from './testing/partitions.ts'

const COUNT = 6000

/** Locators whose codes are not in the order of their texts, so that a sort must find that order first. */
const open = () =>
  partitionOf(
    'bookings',
    Array.from({ length: COUNT }, (_, row) => ({
      fields: {
        recordLocator: `${row % 2 === 0 ? 'a' : 'A'}${(row * 7919) % 99_991}`,
        originatingAgency: `Agency ${row % 5}`,
        bookingDate: 20_000 + row,
        modifiedAt: row,
      },
    })),
  ).partition

const locator: ColumnRef = { kind: 'field', name: 'recordLocator', type: 'text' }
const modifiedAt: ColumnRef = { kind: 'field', name: 'modifiedAt', type: 'minute' }
const contains = (folded: string): Predicate => ({
  kind: 'match',
  column: locator,
  function: 'contains',
  folded,
})
const isLate: Predicate = {
  kind: 'compare',
  column: modifiedAt,
  comparison: 'gt',
  comparand: { as: 'instant', instant: 60_000 * 5990 },
}
const plan = (where: Predicate | null, orderBy: QueryPlan['orderBy'] = []): QueryPlan => ({
  dataset: 'bookings',
  where,
  orderBy,
  paging: { offset: 0, limit: 3 },
  select: null,
})

/** A clock that advances by 1 ms at every reading, and by `cpuTick` at every reading of the processor time. */
const ticking = (cpuTick = 1): WorkClock & { readonly looks: () => number } => {
  let time = 0
  let cpu = 0
  return { now: () => time++, cpu: () => (cpu += cpuTick), looks: () => time }
}

const overrunOf = (asked: Promise<unknown>): Promise<Overrun> =>
  asked.then(
    () => assert.fail('it was answered'),
    (cause: unknown) => {
      assert.ok(cause instanceof OverBudget, String(cause))
      return cause.overrun
    },
  )

describe('the budget of a request', () => {
  it('refuses a plan that is certain to exceed it, and says which limit it exceeds', async () => {
    const certain = 8 * COUNT
    const engine = createPlanExecutor({ budget: { rowsScanned: certain - 1, cpuMs: Infinity } })
    assert.deepEqual(await overrunOf(engine.execute(plan(contains('1')), open())), {
      kind: 'certain',
      rowsScanned: certain,
      limit: certain - 1,
    })
  })

  it('stops a plan when it exceeds the budget', async () => {
    const engine = createPlanExecutor({ budget: { rowsScanned: 8 * COUNT, cpuMs: Infinity } })
    const stopped = { kind: 'rows', limit: 8 * COUNT }
    assert.deepEqual(await overrunOf(engine.execute(plan(contains('1')), open())), stopped)
  })

  it('allows a plan that an index makes cheaper', async () => {
    const engine = createPlanExecutor({ budget: { rowsScanned: 9 * COUNT, cpuMs: Infinity } })
    assert.equal((await engine.execute(plan(contains('no such text')), open())).total, 0)
  })

  it('counts sorting', async () => {
    const sorted = plan(null, [{ column: modifiedAt, descending: true }])
    const few = createPlanExecutor({ budget: { rowsScanned: COUNT, cpuMs: Infinity } })
    assert.deepEqual(await overrunOf(few.execute(sorted, open())), { kind: 'rows', limit: COUNT })
    const enough = createPlanExecutor({ budget: { rowsScanned: 10 * COUNT, cpuMs: Infinity } })
    assert.deepEqual(rowsIn(await enough.execute(sorted, open())), [COUNT - 1, COUNT - 2, COUNT - 3])
  })

  it('does not count the writing of records', async () => {
    const engine = createPlanExecutor({ budget: { rowsScanned: 1, cpuMs: 1 }, clock: ticking() })
    const all = await engine.execute({ ...plan(null), paging: null, select: null }, open())
    assert.equal(rowsIn(all).length, COUNT)
  })

  it('stops a plan that takes more processor time, measured with the given clock', async () => {
    const sorted = plan(null, [{ column: modifiedAt, descending: true }])
    const engine = createPlanExecutor({ budget: { rowsScanned: Infinity, cpuMs: 2 }, clock: ticking(10) })
    assert.deepEqual(await overrunOf(engine.execute(sorted, open())), { kind: 'cpu', limit: 2 })
  })

  it('does not count the time in which other programs use the processor', async () => {
    const sorted = plan(null, [{ column: modifiedAt, descending: true }])
    const clock = ticking(0.01)
    const engine = createPlanExecutor({ budget: { rowsScanned: Infinity, cpuMs: 4 }, clock })
    await engine.execute(sorted, open())
    assert.ok(clock.looks() > 8, `${clock.looks()} readings of the clock`)
  })

  it('answers a stopped plan when another request has done its work meanwhile', async () => {
    let time = 0
    let tick = 0
    const clock = { now: () => (time += tick), cpu: () => time }
    const engine = createPlanExecutor({ budget: { rowsScanned: Infinity, cpuMs: 2 }, clock })
    const partition = open()
    const sorted = plan(null, [{ column: modifiedAt, descending: true }])
    // So that all work that is kept for all requests, and does not count, is done.
    await engine.execute(plan(isLate, sorted.orderBy), partition)
    tick = 100
    const slow = overrunOf(engine.execute(sorted, partition))
    tick = 0
    const quick = engine.execute(sorted, partition)
    assert.equal((await slow).kind, 'cpu')
    assert.equal((await quick).total, COUNT)
    assert.equal((await engine.execute(sorted, partition)).total, COUNT)
  })

  it('refuses a stopped plan at once, until the time that the refusal names has passed', async () => {
    let time = 0
    const clock = { now: () => time, cpu: () => time }
    const engine = createPlanExecutor({ budget: { rowsScanned: 8 * COUNT, cpuMs: Infinity }, clock })
    const partition = open()
    const stop = () => engine.execute(plan(contains('1')), partition).catch((cause: unknown) => cause)
    const first = await stop()
    assert.ok(first instanceof OverBudget)
    assert.equal(await stop(), first)
    const others = await engine.execute(plan(isLate), partition)
    assert.equal(others.total, 9)
    time = 30_000
    const later = await stop()
    assert.ok(later instanceof OverBudget)
    assert.notEqual(later, first)
  })

  for (const { dataset, row, query } of arbitraryQueries) {
    it(`does not change the answers about ${dataset} that it allows`, async () => {
      const property = fc.asyncProperty(
        fc.array(row, { maxLength: 60, size: 'max' }),
        fc.array(query, { minLength: 1, maxLength: 6 }),
        async (given, queries) => {
          const { partition } = partitionOf(datasets[dataset].stored, given, labels)
          const unlimited = createPlanExecutor()
          const limited = createPlanExecutor({ budget: { rowsScanned: 1e9, cpuMs: 1e9 } })
          for (const asked of queries) {
            const [expected, found] = await Promise.all(
              [unlimited, limited].map((engine) => engine.execute({ dataset, ...asked }, partition)),
            )
            assert.equal(found?.total, expected?.total)
            assert.deepEqual(found && rowsIn(found), expected && rowsIn(expected))
          }
        },
      )
      await fc.assert(property, { numRuns: 50 })
    })
  }
})
