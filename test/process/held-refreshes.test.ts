/** Refreshes that an operator or a rollback holds: no schedule, command or request undoes it, until somebody resumes them. */
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { loadConfig } from '../../src/config/load-config.ts'
import { openControlStore } from '../../src/directory/open-stores.ts'
import { createRefreshes } from '../../src/ingest/refresh/refreshes.ts'
import { fixtureExtract } from '../fixtures/fixture-extract.ts'
import { writeExtract } from '../fixtures/write-extract.ts'
import { refresh, sharedFolders } from './ingest-fixture.ts'
import { runCommand } from './run-command.ts'
import { whileServingHere } from './service-in-process.ts'

const folders = sharedFolders(async (made) => {
  await writeExtract(made.source, fixtureExtract, 'csv')
  await refresh(made)
  await (await openControlStore(made.data)).close()
})

const tripfolio = (...args: readonly string[]) => runCommand([...args, '--data', folders().data])

async function done(...args: readonly string[]): Promise<string> {
  const { stdout, stderr, code } = await tripfolio(...args)
  assert.equal(code, 0, stderr)
  return stdout
}

async function refused(...args: readonly string[]): Promise<string> {
  const { stderr, code } = await tripfolio(...args)
  assert.equal(code, 1, stderr)
  assert.match(stderr, /Refreshes are held since .*tripfolio refresh resume/s)
  return stderr
}

const snapshots = async (): Promise<readonly { readonly id: string; readonly current: boolean }[]> =>
  JSON.parse(await done('snapshot', 'list', '--json'))

const currentOne = async () => (await snapshots()).find(({ current }) => current)?.id

async function trail() {
  const store = await openControlStore(folders().data, { create: false })
  try {
    const { items } = await store.audit.list({ limit: 100 })
    return items.filter(({ subjectId }) => ['refreshes', 'snapshots'].includes(subjectId))
  } finally {
    await store.close()
  }
}

