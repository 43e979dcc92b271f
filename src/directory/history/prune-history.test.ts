import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, it } from 'node:test'
import fc from 'fast-check'
import { campaignSeed, repeated } from '../../../test/campaign.ts'
import type { Execution, Notepad } from '../../schema/execution-shapes.ts'
import { historyPath } from '../open-stores.ts'
import { execution, REPORTS } from '../testing/executions.ts'
import { placeHistory } from '../testing/store-files.ts'
import { askHistory, itOnFiles, openHistory } from '../testing/stores.ts'
import type { History, Retention } from './history.ts'

let root: string
let folder: string
let history: History
let folders = 0
before(() => {
  root = mkdtempSync(join(tmpdir(), 'tripfolio-prune-'))
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

const UNLIMITED: Retention = { days: 36_500, count: 1e9, bytes: 1e12 }
const NOW = new Date('2026-03-31T00:00:00Z')
const daysAgo = (days: number): string => new Date(NOW.getTime() - days * 86_400_000).toISOString()

const at = (days: number, more: Partial<Execution> = {}) => execution({ startedAt: daysAgo(days), ...more })

const notepad = (executionId: string, more: Partial<Notepad> = {}): Notepad => ({
  id: crypto.randomUUID(),
  sourceId: REPORTS,
  executionId,
  createdAt: daysAgo(0),
  createdBy: 'endpoint:Reports',
  content: { a: [1, null, 'ä'] },
  ...more,
})

async function pruneAll(retention: Partial<Retention>): Promise<number> {
  let total = 0
  for (;;) {
    const done = await history.prune({ ...UNLIMITED, ...retention }, NOW)
    if (done === 0) return total
    total += done
  }
}

const kept = async () => (await history.list({}, { limit: 10_000 })).items.map(({ id }) => id)

/** One row of numbers. */
async function ask(sql: string): Promise<Record<string, number>> {
  const [row = {}] = await askHistory(folder, sql)
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, Number(value)]))
}

const account = () => ask('select executions, bytes from kept')
const counted = () =>
  ask(`select (select count(*) from executions) as executions,
    (select coalesce(sum(octet_length(detail)), 0) from execution_details)
      + (select coalesce(sum(octet_length(content)), 0) from notepads) as bytes`)

