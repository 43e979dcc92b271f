/** Nodes that are started for the first time, at once, on one empty PostgreSQL database. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { openControlStore } from '../../src/directory/open-stores.ts'
import { testDatabase } from '../../src/postgres/testing/postgres-server.ts'
import { startS3 } from '../../src/snapshot/objects/testing/s3-server.ts'
import { type Serving, whileServing } from './tripfolio-process.ts'

type Env = Readonly<Record<string, string>>

/** Starts two nodes at once, and works with both when each has said that it is ready. */
async function onTwoNodes(t: TestContext, env: Env, work: (...nodes: readonly Serving[]) => Promise<void>) {
  const { url } = await testDatabase(t)
  const folder = await mkdtemp(join(tmpdir(), 'tripfolio-first-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const both = Promise.withResolvers<readonly Serving[]>()
  const done = Promise.withResolvers<void>()
  const started: Serving[] = []
  const node = (name: string) =>
    whileServing(
      join(folder, name),
      async (serving) => {
        if (started.push(serving) === 2) both.resolve(started)
        await done.promise
      },
      { env: { ...env, TRIPFOLIO_STORE: url, TRIPFOLIO_WARM_UP: 'none' } },
    ).catch((cause) => {
      both.reject(cause)
      throw cause
    })
  const ended = Promise.all([node('node-1'), node('node-2')])
  await both.promise.then((nodes) => work(...nodes)).finally(done.resolve)
  await ended
  const store = await openControlStore({ data: folder, store: url })
  t.after(() => store.close())
  return store
}

const keyIn = ({ output }: Serving) => /X-API-Key: (\S{64})'/.exec(output())?.[1]

/** The bookings that nodes return to the caller of the demo, without what differs from one snapshot to another. */
async function answers(nodes: readonly Serving[]) {
  const keys = nodes.map(keyIn).filter((key) => key !== undefined)
  assert.equal(keys.length, 1, 'one node has printed a key')
  return Promise.all(
    nodes.map(async ({ address, until }) => {
      await until(/snapshot announced/)
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
      const made = nodes.filter(({ output }) => /making a demo extract/.test(output()))
      assert.equal(made.length, 1)
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
    const store = await onTwoNodes(t, env, async (...nodes) => {
      for (const { until } of nodes) await until(/There is no snapshot yet/)
    })
    assert.deepEqual(await store.accounts.list(), [])
    assert.equal(await store.snapshots.current(), null)
  })
})
