import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { placeHistory } from '../testing/store-files.ts'
import { openHistory } from '../testing/stores.ts'
import type { History, NewRerunJob } from './history.ts'

let folder: string
let history: History
let elsewhere: History
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tripfolio-reruns-'))
  await placeHistory(folder)
  history = await openHistory(folder)
  elsewhere = await openHistory(folder)
})
after(async () => {
  await history.close()
  await elsewhere.close()
  rmSync(folder, { recursive: true })
})

async function created(runs: number): Promise<NewRerunJob> {
  const job: NewRerunJob = {
    ...{ id: crypto.randomUUID(), requestedBy: 'user:ann@agency.example', requestId: 'r-1' },
    ...{ filter: { status: 'Failed' }, version: 'original' },
    executionIds: Array.from({ length: runs }, () => crypto.randomUUID()),
  }
  await history.reruns.create(job)
  return job
}

const newId = () => crypto.randomUUID()
const statesOf = async (id: string) => (await history.reruns.items(id)).map(({ state }) => state)

describe('jobs of reruns', () => {
  it('hand out each run once, in order, whoever asks', async () => {
    const job = await created(20)
    const claims = await Promise.all(
      Array.from({ length: 25 }, (_, nth) => (nth % 2 === 0 ? history : elsewhere).reruns.claim(newId())),
    )
    const claimed = claims.filter((claim) => claim !== null)
    assert.equal(claimed.length, 20)
    const byPosition = claimed.sort((a, b) => a.position - b.position)
    assert.deepEqual(
      byPosition.map(({ executionId }) => executionId),
      job.executionIds,
    )
    for (const claim of claimed) {
      assert.deepEqual([claim.jobId, claim.requestedBy, claim.version], [job.id, job.requestedBy, 'original'])
      await history.reruns.settle(claim, { state: 'done', status: 'Success' })
    }
    const found = await elsewhere.reruns.find(job.id)
    assert.deepEqual([found?.isOpen, found?.done, found?.failed, found?.total], [false, 20, 0, 20])
    assert.deepEqual(found?.filter, job.filter)
  })

  it('keep what became of each run, and are open until nothing waits or runs', async () => {
    const { id } = await created(4)
    const outcomes = [
      { state: 'done', status: 'Failed' },
      { state: 'skipped', problem: 'END131: gone' },
      { state: 'interrupted', problem: 'why' },
    ] as const
    for (const outcome of outcomes) {
      const claim = await history.reruns.claim(newId())
      assert.ok(claim !== null)
      await history.reruns.settle(claim, outcome)
    }
    const again = await history.reruns.claim(newId())
    assert.ok(again !== null)
    await history.reruns.settle(again, { state: 'waiting' })
    const open = await history.reruns.find(id)
    assert.deepEqual([open?.isOpen, open?.waiting, open?.failed, open?.skipped], [true, 1, 1, 1])
    const last = await history.reruns.claim(newId())
    assert.equal(last?.executionId, again.executionId)
    await history.reruns.settle(last, { state: 'done', status: 'Success' })
    assert.equal((await history.reruns.find(id))?.isOpen, false)
    const [failed, skipped] = await history.reruns.items(id)
    assert.deepEqual([failed?.status, failed?.rerunId !== null], ['Failed', true])
    assert.deepEqual([skipped?.problem, skipped?.rerunId], ['END131: gone', null])
  })

  it('mark runs that a process has left behind, and never hand them out again', async () => {
    const { id } = await created(2)
    await elsewhere.reruns.claim(newId())
    await history.reruns.interruptRunning('it ended')
    assert.deepEqual(await statesOf(id), ['interrupted', 'waiting'])
    const next = await history.reruns.claim(newId())
    assert.equal(next?.position, 1)
    await history.reruns.interruptRunning('it ended')
    assert.deepEqual(
      [await statesOf(id), (await history.reruns.find(id))?.isOpen],
      [['interrupted', 'interrupted'], false],
    )
  })

  it('can be stopped; the run under way goes on', async () => {
    const { id } = await created(3)
    const claim = await history.reruns.claim(newId())
    assert.ok(claim !== null)
    assert.equal(await history.reruns.stop(id), true)
    assert.equal(await history.reruns.stop(newId()), false)
    assert.deepEqual(await statesOf(id), ['running', 'stopped', 'stopped'])
    assert.equal((await history.reruns.find(id))?.isOpen, true)
    await history.reruns.settle(claim, { state: 'done', status: 'Success' })
    assert.equal(await history.reruns.claim(newId()), null)
    assert.equal((await history.reruns.find(id))?.isOpen, false)
  })

  it('know which runs they have repeated, are listed newest first, and are removed with age', async () => {
    const { id, executionIds } = await created(2)
    assert.equal(await history.reruns.repeated([...executionIds, newId()]), 2)
    assert.equal(await history.reruns.repeated([]), 0)
    const older = (await history.reruns.list({ limit: 500, after: null })).items.slice(1)
    const first = await history.reruns.list({ limit: 1, after: null })
    assert.deepEqual([first.items.map((job) => job.id), first.total], [[id], older.length + 1])
    const rest = await history.reruns.list({ limit: 500, after: first.next })
    assert.deepEqual([rest.items, rest.next, rest.total], [older, null, first.total])
    await history.reruns.stop(id)
    assert.equal(await history.reruns.repeated(executionIds), 0)
    const later = new Date(Date.now() + 3 * 86_400_000)
    while ((await history.prune({ days: 1, count: 10, bytes: 1e9 }, later)) > 0);
    assert.deepEqual((await history.reruns.list({ limit: 1, after: null })).total, 0)
    assert.equal(await history.reruns.find(id), null)
  })
})
