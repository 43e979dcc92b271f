import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, beforeEach, describe, it } from 'node:test'
import { Problem } from '../../kernel/problem.ts'
import { type ExecutionSummary, nothingSent } from '../../schema/execution-shapes.ts'
import { historyPath } from '../open-stores.ts'
import { execution, failed, HOOKS, REPORTS } from '../testing/executions.ts'
import { placeHistory } from '../testing/store-files.ts'
import { itOnFiles, openHistory } from '../testing/stores.ts'
import { detailOf } from './execution-row.ts'
import type { ExecutionFilter, History } from './history.ts'

let root: string
let folder: string
let history: History
let folders = 0
before(() => {
  root = mkdtempSync(join(tmpdir(), 'tripfolio-history-'))
})
after(async () => {
  await history.close()
  rmSync(root, { recursive: true })
})

function prepareEachTest(): void {
  beforeEach(async () => {
    await history?.close()
    rmSync(join(root, String(folders)), { recursive: true, force: true })
    folder = join(root, String(++folders))
    await placeHistory(folder)
    history = await openHistory(folder)
  })
}

/** Start of a run, `n` minutes after the first. */
const minute = (n: number): string => new Date(Date.parse('2026-03-01T10:00:00Z') + n * 60_000).toISOString()

const idsOf = (page: { readonly items: readonly ExecutionSummary[] }) => page.items.map(({ id }) => id)

const rejectsWith = (code: string) => (error: unknown) => {
  assert.ok(error instanceof Problem)
  assert.equal(error.code, code)
  assert.ok(error.hint)
  return true
}

describe('openHistory', () => {
  prepareEachTest()

  itOnFiles('lets only the owner read its files and leaves one file when it is closed', async () => {
    await history.record([execution()])
    const path = historyPath(folder)
    for (const file of [path, `${path}-wal`, `${path}-shm`]) {
      assert.equal(statSync(file).mode & 0o777, 0o600, file)
    }
    await history.close()
    assert.deepEqual(readdirSync(folder), ['history.db'])
    history = await openHistory(dirname(path))
    assert.equal((await history.list({}, { limit: 10 })).items.length, 1)
  })

  it('is created once by many that open it at once, and all see one history', async () => {
    const path = historyPath(join(root, 'many'))
    const histories = await Promise.all(Array.from({ length: 8 }, () => openHistory(dirname(path))))
    await Promise.all(histories.map(({ record }) => record([execution()])))
    for (const { list } of histories) assert.equal((await list({}, { limit: 10 })).items.length, 8)
    await Promise.all(histories.map(({ close }) => close()))
  })

  itOnFiles('refuses a file that is not a database', async () => {
    const path = historyPath(root)
    writeFileSync(path, 'no database, only text '.repeat(100))
    await assert.rejects(openHistory(dirname(path)), rejectsWith('DIR102'))
  })
})

describe('record', () => {
  prepareEachTest()

  it('stores every member of a run unchanged', async () => {
    const runs = [
      execution(),
      execution({ ...failed("it's 100 % broken"), version: null, principalId: null, requestId: null }),
      execution({
        type: 'Rerun',
        rerunOf: REPORTS,
        status: 'Cancelled',
        cancellationReason: 'Enough',
        log: [],
        request: { ...execution().request, body: null },
      }),
    ]
    await history.record(runs)
    for (const run of runs) assert.deepEqual(await history.find(run.id), run)
    assert.equal(await history.find(crypto.randomUUID()), null)
  })

  it('records all runs of a call or none', async () => {
    const broken = execution({ startedAt: 'never' })
    await assert.rejects(history.record([execution(), broken]))
    assert.deepEqual((await history.list({}, { limit: 10 })).items, [])
    assert.deepEqual(await history.statistics(), [])
    await history.record([execution()])
  })

  it('records more runs at once than one statement holds', async () => {
    await history.record(Array.from({ length: 1234 }, () => execution()))
    assert.equal((await history.list({}, { limit: 2000 })).items.length, 1234)
    assert.equal((await history.statistics())[0]?.runs, 1234)
  })

  it('counts a run once that it gets twice', async () => {
    const run = execution()
    await history.record([run, run])
    await history.record([run, execution()])
    assert.equal((await history.list({}, { limit: 10 })).items.length, 2)
    assert.equal((await history.statistics())[0]?.runs, 2)
  })

  it('does nothing with no runs', async () => {
    await history.record([])
    assert.deepEqual((await history.list({}, { limit: 1 })).items, [])
  })
})

