/** Schedules over the admin API, with a real store. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Json } from '../fixtures/json.ts'
import { type EndpointAdmin, startEndpointAdmin } from './start-endpoint-admin.ts'

let admin: EndpointAdmin
before(async () => {
  admin = await startEndpointAdmin()
})
after(() => admin.close())

const nightly = { name: 'nightly', cron: '0 2 * * *', missedRuns: 'once' }
let made = 0

async function create(members: object = {}): Promise<Json> {
  const body = { name: `Job ${++made}`, category: 'Utility', script: 'Data._payload = 1', ...members }
  const { status, body: endpoint } = await admin.send('POST', '/endpoints', { body })
  assert.equal(status, 201, JSON.stringify(endpoint))
  return endpoint
}

async function publish(members: object = {}): Promise<string> {
  const { id } = await create({ schedules: [nightly], ...members })
  const { status, body } = await admin.send('POST', `/endpoints/${id}/publish`)
  assert.equal(status, 200, JSON.stringify(body))
  return id
}

describe('the schedules of an endpoint', () => {
  it('are saved with their defaults, without a route', async () => {
    const { draft } = await create({ schedules: [nightly] })
    assert.deepEqual([draft.method, draft.path], [null, null])
    assert.deepEqual(draft.schedules, [{ ...nightly, timeZone: 'UTC', input: null, overlap: false }])
  })

  it('are refused half a route, and a draft keeps no unknown member', async () => {
    const half = { name: 'Half', category: 'Utility', method: 'GET', script: '' }
    const { status, body } = await admin.send('POST', '/endpoints', { body: half })
    assert.deepEqual([status, body.details[0].path], [400, '/path'])
    const misspelt = { ...half, path: 'half', schedules: [{ ...nightly, timezone: 'UTC' }] }
    const refused = await admin.send('POST', '/endpoints', { body: misspelt })
    assert.deepEqual([refused.status, refused.body.details[0].path], [400, '/schedules/0/timezone'])
  })

  it('are checked when it is published: every fault with its member and column', async () => {
    const schedules = [
      { ...nightly, cron: '0 25 * * *' },
      { ...nightly, timeZone: 'Mars/Base', input: 'x'.repeat(70_000) },
    ]
    const { id } = await create({ schedules })
    const { status, body } = await admin.send('POST', `/endpoints/${id}/publish`)
    assert.equal(status, 409)
    assert.deepEqual(
      body.details.map(({ path, column }: Json) => [path, column]),
      [
        ['/schedules/0/cron', 3],
        ['/schedules/1/name', undefined],
        ['/schedules/1/timeZone', undefined],
        ['/schedules/1/input', undefined],
      ],
    )
    const nothing = await create()
    const refused = await admin.send('POST', `/endpoints/${nothing.id}/publish`)
    assert.deepEqual([refused.status, refused.body.details[0].path], [409, '/schedules'])
  })
})

describe('schedules', () => {
  it('are listed in pages with their total, filtered, with the next due time', async () => {
    const id = await publish({ name: 'Listed', schedules: [nightly, { ...nightly, name: 'weekly' }] })
    const { body: page } = await admin.send('GET', `/schedules?endpointId=${id}&limit=1`)
    assert.equal(page.total, 2)
    assert.deepEqual([page.items.length, page.items[0].name, page.items[0].state], [1, 'nightly', 'Active'])
    assert.match(page.items[0].nextRunAt, /T02:00:00\.000Z$/)
    const rest = await admin.send('GET', `/schedules?endpointId=${id}&limit=1&after=${page.next}`)
    assert.deepEqual([rest.body.items[0].name, rest.body.next], ['weekly', null])
    const byName = await admin.send('GET', `/schedules?endpointId=${id}&sort=-name`)
    assert.equal(byName.body.items[0].name, 'weekly')
    const found = await admin.send('GET', '/schedules?text=LISTED&state=Active&failing=false')
    assert.equal(found.body.total, 2)
    assert.equal((await admin.send('GET', '/schedules?text=listed&failing=true')).body.total, 0)
  })

  it('are paused, resumed and run, and the trail says by whom', async () => {
    const id = await publish()
    const path = `/endpoints/${id}/schedules/nightly`
    await admin.newAudit()
    const paused = await admin.send('POST', `${path}/pause`)
    assert.deepEqual(
      [paused.body.state, paused.body.pausedBy, paused.body.nextRunAt],
      ['Paused', 'user:admin@example.com', null],
    )
    const asked = await admin.send('POST', `${path}/run`)
    assert.equal(asked.status, 202)
    assert.equal((await admin.send('POST', `${path}/run`)).status, 409)
    const resumed = await admin.send('POST', `${path}/resume`)
    assert.equal(resumed.body.state, 'Active')
    assert.deepEqual(resumed.body.openRuns, [asked.body])
    assert.deepEqual((await admin.send('GET', path)).body, resumed.body)
    const trail = await admin.newAudit()
    assert.deepEqual(
      trail.map(({ actor, action }) => [actor, action]),
      ['schedule.pause', 'schedule.run', 'schedule.resume'].map((action) => [
        'user:admin@example.com',
        action,
      ]),
    )
  })

  it('are 404 when there is none, and cannot run while the endpoint is inactive', async () => {
    const id = await publish()
    assert.equal((await admin.send('GET', `/endpoints/${id}/schedules/other`)).status, 404)
    assert.equal((await admin.send('GET', `/endpoints/${crypto.randomUUID()}/schedules/nightly`)).status, 404)
    await admin.send('POST', `/endpoints/${id}/deactivate`)
    const path = `/endpoints/${id}/schedules/nightly`
    assert.equal((await admin.send('GET', path)).body.state, 'Inactive')
    assert.equal((await admin.send('POST', `${path}/run`)).status, 409)
  })
})
