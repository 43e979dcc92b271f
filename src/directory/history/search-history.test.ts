/** Every filter, in every order, against an evaluator that reads all runs; and the figures against those of the runs. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { campaignSeed, repeated } from '../../../test/campaign.ts'
import {
  type Execution,
  executionStatuses,
  executionTypes,
  seriesSteps,
} from '../../schema/execution-shapes.ts'
import { execution, HOOKS, REPORTS } from '../testing/executions.ts'
import { placeHistory } from '../testing/store-files.ts'
import { openHistory } from '../testing/stores.ts'
import { beginningOf, stepMs } from './endpoint-figures.ts'
import { type ExecutionFilter, type ExecutionSort, executionSorts, type History } from './history.ts'

let root: string
let folders = 0
before(() => {
  root = mkdtempSync(join(tmpdir(), 'tripfolio-search-'))
})
after(() => rmSync(root, { recursive: true }))

async function withHistory(runs: readonly Execution[], work: (history: History) => Promise<void>) {
  const folder = join(root, String(++folders))
  await placeHistory(folder)
  const history = await openHistory(folder)
  try {
    await history.record(runs)
    await work(history)
  } finally {
    await history.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

const START = Date.parse('2026-03-01T10:00:00Z')

const plain = { noNullPrototype: true } as const

/** Few values of each member, so that most filters match some runs. */
const principals = ['user:ann@agency.example', 'user:bo@agency.example', null]
const requestIds = ['request-1', 'request-2', null]
const statuses = [200, 201, 302, 400, 404, 500, 503]
const durations = [0, 0.5, 3, 3.25, 40, 1500.125]
const bodies = ['{"passport":"X1"}', 'größe "quoted"', null]

const run: fc.Arbitrary<Execution> = fc
  .record(
    {
      status: fc.constantFrom(...executionStatuses),
      type: fc.constantFrom(...executionTypes),
      endpointId: fc.constantFrom(REPORTS, HOOKS),
      version: fc.constantFrom(1, 2, null),
      principalId: fc.constantFrom(...principals),
      requestId: fc.constantFrom(...requestIds),
      responseStatus: fc.constantFrom(...statuses),
      executionTimeMs: fc.constantFrom(...durations),
      minutes: fc.integer({ min: 0, max: 150 }),
      body: fc.constantFrom(...bodies),
      requestCount: fc.constantFrom(1, 7),
    },
    plain,
  )
  .map(({ minutes, body, ...members }) => {
    const startedAt = new Date(START + minutes * 30_000).toISOString()
    return execution({ ...members, startedAt, request: { ...execution().request, body } })
  })

/** Undefined for a condition that is not given. */
const conditions: fc.Arbitrary<ExecutionFilter> = fc.record(
  {
    status: fc.constantFrom(...executionStatuses),
    type: fc.constantFrom(...executionTypes),
    endpointId: fc.constantFrom(REPORTS, HOOKS),
    version: fc.constantFrom(1, 2),
    principalId: fc.constantFrom('user:ann@agency.example', 'user:nobody'),
    requestId: fc.constantFrom('request-1', 'request-3'),
    responseStatus: fc.constantFrom('404', '200', '2xx', '3xx', '4xx', '5xx'),
    minExecutionTimeMs: fc.constantFrom(0, 3, 41),
    maxExecutionTimeMs: fc.constantFrom(0, 3, 40, 2000),
    from: fc.constantFrom('2026-03-01T10:00Z', '2026-03-01T10:20Z'),
    to: fc.constantFrom('2026-03-01T10:01Z', '2026-03-01T11:00Z'),
  },
  { requiredKeys: [], ...plain },
)

const matches = (filter: ExecutionFilter, one: Execution): boolean =>
  (['status', 'type', 'endpointId', 'version', 'principalId', 'requestId'] as const).every(
    (member) => filter[member] === undefined || filter[member] === one[member],
  ) &&
  (filter.executionId === undefined || one.id.startsWith(filter.executionId)) &&
  (filter.responseStatus === undefined ||
    [String(one.responseStatus), `${String(one.responseStatus)[0]}xx`].includes(filter.responseStatus)) &&
  one.executionTimeMs >= (filter.minExecutionTimeMs ?? 0) &&
  one.executionTimeMs <= (filter.maxExecutionTimeMs ?? Number.POSITIVE_INFINITY) &&
  (filter.content === undefined || (one.request.body ?? '').includes(filter.content)) &&
  (filter.from === undefined || Date.parse(one.startedAt) >= Date.parse(filter.from)) &&
  (filter.to === undefined || Date.parse(one.startedAt) < Date.parse(filter.to))

