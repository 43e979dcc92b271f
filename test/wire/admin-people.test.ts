/** Organizations, persons and their facets over the admin API. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Json } from '../fixtures/json.ts'
import { type Admin, startAdmin } from './start-admin.ts'

const BY = 'user:admin@example.com'
const NOBODY = '00000000-0000-4000-8000-000000000000'

let admin: Admin
before(async () => {
  admin = await startAdmin()
})
after(() => admin.close())

async function made(path: string, body: object): Promise<Json> {
  const answer = await admin.send('POST', path, { body })
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return answer.body
}
const organization = (name: string, members: object = {}) => made('/organizations', { name, ...members })
const facet = (name: string, members: object = {}) =>
  made('/facet-definitions', { resourceType: 'Organization', category: 'Travel', name, ...members })
const person = (lastName: string, organizationIds: readonly string[], members: object = {}) =>
  made('/persons', {
    lastName,
    emailAddress: `${lastName.toLowerCase()}@example.com`,
    organizationIds,
    ...members,
  })

const names = (body: Json): string[] => body.items.map(({ name }: Json) => name)
const pathsOf = (body: Json): string[] => body.details.map(({ path }: Json) => path)
const actions = async () => (await admin.newAudit()).map(({ actor, action }) => [actor, action])

describe('organizations', () => {
  it('answer ids of any length without a server error', async () => {
    for (const token of ['admin', null]) {
      const { status } = await admin.send('GET', `/organizations/${'a'.repeat(5000)}`, { token })
      assert.ok(token === null ? status === 401 : status === 400 || status === 404, String(status))
    }
  })

  it('are created, changed and removed, each with an entry in the trail', async () => {
    await admin.newAudit()
    const first = await organization('Harbour')
    assert.deepEqual(
      [first.number, first.description, first.isActive, first.parentOrganizationId],
      [null, null, true, null],
    )
    const { status, body } = await admin.send('PUT', `/organizations/${first.id}`, {
      body: { name: 'Harbour Ltd', number: 'H1' },
    })
    assert.deepEqual([status, body.name, body.number], [200, 'Harbour Ltd', 'H1'])
    assert.deepEqual((await admin.send('GET', `/organizations/${first.id}`)).body, body)
    assert.equal((await admin.send('DELETE', `/organizations/${first.id}`)).status, 204)
    assert.equal((await admin.send('GET', `/organizations/${first.id}`)).status, 404)
    const trail = await admin.newAudit()
    assert.deepEqual(
      trail.map(({ actor, action }) => [actor, action]),
      [
        [BY, 'organization.create'],
        [BY, 'organization.update'],
        [BY, 'organization.delete'],
      ],
    )
    assert.deepEqual(trail[1]?.before, { number: null, name: 'Harbour' })
    assert.deepEqual(trail[1]?.after, { number: 'H1', name: 'Harbour Ltd' })
  })

  it('are listed by name in pages, all or filtered by text, parent and root', async () => {
    const root = await organization('Tree root', { number: 'T-0' })
    const child = await organization('tree branch', { parentOrganizationId: root.id })
    await organization('Tree leaf', { parentOrganizationId: child.id })
    const list = async (query: string) => names((await admin.send('GET', `/organizations?${query}`)).body)
    assert.deepEqual(await list('text=TREE'), ['tree branch', 'Tree leaf', 'Tree root'])
    assert.deepEqual(await list('text=t-0'), ['Tree root'])
    assert.deepEqual(await list(`rootId=${root.id.toUpperCase()}`), ['tree branch', 'Tree leaf', 'Tree root'])
    assert.deepEqual(await list(`rootId=${child.id}`), ['tree branch', 'Tree leaf'])
    assert.deepEqual(await list('rootId=unknown'), [])
    assert.deepEqual(await list(`parentId=${root.id}`), ['tree branch'])
    assert.deepEqual(await list('text=tree&parentId=none'), ['Tree root'])
    const { body } = await admin.send('GET', '/organizations?text=tree&limit=2')
    assert.deepEqual(await list(`text=tree&limit=2&after=${body.next}`), ['Tree root'])
  })

  it('may have the name of one with another parent', async () => {
    const [first, second] = [await organization('First parent'), await organization('Second parent')]
    const names = [first, second, null].map((parent) => ({ parentOrganizationId: parent?.id ?? null }))
    for (const members of names) assert.equal((await organization('Same name', members)).name, 'Same name')
  })

  it('refuse changes that conflict with other organizations', async () => {
    const upper = await organization('Upper', { number: 'U1' })
    const lower = await organization('Lower', { parentOrganizationId: upper.id })
    for (const [method, path, body] of [
      ['POST', '/organizations', { name: 'UPPER' }],
      ['POST', '/organizations', { name: 'LOWER', parentOrganizationId: upper.id }],
      ['POST', '/organizations', { name: 'Another', number: 'u1' }],
      ['PUT', `/organizations/${upper.id}`, { name: 'Upper', parentOrganizationId: lower.id }],
      ['DELETE', `/organizations/${upper.id}`, undefined],
    ] as const) {
      const answer = await admin.send(method, path, { body })
      assert.equal(answer.status, 409, `${method} ${JSON.stringify(body)}`)
      assert.equal(typeof answer.body.error, 'string')
    }
  })

  for (const [what, body, expected] of [
    ['nothing', {}, ['/name']],
    ['a blank at the end of a name', { name: 'Name ' }, ['/name']],
    [
      'wrong types and unknown members',
      { name: 'A', isActive: 1, tenantId: 'x' },
      ['/isActive', '/tenantId'],
    ],
  ] as const) {
    it(`refuse ${what}, and name each place`, async () => {
      const answer = await admin.send('POST', '/organizations', { body })
      assert.equal(answer.status, 400)
      assert.deepEqual(pathsOf(answer.body).toSorted(), expected)
    })
  }

  it('that a script has deleted are listed, and restored or removed for good', async () => {
    const [kept, other] = [
      await organization('Restorable'),
      await organization('Disposable', { number: 'X1' }),
    ]
    const member = await person('Member', [other.id, kept.id])
    await person('Stays', [other.id])
    const deletedBy = 'endpoint:Cleaning for user:ann@example.com'
    await admin.store.organizations.delete(kept.id, deletedBy)
    assert.equal((await admin.send('GET', `/organizations/${kept.id}`)).status, 404)
    const list = async () => (await admin.send('GET', '/deleted-organizations')).body.items
    const [{ deletedAt, ...listed }, ...more] = await list()
    assert.deepEqual([listed, more], [{ id: kept.id, number: null, name: 'Restorable', deletedBy }, []])
    assert.match(deletedAt, /^\d{4}-\d\d-\d\dT/)
    await admin.newAudit()
    const { status, body } = await admin.send('POST', `/organizations/${kept.id}/restore`)
    assert.deepEqual([status, body.id, body.name], [200, kept.id, 'Restorable'])
    assert.deepEqual(await actions(), [
      [BY, 'organization.restore'],
      [BY, 'person.update'],
    ])
    const again = (await admin.send('GET', `/persons/${member.id}`)).body
    assert.deepEqual(again.organizationIds, [other.id, kept.id])
    for (const id of [kept.id, NOBODY]) {
      assert.equal((await admin.send('POST', `/organizations/${id}/restore`)).status, 404)
    }
    await admin.store.organizations.delete(kept.id, deletedBy)
    const namesake = await organization('RESTORABLE')
    assert.equal((await admin.send('POST', `/organizations/${kept.id}/restore`)).status, 409)
    assert.equal((await admin.send('DELETE', `/organizations/${namesake.id}`)).status, 204)
    assert.equal((await admin.send('DELETE', `/organizations/${kept.id}`)).status, 204)
    assert.deepEqual(await list(), [])
  })

  it('refuse an unknown parent', async () => {
    const body = { name: 'Orphan', parentOrganizationId: NOBODY }
    assert.equal((await admin.send('POST', '/organizations', { body })).status, 400)
  })
})

describe('persons', () => {
  it('are created, changed and removed, each with an entry in the trail', async () => {
    const home = await organization('Home of persons')
    await admin.newAudit()
    const ann = await person('Adler', [home.id], { firstName: 'Ann' })
    assert.deepEqual([ann.firstName, ann.prefix, ann.organizationIds], ['Ann', null, [home.id]])
    const { status, body } = await admin.send('PUT', `/persons/${ann.id}`, {
      body: { lastName: 'Berg', emailAddress: 'ann@example.com', organizationIds: [home.id] },
    })
    assert.deepEqual([status, body.lastName, body.firstName], [200, 'Berg', null])
    assert.deepEqual((await admin.send('GET', `/persons/${ann.id}`)).body, body)
    assert.equal((await admin.send('DELETE', `/persons/${ann.id}`)).status, 204)
    assert.equal((await admin.send('GET', `/persons/${ann.id}`)).status, 404)
    assert.deepEqual(await actions(), [
      [BY, 'person.create'],
      [BY, 'person.update'],
      [BY, 'person.delete'],
    ])
  })

  it('are listed by last name in pages, filtered by organization and text', async () => {
    const [one, two] = [await organization('Club one'), await organization('Club two')]
    for (const [name, homes] of [
      ['Zuse', [one.id]],
      ['Abel', [one.id, two.id]],
      ['noether', [two.id]],
    ] as const)
      await person(name, homes)
    const list = async (query: string) =>
      (await admin.send('GET', `/persons?${query}`)).body.items.map(({ lastName }: Json) => lastName)
    assert.deepEqual(await list(`organizationId=${one.id}`), ['Abel', 'Zuse'])
    assert.deepEqual(await list(`organizationId=${two.id}&text=NOETHER`), ['noether'])
    const { body } = await admin.send('GET', `/persons?organizationId=${two.id}&limit=1`)
    assert.deepEqual(await list(`organizationId=${two.id}&limit=1&after=${body.next}`), ['noether'])
  })

  it('keep their only organization', async () => {
    const home = await organization('Only home')
    await person('Loyal', [home.id])
    assert.equal((await admin.send('DELETE', `/organizations/${home.id}`)).status, 409)
  })

  for (const [what, body, expected] of [
    ['nothing', {}, ['/emailAddress', '/lastName', '/organizationIds']],
    [
      'no organization and no address',
      { lastName: 'A', emailAddress: 'a', organizationIds: [] },
      ['/emailAddress', '/organizationIds'],
    ],
  ] as const) {
    it(`refuse ${what}, and name each place`, async () => {
      const answer = await admin.send('POST', '/persons', { body })
      assert.equal(answer.status, 400)
      assert.deepEqual(pathsOf(answer.body).toSorted(), expected)
    })
  }

  it('refuse an unknown organization', async () => {
    const body = { lastName: 'A', emailAddress: 'a@example.com', organizationIds: [NOBODY] }
    assert.equal((await admin.send('POST', '/persons', { body })).status, 400)
  })
})

describe('facet definitions', () => {
  it('are created, changed and removed, each with an entry in the trail', async () => {
    await admin.newAudit()
    const tier = await facet('Tier', { values: ['gold', 'silver'] })
    assert.deepEqual(
      [tier.dataSensitivity, tier.allowFreeText, tier.isActive, tier.values],
      ['Internal', false, true, ['gold', 'silver']],
    )
    const { status, body } = await admin.send('PUT', `/facet-definitions/${tier.id}`, {
      body: { resourceType: 'Organization', category: 'Travel', name: 'Level', values: ['one'] },
    })
    assert.deepEqual([status, body.name, body.values], [200, 'Level', ['one']])
    assert.deepEqual((await admin.send('GET', `/facet-definitions/${tier.id}`)).body, body)
    assert.equal((await admin.send('DELETE', `/facet-definitions/${tier.id}`)).status, 204)
    assert.equal((await admin.send('GET', `/facet-definitions/${tier.id}`)).status, 404)
    const trail = await actions()
    assert.deepEqual(
      trail.map(([actor]) => actor),
      [BY, BY, BY],
    )
  })

  it('are listed by category and name, filtered by resource type', async () => {
    await facet('Listed b', { category: 'Listing' })
    await facet('Listed a', { category: 'Listing' })
    await facet('Listed of persons', { category: 'Listing', resourceType: 'Person' })
    const listed = async (query: string) =>
      names((await admin.send('GET', `/facet-definitions?limit=500${query}`)).body).filter((name) =>
        name.startsWith('Listed'),
      )
    assert.deepEqual(await listed(''), ['Listed a', 'Listed b', 'Listed of persons'])
    assert.deepEqual(await listed('&resourceType=Person'), ['Listed of persons'])
    assert.equal((await admin.send('GET', '/facet-definitions?resourceType=Booking')).status, 400)
  })

  it('refuse a name that is taken, and a malformed definition', async () => {
    await facet('Taken')
    const body = { resourceType: 'Organization', category: 'Travel', name: 'TAKEN' }
    assert.equal((await admin.send('POST', '/facet-definitions', { body })).status, 409)
    const wrong = { ...body, resourceType: 'Booking', values: ['a', 'a'] }
    const answer = await admin.send('POST', '/facet-definitions', { body: wrong })
    assert.equal(answer.status, 400)
    assert.deepEqual(pathsOf(answer.body).toSorted(), ['/resourceType', '/values'])
  })
})

describe('facets of an organization or person', () => {
  it('are set, read and removed', async () => {
    const home = await organization('Faceted')
    const ann = await person('Faceted', [home.id])
    for (const [resourceType, path] of [
      ['Organization', `/organizations/${home.id}`],
      ['Person', `/persons/${ann.id}`],
    ] as const) {
      const { id } = await facet(`Colour of ${resourceType}`, { resourceType, values: ['red', 'blue'] })
      const address = `${path}/facets/${id}`
      const valuesOf = async () => (await admin.send('GET', address)).body.values
      assert.deepEqual(await valuesOf(), [])
      await admin.newAudit()
      const set = await admin.send('PUT', address, { body: { values: ['red'] } })
      assert.deepEqual([set.status, set.body], [200, { facetDefinitionId: id, values: ['red'] }])
      assert.deepEqual(await valuesOf(), ['red'])
      assert.equal((await admin.newAudit()).length, 1)
      const owner = (await admin.send('GET', path)).body
      assert.deepEqual(owner.facetInstances, [{ facetDefinitionId: id, values: ['red'] }])
      assert.equal((await admin.send('PUT', address, { body: { values: [] } })).status, 200)
      assert.deepEqual(await valuesOf(), [])
    }
  })

  it('refuse values that the definition does not allow', async () => {
    const home = await organization('Refusing')
    const { id } = await facet('Single', { values: ['one', 'two'] })
    const address = `/organizations/${home.id}/facets/${id}`
    for (const values of [['three'], ['one', 'two']]) {
      assert.equal((await admin.send('PUT', address, { body: { values } })).status, 400)
    }
    const answer = await admin.send('PUT', address, { body: { values: [1] } })
    assert.deepEqual([answer.status, pathsOf(answer.body)], [400, ['/values/0']])
  })

  it('are neither read nor set while their definition is inactive', async () => {
    const home = await organization('Without it')
    const { id } = await facet('Retired', { allowFreeText: true, isActive: false })
    const address = `/organizations/${home.id}/facets/${id}`
    assert.equal((await admin.send('GET', address)).status, 404)
    assert.equal((await admin.send('PUT', address, { body: { values: ['x'] } })).status, 409)
  })

  it('are not found for unknown owners and definitions, or for owners of the other type', async () => {
    const home = await organization('Lonely')
    const { id } = await facet('Of organizations', { allowFreeText: true })
    const ofPersons = await facet('Of persons only', { resourceType: 'Person', allowFreeText: true })
    for (const address of [
      `/organizations/${NOBODY}/facets/${id}`,
      `/organizations/${home.id}/facets/${NOBODY}`,
      `/persons/${NOBODY}/facets/${ofPersons.id}`,
    ]) {
      assert.equal((await admin.send('GET', address)).status, 404, address)
      assert.equal((await admin.send('PUT', address, { body: { values: ['x'] } })).status, 404, address)
    }
    const misplaced = `/organizations/${home.id}/facets/${ofPersons.id}`
    assert.equal((await admin.send('GET', misplaced)).status, 404)
    assert.equal((await admin.send('PUT', misplaced, { body: { values: ['x'] } })).status, 400)
  })
})

describe('an unknown id', () => {
  for (const [path, body] of [
    ['/organizations', { name: 'A' }],
    ['/persons', { lastName: 'A', emailAddress: 'a@example.com', organizationIds: [NOBODY] }],
    ['/facet-definitions', { resourceType: 'Person', category: 'A', name: 'A' }],
  ] as const) {
    it(`is not found under ${path}, even if it is malformed`, async () => {
      for (const id of [NOBODY, 'no-id']) {
        assert.equal((await admin.send('GET', `${path}/${id}`)).status, 404)
        assert.equal((await admin.send('PUT', `${path}/${id}`, { body })).status, 404)
        assert.equal((await admin.send('DELETE', `${path}/${id}`)).status, 404)
      }
    })
  }
})

describe('the directory as a file', () => {
  const csv =
    'resource,number,name,emailAddress,lastName,organizations\n' +
    'organization,FILE1,Filed,,,\nperson,,,filed@example.com,Filed,FILE1\n'

  it('is imported after a dry run, and exported', async () => {
    const tried = await admin.send('POST', '/directory/import', { body: { csv, dryRun: true } })
    assert.deepEqual([tried.status, tried.body.dryRun, tried.body.persons.created], [200, true, 1])
    assert.equal((await admin.send('GET', '/organizations?text=FILE1')).body.total, 0)
    const done = await admin.send('POST', '/directory/import', { body: { csv } })
    assert.deepEqual([done.status, done.body.dryRun, done.body.total], [200, false, 2])
    assert.equal((await admin.send('GET', '/organizations?text=FILE1')).body.total, 1)
    const response = await fetch(`${admin.url}/directory/export`, {
      headers: { authorization: 'Bearer support' },
    })
    assert.equal(response.headers.get('content-type'), 'text/csv; charset=utf-8')
    const again = await admin.send('POST', '/directory/import', { body: { csv: await response.text() } })
    assert.equal(again.body.persons.unchanged + again.body.organizations.unchanged, again.body.total)
  })

  it('is imported once for one idempotency key', async () => {
    const headers = { 'idempotency-key': 'the-import-of-this-morning' }
    const body = { csv: 'resource,number,name\norganization,FILE2,Filed too\n' }
    const first = await admin.send('POST', '/directory/import', { body, headers })
    const second = await admin.send('POST', '/directory/import', { body, headers })
    assert.deepEqual(second.body, first.body)
    assert.equal(second.body.organizations.created, 1)
  })

  it('is refused with the place of each fault', async () => {
    const { status, body } = await admin.send('POST', '/directory/import', {
      body: { csv: `${csv}person,,,nobody,Nobody,FILE1\nperson,,,nora@example.com,Nora,FILE9\n` },
    })
    assert.equal(status, 400)
    assert.deepEqual(
      body.details.map(({ path }: Json) => path),
      ['line 4, column emailAddress', 'line 5, column organizations'],
    )
  })
})
