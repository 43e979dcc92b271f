import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import type { AuditRecord } from '../../schema/directory-shapes.ts'
import type { ControlStore } from '../control-store.ts'
import { BY, makeStores, refusedWith } from '../testing/people-store.ts'
import { askControlStore } from '../testing/stores.ts'
import type { AuditFilter } from './audit-list.ts'

/** In the order of writing; several share a millisecond, and one has an earlier date, from a clock that was put back. */
const written: readonly (readonly [string, string, string, string])[] = [
  ['2026-01-01T00:00:00.000Z', 'operator:ann', 'endpoint.create', 'e1'],
  ['2026-01-02T00:00:00.000Z', 'operator:ann', 'endpoint.publish', 'e1'],
  ['2026-01-02T00:00:00.000Z', 'operator:ben', 'endpoint.publish', 'e2'],
  ['2026-01-02T00:00:00.000Z', 'operator:ann', 'endpoints', 'e1'],
  ['2026-01-01T23:59:59.999Z', 'operator:ben', 'secret.create', '100%_key'],
  ['2026-01-03T00:00:00.000Z', 'operator:ann', 'secret.update', '100%_key'],
]

const stores = makeStores()
let store: ControlStore
before(async () => {
  store = await stores.open()
  const insert =
    'insert into audit (id, at, actor, action, subject_id, before, after) values (?, ?, ?, ?, ?, ?, ?)'
  for (const [i, [at, actor, action, subject]] of written.entries()) {
    const row = [crypto.randomUUID(), at, actor, action, subject, null, JSON.stringify({ place: i })]
    await askControlStore(stores.folder, insert, row)
  }
})
after(() => stores.remove())

const places = (items: readonly AuditRecord[]) => items.map(({ after }) => (after as { place: number }).place)
const list = async (filter: Partial<AuditFilter> = {}) =>
  places((await store.audit.list({ limit: 100, ...filter })).items)

describe('the trail of changes', () => {
  it('is listed newest first, with equal moments in the order of writing', async () => {
    assert.deepEqual(await list({ to: '2026-02-01' }), [5, 3, 2, 1, 4, 0])
  })

  const filters: readonly (readonly [string, Partial<AuditFilter>, readonly number[]])[] = [
    ['one actor', { actor: 'operator:ben' }, [2, 4]],
    ['one action', { action: 'endpoint.publish' }, [2, 1]],
    ['the beginning of an action', { action: 'endpoint.' }, [2, 1, 0]],
    ['a shorter beginning', { action: 'e' }, [3, 2, 1, 0]],
    ['an action, taken literally', { action: '%' }, []],
    ['one subject', { subjectId: '100%_key' }, [5, 4]],
    ['a moment on, which is included', { from: '2026-01-02T00:00:00Z' }, [5, 3, 2, 1]],
    ['a moment, which is excluded', { to: '2026-01-02' }, [4, 0]],
    ['a span in another zone', { from: '2026-01-02T01:00+01:00', to: '2026-01-03' }, [3, 2, 1]],
    [
      'everything at once',
      { actor: 'operator:ann', action: 'endpoint', subjectId: 'e1', to: '2026-01-02' },
      [0],
    ],
    ['nothing by an unknown actor', { actor: 'nobody' }, []],
  ]
  for (const [what, filter, expected] of filters) {
    it(`is narrowed to ${what}`, async () => assert.deepEqual(await list(filter), expected))
  }

  it('is the same in pages of any size, even if changes are added between the pages', async () => {
    const later = () => store.tenant().then(({ name }) => store.renameTenant(`${name}+`.slice(-100), BY))
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 7 }), async (limit) => {
        const paged: number[] = []
        const to = '2026-02-01'
        for (let after: string | null | undefined; after !== null; ) {
          const page = await store.audit.list(after === undefined ? { limit, to } : { limit, to, after })
          assert.ok(page.items.length === limit || page.next === null)
          paged.push(...places(page.items))
          after = page.next
          await later()
        }
        assert.deepEqual(paged, [5, 3, 2, 1, 4, 0])
      }),
      { numRuns: 10 },
    )
  })

  it('records actions that change nothing in the store itself', async () => {
    await store.audit.note({ actor: BY, action: 'snapshot.refresh', subjectId: 's1', after: { place: 7 } })
    const [noted] = (await store.audit.list({ limit: 1, subjectId: 's1' })).items
    const { id, at, ...rest } = noted ?? assert.fail()
    assert.deepEqual(rest, {
      actor: BY,
      action: 'snapshot.refresh',
      subjectId: 's1',
      before: null,
      after: { place: 7 },
    })
    assert.ok(Math.abs(Date.parse(at) - Date.now()) < 60_000)
    assert.match(id, /^[0-9a-f-]{36}$/)
  })

  it('refuses unknown positions and malformed moments', async () => {
    for (const after of ['', 'x', crypto.randomUUID()]) {
      await assert.rejects(store.audit.list({ limit: 1, after }), refusedWith('DIR830'))
    }
    await assert.rejects(store.audit.list({ limit: 1, from: 'yesterday' }), refusedWith('DIR831'))
    await assert.rejects(store.audit.list({ limit: 1, to: '2026-13-01' }), refusedWith('DIR831'))
  })
})
