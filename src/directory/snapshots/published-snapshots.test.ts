import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import fc from 'fast-check'
import { campaignSeed, repeated } from '../../../test/campaign.ts'
import type { ControlStore } from '../control-store.ts'
import { openControlStore } from '../testing/stores.ts'
import type { PublishedSnapshots } from './published-snapshots.ts'

let folder: string
let store: ControlStore
let snapshots: PublishedSnapshots

function prepareEachTest(): void {
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tripfolio-published-'))
    store = await openControlStore(folder)
    snapshots = store.snapshots
  })
  afterEach(async () => {
    await store.close()
    rmSync(folder, { recursive: true })
  })
  beforeEach(() => {
    largest = 100
  })
}

let largest = 100

/** No id is given twice, as in the service, where it has the time and random digits. */
const idAfter = (newest: string | undefined): string => {
  largest = Math.max(largest, Number(newest ?? 100)) + 1
  return `${largest}`
}
const TWO_SNAPSHOTS = ['begin', 'upload', 'publish', 'begin', 'upload', 'publish'] as const

const manifestOf = (id: string) => ({ key: `here/${id}/m`, bytes: 2 ** 33 })
const idsOf = (all: readonly { readonly id: string }[]) => all.map(({ id }) => id)

async function publish(): Promise<string> {
  const { id } = await snapshots.begin(idAfter)
  assert.equal(await snapshots.publish(id, manifestOf(id), 'test'), true)
  return id
}

const retireAllBut = async (keep: number) => snapshots.retire(idsOf(await snapshots.list()).slice(keep))

