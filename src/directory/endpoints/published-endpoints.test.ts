import assert from 'node:assert/strict'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, beforeEach, describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import {
  BY,
  definition,
  type EndpointStore,
  makeStoreFile,
  openEndpointStore,
} from '../testing/endpoint-store.ts'
import { askControlStore, itOnFiles } from '../testing/stores.ts'

const { path, remove } = makeStoreFile()
let here: EndpointStore
let elsewhere: EndpointStore
before(async () => {
  here = await openEndpointStore(path)
  elsewhere = await openEndpointStore(path)
})

function prepareEachTest(): void {
  beforeEach(async () => {
    for (const { id } of await here.endpoints.list()) await here.endpoints.remove(id, BY)
  })
}

after(async () => {
  await elsewhere.close()
  await here.close()
  remove()
})

const publish = async (members: Parameters<typeof definition>[0] = {}, through = here) => {
  const { id } = await through.endpoints.create(definition(members), BY)
  return through.endpoints.publish(id, BY)
}
const versions = async ({ endpoints }: EndpointStore) =>
  (await endpoints.current()).map(({ path, version }) => `${path} ${version}`)

describe('the published endpoints', () => {
  prepareEachTest()

  it('are none in a store without publications', async () => {
    const file = makeStoreFile()
    const store = await openEndpointStore(file.path)
    assert.deepEqual(await store.endpoints.current(), [])
    assert.equal(await store.endpoints.current(), await store.endpoints.current())
    await store.close()
    file.remove()
  })

  it('are the definitions of active endpoints with id and version, without script, description and schedules', async () => {
    const { script, description, schedules, ...rest } = definition({
      description: 'Not told',
      method: 'POST',
      path: 'Hooks/{Sender}',
      requiresAuthentication: false,
      allowedRoles: ['x'],
      limits: { depth: 5 },
      signature: { style: 'github', secret: 'hook' },
      deduplication: { header: 'x-id', windowSeconds: 60 },
    })
    await here.secrets.set('hook', { value: 'k'.repeat(32) }, BY)
    const { id } = await publish({ ...rest, script, description, schedules })
    assert.deepEqual(await here.endpoints.current(), [{ ...rest, id, version: 1 }])
  })

  it('leave out scripts that only schedules run', async () => {
    const nightly = { name: 'nightly', cron: '@daily', timeZone: 'UTC', input: null } as const
    const schedules = [{ ...nightly, missedRuns: 'once', overlap: false }] as const
    for (const name of ['One', 'Another']) {
      const { published } = await publish({ name, method: null, path: null, schedules: [...schedules] })
      assert.equal(published?.version, 1)
    }
    assert.deepEqual(await versions(here), [])
  })

  it('leave out drafts, inactive endpoints and later changes of a draft', async () => {
    await here.endpoints.create(definition(), BY)
    const inactive = await publish()
    await here.endpoints.setActive(inactive.id, false, BY)
    const { id, draft } = await publish({ path: 'kept' })
    await here.endpoints.saveDraft(id, { ...draft, path: 'changed', method: 'PUT' }, BY)
    assert.deepEqual(await versions(here), ['kept 1'])
  })

  it('are ordered by path, then by method', async () => {
    for (const [method, path] of [
      ['PUT', 'b'],
      ['GET', 'b'],
      ['GET', 'C'],
      ['GET', 'a/{x}'],
    ] as const) {
      await publish({ method, path })
    }
    assert.deepEqual(
      (await here.endpoints.current()).map(({ method, path }) => `${method} ${path}`),
      ['GET a/{x}', 'GET b', 'PUT b', 'GET C'],
    )
  })

  it('show every change made through another store, or through this one, in the very next call', async () => {
    for (const [changing, watching] of [
      [here, elsewhere],
      [elsewhere, here],
      [here, here],
    ] as const) {
      const { endpoints } = changing
      const { id, draft } = await publish({ path: 'watched' }, changing)
      assert.deepEqual(await versions(watching), ['watched 1'])
      await endpoints.saveDraft(id, { ...draft, path: 'moved' }, BY)
      assert.deepEqual(await versions(watching), ['watched 1'])
      await endpoints.publish(id, BY)
      assert.deepEqual(await versions(watching), ['moved 2'])
      await endpoints.setActive(id, false, BY)
      assert.deepEqual(await versions(watching), [])
      await endpoints.setActive(id, true, BY)
      assert.deepEqual(await versions(watching), ['moved 2'])
      await endpoints.restore(id, 1, BY)
      await endpoints.publish(id, BY)
      assert.deepEqual(await versions(watching), ['watched 3'])
      await endpoints.remove(id, BY)
      assert.deepEqual(await versions(watching), [])
    }
  })

  it('are the same array until something that callers reach changes, whatever else is written', async () => {
    const { id, draft } = await publish()
    const other = await publish()
    await here.endpoints.setActive(other.id, false, BY)
    const known = await here.endpoints.current()
    assert.equal(await here.endpoints.current(), known)
    const harmless: readonly (() => Promise<unknown>)[] = [
      () => elsewhere.endpoints.create(definition(), BY),
      () => elsewhere.endpoints.saveDraft(id, { ...draft, script: 'Data._payload = 2' }, BY),
      () => elsewhere.endpoints.restore(id, 1, BY),
      () => elsewhere.endpoints.setActive(id, true, BY),
      () => elsewhere.endpoints.saveDraft(other.id, { ...other.draft, script: '' }, BY),
      () => elsewhere.endpoints.publish(other.id, BY),
      () => elsewhere.endpoints.remove(other.id, BY),
      () => askControlStore(dirname(path), "insert into revisions values ('data-changes', 1)"),
    ]
    for (const change of harmless) {
      await change()
      assert.equal(await here.endpoints.current(), known, String(change))
    }
    await elsewhere.endpoints.setActive(id, false, BY)
    assert.notEqual(await here.endpoints.current(), known)
  })

  it('keep the known version of one endpoint when another changes', async () => {
    const { id } = await publish({ path: 'a' })
    const [known] = await here.endpoints.current()
    await publish({ path: 'b' }, elsewhere)
    assert.deepEqual(await versions(here), ['a 1', 'b 1'])
    assert.equal((await here.endpoints.current())[0], known)
    assert.equal(known?.id, id)
  })

  it('hold no version of an endpoint that was removed and created again', async () => {
    const first = await publish({ path: 'again', category: 'Webhook' })
    assert.equal((await here.endpoints.current())[0]?.category, 'Webhook')
    await elsewhere.endpoints.remove(first.id, BY)
    const second = await publish({ path: 'again', category: 'Integration' }, elsewhere)
    assert.deepEqual(
      (await here.endpoints.current()).map(({ id, category }) => [id, category]),
      [[second.id, 'Integration']],
    )
  })

  it('leave out an endpoint whose version is removed before it is read', async () => {
    const { id } = await publish({ path: 'lost' })
    await askControlStore(dirname(path), 'delete from endpoint_versions where endpoint_id = ?', [id])
    await publish({ path: 'there' })
    assert.deepEqual(await versions(here), ['there 1'])
  })

  itOnFiles('do not show an uncommitted change, and do not wait for it', async () => {
    await publish({ path: 'held' })
    const other = new DatabaseSync(path)
    other.exec('begin immediate; update endpoints set active = 0; update revisions set revision = 0')
    assert.deepEqual(await versions(here), ['held 1'])
    other.exec('rollback')
    other.close()
  })

  it('show a change in the next turn when they check once a turn', async () => {
    const store = await openEndpointStore(path, { freshness: 'turn' })
    const { id } = await publish({ path: 'turning' })
    for (const active of [false, true, false]) {
      await elsewhere.endpoints.setActive(id, active, BY)
      await setImmediate()
      assert.deepEqual(await versions(store), active ? ['turning 1'] : [])
    }
    await store.close()
  })
})
