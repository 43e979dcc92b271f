/** What a running service tells its operators of an extract that lost rows: admin API, notifications, log and metrics. */
import assert from 'node:assert/strict'
import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Json } from '../fixtures/json.ts'
import { largeExtract, withoutRecordsOf } from '../fixtures/large-extract.ts'
import { publishExtract } from '../fixtures/published-extract.ts'
import { writeExtract } from '../fixtures/write-extract.ts'
import { endlessMapping, makeFolders } from './ingest-fixture.ts'
import { runCommand } from './run-command.ts'
import { whileServingHere } from './service-in-process.ts'

const extract = largeExtract({ clients: 5, bookings: 2 })

/** Asks the admin API of a service as its operator does. */
async function operatorOf(data: string, address: string) {
  const { stdout } = await runCommand(['token', 'issue', '--role', 'admin', '--data', data])
  const headers = { authorization: `Bearer ${stdout.trim()}`, 'content-type': 'application/json' }
  const ask = async (method: string, path: string, body?: object) => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const response = await fetch(`${address}/api/admin/v1${path}`, { method, headers, ...sent })
    return { status: response.status, body: (await response.json()) as Json }
  }
  const refreshed = async (body?: object) => {
    assert.equal((await ask('POST', '/snapshots/refresh', body)).status, 202)
    for (;;) {
      const { body: state } = await ask('GET', '/snapshots/refresh')
      if (state.state !== 'running') return state
      await sleep(100)
    }
  }
  return { ask, refreshed, metrics: async () => (await fetch(`${address}/metrics`)).text() }
}

describe('a service that refreshes', () => {
  it('tells of a client that lost everything, and publishes a loss once it is accepted', async (t) => {
    const { source, data } = await makeFolders(t)
    await publishExtract({ source, data }, extract)
    const serving = { source, threads: 2 }
    await whileServingHere(
      data,
      async ({ address, until }) => {
        const { ask, refreshed, metrics } = await operatorOf(data, address)
        assert.match(await metrics(), /^tripfolio_snapshot_emptied_clients 0$/m)

        await writeExtract(source, withoutRecordsOf(extract, ['L003']), 'csv')
        const warned = await refreshed()
        const message = '1 client has lost all of its bookings or invoices: L003 (2 bookings, 2 invoices)'
        assert.partialDeepStrictEqual(warned, {
          state: 'published',
          warnings: [{ kind: 'clients-emptied', message, clients: 1 }],
        })
        await until(/L003[^\n]*snapshot warning/)
        assert.match(await metrics(), /^tripfolio_snapshot_emptied_clients 1$/m)
        assert.match(await metrics(), /^tripfolio_snapshot_warnings\{warning="clients-emptied"\} 1$/m)
        assert.deepEqual((await ask('GET', `/snapshots/${warned.snapshot}`)).body.warnings, warned.warnings)
        const [notification] = (await ask('GET', '/notifications')).body.items
        assert.partialDeepStrictEqual(notification, {
          type: 'Warning',
          audience: null,
          title: '1 client has lost all bookings or invoices',
          createdBy: 'refresh',
        })
        assert.match(notification.message, new RegExp(`L003 .*with snapshot ${warned.snapshot}`))

        await writeExtract(source, { ...withoutRecordsOf(extract, ['L003']), segments: [] }, 'csv')
        const refused = await refreshed({ acceptShrink: false })
        assert.equal(refused.state, 'refused')
        assert.match(refused.reason, /Table 'segments' has 0 rows and had 8/)
        const accepted = await refreshed({ acceptShrink: true })
        assert.partialDeepStrictEqual(accepted, { state: 'published', warnings: [{ kind: 'loss-accepted' }] })
        await until(/which was accepted[^\n]*snapshot warning/)
        assert.match(await metrics(), /^tripfolio_snapshot_emptied_clients 0$/m)
        const { items } = (await ask('GET', '/audit?limit=10')).body
        const asked = items.filter(({ action }: { action: string }) => action === 'snapshot.refresh')
        assert.deepEqual(
          asked.map(({ after }: { after: unknown }) => after),
          [{ acceptShrink: true }, null, null],
        )
        assert.equal((await ask('POST', '/snapshots/refresh', { accept: true })).status, 400)

        // Published by another process: its warnings are known here too.
        await writeExtract(source, { ...withoutRecordsOf(extract, ['L003', 'L004']), segments: [] }, 'csv')
        await appendFile(join(source, 'payments.csv'), ',AU Travel,INV-0-0,,,,,,110')
        const { code, stdout } = await runCommand(['ingest', '--source', source, '--data', data])
        assert.equal(code, 0)
        assert.match(stdout, /^Warning: 1 client has lost all of its bookings or invoices: L004/m)
        await until(/L004[^\n]*snapshot warning/)
        assert.match(await metrics(), /^tripfolio_snapshot_emptied_clients 1$/m)
        assert.match(await metrics(), /^tripfolio_snapshot_warnings\{warning="line-end-missing"\} 1$/m)
        assert.match((await ask('GET', '/notifications')).body.items[0].message, /L004/)
      },
      serving,
    )
  })

  it('reports one that took too long, and continues to serve', async (t) => {
    const { source, data } = await makeFolders(t)
    await publishExtract({ source, data }, extract)
    await writeFile(join(source, 'tripfolio.sql'), endlessMapping)
    await whileServingHere(
      data,
      async ({ address, until }) => {
        const { refreshed, metrics } = await operatorOf(data, address)
        const failed = await refreshed()
        assert.equal(failed.state, 'failed')
        assert.match(failed.reason, /it took longer than 1 s/)
        await until(/SRV303[^\n]*refresh failed/)
        assert.match(await metrics(), /^tripfolio_refreshes_total\{outcome="failed"\} 1$/m)
        assert.match(await metrics(), /^tripfolio_refresh_running 0$/m)
      },
      { source, env: { TRIPFOLIO_REFRESH_TIME_LIMIT_SECONDS: '1' } },
    )
    assert.match(await readFile(join(data, 'current'), 'utf8'), /Z-/)
  })

  it('runs nothing of a mapping that would write or read the keys of the service', async (t) => {
    const { source, data } = await makeFolders(t)
    await publishExtract({ source, data }, extract)
    await whileServingHere(
      data,
      async ({ address }) => {
        const { ask, refreshed } = await operatorOf(data, address)
        const key = await readFile(join(data, 'token.key'))
        for (const sql of [
          `COPY (SELECT '${'A'.repeat(43)}=') TO '${data}/token.key' (HEADER false)`,
          `CREATE VIEW clients AS SELECT 'L001' AS client_number, content AS name FROM read_text('${data}/token.key')`,
        ]) {
          await writeFile(join(source, 'tripfolio.sql'), sql)
          const { state, ...rest } = await refreshed()
          const reason = JSON.stringify(rest)
          assert.equal(state, 'refused', sql)
          assert.match(reason, /The mapping .*tripfolio\.sql (is refused|failed)/)
          assert.doesNotMatch(reason, new RegExp(key.toString('latin1').slice(0, 20).replaceAll(/\W/g, '.')))
        }
        assert.deepEqual(await readFile(join(data, 'token.key')), key)
        assert.equal((await ask('GET', '/me')).status, 200)
      },
      { source },
    )
  })
})
