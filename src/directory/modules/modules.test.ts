import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { ControlStore } from '../control-store.ts'
import { definition } from '../testing/endpoint-store.ts'
import { BY, changesOf, makeStores, refusedWith } from '../testing/people-store.ts'

const stores = makeStores()
let store: ControlStore
before(async () => {
  store = await stores.open()
})
after(() => stores.remove())

const draft = (script: string, description = '') => ({ script, description })

describe('a module', () => {
  it('has a draft that changes and versions that do not', async () => {
    const { modules } = store
    const made = await modules.create('fees', draft('func a() end'), BY)
    assert.deepEqual([made.version, made.hasUnpublishedChanges, made.draftRevision], [null, true, 1])
    assert.equal(await modules.published('fees', null), null)
    const first = await modules.publish('fees', BY, 'why')
    assert.deepEqual([first.version, first.hasUnpublishedChanges], [1, false])
    const changed = await modules.saveDraft('fees', draft('func b() end', 'Fees'), BY, 1)
    assert.deepEqual([changed.draftRevision, changed.hasUnpublishedChanges], [2, true])
    assert.deepEqual(await modules.saveDraft('fees', draft('func b() end', 'Fees'), BY), changed)
    await modules.publish('fees', BY)
    assert.deepEqual(await modules.published('fees', null), {
      name: 'fees',
      version: 2,
      script: 'func b() end',
    })
    assert.deepEqual(await modules.published('fees', 1), { name: 'fees', version: 1, script: 'func a() end' })
    assert.equal(await modules.published('fees', 3), null)
    assert.deepEqual(
      (await modules.versions('fees')).map(({ version, note }) => [version, note]),
      [
        [2, null],
        [1, 'why'],
      ],
    )
    assert.equal((await modules.version('fees', 1)).script, 'func a() end')
    assert.deepEqual(await modules.list(), [await modules.get('fees')])
  })

  it('refuses names and versions that are not there, names that are, and changes of another draft', async () => {
    const { modules } = store
    await modules.create('taxes', draft(''), BY)
    await assert.rejects(modules.get('taxe'), refusedWith('DIR485'))
    await assert.rejects(modules.version('taxes', 1), refusedWith('DIR486'))
    await assert.rejects(modules.create('taxes', draft(''), BY), refusedWith('DIR487'))
    await assert.rejects(modules.saveDraft('taxes', draft('x'), BY, 2), refusedWith('DIR488'))
    await modules.publish('taxes', BY)
    await assert.rejects(modules.publish('taxes', BY), refusedWith('DIR489'))
  })

  it('stays with the versions of endpoints that were published with it, after it is deleted', async () => {
    const { endpoints, modules } = store
    await modules.create('kept', draft('func k() end'), BY)
    await modules.publish('kept', BY)
    const kept = [{ name: 'kept', version: 1, script: 'func k() end' }]
    const { id } = await endpoints.create(definition({ name: 'Importer', path: 'importer' }), BY)
    await endpoints.publish(id, BY, null, undefined, kept)
    await modules.remove('kept', BY)
    await assert.rejects(modules.get('kept'), refusedWith('DIR485'))
    assert.deepEqual(await endpoints.modulesOf(id, 1), kept)
    await assert.rejects(endpoints.publish(id, BY, null, undefined, kept), refusedWith('DIR312'))
    const { published } = await endpoints.publish(id, BY)
    assert.equal(published?.version, 2)
    assert.deepEqual(await endpoints.modulesOf(id, 2), [])
    const [, publish] = await changesOf(store, id)
    assert.deepEqual(publish?.after, { version: 1, active: true, modules: ['kept@1'] })
  })
})
