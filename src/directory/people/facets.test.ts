import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { fold } from '../../kernel/text.ts'
import type { FacetDefinitionDraft } from '../../schema/directory-shapes.ts'
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
import { possibleValues } from './facet-values.ts'

const stores = makeStores()
let store: ControlStore
let owner = ''
before(async () => {
  store = await stores.open()
  owner = (await store.organizations.create(organization(), BY)).id
})
after(() => stores.remove())

const define = (members: Partial<FacetDefinitionDraft> = {}) =>
  store.facets.createDefinition(facet(members), BY)
const set = (definitionId: string, values: readonly string[], of = owner) =>
  store.facets.setInstance('Organization', of, definitionId, values, BY)
const valuesOf = async (definitionId: string) =>
  (await store.facets.instance('Organization', owner, definitionId))?.values
const UNKNOWN = '00000000-0000-4000-8000-000000000000'

describe('a facet definition', () => {
  it('is returned with all given members, an id and its moments', async () => {
    const draft = facet({
      category: 'Policy',
      name: 'Cabin',
      description: 'The best cabin',
      dataSensitivity: 'PII',
      isCritical: true,
      allowFreeText: true,
      allowMultipleValues: true,
      values: ['Economy', 'First'],
      isActive: false,
    })
    const made = await store.facets.createDefinition(draft, BY)
    const { id, createdAt, updatedAt, ...rest } = made
    assert.deepEqual(rest, draft)
    assert.equal(createdAt, updatedAt)
    assert.deepEqual(await store.facets.definitionById(id.toUpperCase()), made)
  })

  it('is found by name without regard to case, a definition for organizations first', async () => {
    const ofPerson = await define({ name: 'Region', resourceType: 'Person' })
    assert.equal((await store.facets.definitionByName(' rEGION '))?.id, ofPerson.id)
    const ofOrganization = await define({ name: 'REGION' })
    assert.equal((await store.facets.definitionByName('region'))?.id, ofOrganization.id)
    assert.equal(await store.facets.definitionByName('none of these'), null)
    assert.equal(await store.facets.definitionById('x'), null)
  })

  it('is listed by category and name, all or those of one resource type', async () => {
    await define({ category: 'ZZ', name: 'order b', resourceType: 'Person' })
    await define({ category: 'ZZ', name: 'Order A', resourceType: 'Person' })
    await define({ category: 'ZY', name: 'order c' })
    const names = (all: readonly { readonly name: string }[]) =>
      all.map(({ name }) => name).filter((name) => /^order /i.test(name))
    assert.deepEqual(names(await store.facets.definitions()), ['order c', 'Order A', 'order b'])
    assert.deepEqual(names(await store.facets.definitions('Person')), ['Order A', 'order b'])
    assert.deepEqual(names(await store.facets.definitions('Organization')), ['order c'])
  })

  it('is refused with all its faults, with a name that its type has already, and when it is unknown', async () => {
    const taken = await define({ name: 'Taken' })
    const other = await define()
    const wrong: readonly (readonly [Partial<FacetDefinitionDraft>, string, RegExp])[] = [
      [{ name: '' }, 'DIR430', /\/name/],
      [{ category: ' ' }, 'DIR430', /\/category/],
      [{ description: 'x'.repeat(501) }, 'DIR430', /500/],
      [{ values: [' '] }, 'DIR430', /\/values\/0/],
      [{ values: ['x'.repeat(201)] }, 'DIR430', /200/],
      [{ values: ['a', ' a '] }, 'DIR430', /\/values/],
      [{ values: ['a', 'A'] }, 'DIR430', /case/],
      [{ dataSensitivity: 'Secret' as 'PII' }, 'DIR430', /\/dataSensitivity/],
      [{ name: 'tAKEN' }, 'DIR415', new RegExp(taken.id)],
    ]
    for (const [members, code, message] of wrong) {
      await assert.rejects(define(members), refusedWith(code, message))
      const update = store.facets.updateDefinition(other.id, facet(members), BY)
      await assert.rejects(update, refusedWith(code, message))
    }
    await define({ name: 'Taken', resourceType: 'Person' })
    await assert.rejects(store.facets.updateDefinition(UNKNOWN, facet(), BY), refusedWith('DIR403'))
    await assert.rejects(store.facets.removeDefinition('x', BY), refusedWith('DIR403'))
  })

  it('keeps its resource type while it has values', async () => {
    const draft = facet({ allowFreeText: true })
    const { id } = await store.facets.createDefinition(draft, BY)
    const ofPerson = { ...draft, resourceType: 'Person' } as const
    await set(id, ['a'])
    await assert.rejects(store.facets.updateDefinition(id, ofPerson, BY), refusedWith('DIR417', /\(1\)/))
    await set(id, [])
    const moved = await store.facets.updateDefinition(id, ofPerson, BY)
    assert.equal(moved.resourceType, 'Person')
  })

  it('is removed with all its values', async () => {
    const { id } = await define({ allowFreeText: true })
    await set(id, ['a'])
    await store.facets.removeDefinition(id, BY)
    assert.equal(await store.facets.definitionById(id), null)
    assert.equal(await valuesOf(id), undefined)
    const told = (await changesOf(store, id)).at(-1)
    assert.deepEqual(Object.entries(told?.before ?? {}).at(-1), ['instances', 1])
  })

  it('leaves values that it no longer allows until they are set again', async () => {
    const draft = facet({ values: ['Gold', 'Silver'] })
    const { id } = await store.facets.createDefinition(draft, BY)
    await set(id, ['Gold'])
    await store.facets.updateDefinition(id, { ...draft, values: ['Silver'] }, BY)
    assert.deepEqual(await valuesOf(id), ['Gold'])
    await assert.rejects(set(id, ['Gold']), refusedWith('DIR434'))
  })

  it('leaves a trail of its changes, and none when nothing changed', async () => {
    const draft = facet()
    const made = await store.facets.createDefinition(draft, BY)
    assert.deepEqual(await store.facets.updateDefinition(made.id, draft, BY), made)
    await store.facets.updateDefinition(made.id, { ...draft, isCritical: true }, BY)
    assert.deepEqual(await changesOf(store, made.id), [
      { action: 'facet-definition.create', before: null, after: draft },
      { action: 'facet-definition.update', before: { isCritical: false }, after: { isCritical: true } },
    ])
  })
})

