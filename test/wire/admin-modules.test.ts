/** Modules over the admin API: from a draft to an endpoint that keeps the version it was published with. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Json } from '../fixtures/json.ts'
import { draft, type EndpointAdmin, startEndpointAdmin } from './start-endpoint-admin.ts'

let admin: EndpointAdmin
before(async () => {
  admin = await startEndpointAdmin()
})
after(() => admin.close())

async function bodyOfRun(id: string): Promise<unknown> {
  const execution = await admin.history.find(await admin.call(id))
  return JSON.parse(execution?.response?.body ?? 'null')
}

const post = (path: string, body: Json = {}) => admin.send('POST', path, { body })

describe('modules', () => {
  it('reach callers when an endpoint is published with them, and stay until it is published again', async () => {
    const made = await post('/modules', { name: 'fees', script: 'func fee(n)\n  return n / 10\nend' })
    assert.deepEqual([made.status, made.body.version, made.body.problems], [201, null, []])
    const script = 'import "fees"\nData._payload = fee(50)'
    const { body: endpoint } = await post('/endpoints', draft({ script }))
    assert.equal(endpoint.problems[0].message, "Module 'fees' is not published")
    assert.equal((await post(`/endpoints/${endpoint.id}/publish`)).status, 409)

    assert.equal((await post('/modules/fees/publish', { note: 'first' })).body.version, 1)
    const trial = await post(`/endpoints/${endpoint.id}/test`, { request: {} })
    assert.equal(trial.status, 200, JSON.stringify(trial.body))
    assert.equal((await post(`/endpoints/${endpoint.id}/publish`)).status, 200)
    assert.equal(await bodyOfRun(endpoint.id), 5)

    const newer = { script: 'func fee(n)\n  return n / 5\nend' }
    assert.equal((await admin.send('PUT', '/modules/fees?revision=1', { body: newer })).status, 200)
    assert.equal((await admin.send('PUT', '/modules/fees?revision=1', { body: { script: '' } })).status, 409)
    await post('/modules/fees/publish')
    assert.equal(await bodyOfRun(endpoint.id), 5)
    assert.equal((await post(`/endpoints/${endpoint.id}/publish`)).status, 200)
    assert.equal(await bodyOfRun(endpoint.id), 10)
    assert.equal((await post(`/endpoints/${endpoint.id}/publish`)).status, 409)

    assert.equal((await admin.send('DELETE', '/modules/fees')).status, 204)
    assert.equal(await bodyOfRun(endpoint.id), 10)
  })

  it('are not published when they would import each other in a circle', async () => {
    await post('/modules', { name: 'one', script: 'func one() end' })
    await post('/modules/one/publish')
    await post('/modules', { name: 'two', script: 'import "one"' })
    await post('/modules/two/publish')
    await admin.send('PUT', '/modules/one', { body: { script: 'import "two"\nfunc first() end' } })
    const { status, body } = await post('/modules/one/publish')
    assert.equal(status, 409)
    assert.match(body.error, /Module 'one' imports itself: one > two > one/)
    for (const name of ['one', 'two']) await admin.send('DELETE', `/modules/${name}`)
  })

  it('are listed, read and refused with their problems', async () => {
    const broken = await post('/modules', { name: 'broken', description: 'For tests', script: 'Data.x = 1' })
    assert.equal(broken.body.problems[0].code, 'JM3911')
    const refused = await post('/modules/broken/publish')
    assert.equal(refused.status, 409)
    assert.equal((await post('/modules', { name: 'broken', script: '' })).status, 409)
    assert.equal((await post('/modules', { name: 'Broken', script: '' })).status, 400)
    await admin.send('PUT', '/modules/broken', {
      body: { script: 'func ok() end', description: 'For tests' },
    })
    await post('/modules/broken/publish')
    const { body: list } = await admin.send('GET', '/modules?text=TEST')
    assert.deepEqual([list.items.map(({ name }: Json) => name), list.total], [['broken'], 1])
    const { body: all } = await admin.send('GET', '/modules?text=brok')
    assert.deepEqual([all.total, all.items[0].version, all.items[0].script], [1, 1, undefined])
    const { body: versions } = await admin.send('GET', '/modules/broken/versions')
    assert.deepEqual([versions.items[0].version, versions.total], [1, 1])
    assert.equal((await admin.send('GET', '/modules/broken/versions/1')).body.script, 'func ok() end')
    assert.equal((await admin.send('GET', '/modules/broken/versions/2')).status, 404)
    assert.equal((await admin.send('GET', '/modules/nope')).status, 404)
  })

  it('tell which endpoints keep them and which drafts import them', async () => {
    await post('/modules', { name: 'base', script: 'func one() return 1 end' })
    await post('/modules/base/publish')
    await post('/modules', { name: 'above', script: 'import "base"\nfunc two() return 2 * one() end' })
    await post('/modules/above/publish')
    const script = 'import "above"\nData._payload = two()'
    const { body: through } = await post('/endpoints', draft({ name: 'Through', path: 'through', script }))
    await post(`/endpoints/${through.id}/publish`)
    const direct = 'import "base@1"\nData._payload = one()'
    const { body: drafted } = await post(
      '/endpoints',
      draft({ name: 'Drafted', path: 'drafted', script: direct }),
    )
    await post('/endpoints', draft({ name: 'Other', path: 'other', script: 'Data._payload = "import base"' }))
    const { body } = await admin.send('GET', '/modules/base/importers')
    assert.deepEqual(body.items, [
      { kind: 'endpoint', id: drafted.id, name: 'Drafted', keptVersion: null, isInDraft: true },
      { kind: 'endpoint', id: through.id, name: 'Through', keptVersion: 1, isInDraft: false },
      { kind: 'module', id: null, name: 'above', keptVersion: null, isInDraft: true },
    ])
    assert.equal((await admin.send('GET', '/modules/nope/importers')).status, 404)
  })
})