describe('list', () => {
  prepareEachTest()

  const runs = [
    execution({ startedAt: minute(0) }),
    execution({ startedAt: minute(1), ...failed('Größe fehlt') }),
    execution({
      startedAt: minute(2),
      endpointId: HOOKS,
      endpointName: 'Hooks',
      category: 'Webhook',
      path: '/api/dynamic/v1/hooks/100%_done',
    }),
    execution({
      startedAt: minute(3),
      endpointId: HOOKS,
      endpointName: 'Hooks',
      category: 'Webhook',
      path: '/api/dynamic/v1/hooks/x',
      ...failed('No signature'),
    }),
    execution({ startedAt: minute(4), type: 'Test', version: null, status: 'Cancelled' }),
    execution({ startedAt: minute(5), type: 'Rerun', rerunOf: HOOKS }),
  ]
  const cases: readonly [filter: ExecutionFilter, newestFirst: readonly number[]][] = [
    [{}, [5, 4, 3, 2, 1, 0]],
    [{ status: 'Success' }, [5, 2, 0]],
    [{ status: 'Failed' }, [3, 1]],
    [{ status: 'Cancelled' }, [4]],
    [{ type: 'DynamicEndpoint' }, [3, 2, 1, 0]],
    [{ type: 'Test' }, [4]],
    [{ endpointId: HOOKS }, [3, 2]],
    [{ category: 'Webhook' }, [3, 2]],
    [{ category: 'Utility' }, []],
    [{ status: 'Failed', endpointId: HOOKS }, [3]],
    [{ status: 'Failed', type: 'Test' }, []],
    [{ status: 'Success', type: 'DynamicEndpoint', category: 'Webhook' }, [2]],
    [{ text: 'hooks' }, [3, 2]],
    [{ text: 'HOOKS' }, [3, 2]],
    [{ text: 'größe FEHLT' }, [1]],
    [{ text: 'reports/SPEND' }, [5, 4, 1, 0]],
    [{ text: '100%_d' }, [2]],
    [{ text: '%' }, [2]],
    [{ text: '_' }, [2]],
    [{ text: "'" }, []],
    [{ text: '' }, [5, 4, 3, 2, 1, 0]],
    [{ text: 'signature', status: 'Failed', endpointId: HOOKS, from: minute(3), to: minute(4) }, [3]],
    [{ from: minute(4) }, [5, 4]],
    [{ to: minute(1) }, [0]],
    [{ from: minute(1), to: minute(3) }, [2, 1]],
    [{ from: '2026-03-01T20:04:00+10:00' }, [5, 4]],
    [{ to: '2026-03-01' }, []],
    [{ from: '2026-03-02' }, []],
  ]

  it('returns the runs that match, newest first', async () => {
    await history.record(runs)
    for (const [filter, expected] of cases) {
      assert.deepEqual(
        idsOf(await history.list(filter, { limit: 10 })),
        expected.map((nth) => runs[nth]!.id),
        JSON.stringify(filter),
      )
    }
  })

  it('keeps what a run has sent, and no member for runs that sent nothing, as older records have none', async () => {
    const sending = execution()
    const other = execution({ sent: nothingSent })
    await history.record([sending, other])
    assert.deepEqual((await history.find(sending.id))?.sent, sending.sent)
    assert.deepEqual((await history.find(other.id))?.sent, nothingSent)
    assert.ok(!('sent' in JSON.parse(detailOf(other))))
  })

  it('returns only the summary of a run', async () => {
    const run = execution(failed('Broken'))
    await history.record([run])
    const { recorded, request, response, log, error, cancellationReason, sent, read, ...summary } = run
    assert.deepEqual(await history.list({}, { limit: 1 }), { items: [summary], next: null })
  })

  it('returns every run exactly once, page by page, even if many began at the same moment', async () => {
    const many = Array.from({ length: 95 }, (_, nth) => execution({ startedAt: minute(nth % 4) }))
    await history.record(many)
    const seen: ExecutionSummary[] = []
    let after: string | undefined
    do {
      const page = await history.list({}, { limit: 10, after })
      assert.ok(page.items.length === 10 || page.next === null)
      seen.push(...page.items)
      after = page.next ?? undefined
    } while (after !== undefined)
    assert.equal(new Set(seen.map(({ id }) => id)).size, 95)
    assert.equal(seen.length, 95)
    const moments = seen.map(({ startedAt }) => startedAt)
    assert.deepEqual(moments, moments.toSorted().toReversed())
  })

  it('has no next page after a full last page', async () => {
    await history.record([execution(), execution()])
    assert.equal((await history.list({}, { limit: 2 })).next, null)
    assert.notEqual((await history.list({}, { limit: 1 })).next, null)
  })

  it('continues where a page ended after newer runs were added and older ones removed', async () => {
    const old = Array.from({ length: 6 }, (_, nth) => execution({ startedAt: minute(nth) }))
    await history.record(old)
    const first = await history.list({}, { limit: 2 })
    await history.record([execution({ startedAt: minute(60) })])
    await history.prune({ days: 36_500, count: 5, bytes: 1e9 }, new Date('2026-03-02'))
    const second = await history.list({}, { limit: 10, after: first.next! })
    assert.deepEqual(
      idsOf(second),
      [3, 2].map((nth) => old[nth]!.id),
    )
  })

  it('finds a rare run among more than one step checks, without blocking the thread', async () => {
    const many = Array.from({ length: 12_000 }, (_, nth) => execution({ startedAt: minute(nth) }))
    many[17] = { ...many[17]!, ...failed('a needle') }
    many[11_000] = { ...many[11_000]!, ...failed('another') }
    await history.record(many)
    let turns = 0
    const timer = setInterval(() => turns++)
    const found = await history.list({ text: 'needle' }, { limit: 5 })
    clearInterval(timer)
    assert.deepEqual(idsOf(found), [many[17]!.id])
    assert.equal(found.next, null)
    assert.ok(turns > 0)
    const both = await history.list({ status: 'Failed', category: 'OrganizationReport' }, { limit: 1 })
    assert.deepEqual(idsOf(both), [many[11_000]!.id])
    const rest = await history.list(
      { status: 'Failed', category: 'OrganizationReport' },
      { limit: 1, after: both.next! },
    )
    assert.deepEqual([idsOf(rest), rest.next], [[many[17]!.id], null])
    assert.equal((await history.list({ text: 'spend' }, { limit: 7000 })).items.length, 7000)
  })

  for (const after of ['', 'abc', '!', 'MTIzIDQ=', Buffer.from('1 2 3').toString('base64url')]) {
    it(`refuses '${after}' as the position of a page`, async () => {
      await assert.rejects(history.list({}, { limit: 1, after }), rejectsWith('DIR730'))
    })
  }

  for (const moment of ['', 'yesterday', '2026-02-30', '2026-03-01T25:00:00Z']) {
    it(`refuses '${moment}' as a moment`, async () => {
      await assert.rejects(history.list({ from: moment }, { limit: 1 }), rejectsWith('DIR731'))
      await assert.rejects(history.list({ to: moment }, { limit: 1 }), rejectsWith('DIR731'))
    })
  }
})

