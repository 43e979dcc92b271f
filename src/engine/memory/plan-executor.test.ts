import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseInstant } from '../../kernel/calendar.ts'
import type { ColumnRef, Predicate, QueryPlan, SortKey } from '../../query/plan/plan-nodes.ts'
import type { FieldType } from '../../schema/field.ts'
import { createPlanExecutor } from './plan-executor.ts'
import { partitionOf, rowsIn } from './testing/partitions.ts'

const field = (name: string, type: FieldType = 'text'): ColumnRef => ({ kind: 'field', name, type })
const is = (name: string, folded: string): Predicate => ({
  kind: 'compare',
  column: field(name),
  comparison: 'eq',
  comparand: { as: 'text', folded },
})
const since = (name: string, date: string): Predicate => ({
  kind: 'compare',
  column: field(name, 'date'),
  comparison: 'ge',
  comparand: { as: 'instant', instant: parseInstant(date)! },
})
const any = (condition: Predicate | null): Predicate => ({ kind: 'any', collection: 'segments', condition })
const not = (operand: Predicate): Predicate => ({ kind: 'not', operand })
const by = (name: string, descending = false, type: FieldType = 'text'): SortKey => ({
  column: field(name, type),
  descending,
})

const planOf = (plan: Partial<QueryPlan>): QueryPlan => ({
  dataset: 'itineraries',
  where: null,
  orderBy: [],
  paging: null,
  select: null,
  ...plan,
})

const segment = (segmentType: string, status: string | null, origin: string | null = null) => ({
  segmentType,
  status,
  origin,
})

/** Seven itineraries in default order, beginning on 2026-01-01. */
const trips = partitionOf(
  'bookings',
  [
    { agency: 'North', elements: [segment('AIR', 'HK', 'SYD'), segment('HOTEL', 'XX')] },
    { agency: 'south', elements: [] },
    { agency: 'North', elements: [segment('AIR', 'XX', 'MEL')] },
    { agency: 'East', elements: [segment('HOTEL', 'HK'), segment('CAR', null)] },
    { agency: 'north', elements: [segment('RAIL', null, 'syd')] },
    { agency: '\u{1d4b3}', elements: [] },
    { agency: '\uffee', elements: [segment('AIR', 'HK', 'PER'), segment('AIR', 'HK', 'SYD')] },
  ].map(({ agency, elements }, i) => ({
    fields: { recordLocator: `L${i}`, originatingAgency: agency, bookingDate: 20_454 + i, isTicketed: i > 3 },
    custom: { Team: i === 2 ? null : 'Red' },
    elements,
  })),
  ['Team'],
)

const run = async (plan: Partial<QueryPlan>) => createPlanExecutor().execute(planOf(plan), trips.partition)
const rowsWhere = async (where: Predicate) => rowsIn(await run({ where }))
const rowsBy = async (...orderBy: SortKey[]) => rowsIn(await run({ orderBy }))

describe('conditions on elements', () => {
  it('hold for a record when one of its elements satisfies all of them', async () => {
    assert.deepEqual(await rowsWhere(any(is('segmentType', 'air'))), [0, 2, 6])
    const cancelledFlight: Predicate = {
      kind: 'and',
      operands: [is('segmentType', 'air'), is('status', 'xx')],
    }
    assert.deepEqual(await rowsWhere(any(cancelledFlight)), [2])
    assert.deepEqual(
      await rowsWhere({ kind: 'and', operands: [any(is('segmentType', 'air')), any(is('status', 'xx'))] }),
      [0, 2],
    )
  })

  it('hold for every record with elements when nothing else is required', async () => {
    assert.deepEqual(await rowsWhere(any(null)), [0, 2, 3, 4, 6])
    assert.deepEqual(await rowsWhere(not(any(null))), [1, 5])
  })

  it('hold for a record without elements when they are for all elements', async () => {
    assert.deepEqual(await rowsWhere(not(any(not(is('status', 'hk'))))), [1, 5, 6])
  })

  it('can test elements for null', async () => {
    assert.deepEqual(await rowsWhere(any({ kind: 'is-null', column: field('status') })), [3, 4])
    assert.deepEqual(await rowsWhere(any({ kind: 'constant', value: true })), [0, 2, 3, 4, 6])
  })
})

describe('conditions on records', () => {
  it('are combined and negated, an empty conjunction being true and an empty disjunction false', async () => {
    const north = is('originatingAgency', 'north')
    assert.deepEqual(await rowsWhere(north), [0, 2, 4])
    assert.deepEqual(
      await rowsWhere({ kind: 'or', operands: [north, is('recordLocator', 'l1')] }),
      [0, 1, 2, 4],
    )
    assert.deepEqual(
      await rowsWhere({
        kind: 'and',
        operands: [north, since('bookingDate', '2026-01-03'), not(any(is('origin', 'syd')))],
      }),
      [2],
    )
    assert.deepEqual(await rowsWhere({ kind: 'and', operands: [] }), [0, 1, 2, 3, 4, 5, 6])
    assert.deepEqual(await rowsWhere({ kind: 'or', operands: [] }), [])
  })

  it('reach custom labels', async () => {
    const team: ColumnRef = { kind: 'custom', label: 'Team', type: 'text' }
    assert.deepEqual(await rowsWhere({ kind: 'is-null', column: team }), [2])
  })
})