/** Runs with the same key are in the order in which they were recorded. */
function inOrder(runs: readonly Execution[], sort: ExecutionSort): readonly string[] {
  const key = (one: Execution) =>
    sort.endsWith('startedAt') ? Date.parse(one.startedAt) : one.executionTimeMs
  const sorted = runs
    .map((one, nth) => ({ one, nth }))
    .sort((a, b) => key(a.one) - key(b.one) || a.nth - b.nth)
    .map(({ one }) => one.id)
  return sort.startsWith('-') ? sorted.reverse() : sorted
}

async function allPages(history: History, filter: ExecutionFilter, sort: ExecutionSort, limit: number) {
  const ids: string[] = []
  let after: string | undefined
  do {
    const page = await history.list(filter, { limit, sort, after })
    ids.push(...page.items.map(({ id }) => id))
    after = page.next ?? undefined
  } while (after !== undefined)
  return ids
}

const runs = fc.array(run, { minLength: 1, maxLength: 60 })

describe('a search of runs', () => {
  it('finds what an evaluator of the filter finds, in any order, in pages of any size, and counts it', async () => {
    const asked = fc.array(
      fc.tuple(conditions, fc.constantFrom(...executionSorts), fc.integer({ min: 1, max: 9 })),
      {
        minLength: 12,
        maxLength: 12,
      },
    )
    await fc.assert(
      fc.asyncProperty(runs, asked, (recorded, questions) =>
        withHistory(recorded, async (history) => {
          for (const [filter, sort, limit] of questions) {
            const found = recorded.filter((one) => matches(filter, one))
            assert.deepEqual(await allPages(history, filter, sort, limit), inOrder(found, sort))
            const counted = await history.count(filter)
            assert.deepEqual(counted, { total: found.length, totalIsExact: true })
          }
        }),
      ),
      { seed: campaignSeed, numRuns: repeated(5, 120) },
    )
  })

  it('finds runs by their id, by its beginning, and by a part of their contents', async () => {
    const recorded = fc.sample(run, 20)
    await withHistory(recorded, async (history) => {
      const { id } = recorded[7] as Execution
      for (const executionId of [id, id.toUpperCase(), id.slice(0, 8), id.slice(0, 20)]) {
        assert.deepEqual(await allPages(history, { executionId }, '-startedAt', 5), [id])
        assert.deepEqual(await allPages(history, { executionId }, 'executionTimeMs', 5), [id])
      }
      for (const content of ['"passport":"X1"', 'größe "quoted"']) {
        const found = recorded.filter((one) => matches({ content }, one))
        assert.deepEqual(await allPages(history, { content }, 'startedAt', 3), inOrder(found, 'startedAt'))
      }
    })
  })

  it('refuses what it cannot search', async () => {
    await withHistory([execution()], async ({ list, series }) => {
      const page = { limit: 1 }
      await assert.rejects(list({ executionId: '0123' }, page), { code: 'DIR654' })
      await assert.rejects(list({ responseStatus: '6xx' }, page), { code: 'DIR655' })
      await assert.rejects(list({ content: 'x' }, { limit: 1, sort: 'executionTimeMs' }), { code: 'DIR656' })
      await assert.rejects(series({ step: 'minute', from: 0, to: stepMs.day * 2 }), { code: 'DIR657' })
      await assert.rejects(series({ step: 'minute', from: 1, to: 0 }), { code: 'DIR657' })
    })
  })

  it('removes what a filter finds, with notepads and bytes, and keeps the rest and the figures', async () => {
    await fc.assert(
      fc.asyncProperty(runs, conditions, (recorded, filter) =>
        withHistory(recorded, async (history) => {
          const window = { step: 'hour', from: START, to: START + stepMs.day } as const
          const figures = await history.series(window)
          for (const { id } of recorded.slice(0, 5)) await history.notepads.create(notepad(id))
          const found = recorded.filter((one) => matches(filter, one))
          assert.equal(await history.delete(filter, 1000), found.length)
          const kept = recorded.filter((one) => !found.includes(one))
          assert.deepEqual(await allPages(history, {}, 'startedAt', 100), inOrder(kept, 'startedAt'))
          for (const { id } of found.slice(0, 5))
            assert.deepEqual(await history.notepads.list({ executionId: id }), [])
          assert.deepEqual(await history.series(window), figures)
          // The totals count what is left: nothing is over these limits.
          const left = { days: 36_500, count: kept.length, bytes: 2 ** 40 }
          assert.equal(await history.prune(left, new Date(START)), 0)
        }),
      ),
      { seed: campaignSeed, numRuns: repeated(4, 100) },
    )
  })
})

