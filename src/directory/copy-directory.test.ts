import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import type { ControlStore } from './control-store.ts'
import { BY, facet, makeStores, organization, person, refusedWith } from './testing/people-store.ts'

const stores = makeStores()
let store: ControlStore
let [parent, child, somebody, tier] = ['', '', '', '']
before(async () => {
  store = await stores.open()
  // The parent comes last in the table of organizations, so that no order of the rows is right by chance.
  const moved = organization()
  child = (await store.organizations.create(moved, BY)).id
  parent = (await store.organizations.create(organization(), BY)).id
  await store.organizations.update(child, { ...moved, parentOrganizationId: parent }, BY)
  somebody = (await store.persons.create(person([child, parent]), BY)).id
  tier = (await store.facets.createDefinition(facet({ allowFreeText: true }), BY)).id
  await store.facets.setInstance('Organization', child, tier, ['Gold'], BY)
  await store.notifications.send({ title: 'T', message: 'M', type: 'Info', link: null, audience: null }, BY)
  await store.secrets.set('Key', { value: 'v' }, BY)
})
after(() => stores.remove())

const everything = async (of: Pick<ControlStore, 'organizations' | 'persons' | 'facets'>) => ({
  organizations: await of.organizations.list(),
  persons: await of.persons.list(),
  definitions: await of.facets.definitions(),
})

describe('a copy of the directory', () => {
  it('holds the same organizations, persons and facets, and nothing else', async () => {
    const copy = await store.copyForTrial()
    assert.deepEqual(await everything(copy), await everything(store))
    assert.equal(await copy.notifications.newestSequence(), 0)
    assert.deepEqual(await copy.changes(), [])
    await copy.close()
  })

  it('is changed without a trace in the store, and lists its changes, oldest first', async () => {
    const before = await everything(store)
    const { items: trail } = await store.audit.list({ limit: 1000 })
    const files = readdirSync(stores.folder)
    const copy = await store.copyForTrial()
    await copy.organizations.create(
      organization({ name: 'Only in the copy', parentOrganizationId: child }),
      BY,
    )
    await copy.facets.setInstance('Organization', child, tier, [], BY)
    await copy.persons.remove(somebody, BY)
    await copy.facets.removeDefinition(tier, BY)
    await copy.notifications.send({ title: 'T', message: 'M', type: 'Info', link: null, audience: null }, BY)
    assert.equal((await copy.organizations.children(child)).length, 1)
    assert.deepEqual(
      (await copy.changes()).map(({ action }) => action),
      [
        'organization.create',
        'organization.facet-set',
        'person.delete',
        'facet-definition.delete',
        'notification.send',
      ],
    )
    await copy.close()
    assert.deepEqual(await everything(store), before)
    assert.deepEqual((await store.audit.list({ limit: 1000 })).items, trail)
    assert.deepEqual(readdirSync(stores.folder), files)
  })

  it('keeps the rules of the store', async () => {
    const copy = await store.copyForTrial()
    await assert.rejects(copy.organizations.remove(parent, BY), refusedWith('DIR413'))
    const { name } = (await copy.organizations.byId(parent)) ?? assert.fail()
    const circle = organization({ name, parentOrganizationId: child })
    await assert.rejects(copy.organizations.update(parent, circle, BY), refusedWith('DIR412'))
    await copy.persons.remove(somebody, BY)
    await copy.organizations.remove(child, BY)
    assert.deepEqual(await copy.facets.instances('Organization', child), [])
    await copy.close()
  })

  it('is not changed by later changes of the store or of another copy', async () => {
    const [copy, another] = await Promise.all([store.copyForTrial(), store.copyForTrial()])
    const { id } = await store.organizations.create(organization(), BY)
    const elsewhere = await another.organizations.create(organization(), BY)
    assert.equal(await copy.organizations.byId(id), null)
    assert.equal(await copy.organizations.byId(elsewhere.id), null)
    await copy.close()
    await another.close()
    await store.organizations.remove(id, BY)
  })

  it('holds many organizations', async () => {
    const many = makeStores()
    const full = await many.open()
    const source = await full.copyForTrial()
    await source.close()
    for (let i = 0; i < 600; i++) await full.organizations.create(organization(), BY)
    const copy = await full.copyForTrial()
    assert.deepEqual(await copy.organizations.list(), await full.organizations.list())
    await copy.close()
    await many.remove()
  })

  it('has the tenant of the store, even if the copy is the first to need it', async () => {
    const empty = makeStores()
    const fresh = await empty.open()
    const copy = await fresh.copyForTrial()
    const { tenantId } = await copy.organizations.create(organization(), BY)
    assert.equal(tenantId, (await fresh.tenant()).id)
    await copy.close()
    await empty.remove()
  })
})
