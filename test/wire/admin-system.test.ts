/** What the first page of a console shows. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { loadConfig } from '../../src/config/load-config.ts'
import { settingNames } from '../../src/config/settings.ts'
import { definition } from '../../src/directory/testing/endpoint-store.ts'
import { askControlStore } from '../../src/directory/testing/stores.ts'
import { version as installed } from '../../src/kernel/files/version.ts'
import type { Json } from '../fixtures/json.ts'
import { startAdmin } from './start-admin.ts'
import { draft, type EndpointAdmin, startEndpointAdmin } from './start-endpoint-admin.ts'

const DAY_MS = 86_400_000
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString()

let admin: EndpointAdmin
before(async () => {
  admin = await startEndpointAdmin()
})
after(() => admin.close())

const system = async (): Promise<Json> => {
  const { status, body } = await admin.send('GET', '/system', { token: 'viewer' })
  assert.equal(status, 200)
  return body
}

describe('GET /system', () => {
  it('tells versions, threads, memory and storage, and every setting with its source', async () => {
    const { version, nodeVersion, startedAt, uptimeSeconds, threads, memory, storage, settings } =
      await system()
    assert.deepEqual([version, nodeVersion], [installed, process.version])
    assert.ok(Math.abs(Date.parse(startedAt) + 1000 * uptimeSeconds - Date.now()) < 60_000)
    assert.deepEqual(threads, { api: 1, script: 2 })
    assert.ok(memory.residentBytes > 2 ** 20 && memory.limitBytes >= memory.residentBytes)
    assert.ok(storage.freeBytes > 0 && storage.totalBytes > storage.freeBytes)
    assert.ok(storage.controlBytes > 0 && storage.historyBytes > 0)
    assert.equal(storage.snapshotBytes, 0)
    assert.deepEqual(
      settings.map(({ name }: Json) => name),
      settingNames,
    )
    const port = settings.find(({ name }: Json) => name === 'port')
    assert.deepEqual(port, { name: 'port', value: '8080', source: 'default', variable: 'TRIPFOLIO_PORT' })
  })

  it('shows no secret', async () => {
    const password = 'hunter4711'
    const secret = 'a secret of thirty-two bytes, more or less'
    const config = loadConfig({
      env: {},
      flags: { data: '/none', jwtSecret: secret, engineUrl: `postgres://a:${password}@h/d` },
    })
    const history = { statistics: async () => [] } as never
    const other = await startAdmin({ config, history })
    try {
      const { status, body } = await other.send('GET', '/system')
      assert.equal(status, 200)
      const shown = body.settings.filter(({ value }: Json) => value === '(hidden)')
      assert.deepEqual(
        shown.map(({ name, source }: Json) => [name, source]),
        [
          ['engineUrl', 'flag'],
          ['jwtSecret', 'flag'],
        ],
      )
      for (const one of [secret, password]) assert.ok(!JSON.stringify(body).includes(one))
    } finally {
      await other.close()
    }
  })
})

describe('the requests in it', () => {
  const buckets = (count: number) => [0, 0, 0, 0, count, 0, 0, 0, 0, 0, 0, 0, 0, 0]

  it('are those of the last 24 hours, in total and by minute', async () => {
    const { record } = admin.store.requestMinutes
    const minute = (minutesAgo: number) => new Date(Date.now() - minutesAgo * 60_000).toISOString()
    const [old, earlier, later] = [minute(24 * 60 + 5), minute(20), minute(2)]
    const counts = (count: number) => ({ v2: { buckets: buckets(count), failures: 1, refusals: 2 } })
    await record(
      'a',
      [old, earlier, later].map((one) => ({ minute: one, counts: counts(10) })),
      new Date(),
    )
    await record('b', [{ minute: later, counts: counts(30) }], new Date())
    const { requests } = await system()
    const figures = { p50Ms: 7.5, p95Ms: 9.75, p99Ms: 9.95 }
    assert.deepEqual(requests, [{ family: 'v2', requests: 50, failures: 3, refusals: 6, ...figures }])
    const { body } = await admin.send('GET', '/system/requests', { token: 'viewer' })
    assert.deepEqual(body, {
      items: [
        { minute: earlier, family: 'v2', requests: 10, failures: 1, refusals: 2, ...figures },
        { minute: later, family: 'v2', requests: 40, failures: 2, refusals: 4, ...figures },
      ],
      next: null,
      total: 2,
    })
    const none = await admin.send('GET', '/system/requests?family=v1')
    assert.deepEqual(none.body.items, [])
  })
})

describe('what needs attention', () => {
  const found = async (): Promise<Record<string, Json>> =>
    Object.fromEntries((await system()).needsAttention.map((one: Json) => [one.kind, one]))

  it('is nothing in a new installation', async () => {
    assert.deepEqual((await system()).needsAttention, [])
  })

  it('names keys that expire or are not used, but not those that are switched off', async () => {
    const { accounts } = admin.store
    const create = async (name: string, expiresAt?: string) =>
      (await accounts.create({ name, clientNumber: 'C1', expiresAt }, 'test')).account.id
    const soon = await create('Soon', inDays(29))
    await create('Late', inDays(31))
    const off = await create('Off', inDays(5))
    await accounts.setActive(off, false, 'test')
    const [unused, used] = [await create('Unused'), await create('Used')]
    const set = (column: string, value: string, id: string) =>
      askControlStore(admin.dataFolder, `update accounts set ${column} = ? where id = ?`, [value, id])
    await set('created_at', inDays(-91), unused)
    await set('created_at', inDays(-91), used)
    await set('last_used_at', inDays(-89), used)
    const attention = await found()
    assert.deepEqual(
      [attention['account-expires'].total, attention['account-expires'].subjects[0].id],
      [1, soon],
    )
    assert.deepEqual(attention['account-unused'].subjects, [
      { id: unused, name: 'Unused', message: 'It was never used' },
    ])
  })

  it('names endpoints of which a fifth of the runs fails', async () => {
    const publish = async (script: string) => {
      const { body } = await admin.send('POST', '/endpoints', { body: draft({ script }) })
      assert.equal((await admin.send('POST', `/endpoints/${body.id}/publish`)).status, 200)
      return body.id as string
    }
    const failing = await publish('fail "no"')
    const fine = await publish('Data._payload = 1')
    for (let run = 0; run < 5; run++) {
      await admin.call(failing)
      await admin.call(fine)
    }
    const { total, subjects } = (await found())['endpoint-failing']
    assert.deepEqual([total, subjects[0].id], [1, failing])
    assert.match(subjects[0].message, /^5 of 5 runs failed since /)
  })

  it('names schedules whose last runs failed, until one succeeds or they are paused', async () => {
    const { endpoints, schedules } = admin.store
    const at = () => new Date().toISOString()
    const nightly = { name: 'nightly', cron: '0 2 * * *', timeZone: 'UTC', input: null }
    const { id } = await endpoints.create(
      definition({
        name: 'Night',
        method: null,
        path: null,
        schedules: [{ ...nightly, missedRuns: 'once', overlap: false }],
      }),
      'test',
    )
    await endpoints.publish(id, 'test')
    const key = { endpointId: id, name: 'nightly' }
    const run = async (status: 'Success' | 'Failed') => {
      const executionId = crypto.randomUUID()
      await schedules.requestRun(key, executionId, 'test', new Date())
      await schedules.begin(executionId, at(), inDays(1))
      const [requestedBy, error] = ['test', status === 'Failed' ? 'No mail server' : null]
      const times = { dueAt: at(), startedAt: at(), endedAt: at() }
      await schedules.end({ executionId, status, requestedBy, error, ...times })
    }
    await run('Failed')
    await run('Failed')
    const failing = async () => (await found())['schedule-failing'] ?? null
    assert.deepEqual(await failing(), {
      kind: 'schedule-failing',
      total: 1,
      subjects: [{ id, name: 'Night: nightly', message: 'The last 2 runs failed: No mail server' }],
    })
    await schedules.setPaused(key, true, 'test', new Date())
    assert.equal(await failing(), null)
    await schedules.setPaused(key, false, 'test', new Date())
    await run('Success')
    assert.equal(await failing(), null)
  })

  it('names webhooks that were paused, secrets that expire and secrets that cannot be opened', async () => {
    await admin.store.secrets.set('soon', { value: 'x', expiresAt: inDays(3) }, 'test')
    const account = (await admin.store.accounts.list())[0] ?? assert.fail()
    const { webhook } = await admin.store.webhooks.create(
      account,
      { url: 'https://hooks.example.com/' },
      'test',
    )
    await askControlStore(admin.dataFolder, 'update webhooks set paused_reason = ? where id = ?', [
      'It failed for five days',
      webhook.id,
    ])
    const attention = await found()
    assert.equal(attention['secret-expires'].subjects[0].name, 'soon')
    assert.deepEqual(attention['webhook-paused'].subjects, [
      { id: webhook.id, name: 'Webhook of client C1', message: 'It failed for five days' },
    ])
    assert.ok(!('account-altered' in attention))
    await askControlStore(admin.dataFolder, 'update accounts set client_number = ? where id = ?', [
      'C7',
      account.id,
    ])
    assert.deepEqual((await found())['account-altered'].subjects, [
      {
        id: account.id,
        name: account.name,
        message: 'It was made for client C1, and its row names client C7: its key and psk are refused',
      },
    ])
    const { clientNumber, id } = account
    await askControlStore(admin.dataFolder, 'update accounts set client_number = ? where id = ?', [
      clientNumber,
      id,
    ])
    assert.ok(!('secrets-sealed' in attention))
    await askControlStore(admin.dataFolder, "update secrets set sealed = x'00'")
    assert.equal((await found())['secrets-sealed'].total, 1)
  })

  it('is an answer of its own, for as many days and as many subjects as wanted', async () => {
    const ask = async (query = '') => {
      const { status, body } = await admin.send('GET', `/system/attention${query}`, { token: 'viewer' })
      assert.equal(status, 200)
      assert.equal(body.total, body.items.length)
      return body.items as readonly Json[]
    }
    const of = (items: readonly Json[], kind: string) => items.find((one) => one.kind === kind) ?? null
    assert.deepEqual(await ask(), (await system()).needsAttention)
    assert.equal(of(await ask('?expiresWithinDays=28'), 'account-expires'), null)
    assert.equal(of(await ask('?expiresWithinDays=32'), 'account-expires').total, 2)
    const few = of(await ask('?expiresWithinDays=32&limit=1'), 'account-expires')
    assert.deepEqual([few.total, few.subjects.length], [2, 1])
    assert.equal(of(await ask('?expiresWithinDays=2'), 'secret-expires'), null)
    assert.equal(of(await ask('?unusedDays=92'), 'account-unused'), null)
    assert.equal(of(await ask('?unusedDays=88'), 'account-unused').total, 2)
    for (const query of ['?unusedDays=0', '?expiresWithinDays=x', '?limit=501', '?days=3'])
      assert.equal((await admin.send('GET', `/system/attention${query}`)).status, 400, query)
  })

  it('names a refresh that was refused', async () => {
    const refused = {
      state: 'refused',
      requestedBy: 'schedule',
      reason: 'The table bookings lost 40 % of its rows',
      reasons: [],
      startedAt: inDays(0),
      endedAt: inDays(0),
    } as const
    const other = await startAdmin({
      history: { statistics: async () => [] } as never,
      refreshing: { state: async () => refused, start: async () => 'no-source' },
    })
    try {
      const { needsAttention } = (await other.send('GET', '/system')).body
      assert.equal(needsAttention[0].kind, 'refresh-refused')
      assert.equal(needsAttention[0].subjects[0].message, refused.reason)
    } finally {
      await other.close()
    }
  })
})
