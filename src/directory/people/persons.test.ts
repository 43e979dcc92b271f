import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { campaignSeed, repeated } from '../../../test/campaign.ts'
import type { Person, PersonDraft } from '../../schema/directory-shapes.ts'
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
/** Three organizations that persons can belong to. */
let [one, two, three] = ['', '', '']
before(async () => {
  store = await stores.open()
  const made = async () => (await store.organizations.create(organization(), BY)).id
  one = await made()
  two = await made()
  three = await made()
})
after(() => stores.remove())

const create = (organizationIds: string[], members: Partial<PersonDraft> = {}) =>
  store.persons.create(person(organizationIds, members), BY)
const UNKNOWN = '00000000-0000-4000-8000-000000000000'

describe('a person', () => {
  it('is returned with all given members, an id, the tenant and its moments', async () => {
    const draft: PersonDraft = {
      firstName: 'Ada',
      lastName: 'Byron',
      middleName: 'King',
      prefix: 'Countess',
      suffix: 'the first',
      emailAddress: 'Ada@Example.com',
      userPrincipalName: 'ada@login.example.com',
      organizationIds: [two, one],
      isActive: false,
    }
    const made = await store.persons.create(draft, BY)
    const { id, tenantId, createdAt, updatedAt, facetInstances, ...rest } = made
    assert.deepEqual(rest, draft)
    assert.equal(tenantId, (await store.tenant()).id)
    assert.equal(createdAt, updatedAt)
    assert.deepEqual(facetInstances, [])
    assert.deepEqual(await store.persons.byId(id.toUpperCase()), made)
  })

  it('is unknown by a malformed id', async () => {
    for (const none of [UNKNOWN, '', 'x']) assert.equal(await store.persons.byId(none), null)
  })

  it('keeps the given order of its organizations, the main one first', async () => {
    const { id } = await create([one])
    const orders = fc.shuffledSubarray([one, two, three], { minLength: 1 })
    await fc.assert(
      fc.asyncProperty(orders, async (organizationIds) => {
        const changed = await store.persons.update(id, person(organizationIds), BY)
        assert.deepEqual(changed.organizationIds, organizationIds)
        assert.deepEqual((await store.persons.byId(id))?.organizationIds, organizationIds)
      }),
      { seed: campaignSeed, numRuns: repeated(12, 300) },
    )
  })

  it('is found by its email address without regard to case, the oldest first', async () => {
    const first = await create([one], { emailAddress: 'Same@Example.com' })
    const second = await create([one], { emailAddress: 'same@example.COM' })
    const found = await store.persons.byEmail(' SAME@example.com')
    assert.deepEqual(new Set(found.map(({ id }) => id)), new Set([first.id, second.id]))
    assert.ok((found[0]?.createdAt ?? '') <= (found[1]?.createdAt ?? ''))
    assert.deepEqual(await store.persons.byEmail('nobody@example.com'), [])
  })

  it('has the values of its facets, and is removed with them', async () => {
    const seat = facet({ resourceType: 'Person', allowFreeText: true })
    const { id: seatId } = await store.facets.createDefinition(seat, BY)
    const { id } = await create([one])
    await store.facets.setInstance('Person', id, seatId, ['Aisle'], BY)
    const facetInstances = [{ facetDefinitionId: seatId, values: ['Aisle'] }]
    assert.deepEqual((await store.persons.byId(id))?.facetInstances, facetInstances)
    await store.persons.remove(id, BY)
    assert.equal(await store.persons.byId(id), null)
    assert.equal(await store.facets.instance('Person', id, seatId), null)
    const told = (await changesOf(store, id)).at(-1)
    assert.equal(told?.action, 'person.delete')
    assert.deepEqual(Object.entries(told?.before ?? {}).at(-1), ['facetInstances', facetInstances])
  })
})

