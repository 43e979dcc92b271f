import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { facet, organization, person } from '../../directory/testing/people-store.ts'
import { caller, openRuns, type Runs } from '../testing/open-runs.ts'

let runs: Runs
let ada: string
let bob: string
let bok: string
before(async () => {
  runs = await openRuns()
  const { id } = await runs.store.organizations.create(organization(), 'test')
  const create = async (emailAddress: string, userPrincipalName: string | null) =>
    (await runs.store.persons.create(person([id], { emailAddress, userPrincipalName }), 'test')).id
  ada = await create('ADA@example.com', null)
  bob = await create('bob@example.com', 'Bob.Sign-In')
  bok = await create('bok@example.com', null)
})
after(() => runs.close())

const names = (call: string) => `Map(${call}, r => r.name)`
const user = { ...caller, roles: ['reports', 'admin', 'reports'] }

describe('GetCurrentUserRoles', () => {
  it('lists the roles of the token, each once, with the documented members', async () => {
    const roles = (await runs.answer('GetCurrentUserRoles()', { request: { user } })) as { id: string }[]
    const [first, ...others] = roles
    assert.deepEqual(first, {
      id: first?.id,
      name: 'reports',
      description: null,
      scopeLevel: 'Tenant',
      isActive: true,
      permissions: [],
    })
    assert.match(first?.id ?? '', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    assert.equal(others.length, 1)
    assert.notEqual(others[0]?.id, first?.id)
    const again = await runs.answer('GetCurrentUserRoles()', { request: { user } })
    assert.deepEqual(again, roles)
  })

  it('is empty without a token', async () => {
    assert.deepEqual(await runs.answer('GetCurrentUserRoles()'), [])
  })
})

describe('GetPersonRoles', () => {
  it('lists the roles of the token for the person who calls', async () => {
    const asAda = { request: { user } }
    assert.deepEqual(await runs.answer(names(`GetPersonRoles("${ada}")`), asAda), ['reports', 'admin'])
    const asBob = { request: { user: { ...user, email: '', principalId: 'user:BOB.sign-in' } } }
    assert.deepEqual(await runs.answer(names(`GetPersonRoles("${bob}")`), asBob), ['reports', 'admin'])
  })

  const others: readonly (readonly [what: string, claims: object])[] = [
    ['a user name that is the sign-in name', { preferredUsername: 'Bob.Sign-In' }],
    ['a name that is the address', { name: 'bob@example.com', preferredUsername: 'bob@example.com' }],
    ['claims that nobody verified', { claims: [{ type: 'email', value: 'bob@example.com' }] }],
    ['an address that only folds to the same', { email: 'bo\u212A@example.com' }],
    ['a service of that name', { principalId: 'service:Bob.Sign-In' }],
  ]
  for (const [what, claims] of others) {
    it(`does not take the caller for a person by ${what}`, async () => {
      const asOther = { request: { user: { ...user, email: '', principalId: 'user:other', ...claims } } }
      for (const one of [bob, bok]) {
        assert.deepEqual(await runs.answer(names(`GetPersonRoles("${one}")`), asOther), [])
      }
    })
  }

  it('is empty for an unknown person', async () => {
    for (const id of ['"00000000-0000-4000-8000-00000000ffff"', '"x"', 'null', '{}']) {
      assert.deepEqual(await runs.answer(`GetPersonRoles(${id})`, { request: { user } }), [])
    }
  })

  it('says in the log that the roles of others are unknown, until they have a facet Roles', async () => {
    const ask = async () => {
      const script = `Data._payload = ${names(`GetPersonRoles(GetPersonById("${bob}"))`)}`
      const { response, execution } = await runs.run(script, { request: { user } })
      return [response.body, execution?.log.map(({ level, message }) => `${level}: ${message}`).join()]
    }
    const warning =
      'Warning: GetPersonRoles returned []: roles come with tokens, and there is no person facet Roles'
    assert.deepEqual(await ask(), ['[]', warning])
    const draft = facet({
      resourceType: 'Person',
      name: 'ROLES',
      allowFreeText: true,
      allowMultipleValues: true,
    })
    const { id } = await runs.store.facets.createDefinition(draft, 'test')
    assert.deepEqual(await ask(), ['[]', ''])
    await runs.store.facets.setInstance('Person', bob, id, ['auditor', 'reports'], 'test')
    assert.deepEqual(await ask(), ['["auditor","reports"]', ''])
    await runs.store.facets.updateDefinition(id, { ...draft, isActive: false }, 'test')
    assert.deepEqual(await ask(), ['[]', warning])
  })

  it('does not take a caller without a token for a person', async () => {
    const { response } = await runs.run(`Data._payload = GetPersonRoles("${ada}")`)
    assert.equal(response.body, '[]')
  })
})
