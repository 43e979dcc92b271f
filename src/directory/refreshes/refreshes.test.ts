import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { noFigures, noFindings, type RefreshFigures } from '../../schema/refresh-shapes.ts'
import type { ControlStore } from '../control-store.ts'
import { makeStores } from '../testing/people-store.ts'
import type { BegunRefresh, EndedRefresh } from './refreshes.ts'

const files = makeStores()
let store: ControlStore
let other: ControlStore
before(async () => {
  store = await files.open()
  other = await files.open()
})
after(() => files.remove())

const inSeconds = (seconds: number) => new Date(Date.now() + 1000 * seconds).toISOString()

let begun = 0

/** One that began later than those before, unless given. */
async function begin(members: Partial<BegunRefresh> = {}): Promise<BegunRefresh> {
  const refresh: BegunRefresh = {
    id: crypto.randomUUID(),
    node: 'node-a:/data',
    origin: 'service',
    requestedBy: 'schedule',
    startedAt: inSeconds(-1000 + begun++),
    aliveUntil: inSeconds(60),
    ...members,
  }
  await store.refreshes.begin(refresh)
  return refresh
}

const figures: RefreshFigures = {
  ...noFigures,
  progress: {
    stage: 'read',
    table: 'bookings',
    tables: { done: 1, expected: 9 },
    rows: { done: 10, expected: null },
    bytes: { done: 100, expected: 900 },
  },
  stages: [{ stage: 'read', milliseconds: 5 }],
}

const published: EndedRefresh = {
  outcome: 'published',
  endedAt: inSeconds(1),
  snapshotId: '20260101T000000000Z-0001',
  figures: { ...figures, progress: null, clients: { total: 3, changed: 1, unchanged: 2 } },
  findings: { ...noFindings, tables: [{ table: 'bookings', rows: 5, rejects: 1, withParent: 0 }] },
}

describe('a refresh', () => {
  it('is seen by another process: its begin, its progress and its end', async () => {
    const { id, startedAt } = await begin()
    assert.deepEqual(await other.refreshes.current(), {
      id,
      node: 'node-a:/data',
      origin: 'service',
      requestedBy: 'schedule',
      outcome: 'running',
      startedAt,
      endedAt: null,
      milliseconds: null,
      snapshotId: null,
      ...noFigures,
    })
    await store.refreshes.note(id, figures, inSeconds(60))
    assert.deepEqual((await other.refreshes.current())?.progress, figures.progress)
    assert.equal(await store.refreshes.end(id, published), true)
    assert.equal(await other.refreshes.current(), null)
    const record = await other.refreshes.find(id.toUpperCase())
    const { outcome, endedAt, snapshotId } = published
    assert.deepEqual(record, {
      ...record,
      outcome,
      endedAt,
      snapshotId,
      ...published.figures,
      ...published.findings,
    })
    assert.equal(record.milliseconds, Date.parse(endedAt) - Date.parse(startedAt))
    assert.deepEqual(await other.refreshes.last(), record)
  })

  it('ends once, and takes no progress afterwards', async () => {
    const { id } = await begin()
    await store.refreshes.end(id, published)
    assert.equal(await store.refreshes.end(id, { ...published, outcome: 'failed' }), false)
    await store.refreshes.note(id, figures, inSeconds(60))
    assert.deepEqual(await store.refreshes.find(id), {
      ...(await store.refreshes.find(id)),
      outcome: 'published',
      progress: null,
    })
  })

  it('is refused under an id that is not kept', async () => {
    await assert.rejects(store.refreshes.find('x'.repeat(200)), { code: 'DIR490' })
  })

  it('that waits for the lock of another one is not the current one', async () => {
    const first = await begin()
    const second = await begin()
    assert.equal((await store.refreshes.current())?.id, first.id)
    for (const { id } of [first, second]) await store.refreshes.end(id, published)
  })
})

