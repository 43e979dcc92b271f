import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { OrganizationDraft } from '../../schema/directory-shapes.ts'
import type { ControlStore } from '../control-store.ts'
import {
  BY,
  changesOf,
  facet,
  makeStores,
  organization,
  person,
  refusedWith,
} from '../testing/people-store.ts'

const stores = makeStores()
let store: ControlStore
before(async () => {
  store = await stores.open()
})
after(() => stores.remove())

const create = (members: Partial<OrganizationDraft> = {}) =>
  store.organizations.create(organization(members), BY)
const UNKNOWN = '00000000-0000-4000-8000-000000000000'

describe('an organization', () => {
  it('is returned with all given members, an id, the tenant and its moments', async () => {
    const parent = await create()
    const draft = organization({
      number: 'N-1',
      name: 'Acme Travel',
      description: 'Everything\nand more',
      isActive: false,
      parentOrganizationId: parent.id,
    })
    const made = await store.organizations.create(draft, BY)
    const { id, tenantId, createdAt, updatedAt, facetInstances, ...rest } = made
    assert.deepEqual(rest, draft)
    assert.match(id, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    assert.equal(tenantId, (await store.tenant()).id)
    assert.equal(createdAt, updatedAt)
    assert.deepEqual(facetInstances, [])
    assert.deepEqual(await store.organizations.byId(id), made)
    assert.deepEqual(await store.organizations.children(parent.id), [made])
  })

  it('is found by its id in any case, and unknown by a malformed id', async () => {
    const { id } = await create()
    assert.equal((await store.organizations.byId(id.toUpperCase()))?.id, id)
    for (const none of [UNKNOWN, '', 'x', `${id} `]) {
      assert.equal(await store.organizations.byId(none), null)
      assert.deepEqual(await store.organizations.children(none), [])
    }
  })

  it('loses blanks around its texts, and has null in place of blank texts', async () => {
    const made = await create({ name: '  Blank Ends ', number: ' ', description: '\t' })
    assert.deepEqual([made.name, made.number, made.description], ['Blank Ends', null, null])
  })

  it('is listed by name, without regard to case', async () => {
    for (const name of ['order b', 'Order C', 'Order a']) await create({ name })
    const names = (await store.organizations.list()).map(({ name }) => name)
    assert.deepEqual(
      names.filter((name) => /^order /i.test(name)),
      ['Order a', 'order b', 'Order C'],
    )
  })

  it('has the values of its facets', async () => {
    const { id } = await create()
    const tier = await store.facets.createDefinition(facet({ allowFreeText: true }), BY)
    await store.facets.setInstance('Organization', id, tier.id, ['Gold'], BY)
    const expected = [{ facetDefinitionId: tier.id, values: ['Gold'] }]
    assert.deepEqual((await store.organizations.byId(id))?.facetInstances, expected)
    const listed = (await store.organizations.list()).find((each) => each.id === id)
    assert.deepEqual(listed?.facetInstances, expected)
  })
})

describe('an organization is refused', () => {
  const wrong: readonly (readonly [string, Partial<OrganizationDraft>, string, RegExp])[] = [
    ['without a name', { name: ' ' }, 'DIR430', /\/name/],
    ['with a name of two lines', { name: 'a\nb' }, 'DIR430', /\/name/],
    ['with a name that is too long', { name: 'x'.repeat(201) }, 'DIR430', /200/],
    ['with half a surrogate pair', { name: 'a\ud800' }, 'DIR430', /well-formed/],
    ['with a description that is too long', { description: 'x'.repeat(1001) }, 'DIR430', /1000/],
    ['with a malformed parent id', { parentOrganizationId: 'none' }, 'DIR430', /uuid/],
    ['with an unknown parent', { parentOrganizationId: UNKNOWN }, 'DIR431', /parent/],
  ]
  for (const [what, members, code, message] of wrong) {
    it(`${what} (${code})`, async () => {
      await assert.rejects(create(members), refusedWith(code, message))
      const { id } = await create()
      await assert.rejects(
        store.organizations.update(id, organization(members), BY),
        refusedWith(code, message),
      )
    })
  }

  it('with all faults at once', async () => {
    const everything = create({ name: '', description: 'x'.repeat(1001), parentOrganizationId: 'none' })
    await assert.rejects(everything, refusedWith('DIR430', /\/name.*\/description.*\/parentOrganizationId/s))
  })

  it('when another has its name or number in any case, and that one is named', async () => {
    const holder = await create({ name: 'Σίσυφος', number: 'Ab' })
    const other = await create()
    const sameName = organization({ name: 'ΣΊΣΥΦΟΣ' })
    const sameNumber = organization({ number: 'aB' })
    for (const [draft, code] of [
      [sameName, 'DIR410'],
      [sameNumber, 'DIR411'],
    ] as const) {
      const told = refusedWith(code, new RegExp(holder.id))
      await assert.rejects(store.organizations.create(draft, BY), told)
      await assert.rejects(store.organizations.update(other.id, draft, BY), told)
    }
    await store.organizations.update(holder.id, { ...sameName, number: 'aB' }, BY)
    assert.equal((await store.organizations.byId(holder.id))?.name, 'ΣΊΣΥΦΟΣ')
  })

  it('when it would become its own descendant, at any depth', async () => {
    const top = organization()
    const { id } = await store.organizations.create(top, BY)
    let lowest = id
    for (let depth = 0; depth < 30; depth++) {
      await assert.rejects(
        store.organizations.update(id, { ...top, parentOrganizationId: lowest }, BY),
        refusedWith('DIR412', new RegExp(lowest)),
      )
      lowest = (await create({ parentOrganizationId: lowest.toUpperCase() })).id
    }
    assert.equal((await store.organizations.byId(id))?.parentOrganizationId, null)
  })

  it('when it would be nested too deep, alone or with those below it', async () => {
    const chain = async (levels: number) => {
      const ids: string[] = []
      for (let level = 0; level < levels; level++)
        ids.push((await create({ parentOrganizationId: ids.at(-1) ?? null })).id)
      return ids
    }
    const [long, short] = [await chain(98), await chain(3)]
    const move = (id: string | undefined, parentOrganizationId: string | undefined) =>
      store.organizations.update(
        id ?? '',
        organization({ parentOrganizationId: parentOrganizationId ?? null }),
        BY,
      )
    await assert.rejects(move(short[0], long.at(-1)), refusedWith('DIR418', /100 levels/))
    await move(short[1], long.at(-1))
    await assert.rejects(create({ parentOrganizationId: short[2] ?? null }), refusedWith('DIR418'))
    await assert.rejects(move(long[0], short[0]), refusedWith('DIR418'))
    // What stays where it is may be changed, however deep it is.
    await move(short[2], short[1])
  })

  it('when it does not exist and is changed or removed', async () => {
    await assert.rejects(
      store.organizations.update(UNKNOWN, organization(), BY),
      refusedWith('DIR401', /00000000/),
    )
    await assert.rejects(store.organizations.remove('x', BY), refusedWith('DIR401'))
  })
})

describe('removing an organization', () => {
  it('is refused while it has children', async () => {
    const { id } = await create()
    const child = await create({ parentOrganizationId: id })
    await assert.rejects(store.organizations.remove(id, BY), refusedWith('DIR413', /\(1\)/))
    await store.organizations.remove(child.id, BY)
    await store.organizations.remove(id, BY)
    assert.equal(await store.organizations.byId(id), null)
  })

  it('is refused while it is the only organization of a person, and then changes no person', async () => {
    const [one, other] = [await create(), await create()]
    const both = await store.persons.create(person([one.id, other.id]), BY)
    const only = await store.persons.create(person([one.id]), BY)
    await assert.rejects(store.organizations.remove(one.id, BY), refusedWith('DIR414', /\(1\)/))
    assert.deepEqual(await store.persons.byId(both.id), both)
    await store.persons.remove(only.id, BY)
    await store.organizations.remove(one.id, BY)
    assert.deepEqual((await store.persons.byId(both.id))?.organizationIds, [other.id])
    assert.deepEqual((await changesOf(store, both.id)).at(-1), {
      action: 'person.update',
      before: { organizationIds: [one.id, other.id] },
      after: { organizationIds: [other.id] },
    })
  })

  it('removes the values of its facets and leaves their definitions', async () => {
    const { id } = await create()
    const tier = await store.facets.createDefinition(facet({ allowFreeText: true }), BY)
    await store.facets.setInstance('Organization', id, tier.id, ['Gold'], BY)
    await store.organizations.remove(id, BY)
    assert.deepEqual(await store.facets.instances('Organization', id), [])
    assert.ok(await store.facets.definitionById(tier.id))
    const told = (await changesOf(store, id)).find(({ action }) => action === 'organization.delete')
    assert.deepEqual(Object.entries(told?.before ?? {}).at(-1), [
      'facetInstances',
      [{ facetDefinitionId: tier.id, values: ['Gold'] }],
    ])
  })
})

describe('deleting an organization', () => {
  it('makes it unknown to every operation and frees its name and number', async () => {
    const parent = await create()
    const draft = organization({ number: 'D-1', parentOrganizationId: parent.id })
    const { id } = await store.organizations.create(draft, BY)
    const tier = await store.facets.createDefinition(facet({ allowFreeText: true }), BY)
    await store.facets.setInstance('Organization', id, tier.id, ['Gold'], BY)
    await store.organizations.delete(id.toUpperCase(), BY)
    assert.equal(await store.organizations.byId(id), null)
    assert.ok(!(await store.organizations.list()).some((other) => other.id === id))
    assert.deepEqual(await store.organizations.children(parent.id), [])
    assert.deepEqual(await store.facets.instances('Organization', id), [])
    const unknown = refusedWith('DIR401')
    await assert.rejects(store.organizations.update(id, draft, BY), unknown)
    await assert.rejects(store.organizations.delete(id, BY), unknown)
    await assert.rejects(store.facets.setInstance('Organization', id, tier.id, ['Silver'], BY), unknown)
    await assert.rejects(create({ parentOrganizationId: id }), refusedWith('DIR431'))
    await assert.rejects(store.persons.create(person([id]), BY), refusedWith('DIR432'))
    const again = await store.organizations.create(draft, BY)
    assert.notEqual(again.id, id)
  })

  it('leaves an audit entry with everything that it had', async () => {
    const draft = organization({ number: 'D-2' })
    const { id } = await store.organizations.create(draft, BY)
    await store.organizations.delete(id, 'endpoint:E for anonymous')
    const { items } = await store.audit.list({ subjectId: id, limit: 1 })
    const [{ action, actor, before, after } = assert.fail()] = items
    assert.deepEqual(
      [action, actor, before, after],
      ['organization.soft-delete', 'endpoint:E for anonymous', { ...draft, facetInstances: [] }, null],
    )
  })

  it('is refused like removing it, and changes nothing then', async () => {
    const { id } = await create()
    const child = await create({ parentOrganizationId: id })
    await assert.rejects(store.organizations.delete(id, BY), refusedWith('DIR413'))
    await store.persons.create(person([child.id]), BY)
    await assert.rejects(store.organizations.delete(child.id, BY), refusedWith('DIR414'))
    assert.deepEqual(await store.organizations.byId(child.id), child)
    await assert.rejects(store.organizations.restore(child.id, BY), refusedWith('DIR640'))
  })

  it('can be undone: it has its id, its facets and its persons again', async () => {
    const [one, other] = [await create({ number: 'D-3' }), await create()]
    const member = await store.persons.create(person([one.id, other.id]), BY)
    const gone = await store.persons.create(person([one.id, other.id]), BY)
    const tier = await store.facets.createDefinition(facet({ allowFreeText: true }), BY)
    const dropped = await store.facets.createDefinition(facet({ allowFreeText: true }), BY)
    for (const { id } of [tier, dropped]) {
      await store.facets.setInstance('Organization', one.id, id, ['Gold'], BY)
    }
    await store.organizations.delete(one.id, BY)
    assert.deepEqual((await store.persons.byId(member.id))?.organizationIds, [other.id])
    await store.persons.remove(gone.id, BY)
    await store.facets.removeDefinition(dropped.id, BY)
    const restored = await store.organizations.restore(one.id.toUpperCase(), BY)
    const { updatedAt: _, facetInstances, ...members } = restored
    const { updatedAt: __, facetInstances: ___, ...before } = one
    assert.deepEqual(members, before)
    assert.deepEqual(facetInstances, [{ facetDefinitionId: tier.id, values: ['Gold'] }])
    assert.deepEqual((await store.persons.byId(member.id))?.organizationIds, [other.id, one.id])
    assert.deepEqual(await store.organizations.byId(one.id), restored)
    assert.deepEqual((await changesOf(store, one.id)).map(({ action }) => action).slice(-2), [
      'organization.soft-delete',
      'organization.restore',
    ])
    await assert.rejects(store.organizations.restore(one.id, BY), refusedWith('DIR640'))
  })

  it('cannot be undone while another has its name or number, or its parent is gone', async () => {
    const parent = await create()
    const draft = organization({ number: 'D-4', parentOrganizationId: parent.id })
    const { id } = await store.organizations.create(draft, BY)
    await store.organizations.delete(id, BY)
    const sibling = { name: draft.name.toUpperCase(), parentOrganizationId: parent.id }
    const sameName = await create(sibling)
    await assert.rejects(store.organizations.restore(id, BY), refusedWith('DIR410'))
    await store.organizations.remove(sameName.id, BY)
    const sameNumber = await create({ number: 'd-4' })
    await assert.rejects(store.organizations.restore(id, BY), refusedWith('DIR411'))
    await store.organizations.remove(sameNumber.id, BY)
    await store.organizations.delete(parent.id, BY)
    await assert.rejects(store.organizations.restore(id, BY), refusedWith('DIR641', new RegExp(parent.id)))
    await store.organizations.restore(parent.id, BY)
    assert.equal((await store.organizations.restore(id, BY)).parentOrganizationId, parent.id)
  })

  it('ends for good when the deleted one is removed', async () => {
    const { id } = await create()
    await store.organizations.delete(id, BY)
    await store.organizations.remove(id, BY)
    await assert.rejects(store.organizations.restore(id, BY), refusedWith('DIR640'))
    await assert.rejects(store.organizations.remove(id, BY), refusedWith('DIR401'))
    assert.equal((await changesOf(store, id)).at(-1)?.action, 'organization.delete')
  })
})

describe('the trail of an organization', () => {
  it('has each change with the members that changed, and no entry when nothing changed', async () => {
    const draft = organization({ number: 'T-1' })
    const made = await store.organizations.create(draft, BY)
    const same = await store.organizations.update(made.id, draft, BY)
    assert.deepEqual(same, made)
    await store.organizations.update(made.id, { ...draft, number: 'T-2', isActive: false }, 'operator:other')
    assert.deepEqual(await changesOf(store, made.id), [
      { action: 'organization.create', before: null, after: draft },
      {
        action: 'organization.update',
        before: { number: 'T-1', isActive: true },
        after: { number: 'T-2', isActive: false },
      },
    ])
    const { items } = await store.audit.list({ subjectId: made.id, actor: 'operator:other', limit: 10 })
    assert.deepEqual(
      items.map(({ action }) => action),
      ['organization.update'],
    )
  })
})
