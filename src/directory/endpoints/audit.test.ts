import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { dirname } from 'node:path'
import { after, before, describe, it } from 'node:test'
import {
  BY,
  definition,
  type EndpointStore,
  makeStoreFile,
  openEndpointStore,
} from '../testing/endpoint-store.ts'
import { withoutTrail } from '../testing/stores.ts'

const { path, remove } = makeStoreFile()
let store: EndpointStore
before(async () => {
  store = await openEndpointStore(path)
})
after(async () => {
  await store.close()
  remove()
})

const told = (script: string) => ({
  sha256: createHash('sha256').update(script).digest('hex'),
  length: script.length,
})

describe('the trail of an endpoint', () => {
  it('shows who did what and the changed members only, with digests in place of scripts', async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: 1_000_000 })
    const { endpoints } = store
    const { script, ...rest } = definition({ script: 'one' })
    const { id } = await endpoints.create({ ...rest, script }, 'operator:kim')
    t.mock.timers.tick(1)
    await endpoints.publish(id, 'operator:lou', 'Why')
    await endpoints.saveDraft(id, { ...rest, script: 'two', method: 'PUT' }, 'operator:kim')
    await endpoints.publish(id, 'operator:kim')
    await endpoints.setActive(id, false, 'operator:max')
    await endpoints.setActive(id, true, 'operator:max')
    await endpoints.restore(id, 1, 'operator:lou')
    await endpoints.remove(id, 'operator:max')
    const history = await store.history(id)
    assert.deepEqual(
      history.map(({ actor, action, before, after }) => [actor, action, before, after]),
      [
        ['operator:kim', 'endpoint.create', null, { ...rest, script: told('one') }],
        [
          'operator:lou',
          'endpoint.publish',
          { version: null, active: false },
          { version: 1, active: true, note: 'Why' },
        ],
        [
          'operator:kim',
          'endpoint.draft',
          { method: 'GET', script: told('one') },
          { method: 'PUT', script: told('two') },
        ],
        ['operator:kim', 'endpoint.publish', { version: 1 }, { version: 2 }],
        ['operator:max', 'endpoint.deactivate', { active: true }, { active: false }],
        ['operator:max', 'endpoint.activate', { active: false }, { active: true }],
        [
          'operator:lou',
          'endpoint.restore',
          { method: 'PUT', script: told('two') },
          { method: 'GET', script: told('one'), restoredVersion: 1 },
        ],
        ['operator:max', 'endpoint.delete', { ...rest, script: told('one'), version: 2, active: true }, null],
      ],
    )
    assert.deepEqual(
      history.map(({ at }) => Date.parse(at) - 1_000_000),
      [0, 1, 1, 1, 1, 1, 1, 1],
    )
  })

  it('has no entry for a refused change', async () => {
    const { endpoints } = store
    const { id } = await endpoints.create(definition({ path: 'refused' }), BY)
    await assert.rejects(endpoints.create(definition({ path: 'refused' }), BY))
    await assert.rejects(endpoints.saveDraft(id, definition({ path: '/' }), BY))
    await assert.rejects(endpoints.saveDraft(id, definition(), BY, 7))
    await assert.rejects(endpoints.setActive(id, true, BY))
    await assert.rejects(endpoints.restore(id, 1, BY))
    assert.equal((await store.history(id)).length, 1)
  })
})

describe('a change whose audit entry cannot be written', () => {
  it('is not made, whatever the change', async () => {
    const { endpoints } = store
    const { id, draft } = await endpoints.create(definition(), BY)
    await endpoints.publish(id, BY)
    const endpoint = await endpoints.saveDraft(id, { ...draft, script: 'next' }, BY)
    const known = await endpoints.current()
    const count = (await endpoints.list()).length
    const changes = [
      () => endpoints.create(definition(), BY),
      () => endpoints.saveDraft(id, draft, BY),
      () => endpoints.publish(id, BY),
      () => endpoints.setActive(id, false, BY),
      () => endpoints.restore(id, 1, BY),
      () => endpoints.remove(id, BY),
    ]
    await withoutTrail(dirname(path), async () => {
      for (const change of changes) await assert.rejects(change(), /audit/)
    })
    assert.deepEqual(await endpoints.find(id), endpoint)
    assert.equal((await endpoints.versions(id)).length, 1)
    assert.equal((await endpoints.list()).length, count)
    assert.equal(await endpoints.current(), known)
  })
})
