import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Problem } from '../../kernel/problem.ts'
import {
  BY,
  definition,
  type EndpointStore,
  makeStoreFile,
  openEndpointStore,
} from '../testing/endpoint-store.ts'
import type { EndpointFilter } from './endpoints.ts'

const { path, remove } = makeStoreFile()
let store: EndpointStore
before(async () => {
  store = await openEndpointStore(path)
  await fill(store)
})
after(async () => {
  await store.close()
  remove()
})

/** Creates one endpoint in each state, named after it, and one that is in two states. */
async function fill({ endpoints }: EndpointStore): Promise<void> {
  const publish = async (members: Parameters<typeof definition>[0]) => {
    const { id, draft } = await endpoints.create(definition(members), BY)
    await endpoints.publish(id, BY)
    return { id, draft }
  }
  await publish({ name: 'active', category: 'Webhook', method: 'POST', path: 'hooks/github' })
  const inactive = await publish({ name: 'Inactive', description: 'Ausgaben in ÖSTERREICH' })
  await endpoints.setActive(inactive.id, false, BY)
  await endpoints.create(definition({ name: 'draft', category: 'Webhook' }), BY)
  const changed = await publish({ name: 'changed', path: 'a_b%c'.replace('%', '~') })
  await endpoints.saveDraft(changed.id, { ...changed.draft, method: 'PUT' }, BY)
  const both = await publish({ name: 'Both' })
  await endpoints.setActive(both.id, false, BY)
  await endpoints.saveDraft(both.id, { ...both.draft, script: '' }, BY)
}

describe('list', () => {
  const lists: readonly (readonly [filter: EndpointFilter, names: readonly string[]])[] = [
    [{}, ['active', 'Both', 'changed', 'draft', 'Inactive']],
    [{ state: 'active' }, ['active', 'changed']],
    [{ state: 'inactive' }, ['Both', 'Inactive']],
    [{ state: 'draft' }, ['draft']],
    [{ state: 'changed' }, ['Both', 'changed']],
    [{ category: 'Webhook' }, ['active', 'draft']],
    [{ method: 'POST' }, ['active']],
    [{ method: 'PUT' }, ['changed']],
    [{ text: 'GitHub' }, ['active']],
    [{ text: 'österreich' }, ['Inactive']],
    [{ text: 'ACTIVE' }, ['active', 'Inactive']],
    [{ text: 'a_b' }, ['changed']],
    [{ text: '%' }, []],
    [{ text: '' }, ['active', 'Both', 'changed', 'draft', 'Inactive']],
    [{ category: 'Webhook', state: 'draft' }, ['draft']],
    [{ category: 'Webhook', state: 'changed' }, []],
    [
      { category: undefined, text: undefined, state: undefined, method: undefined },
      ['active', 'Both', 'changed', 'draft', 'Inactive'],
    ],
  ]
  for (const [filter, names] of lists) {
    it(`returns for ${JSON.stringify(filter)}, by name: ${names.join(', ') || 'none'}`, async () => {
      const endpoints = await store.endpoints.list(filter)
      assert.deepEqual(
        endpoints.map(({ draft }) => draft.name),
        names,
      )
    })
  }

  it('returns endpoints like find', async () => {
    for (const endpoint of await store.endpoints.list()) {
      assert.deepEqual(await store.endpoints.find(endpoint.id), endpoint)
    }
  })
})

describe('find', () => {
  const refusedWith = (code: string, hint: RegExp) => (error: unknown) => {
    assert.ok(error instanceof Problem)
    assert.equal(error.code, code)
    assert.match(error.hint ?? '', hint)
    return true
  }

  it('finds by id or name in any letter case, and by the beginning of an id', async () => {
    const { id } = await store.endpoints.create(definition({ name: 'Findable Ωne' }), BY)
    for (const reference of [id, id.toUpperCase(), id.slice(0, 13), 'Findable Ωne', 'FINDABLE ωNE']) {
      assert.equal((await store.endpoints.find(reference)).id, id)
    }
    await store.endpoints.remove(id, BY)
  })

  it('refuses text that is the name of one and the beginning of the id of another, naming both', async () => {
    const first = await store.endpoints.create(definition(), BY)
    const second = await store.endpoints.create(definition({ name: first.id.slice(0, 8) }), BY)
    const named = new RegExp(`${first.id}.*${second.id}|${second.id}.*${first.id}`)
    await assert.rejects(store.endpoints.find(first.id.slice(0, 8)), refusedWith('DIR314', named))
    assert.equal((await store.endpoints.find(first.id)).id, first.id)
    for (const { id } of [first, second]) await store.endpoints.remove(id, BY)
  })

  it('refuses text without a match and names the nearest name if there is one', async () => {
    await assert.rejects(store.endpoints.find('Inactvie'), refusedWith('DIR301', /'Inactive'/))
    await assert.rejects(store.endpoints.find('zzzzzzzzzz'), refusedWith('DIR301', /first four characters/))
  })

  for (const reference of ['', '%', '____', 'a%', "' or 1=1 --"]) {
    it(`takes '${reference}' for text, not for a pattern`, async () => {
      await assert.rejects(store.endpoints.find(reference), refusedWith('DIR301', /./))
    })
  }
})