describe('a person is refused', () => {
  const wrong: readonly (readonly [string, Partial<PersonDraft>, string, RegExp])[] = [
    ['without a last name', { lastName: ' ' }, 'DIR430', /\/lastName/],
    ['with a first name that is too long', { firstName: 'x'.repeat(101) }, 'DIR430', /100/],
    ['without an email address', { emailAddress: '' }, 'DIR430', /\/emailAddress/],
    ['with a malformed email address', { emailAddress: 'at home' }, 'DIR430', /\/emailAddress/],
    ['without an organization', { organizationIds: [] }, 'DIR430', /\/organizationIds/],
    ['with one organization twice', { organizationIds: [UNKNOWN, UNKNOWN] }, 'DIR430', /\/organizationIds/],
    ['with a malformed organization id', { organizationIds: ['x'] }, 'DIR430', /\/organizationIds\/0/],
    ['with an unknown organization', { organizationIds: [UNKNOWN] }, 'DIR432', /00000000/],
    [
      'with more than 50 organizations',
      { organizationIds: Array.from({ length: 51 }, () => crypto.randomUUID()) },
      'DIR430',
      /50/,
    ],
  ]
  for (const [what, members, code, message] of wrong) {
    it(`${what} (${code})`, async () => {
      const made = await create([one])
      const draft = { ...person([one]), ...members }
      await assert.rejects(store.persons.create(draft, BY), refusedWith(code, message))
      await assert.rejects(store.persons.update(made.id, draft, BY), refusedWith(code, message))
      assert.deepEqual(await store.persons.byId(made.id), made)
    })
  }

  it('when it does not exist and is changed or removed', async () => {
    await assert.rejects(store.persons.update(UNKNOWN, person([one]), BY), refusedWith('DIR402'))
    await assert.rejects(store.persons.remove('x', BY), refusedWith('DIR402'))
  })

  it('never with 50 organizations', async () => {
    const ids = []
    for (let i = 0; i < 50; i++) ids.push((await store.organizations.create(organization(), BY)).id)
    assert.deepEqual((await create(ids)).organizationIds, ids)
  })
})

describe('the list of persons', () => {
  let listed: readonly Person[]
  before(async () => {
    const { id } = await store.organizations.create(organization(), BY)
    const members: readonly Partial<PersonDraft>[] = [
      { lastName: 'zimmer', firstName: 'Ben', emailAddress: 'b@zimmer.example' },
      { lastName: 'Zimmer', firstName: 'anna', emailAddress: 'a2@zimmer.example' },
      { lastName: 'Zimmer', firstName: 'Anna', emailAddress: 'a1@zimmer.example' },
      { lastName: 'Zimmer', emailAddress: 'none@zimmer.example', userPrincipalName: 'LOGIN@zimmer' },
      { lastName: 'Äpfel', firstName: 'Carl', emailAddress: 'carl@zimmer.example' },
    ]
    for (const each of members) await create([one, id], each)
    listed = await store.persons.list({ organizationId: id.toUpperCase() })
  })

  it('shows the members of an organization, by last name, first name and email address', () => {
    assert.deepEqual(
      listed.map(({ emailAddress }) => emailAddress.split('@')[0]),
      ['none', 'a1', 'a2', 'b', 'carl'],
    )
    assert.ok(listed.every(({ organizationIds }) => organizationIds.length === 2))
  })

  it('is searched in names, email addresses and sign-in names, without regard to case', async () => {
    const searches: readonly (readonly [string, readonly string[]])[] = [
      ['ANNA ZIM', ['a1', 'a2']],
      ['äpfel', ['carl']],
      ['B@Zimmer', ['b']],
      [' login@ ', ['none']],
      ['zimmer.example', ['none', 'a1', 'a2', 'b', 'carl']],
      ['nobody at all', []],
    ]
    for (const [text, expected] of searches) {
      const found = await store.persons.list({ text })
      assert.deepEqual(
        found.map(({ emailAddress }) => emailAddress.split('@')[0]),
        expected,
        text,
      )
    }
  })

  it('is empty for an unknown organization', async () => {
    assert.deepEqual(await store.persons.list({ organizationId: UNKNOWN }), [])
  })
})

describe('the trail of a person', () => {
  it('has each change with the members that changed, and no entry when nothing changed', async () => {
    const draft = person([one, two])
    const made = await store.persons.create(draft, BY)
    assert.deepEqual(await store.persons.update(made.id, draft, BY), made)
    await store.persons.update(made.id, { ...draft, firstName: 'New', organizationIds: [two] }, BY)
    assert.deepEqual(await changesOf(store, made.id), [
      { action: 'person.create', before: null, after: draft },
      {
        action: 'person.update',
        before: { firstName: null, organizationIds: [one, two] },
        after: { firstName: 'New', organizationIds: [two] },
      },
    ])
  })
})