const notepad = (executionId: string) => ({
  ...{ id: crypto.randomUUID(), sourceId: null, executionId },
  ...{ createdAt: '2026-03-01T10:00:00.000Z', createdBy: 'endpoint:x', content: { a: 1 } },
})

describe('the figures over time', () => {
  it('are those of the runs, of one endpoint and of all, however the runs were recorded', async () => {
    const asked = fc.tuple(
      fc.array(runs, { minLength: 1, maxLength: 4 }),
      fc.constantFrom(...seriesSteps),
      fc.constantFrom(REPORTS, undefined),
    )
    await fc.assert(
      fc.asyncProperty(asked, ([batches, step, endpointId]) =>
        withHistory([], async (history) => {
          for (const batch of batches) await history.record(batch)
          const all = batches.flat().filter((one) => one.type !== 'Test')
          const ofOne = all.filter((one) => endpointId === undefined || one.endpointId === endpointId)
          const points = await history.series({ endpointId, step, from: START, to: START + stepMs.day / 8 })
          assert.equal(points.length, Math.ceil(stepMs.day / 8 / stepMs[step]))
          for (const point of points) {
            const of = ofOne.filter(
              ({ startedAt }) => beginningOf(step, Date.parse(startedAt)) === Date.parse(point.at),
            )
            const ran = of.filter(({ status }) => status !== 'Refused')
            const count = (status: Execution['status']) => of.filter((one) => one.status === status).length
            const refused = of
              .filter(({ status }) => status === 'Refused')
              .reduce((sum, { requestCount }) => sum + requestCount, 0)
            const { at: _, p50, p95, p99, ...counts } = point
            assert.deepEqual(counts, {
              ...{ count: ran.length, failed: count('Failed'), cancelled: count('Cancelled'), refused },
            })
            const times = ran.map(({ executionTimeMs }) => executionTimeMs).sort((a, b) => a - b)
            for (const [percent, found] of [
              [50, p50],
              [95, p95],
              [99, p99],
            ] as const) {
              const exact = times[Math.ceil((times.length * percent) / 100) - 1]
              if (exact === undefined) assert.equal(found, null)
              else assertNear(found, exact)
            }
          }
        }),
      ),
      { seed: campaignSeed, numRuns: repeated(6, 150) },
    )
  })

  it('are removed when they are older than their step is kept', async () => {
    await withHistory([execution({ startedAt: new Date(START).toISOString() })], async (history) => {
      const day = stepMs.day
      const counts = async () =>
        Promise.all(
          seriesSteps.map(async (step) => {
            const points = await history.series({ step, from: START, to: START + 1 })
            return points.reduce((sum, { count }) => sum + count, 0)
          }),
        )
      const figures = { minute: 2, hour: 10, day: 100 }
      const pruneAt = async (moment: number) => {
        const retention = { days: 36_500, count: 1000, bytes: 2 ** 40, figures }
        while ((await history.prune(retention, new Date(moment))) > 0);
      }
      await pruneAt(START + day)
      assert.deepEqual(await counts(), [1, 1, 1])
      await pruneAt(START + 3 * day)
      assert.deepEqual(await counts(), [0, 1, 1])
      await pruneAt(START + 11 * day)
      assert.deepEqual(await counts(), [0, 0, 1])
      await pruneAt(START + 102 * day)
      assert.deepEqual(await counts(), [0, 0, 0])
    })
  })
})

/** Within half a bucket; the first bucket holds everything below 10 us. */
function assertNear(found: number | null, exact: number): void {
  assert.ok(found !== null)
  const error = Math.abs(found - Math.max(exact, 0.01)) / Math.max(exact, 0.01)
  assert.ok(error <= 0.0222 || exact < 0.011, `${found} is not near ${exact}`)
}