describe('a lost refresh', () => {
  it('is one that is past its time, also before it was settled', async () => {
    const aliveUntil = inSeconds(-1)
    const { id } = await begin({ aliveUntil })
    await store.refreshes.note(id, figures, aliveUntil)
    const shown = await other.refreshes.find(id)
    assert.deepEqual([shown.outcome, shown.endedAt, shown.reasons[0]?.code], ['lost', aliveUntil, 'DIR491'])
    assert.deepEqual(shown.progress, figures.progress)
    assert.equal(await other.refreshes.current(), null)
    const revision = await store.refreshes.newestRevision()
    assert.equal(await store.refreshes.settleLost(new Date()), 1)
    assert.deepEqual(await other.refreshes.find(id), shown)
    assert.deepEqual(
      (await store.refreshes.after(revision, 10)).map((change) => change.outcome),
      ['lost'],
    )
    assert.equal(await store.refreshes.settleLost(new Date()), 0)
  })

  it('is any of a node whose process has died, and none of another node', async () => {
    const own = await begin()
    const others = await begin({ node: 'node-b:/data' })
    assert.equal(await store.refreshes.settleLost(new Date(), 'node-a:/data'), 1)
    assert.equal((await store.refreshes.find(own.id)).outcome, 'lost')
    assert.equal((await store.refreshes.find(others.id)).outcome, 'running')
    assert.equal((await store.refreshes.last('node-a:/data'))?.id, own.id)
    await store.refreshes.end(others.id, published)
  })

  it('that was only slow has its own end, and one that is renewed is not lost', async () => {
    const slow = await begin({ aliveUntil: inSeconds(-1) })
    await store.refreshes.settleLost(new Date())
    assert.equal(await store.refreshes.end(slow.id, published), true)
    assert.equal((await store.refreshes.find(slow.id)).outcome, 'published')
    const renewed = await begin({ aliveUntil: inSeconds(-1) })
    await store.refreshes.renew(renewed.id, inSeconds(60))
    assert.equal((await store.refreshes.current())?.id, renewed.id)
    await store.refreshes.end(renewed.id, published)
  })
})

describe('the history of refreshes', () => {
  it('is listed newest first, by outcome, snapshot and time', async () => {
    const refused = await begin()
    await store.refreshes.end(refused.id, { ...published, outcome: 'refused', snapshotId: null })
    const last = await begin()
    await store.refreshes.end(last.id, { ...published, snapshotId: 'another' })
    const ids = async (filter: Parameters<typeof store.refreshes.list>[0]) =>
      (await other.refreshes.list(filter)).map(({ id }) => id)
    assert.deepEqual((await ids({})).slice(0, 2), [last.id, refused.id])
    assert.deepEqual(await ids({ outcomes: ['refused'] }), [refused.id])
    assert.deepEqual(await ids({ snapshotId: 'another' }), [last.id])
    assert.deepEqual(await ids({ from: refused.startedAt, to: last.startedAt }), [refused.id])
  })

  it('tells each change once, in order', async () => {
    const revision = await store.refreshes.newestRevision()
    const [first, second] = [await begin(), await begin()]
    await store.refreshes.note(first.id, figures, inSeconds(60))
    const changes = await other.refreshes.after(revision, 10)
    assert.deepEqual(
      changes.map(({ id }) => id),
      [second.id, first.id],
    )
    assert.equal(changes.at(-1)?.revision, await other.refreshes.newestRevision())
    assert.deepEqual(await other.refreshes.after(changes[0]?.revision ?? 0, 10), changes.slice(1))
    for (const { id } of [first, second]) await store.refreshes.end(id, published)
  })

  it('keeps the newest', async () => {
    const [oldest, ...newer] = [await begin(), await begin(), await begin(), await begin()]
    await store.refreshes.begin({ ...oldest, id: crypto.randomUUID(), startedAt: inSeconds(0) }, 4)
    assert.equal((await store.refreshes.list()).length, 4)
    await assert.rejects(store.refreshes.find(oldest.id), { code: 'DIR490' })
    for (const { id } of newer) assert.equal((await store.refreshes.find(id)).id, id)
  })
})

describe('a refresh that publishes nothing', () => {
  it('notifies the operators of why, once, until one has published again', async () => {
    const reason = {
      code: 'ING101',
      message: 'Too many rejects',
      hint: 'Mend the file',
      figures: {},
      causes: [],
    }
    const refused = { ...published, outcome: 'refused', snapshotId: null } as const
    const told = async (end: EndedRefresh) => {
      const before = await store.notifications.newestSequence()
      const { id } = await begin()
      await store.refreshes.end(id, end)
      // The end of a process that was slow comes twice.
      await store.refreshes.end(id, end)
      return (await other.notifications.after('user:ann@example.com', before, 10)).map(
        ({ title, message, type }) => [title, message, type],
      )
    }
    const because = { ...refused, figures: { ...figures, reasons: [reason] } }
    assert.deepEqual(await told(because), [
      [
        'A refresh was refused',
        'Too many rejects. Mend the file\nThe snapshot before it stays current.',
        'Error',
      ],
    ])
    assert.deepEqual(await told({ ...because, outcome: 'failed' }), [])
    assert.deepEqual(await told({ ...refused, outcome: 'cancelled' }), [])
    assert.deepEqual(await told(because), [])
    assert.deepEqual(await told(published), [])
    assert.deepEqual(await told({ ...refused, outcome: 'cancelled' }), [])
    const [again] = await told({ ...because, outcome: 'failed' })
    assert.equal(again?.[0], 'A refresh failed')
  })
})