describe('statistics', () => {
  prepareEachTest()

  it('counts the recorded runs by endpoint, in any batches, but no trials', async () => {
    await history.record([
      execution({ startedAt: minute(2), executionTimeMs: 10, statementCount: 100 }),
      execution({ startedAt: minute(9), executionTimeMs: 40, statementCount: 200, ...failed('No') }),
      execution({ type: 'Test', startedAt: minute(20), executionTimeMs: 1000, endpointName: 'Tested' }),
      execution({ endpointId: HOOKS, endpointName: 'Hooks', status: 'Cancelled' }),
    ])
    await history.record([execution({ type: 'Rerun', executionTimeMs: 25, statementCount: 300 })])
    assert.deepEqual(await history.statistics(), [
      {
        endpointId: HOOKS,
        endpointName: 'Hooks',
        runs: 1,
        succeeded: 0,
        failed: 0,
        cancelled: 1,
        successRate: 0,
        meanExecutionTimeMs: 11.5,
        maxExecutionTimeMs: 11.5,
        meanStatementCount: 100,
        lastRunAt: minute(0),
      },
      {
        endpointId: REPORTS,
        endpointName: 'Reports',
        runs: 3,
        succeeded: 2,
        failed: 1,
        cancelled: 0,
        successRate: 2 / 3,
        meanExecutionTimeMs: 25,
        maxExecutionTimeMs: 40,
        meanStatementCount: 200,
        lastRunAt: minute(9),
      },
    ])
  })

  it('names an endpoint by its newest run, whatever the order of recording', async () => {
    const at = (startedAt: string, endpointName: string) => execution({ startedAt, endpointName })
    await history.record([at('2026-03-02T10:00:00.000Z', 'New'), at('2026-03-02T09:00:00.000Z', 'Middle')])
    await history.record([at('2026-03-02T08:00:00.000Z', 'Older'), at('2026-03-01T08:00:00.000Z', 'Oldest')])
    assert.equal((await history.statistics())[0]?.endpointName, 'New')
    assert.equal((await history.statistics({ to: '2026-03-02' }))[0]?.endpointName, 'New')
  })

  it('counts the requested days in UTC, from the first to before the last', async () => {
    await history.record(
      ['2026-02-28T23:59:59.999Z', '2026-03-01T00:00:00.000Z', '2026-03-02T23:59:59.999Z'].map((startedAt) =>
        execution({ startedAt }),
      ),
    )
    const runs = async (filter: Parameters<History['statistics']>[0]) =>
      (await history.statistics(filter)).map((each) => each.runs)
    assert.deepEqual(await runs({ from: '2026-03-01' }), [2])
    assert.deepEqual(await runs({ to: '2026-03-02' }), [2])
    assert.deepEqual(await runs({ from: '2026-03-01', to: '2026-03-02' }), [1])
    assert.deepEqual(await runs({ from: '2026-03-03' }), [])
    assert.deepEqual(await runs({ endpointId: HOOKS }), [])
    assert.deepEqual(await runs({ endpointId: REPORTS }), [3])
  })

  it('refuses text that is not a date', async () => {
    for (const day of ['', 'today', '2026-02-30', '2026-03-01T10:00']) {
      await assert.rejects(history.statistics({ from: day }), rejectsWith('DIR732'))
      await assert.rejects(history.statistics({ to: day }), rejectsWith('DIR732'))
    }
  })

  it('stays when the runs are deleted', async () => {
    await history.record([execution()])
    const before = await history.statistics()
    await history.prune({ days: 1, count: 1, bytes: 1 }, new Date('2027-01-01'))
    assert.deepEqual((await history.list({}, { limit: 1 })).items, [])
    assert.deepEqual(await history.statistics(), before)
  })
})