describe('published snapshots', () => {
  prepareEachTest()

  it('have one that is current, and are listed newest first', async () => {
    assert.equal(await snapshots.current(), null)
    await publish()
    const second = await publish()
    assert.deepEqual(idsOf(await snapshots.list()), ['102', '101'])
    const current = await snapshots.current()
    assert.deepEqual([current?.id, current?.manifest], [second, manifestOf(second)])
    assert.ok(Math.abs(Date.now() - Number(current?.publishedAt)) < 60_000)
  })

  it('are seen by another connection as soon as they are published', async () => {
    const other = await openControlStore(folder)
    const id = await publish()
    assert.equal((await other.snapshots.current())?.id, id)
    await other.close()
  })

  it('come from the refresh that has begun last, and from no other', async () => {
    const first = await snapshots.begin(idAfter)
    const second = await snapshots.begin(idAfter)
    assert.ok(second.id > first.id)
    assert.equal(await snapshots.publish(first.id, manifestOf(first.id), 'test'), false)
    assert.equal(await snapshots.current(), null)
    assert.equal(await snapshots.publish(second.id, manifestOf(second.id), 'test'), true)
    assert.equal(await snapshots.publish(second.id, manifestOf(second.id), 'test'), false, 'twice')
    const third = await snapshots.begin(idAfter)
    await snapshots.abandon(third.id)
    assert.equal(await snapshots.publish(third.id, manifestOf(third.id), 'test'), false)
  })

  it('become current again, and the trail of changes says who did what', async () => {
    const [first, second] = [await publish(), await publish()]
    const by = 'operator:a'
    assert.equal(await snapshots.rollBack('999', { from: second, by }), 'not-retained')
    assert.equal(await snapshots.rollBack(first, { from: second, by }), 'done')
    assert.equal((await snapshots.current())?.id, first)
    assert.equal(await snapshots.rollBack(first, { from: first, by }), 'done')
    const { items } = await store.audit.list({ limit: 10 })
    assert.deepEqual(
      items.map(({ actor, action, after }) => [actor, action, after]),
      [
        ['operator:a', 'snapshot.rollback', { snapshot: first, before: second }],
        ['test', 'snapshot.publish', { snapshot: second, before: first }],
        ['test', 'snapshot.publish', { snapshot: first, before: null }],
      ],
    )
  })

  it('are rolled back and refreshed one after the other: neither replaces what it has not seen', async () => {
    const [first, second] = [await publish(), await publish()]
    const other = await openControlStore(folder)
    const slow = await snapshots.begin(idAfter)
    assert.equal(await other.snapshots.rollBack(first, { from: second, by: 'test' }), 'done')
    assert.equal(await snapshots.publish(slow.id, manifestOf(slow.id), 'test'), false)
    assert.equal((await snapshots.current())?.id, first)
    const third = await publish()
    assert.equal(await other.snapshots.rollBack(second, { from: first, by: 'test' }), 'changed')
    assert.equal((await snapshots.current())?.id, third)
    await other.close()
  })

  it('are retired from the oldest on, but never the current one, on which a refresh builds', async () => {
    const [first, second, third] = [await publish(), await publish(), await publish()]
    await snapshots.rollBack(first, { from: third, by: 'test' })
    await retireAllBut(1)
    assert.deepEqual(idsOf(await snapshots.list()), [third, first])
    assert.notEqual(await snapshots.find(second), null, 'its files are kept for a while')
    assert.equal(await snapshots.rollBack(second, { from: first, by: 'test' }), 'not-retained')
    const { base } = await snapshots.begin(idAfter)
    assert.equal(base?.id, first)
    await retireAllBut(1)
    assert.deepEqual(idsOf(await snapshots.list()), [third, first])
    await snapshots.rollBack(third, { from: first, by: 'test' })
    await retireAllBut(1)
    assert.deepEqual(idsOf(await snapshots.list()), [third])
    const needed = await snapshots.forget(new Date(Date.now() + 1000))
    assert.deepEqual([idsOf(needed.snapshots), needed.drafts], [[third], []])
    assert.equal(await snapshots.find(second), null)
  })

  /**
   * The law of decision 0051: an object that is listed before `forget` says what is needed, and is not needed then, is never
   * needed again. Objects are named after the refresh that wrote them; a manifest names what it uses.
   */
  it('never need an object again that was not needed', async () => {
    const step = fc.constantFrom(
      'begin',
      'upload',
      'publish',
      'abandon',
      'rollback',
      'retire',
      'list',
      'collect',
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), async (steps) => {
        const uses = new Map<string, readonly string[]>()
        const stored = new Set<string>()
        const refreshes: { id: string; uses: string[] }[] = []
        let listed: readonly string[] = []
        let uploads = 0
        const work: Readonly<Record<(typeof steps)[number], () => Promise<unknown>>> = {
          begin: async () => {
            const { id, base } = await snapshots.begin(idAfter)
            // It uses one object of its base, and drops the others.
            refreshes.push({ id, uses: (uses.get(base?.id ?? '') ?? []).slice(-1) })
          },
          upload: async () => {
            const refresh = refreshes.at(uploads % Math.max(refreshes.length, 1))
            if (refresh === undefined) return
            const key = `${refresh.id}/${++uploads}`
            stored.add(key)
            refresh.uses.push(key)
          },
          publish: async () => {
            const refresh = refreshes.shift()
            if (refresh === undefined) return
            if (await snapshots.publish(refresh.id, manifestOf(refresh.id), 'test'))
              uses.set(refresh.id, refresh.uses)
          },
          abandon: async () => snapshots.abandon(refreshes.shift()?.id ?? ''),
          rollback: async () => {
            const from = (await snapshots.current())?.id
            return snapshots.rollBack((await snapshots.list()).at(-1)?.id ?? '', { from, by: 'test' })
          },
          // Even the newest one, if a rollback has made another one current.
          retire: () => retireAllBut(0),
          list: async () => {
            listed = [...stored]
          },
          collect: async () => {
            const { snapshots: kept, drafts } = await snapshots.forget(new Date(Date.now() + 1000))
            const needed = new Set(kept.flatMap(({ id }) => uses.get(id) ?? []))
            for (const key of listed) {
              if (!needed.has(key) && !drafts.includes(key.split('/')[0] ?? '')) stored.delete(key)
            }
          },
        }
        for (const name of [...TWO_SNAPSHOTS, ...steps]) {
          await work[name]()
          for (const { id } of await snapshots.list()) {
            for (const key of uses.get(id) ?? [])
              assert.ok(stored.has(key), `${id} lacks ${key} after ${name}`)
          }
        }
        for (const { id } of refreshes) await snapshots.abandon(id)
      }),
      { seed: campaignSeed, numRuns: repeated(40, 1000) },
    )
  })
})