describe('order', () => {
  it('compares texts without letter case, by code point and not by UTF-16 unit, and keeps ties in default order', async () => {
    assert.deepEqual(await rowsBy(by('originatingAgency')), [3, 0, 2, 4, 1, 6, 5])
    assert.deepEqual(await rowsBy(by('originatingAgency', true)), [5, 6, 1, 4, 0, 2, 3])
  })

  it('uses further keys among ties', async () => {
    assert.deepEqual(
      await rowsBy(by('isTicketed', true, 'boolean'), by('bookingDate', true, 'date')),
      [6, 5, 4, 3, 2, 1, 0],
    )
    assert.deepEqual(
      await rowsBy(by('isTicketed', false, 'boolean'), by('recordLocator', true)),
      [3, 2, 1, 0, 6, 5, 4],
    )
  })

  it('puts null last ascending and first descending', async () => {
    const team: ColumnRef = { kind: 'custom', label: 'Team', type: 'text' }
    assert.deepEqual(await rowsBy({ column: team, descending: false }), [0, 1, 3, 4, 5, 6, 2])
    assert.deepEqual(await rowsBy({ column: team, descending: true }), [2, 0, 1, 3, 4, 5, 6])
  })
})

describe('pages', () => {
  const page = (number: number, pageSize: number) => ({ offset: (number - 1) * pageSize, limit: pageSize })

  it('are parts of the result, for any condition and order', async () => {
    const cases: readonly Partial<QueryPlan>[] = [
      {},
      { where: is('originatingAgency', 'north') },
      { where: since('bookingDate', '2026-01-02') },
      { orderBy: [by('originatingAgency', true)] },
      { where: any(null), orderBy: [by('originatingAgency')] },
    ]
    for (const plan of cases) {
      const all = rowsIn(await run(plan))
      for (const pageSize of [1, 2, 3, 7, 500]) {
        for (let number = 1; number <= 5; number++) {
          const result = await run({ ...plan, paging: page(number, pageSize) })
          assert.equal(result.total, all.length)
          assert.deepEqual(rowsIn(result), all.slice((number - 1) * pageSize, number * pageSize))
          assert.equal(result.count, rowsIn(result).length)
        }
      }
    }
  })

  it('past the end are empty and know the total', async () => {
    for (const number of [3, 1_000_000, Number.MAX_SAFE_INTEGER]) {
      const result = await run({ orderBy: [by('originatingAgency')], paging: page(number, 5) })
      assert.deepEqual([result.total, result.count, rowsIn(result)], [7, 0, []])
    }
  })

  it('are right in whatever order one engine is asked for them', async () => {
    const engine = createPlanExecutor()
    const many = partitionOf(
      'bookings',
      Array.from({ length: 400 }, (_, i) => ({
        fields: { bookingDate: i, recordLocator: `${(i * 7) % 13}` },
      })),
    )
    for (const where of [null, not(is('recordLocator', '4'))]) {
      const plan = planOf({ where, orderBy: [by('recordLocator')] })
      const all = rowsIn(await engine.execute(plan, many.partition))
      const fresh = createPlanExecutor()
      for (const number of [1, 30, 2, 1, 41]) {
        const result = await fresh.execute({ ...plan, paging: page(number, 10) }, many.partition)
        assert.deepEqual(rowsIn(result), all.slice((number - 1) * 10, number * 10))
      }
    }
  })

  it('are right when they are requested at the same time', async () => {
    const engine = createPlanExecutor()
    const plan = planOf({ where: any(null), orderBy: [by('originatingAgency')] })
    const pages = await Promise.all(
      [1, 2, 3].map((number) => engine.execute({ ...plan, paging: page(number, 2) }, trips.partition)),
    )
    assert.deepEqual(pages.flatMap(rowsIn), rowsIn(await run(plan)))
  })
})

describe('the memory engine', () => {
  it('answers an empty partition', async () => {
    const { partition } = partitionOf('invoices', [])
    for (const where of [
      null,
      not(is('company', 'x')),
      { ...any(null), collection: 'lineItems' } as Predicate,
    ]) {
      const plan = planOf({ dataset: 'invoices', where, orderBy: [by('company', true)] })
      const result = await createPlanExecutor().execute(plan, partition)
      assert.deepEqual([result.total, result.count, rowsIn(result)], [0, 0, []])
    }
  })

  it('keeps what one partition selected apart from another', async () => {
    const engine = createPlanExecutor()
    const other = partitionOf('bookings', [{ fields: { originatingAgency: 'North' } }])
    const plan = planOf({ where: is('originatingAgency', 'north') })
    assert.equal((await engine.execute(plan, trips.partition)).total, 3)
    assert.equal((await engine.execute(plan, other.partition)).total, 1)
  })

  it('refuses a plan that was bound to other data', async () => {
    const engine = createPlanExecutor()
    const broken: readonly Partial<QueryPlan>[] = [
      { dataset: 'invoices' },
      { where: is('company', 'x') },
      { where: any(is('recordLocator', 'x')) },
      { where: any(any(null)) },
      { where: { kind: 'any', collection: 'lineItems', condition: null } },
      { orderBy: [{ column: { kind: 'custom', label: 'Nobody', type: 'text' }, descending: false }] },
    ]
    for (const plan of broken) {
      await assert.rejects(
        engine.execute(planOf(plan), trips.partition),
        /^Error: (The plan|Expected a partition)/,
      )
    }
  })
})

describe('what the memory engine remembers', () => {
  it('is what it has selected before, for any page', async () => {
    const engine = createPlanExecutor()
    const plan = planOf({
      where: is('originatingAgency', 'north'),
      paging: { offset: 0, limit: 2 },
      select: null,
    })
    const nextPage = { ...plan, paging: { offset: 2, limit: 2 }, select: null }
    assert.equal(engine.remembers(plan, trips.partition), false)
    await engine.execute(plan, trips.partition)
    assert.equal(engine.remembers(plan, trips.partition), true)
    assert.equal(engine.remembers(nextPage, trips.partition), true)
    assert.equal(engine.remembers(planOf({ where: is('originatingAgency', 'east') }), trips.partition), false)
  })
})