describe('the values of a facet', () => {
  const choice = { values: ['Gold', 'Silver'] }
  const rules: readonly (readonly [
    string,
    Partial<FacetDefinitionDraft>,
    readonly string[],
    readonly string[] | string,
  ])[] = [
    ['a value of the list', choice, ['Gold'], ['Gold']],
    ['a value of the list in its own spelling', choice, [' gOLD '], ['Gold']],
    ['no value outside the list', choice, ['Golt'], 'DIR434'],
    ['no free text, even without a list', {}, ['Gold'], 'DIR434'],
    ['one value only', choice, ['Gold', 'Silver'], 'DIR435'],
    ['a value twice as one', choice, ['Gold', 'gold'], ['Gold']],
    ['several values', { ...choice, allowMultipleValues: true }, ['Silver', 'Gold'], ['Silver', 'Gold']],
    [
      'equal ones once',
      { ...choice, allowMultipleValues: true },
      ['Silver', 'Gold', 'SILVER'],
      ['Silver', 'Gold'],
    ],
    ['free text', { allowFreeText: true }, [' Some thing '], ['Some thing']],
    ['free text beside a list', { ...choice, allowFreeText: true }, ['Bronze'], ['Bronze']],
    ['several free texts', { allowFreeText: true, allowMultipleValues: true }, ['b', 'a', 'B'], ['b', 'a']],
    ['one free text only', { allowFreeText: true }, ['a', 'b'], 'DIR435'],
    ['no blank text', { allowFreeText: true }, [' '], 'DIR436'],
    ['texts of 1000 characters', { allowFreeText: true }, ['😀'.repeat(1000)], ['😀'.repeat(1000)]],
    ['no longer text', { allowFreeText: true }, ['x'.repeat(1001)], 'DIR436'],
    [
      '1000 values at most',
      { allowFreeText: true, allowMultipleValues: true },
      Array.from({ length: 1001 }, (_, i) => `v${i}`),
      'DIR436',
    ],
    ['nothing at all', choice, [], []],
  ]
  for (const [what, members, values, expected] of rules) {
    it(`may be ${what}`.replace('may be no ', 'may not be '), async () => {
      const { id } = await define(members)
      if (typeof expected === 'string') {
        await assert.rejects(set(id, values), refusedWith(expected))
        assert.equal(await valuesOf(id), undefined)
        return
      }
      assert.deepEqual(await set(id, values), { facetDefinitionId: id, values: expected })
      assert.deepEqual(await valuesOf(id), expected.length === 0 ? undefined : expected)
    })
  }

  it('stay the same when they are set a second time, and must differ in more than case', () => {
    const text = fc.string({ minLength: 1, maxLength: 5 }).filter((value) => value.trim() !== '')
    fc.assert(
      fc.property(fc.array(text, { maxLength: 6 }), fc.array(text), (choices, values) => {
        const listed = [...new Map(choices.map((value) => [fold(value.trim()), value.trim()])).values()]
        const definition = {
          ...facet({ values: listed, allowFreeText: true, allowMultipleValues: true }),
          id: UNKNOWN,
          createdAt: '',
          updatedAt: '',
        }
        const once = possibleValues(definition, values)
        assert.deepEqual(possibleValues(definition, once), once)
        assert.equal(new Set(once.map(fold)).size, once.length)
        assert.deepEqual(new Set(once.map(fold)), new Set(values.map((value) => fold(value.trim()))))
      }),
    )
  })

  it('are replaced, never added to, and removed by an empty list', async () => {
    const { id } = await define({ allowFreeText: true, allowMultipleValues: true })
    await set(id, ['a', 'b'])
    await set(id, ['c'])
    assert.deepEqual(await valuesOf(id), ['c'])
    await set(id, [])
    assert.equal(await valuesOf(id), undefined)
    assert.ok(!(await store.facets.instances('Organization', owner)).some((f) => f.facetDefinitionId === id))
  })

  it('cannot be read or set while the definition is inactive, and exist again afterwards', async () => {
    const draft = facet({ allowFreeText: true })
    const { id } = await store.facets.createDefinition(draft, BY)
    await set(id, ['kept'])
    await store.facets.updateDefinition(id, { ...draft, isActive: false }, BY)
    assert.equal(await valuesOf(id), undefined)
    assert.ok(!(await store.facets.instances('Organization', owner)).some((f) => f.facetDefinitionId === id))
    const shown = (await store.organizations.byId(owner))?.facetInstances ?? []
    assert.ok(!shown.some(({ facetDefinitionId }) => facetDefinitionId === id))
    await assert.rejects(set(id, ['other']), refusedWith('DIR416'))
    await store.facets.updateDefinition(id, draft, BY)
    assert.deepEqual(await valuesOf(id), ['kept'])
  })

  it('are refused for unknown owners and definitions, and for owners of the other type', async () => {
    const ofOrganization = await define({ allowFreeText: true })
    const ofPerson = await define({ allowFreeText: true, resourceType: 'Person' })
    const somebody = await store.persons.create(person([owner]), BY)
    await assert.rejects(set(UNKNOWN, ['a']), refusedWith('DIR403'))
    await assert.rejects(set(ofOrganization.id, ['a'], UNKNOWN), refusedWith('DIR401'))
    await assert.rejects(set(ofOrganization.id, ['a'], somebody.id), refusedWith('DIR401'))
    await assert.rejects(set(ofPerson.id, ['a']), refusedWith('DIR433', /Organization.*Person/))
    const unknown = store.facets.setInstance('Person', UNKNOWN, ofPerson.id, ['a'], BY)
    await assert.rejects(unknown, refusedWith('DIR402'))
    assert.deepEqual(await store.facets.instances('Person', UNKNOWN), [])
  })

  it('count as a change of their owner, recorded under the name of the facet', async () => {
    const { id, updatedAt } = await store.organizations.create(organization(), BY)
    const tier = await define({ allowFreeText: true, name: 'Told tier' })
    await set(tier.id, ['a'], id)
    await set(tier.id, ['a'], id)
    await set(tier.id, [], id)
    assert.deepEqual((await changesOf(store, id)).slice(1), [
      {
        action: 'organization.facet-set',
        before: { facet: 'Told tier', values: [] },
        after: { facet: 'Told tier', values: ['a'] },
      },
      {
        action: 'organization.facet-set',
        before: { facet: 'Told tier', values: ['a'] },
        after: { facet: 'Told tier', values: [] },
      },
    ])
    assert.ok(((await store.organizations.byId(id))?.updatedAt ?? '') >= updatedAt)
  })
})