describe('prune', () => {
  prepareEachTest()

  it('removes runs that are older than the retention in days, and no others', async () => {
    const runs = [at(0), at(29.9), at(30.1), at(400)]
    await history.record(runs)
    assert.equal(await pruneAll({ days: 30 }), 2)
    assert.deepEqual(await kept(), [runs[0]!.id, runs[1]!.id])
  })

  it('removes the oldest of too many runs, by start and not by order of recording', async () => {
    const runs = [at(3), at(9), at(1), at(7), at(5)]
    await history.record(runs)
    assert.equal(await pruneAll({ count: 3 }), 2)
    assert.deepEqual(
      await kept(),
      [2, 0, 4].map((nth) => runs[nth]!.id),
    )
  })

  it('removes the oldest runs when there are too many bytes, including notepads', async () => {
    const runs = [at(3), at(2), at(1)]
    await history.record(runs)
    const each = ((await account()).bytes ?? 0) / 3
    assert.equal(await pruneAll({ bytes: 3 * each }), 0)
    await history.notepads.create(notepad(runs[2]!.id, { content: 'x'.repeat(each) }))
    assert.equal(await pruneAll({ bytes: 3 * each + 2 }), 1)
    assert.deepEqual(await kept(), [runs[2]!.id, runs[1]!.id])
  })

  it('removes a small batch each time and returns zero at the end', async () => {
    await history.record(Array.from({ length: 450 }, () => at(40)))
    const batches = []
    do batches.push(await history.prune({ ...UNLIMITED, days: 30 }, NOW))
    while (batches.at(-1) !== 0)
    assert.deepEqual(batches, [200, 200, 50, 0])
  })

  it('removes fewer runs at once when they are long', async () => {
    const body = 'x'.repeat(2 ** 20)
    const long = () => at(40, { request: { ...execution().request, body } })
    await history.record(Array.from({ length: 10 }, long))
    assert.equal(await history.prune({ ...UNLIMITED, days: 30 }, NOW), 4)
  })

  it('removes the notepads of a run with it', async () => {
    const [old, young] = [at(40), at(1)]
    await history.record([old, young])
    await history.notepads.create(notepad(old.id))
    const stays = notepad(young.id)
    await history.notepads.create(stays)
    assert.equal(await pruneAll({ days: 30 }), 2)
    assert.deepEqual(await history.notepads.list({}), [stays])
    assert.deepEqual(await account(), await counted())
  })

  it('removes notepads without a run by age, and by bytes only when no run is left', async () => {
    const [old, young] = [notepad(REPORTS, { createdAt: daysAgo(31) }), notepad(REPORTS)]
    await history.notepads.create(old)
    await history.notepads.create(young)
    assert.equal(await pruneAll({ days: 30 }), 1)
    await history.record([at(1)])
    assert.equal(await history.prune({ ...UNLIMITED, bytes: 20 }, NOW), 1)
    assert.deepEqual(await kept(), [])
    assert.deepEqual(await history.notepads.list({}), [young])
    assert.equal(await pruneAll({ bytes: 1 }), 1)
    assert.deepEqual(await account(), { executions: 0, bytes: 0 })
  })

  it('keeps the notepads of a kept run, whatever their own date', async () => {
    const run = at(1)
    await history.record([run])
    await history.notepads.create(notepad(run.id, { createdAt: daysAgo(40) }))
    assert.equal(await pruneAll({ days: 30 }), 0)
  })

  it('removes deliveries when their window is over, so that the same id is new again', async () => {
    const { claim, settle } = history.deliveries
    await claim(REPORTS, 'short', 10, new Date(NOW.getTime() - 100_000))
    await settle(REPORTS, 'short', true)
    await claim(REPORTS, 'long', 1000, new Date(NOW.getTime() - 100_000))
    await settle(REPORTS, 'long', true)
    await claim(REPORTS, 'abandoned', 1000, new Date(NOW.getTime() - 420_000))
    await claim(REPORTS, 'running', 1000, new Date(NOW.getTime() - 419_999))
    assert.equal(await pruneAll({}), 2)
    assert.equal(await claim(REPORTS, 'long', 10, NOW), 'done')
    assert.equal(await claim(REPORTS, 'running', 10, NOW), 'running')
  })

  itOnFiles('returns the space of removed rows to the disk', async () => {
    const body = 'x'.repeat(200_000)
    const long = () => at(40, { request: { ...execution().request, body } })
    for (let batch = 0; batch < 10; batch++) await history.record(Array.from({ length: 20 }, long))
    await history.close()
    assert.ok(statSync(historyPath(folder)).size > 40e6)
    history = await openHistory(folder)
    await pruneAll({ days: 30 })
    await history.close()
    assert.ok(statSync(historyPath(folder)).size < 12e6)
    history = await openHistory(folder)
  })

  it('keeps its totals correct, whatever is recorded, noted and removed', async () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('record' as const), days: fc.integer({ min: 0, max: 60 }) }),
      fc.record({ kind: fc.constant('note' as const), nth: fc.nat(20), length: fc.nat(500) }),
      fc.record({ kind: fc.constant('remove' as const), nth: fc.nat(20) }),
      fc.record({
        kind: fc.constant('prune' as const),
        days: fc.integer({ min: 1, max: 60 }),
        count: fc.integer({ min: 1, max: 20 }),
        bytes: fc.integer({ min: 1, max: 20_000 }),
      }),
    )
    const runs: Execution[] = [at(0)]
    const notepads: string[] = ['none']
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
        for (const next of steps) {
          if (next.kind === 'record') {
            runs.push(at(next.days), at(next.days))
            await history.record(runs.slice(-2))
          } else if (next.kind === 'note') {
            const noted = notepad(runs.at(-1 - (next.nth % runs.length))!.id, {
              content: 'ä'.repeat(next.length),
            })
            notepads.push(noted.id)
            await history.notepads.create(noted)
          } else if (next.kind === 'remove') {
            await history.notepads.remove(notepads.at(-1 - (next.nth % notepads.length))!)
          } else {
            await pruneAll(next)
            const { executions, bytes } = await account()
            assert.ok(Number(executions) <= next.count && Number(bytes) <= next.bytes)
          }
          assert.deepEqual(await account(), await counted())
        }
      }),
      { seed: campaignSeed, numRuns: repeated(12, 300) },
    )
  })
})

describe('notepads', () => {
  prepareEachTest()

  it('store any JSON value unchanged', async () => {
    for (const content of [null, true, 0.5, '', 'text', [], {}, { a: [{ b: null }] }, '\u2028"\\']) {
      const noted = notepad(REPORTS, { content, sourceId: null })
      await history.notepads.create(noted)
      assert.deepEqual(await history.notepads.find(noted.id), noted)
    }
  })

  it('are listed by run, by endpoint, or by both, oldest first', async () => {
    const [first, second, third] = [
      notepad('a', { sourceId: 's', createdAt: daysAgo(2) }),
      notepad('b', { sourceId: 's', createdAt: daysAgo(1) }),
      notepad('a', { sourceId: null, createdAt: daysAgo(0) }),
    ]
    for (const each of [third, first, second]) await history.notepads.create(each)
    const { list } = history.notepads
    assert.deepEqual(await list({ executionId: 'a' }), [first, third])
    assert.deepEqual(await list({ sourceId: 's' }), [first, second])
    assert.deepEqual(await list({ sourceId: 's', executionId: 'b' }), [second])
    assert.deepEqual(await list({}), [first, second, third])
    assert.deepEqual(await list({ executionId: 'c' }), [])
  })

  it('are listed up to the newest 1,000', async () => {
    const noted = Array.from({ length: 1003 }, (_, nth) => notepad('a', { content: nth }))
    for (const each of noted) await history.notepads.create(each)
    assert.deepEqual(
      (await history.notepads.list({ executionId: 'a' })).map(({ content }) => content),
      Array.from({ length: 1000 }, (_, nth) => nth + 3),
    )
  })

  it('are removed once', async () => {
    const noted = notepad(REPORTS)
    await history.notepads.create(noted)
    assert.equal(await history.notepads.remove(noted.id), true)
    assert.equal(await history.notepads.remove(noted.id), false)
    assert.equal(await history.notepads.find(noted.id), null)
  })
})
