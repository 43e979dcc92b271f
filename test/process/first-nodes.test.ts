/** Nodes that are started for the first time, at once, on one empty PostgreSQL database. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { openControlStore } from '../../src/directory/open-stores.ts'
import { testDatabase } from '../../src/postgres/testing/postgres-server.ts'
import { startS3 } from '../../src/snapshot/objects/testing/s3-server.ts'
import { type FirstStart, firstStart } from './first-start.ts'

type Env = Readonly<Record<string, string>>

/** Starts two nodes at once, and works with both when each is ready. */
async function onTwoNodes(
  t: TestContext,
  env: Env,
  work: (...nodes: readonly FirstStart[]) => Promise<void> | void,
) {
  const { url } = await testDatabase(t)
  const folder = await mkdtemp(join(tmpdir(), 'tripfolio-first-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const started = await Promise.allSettled(
    ['node-1', 'node-2'].map((name) =>
      firstStart(join(folder, name), { ...env, TRIPFOLIO_STORE: url, TRIPFOLIO_WARM_UP: 'none' }),
    ),
  )
  const nodes = started.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  try {
    for (const each of started) if (each.status === 'rejected') throw each.reason
    await work(...nodes)
  } finally {
    for (const { close } of nodes) await close()
  }
  const store = await openControlStore({ data: folder, store: url })
  t.after(() => store.close())
  return store
}

/** The bookings that nodes return to the caller of the demo, without what differs from one snapshot to another. */
async function answers(nodes: readonly FirstStart[]) {
  const keys = nodes.map(({ apiKey }) => apiKey).filter((key) => key !== undefined)
  assert.equal(keys.length, 1, 'one node has a key to print')
  return Promise.all(
    nodes.map(async ({ address }) => {
      const response = await fetch(`${address}/api/v2/bookings?$pageSize=5`, {
        headers: { 'X-API-Key': keys[0] as string },
      })
      assert.equal(response.status, 200)
      return { snapshot: response.headers.get('snapshot-id'), body: await response.text() }
    }),
  )
}

describe('two nodes that start for the first time at once on one empty database', () => {
  it('make one demo with records in PostgreSQL: the other waits for it, and serves the same', async (t) => {
    const store = await onTwoNodes(t, { TRIPFOLIO_ENGINE: 'postgres' }, async (...nodes) => {
      const [one, other] = await answers(nodes)
      assert.deepEqual(one, other)
      assert.equal(nodes.filter(({ steps }) => steps.includes('extracting')).length, 1)
    })
    assert.equal((await store.accounts.list()).length, 1)
  })

  it('make one account with records in their data folders, and its key is good for the same records on both', async (t) => {
    const store = await onTwoNodes(t, {}, async (...nodes) => {
      const [one, other] = await answers(nodes)
      assert.equal(one?.body, other?.body)
    })
    assert.equal((await store.accounts.list()).length, 1)
  })

  it('make no demo in storage that they share, which is for real data', async (t) => {
    const s3 = await startS3()
    t.after(() => s3.stop())
    const env = { ...s3.env, TRIPFOLIO_SNAPSHOTS: s3.location() }
    const store = await onTwoNodes(t, env, (...nodes) => {
      for (const { hasSnapshot } of nodes) assert.ok(!hasSnapshot())
    })
    assert.deepEqual(await store.accounts.list(), [])
    assert.equal(await store.snapshots.current(), null)
  })
})
