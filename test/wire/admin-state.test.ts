/** The state of endpoints over the admin API. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { definition } from '../../src/directory/testing/endpoint-store.ts'
import type { Json } from '../fixtures/json.ts'
import { type Admin, startAdmin } from './start-admin.ts'

let admin: Admin
before(async () => {
  admin = await startAdmin()
})
after(() => admin.close())

describe('the state of an endpoint', () => {
  it('is listed with its size, deleted key by key or as a whole, and leaves its trail', async () => {
    const { endpoints, scriptState, audit } = admin.store
    const { id } = await endpoints.create(definition({ name: 'Counter' }), 'test')
    await scriptState.set(id, 'seen/1', '{"a":[1]}')
    await scriptState.increment(id, 'hits', 3)
    await scriptState.increment(id, 'misses', 2)
    const listed = await admin.send('GET', `/endpoints/${id}/state?limit=2`)
    assert.equal(listed.status, 200)
    const [first, second] = listed.body.items
    assert.deepEqual([first.key, first.value, first.bytes, second.key], ['hits', 3, 5, 'misses'])
    assert.deepEqual([listed.body.total, listed.body.totalBytes], [3, 27])
    const rest = await admin.send('GET', `/endpoints/${id}/state?after=${listed.body.next}`)
    assert.deepEqual([rest.body.items[0].value, rest.body.next], [{ a: [1] }, null])
    const largest = await admin.send('GET', `/endpoints/${id}/state?sort=-bytes&text=S`)
    assert.deepEqual(
      largest.body.items.map(({ key }: Json) => key),
      ['seen/1', 'misses', 'hits'],
    )
    const some = (await admin.send('GET', `/endpoints/${id}/state?text=SS`)).body
    assert.deepEqual([some.total, some.totalBytes], [1, 27])
    assert.equal((await admin.send('DELETE', `/endpoints/${id}/state/seen%2F1`)).status, 204)
    const gone = await admin.send('DELETE', `/endpoints/${id}/state/seen%2F1`)
    assert.equal(gone.status, 404)
    assert.match(JSON.stringify(gone.body), /which it does not have/)
    assert.equal((await admin.send('DELETE', `/endpoints/${id}/state`)).status, 204)
    assert.equal((await admin.send('GET', `/endpoints/${id}/state`)).body.total, 0)
    const { items } = await audit.list({ subjectId: id, limit: 10 })
    assert.deepEqual(
      items.filter(({ action }) => action === 'endpoint.state-delete').map(({ after }) => after),
      [{ keys: 2 }, { key: 'seen/1' }],
    )
    assert.equal((await admin.send('GET', `/endpoints/${crypto.randomUUID()}/state`)).status, 404)
  })
})
