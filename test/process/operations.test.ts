/** What operators do to the data folder of a running service, by commands in another place. */
import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { serviceRuns } from '../../src/directory/service-lock.ts'
import { askForRefresh } from '../../src/ingest/refresh/ask-for-refresh.ts'
import { listSnapshotIds, readCurrentId } from '../../src/snapshot/format/layout.ts'
import { fixtureExtract } from '../fixtures/fixture-extract.ts'
import { publishExtract } from '../fixtures/published-extract.ts'
import { createAccount } from './accounts.ts'
import { runCommand } from './run-command.ts'
import { type ServingHere, whileServingHere } from './service-in-process.ts'

let folder: string
let data: string
let source: string
let apiKey: string
const client = fixtureExtract.clients[0]?.client_number as string

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tripfolio-operations-'))
  data = join(folder, 'data')
  source = join(folder, 'extract')
  await publishExtract({ data, source }, fixtureExtract)
  apiKey = await createAccount(data, client, 'Export')
})
after(() => rm(folder, { recursive: true, force: true }))

const ask = (address: string, key = apiKey): Promise<Response> =>
  fetch(`${address}/api/v2/bookings`, { headers: { 'X-API-Key': key } })

/** Fails instead of waiting for what never comes. */
async function until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  for (let looks = 0; looks < 600; looks++) {
    const found = await look()
    if (found !== undefined) return found
    await sleep(50)
  }
  throw new Error(`After 30 s still waiting until ${what}`)
}

const untilServed = ({ address }: ServingHere, snapshot: string | undefined): Promise<true> =>
  until(`${snapshot} is served`, async () =>
    (await ask(address)).headers.get('snapshot-id') === snapshot ? true : undefined,
  )

describe('commands beside a running service', () => {
  it('refresh through it, roll back, back up and are refused where they would do harm', async () => {
    const first = await readCurrentId(data)
    await whileServingHere(
      data,
      async (serving) => {
        assert.equal(serviceRuns(data), true)
        // The command knows no source: the service has one.
        const refreshed = await runCommand(['refresh', '--data', data, '--json'])
        assert.equal(refreshed.stderr, '')
        const published = JSON.parse(refreshed.stdout)
        assert.deepEqual([published.state, published.rejects], ['published', 0])
        assert.match(published.requestedBy, /^operator:./)
        assert.equal(published.snapshot, await readCurrentId(data))
        await untilServed(serving, published.snapshot)
        assert.match(serving.output(), /refresh started/)
        assert.deepEqual(await readdir(join(data, 'refresh-requests')), [])

        const rolledBack = await runCommand(['snapshot', 'rollback', '--data', data, '--json'])
        assert.equal(JSON.parse(rolledBack.stdout).snapshot, first)
        await untilServed(serving, first)

        const backup = join(folder, 'backup')
        assert.equal((await runCommand(['backup', backup, '--data', data])).code, 0)
        const restore = await runCommand(['restore', backup, '--data', data])
        assert.match(restore.stderr, /A service is running on/)

        const account = ['account', 'delete', 'Export', '--yes', '--data', data]
        assert.equal((await runCommand(account)).code, 0)
        assert.equal((await ask(serving.address)).status, 401)

        assert.equal((await runCommand(['refresh', 'resume', '--data', data])).code, 0)
        // The next refresh publishes as always, and the service goes on to it from the older snapshot.
        const { stdout } = await runCommand(['refresh', '--data', data])
        const [next] = await listSnapshotIds(data)
        assert.match(
          stdout,
          new RegExp(`^The service published snapshot ${next} in .* s, with 0 rejected rows`),
        )
        assert.notEqual(next, published.snapshot)
      },
      { source },
    )
    assert.equal(serviceRuns(data), false)

    const restored = join(folder, 'restored')
    assert.equal((await runCommand(['restore', join(folder, 'backup'), '--data', restored])).code, 0)
    await whileServingHere(restored, async (serving) => {
      const response = await ask(serving.address)
      assert.deepEqual([response.status, response.headers.get('snapshot-id')], [200, first])
    })
  })

  it('report a refresh that the service refuses', async () => {
    const broken = join(folder, 'broken')
    await publishExtract({ data: join(folder, 'unused'), source: broken }, fixtureExtract)
    await rm(join(broken, 'bookings.csv'))
    const before = await readCurrentId(data)
    await whileServingHere(
      data,
      async () => {
        const { code, stdout, stderr } = await runCommand(['refresh', '--data', data])
        assert.deepEqual([code, stdout], [1, ''])
        assert.match(stderr, /The refresh from '.*broken' failed: Table 'bookings' is missing/)
      },
      { source: broken },
    )
    assert.equal(await readCurrentId(data), before)
  })

  it('report a service without a source, and one that does not take the request', async () => {
    await whileServingHere(data, async () => {
      const { code, stderr } = await runCommand(['refresh', '--data', data])
      assert.equal(code, 2)
      assert.match(stderr, /The running service has no source to refresh from/)
    })
    await assert.rejects(askForRefresh(data, { by: 'operator:test' }, { patienceMs: 1 }), { code: 'ADM130' })
    assert.deepEqual(await readdir(join(data, 'refresh-requests')), [])
  })

  it('report a service that ended before the refresh was over', async () => {
    const asking = askForRefresh(data, { by: 'operator:test' })
    const requests = join(data, 'refresh-requests')
    const taken = await until('the command asks', async () =>
      (await readdir(requests)).find((name) => name.endsWith('.asked')),
    )
    await writeFile(join(requests, taken.replace('.asked', '.taken')), '{}')
    await assert.rejects(asking, { code: 'ADM131' })
    assert.deepEqual(await readdir(requests), [])
  })

  it('do not start a refresh that a killed command asked for long ago', async () => {
    const requests = join(data, 'refresh-requests')
    const path = join(requests, 'old.asked')
    await writeFile(path, '{"by":"operator:test"}')
    const then = new Date(Date.now() - 60_000)
    await utimes(path, then, then)
    await whileServingHere(
      data,
      async ({ output }) => {
        await until('the request is removed', async () =>
          (await readdir(requests)).length === 0 ? true : undefined,
        )
        assert.doesNotMatch(output(), /refresh started/)
      },
      { source },
    )
  })

  it('refresh by themselves when no service runs, from the configured source', async () => {
    const env = { TRIPFOLIO_SOURCE: source }
    const { code, stdout } = await runCommand(['refresh', '--data', data, '--json'], env)
    assert.equal(code, 0)
    assert.equal(JSON.parse(stdout).snapshot, await readCurrentId(data))
    const without = await runCommand(['refresh', '--data', data])
    assert.match(without.stderr, /No service is running, and no source to refresh from is configured/)
  })
})