describe('held refreshes', () => {
  let first: string | undefined
  before(async () => {
    first = await currentOne()
    await done('ingest', '--source', folders().source)
  })

  it('begin with a rollback, whose reason every refusal shows', async () => {
    const told = await done('snapshot', 'rollback', '--reason', 'half of the bookings are gone')
    assert.match(told, /Refreshes are held until `tripfolio refresh resume`/)
    assert.equal(await currentOne(), first)
    for (const call of [['ingest'], ['refresh']]) {
      const env = { TRIPFOLIO_SOURCE: folders().source }
      const { code, stderr } = await runCommand([...call, '--data', folders().data], env)
      assert.deepEqual(
        [code, /half of the bookings are gone.*--despite-hold/s.test(stderr)],
        [1, true],
        stderr,
      )
    }
    await refused('ingest', '--source', folders().source)
    assert.equal(await currentOne(), first)
    assert.deepEqual(
      (await trail())
        .slice(0, 2)
        .map(({ action }) => action)
        .toSorted(),
      ['hold', 'snapshot.rollback'],
    )
  })

  it('are not begun by the schedule of a service, nor for a command or an operator', async () => {
    const { data, source } = folders()
    await whileServingHere(
      data,
      async ({ address, output }) => {
        await refused('refresh')
        const token = JSON.parse(await done('token', 'issue', '--role', 'admin', '--json')).token
        const ask = (path: string, body?: object) =>
          fetch(`${address}/api/admin/v1${path}`, {
            method: 'POST',
            headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
            ...(body !== undefined && { body: JSON.stringify(body) }),
          })
        const asked = await ask('/snapshots/refresh')
        assert.deepEqual([asked.status, asked.headers.get('x-error-code')], [409, 'DIR842'])
        const ready = await (await fetch(`${address}/readyz`)).json()
        assert.deepEqual(
          (ready as { held: { what: string }[] }).held.map(({ what }) => what),
          ['refreshes'],
        )
        assert.match(output(), /"held":"refreshes".*half of the bookings are gone/)
        const [newest] = (await snapshots()).map(({ id }) => id)
        const again = await ask(`/snapshots/${newest}/rollback`, { reason: 'forward again' })
        const { before: was, held } = (await again.json()) as { before: string; held: { reason: string } }
        // The first hold stays.
        assert.deepEqual([again.status, was, held.reason], [200, first, 'half of the bookings are gone'])
        assert.equal((await ask('/snapshots/20200101T000000000Z-0000/rollback')).status, 404)
        assert.equal((await ask(`/snapshots/${first}/rollback`)).status, 200)
        const manifest = join(data, 'snapshots', newest ?? '', 'manifest.json')
        const intact = await readFile(manifest)
        await writeFile(manifest, intact.subarray(0, 100))
        const damaged = await ask(`/snapshots/${newest}/rollback`)
        assert.deepEqual([damaged.status, damaged.headers.get('x-error-code')], [409, 'DIR843'])
        await writeFile(manifest, intact)
        assert.equal(await currentOne(), first)
      },
      { source },
    )
  })

  it('are passed over when they are due, and begin when they are resumed', async (test) => {
    const { data, source } = folders()
    const store = await openControlStore(data)
    test.after(store.close)
    const told: string[] = []
    const refreshes = createRefreshes({
      config: loadConfig({ env: {}, flags: { data, source } }),
      observe: ({ kind }) => told.push(kind),
      holds: store.holds,
      published: async () => undefined,
    })
    const { signal } = new AbortController()
    await refreshes.startScheduled({ signal })
    assert.deepEqual(told, ['refresh-held'])
    assert.match(
      await done('refresh', 'resume'),
      /The refreshes go on\. They were held since .*half of the bookings/,
    )
    await store.holds.hold('outbound', { at: new Date().toISOString(), by: 'operator:me', reason: 'a copy' })
    await refreshes.startScheduled({ signal })
    assert.deepEqual(told, ['refresh-held'])
    await store.holds.resume('outbound', 'operator:me', new Date().toISOString())
    await refreshes.startScheduled({ signal })
    while ((await refreshes.state()).state === 'running') await sleep(50)
    assert.equal((await refreshes.state()).state, 'published')
    assert.notEqual(await currentOne(), first)
  })

  it('are held by a command, also on a service elsewhere; one is published all the same when that is asked for', async () => {
    const { data, source } = folders()
    await done('refresh', 'hold', '--reason', 'the warehouse moves')
    const before = await currentOne()
    await refused('ingest', '--source', source)
    await done('ingest', '--source', source, '--despite-hold')
    assert.notEqual(await currentOne(), before)
    await refused('ingest', '--source', source)
    assert.equal((await tripfolio('refresh', 'hold')).code, 2)
    assert.equal((await tripfolio('refresh', 'hold', '--reason', ' ')).code, 2)
    await whileServingHere(
      data,
      async ({ address }) => {
        const env = {
          TRIPFOLIO_TOKEN: JSON.parse(await done('token', 'issue', '--role', 'admin', '--json')).token,
        }
        const there = async (...args: readonly string[]) => {
          const { code, stdout, stderr } = await runCommand([...args, '--server', address], env)
          assert.equal(code, 0, stderr)
          return stdout
        }
        const published = await done('refresh', '--despite-hold')
        assert.match(published, /The service published snapshot/)
        assert.match(await there('refresh', 'resume'), /because: the warehouse moves/)
        assert.match(await there('refresh', 'resume'), /were not held/)
        assert.match(await there('schedule', 'hold', '--reason', 'month end'), /are held since .*month end/)
        assert.match(await done('schedule', 'resume'), /schedules go on\..*month end/)
      },
      { source },
    )
    const unnamed = await tripfolio('schedule', 'resume', 'Report', '--json')
    assert.deepEqual([unnamed.code, JSON.parse(unnamed.stderr).error.code], [2, 'CFG225'])
  })

  it('stay as they are when a rollback changes nothing', async () => {
    const { code } = await tripfolio('snapshot', 'rollback', '20200101T000000000Z-0000')
    assert.equal(code, 1)
    const current = await currentOne()
    assert.match(await done('snapshot', 'rollback', current ?? ''), /nothing was changed/)
    await done('ingest', '--source', folders().source)
  })
})
