import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { openRuns, type Runs } from '../testing/open-runs.ts'

let runs: Runs
const ids = new Map<string, string>()
before(async () => {
  runs = await openRuns()
  const draft = { number: null, description: null, isActive: true, parentOrganizationId: null }
  for (const name of ['a', 'b', 'c']) {
    ids.set(`$${name}`, (await runs.store.organizations.create({ ...draft, name }, 'test')).id)
  }
  const person = {
    firstName: 'Ada',
    lastName: 'Lovelace',
    middleName: 'King',
    prefix: null,
    suffix: null,
    emailAddress: 'Ada@example.com',
    userPrincipalName: 'ada',
    organizationIds: [ids.get('$a') ?? ''],
    isActive: true,
  }
  ids.set('$ada', (await runs.store.persons.create(person, 'test')).id)
})
after(() => runs.close())

const given = (text: string): string =>
  text.replaceAll(/\$[a-z]+/g, (key) => `"${ids.get(key) ?? assert.fail(key)}"`)
const answer = (expression: string): Promise<unknown> => runs.answer(given(expression))
const idsOf = (...keys: readonly string[]) => keys.map((key) => ids.get(key))

describe('persons of scripts', () => {
  it('have the documented members', async () => {
    const found = (await answer('GetPersonById($ada)')) as Record<string, unknown>
    const { createdAt: _createdAt, updatedAt: _updatedAt, ...members } = found
    assert.deepEqual(members, {
      id: ids.get('$ada'),
      tenantId: (await runs.store.tenant()).id,
      firstName: 'Ada',
      lastName: 'Lovelace',
      middleName: 'King',
      prefix: null,
      suffix: null,
      emailAddress: 'Ada@example.com',
      userPrincipalName: 'ada',
      organizationIds: idsOf('$a'),
      isActive: true,
      organizationId: ids.get('$a'),
      facetInstances: [],
      fieldInstances: [],
      entitlementInstances: [],
      hybridListInstanceItems: [],
    })
  })

  const rows: readonly (readonly [expression: string, expected: unknown])[] = [
    ['GetPersonById("unknown")', null],
    ['GetPersonById(null)', null],
    ['GetPersonById({id: $ada}).lastName', 'Lovelace'],
    ['GetPersonByEmail("ADA@EXAMPLE.COM").lastName', 'Lovelace'],
    ['GetPersonByEmail("nobody@example.com")', null],
    ['GetPersonByEmail(null)', null],
    ['Length(GetAllPersonsByEmail("ada@example.com"))', 1],
    ['GetAllPersonsByEmail("nobody@example.com")', []],
    ['GetAllPersonsByEmail([])', []],
    ['Map(GetAllPersons(), p => p.lastName)', ['Lovelace']],
  ]
  for (const [expression, expected] of rows) {
    it(`${expression} is ${JSON.stringify(expected)}`, async () => {
      assert.deepEqual(await answer(expression), expected)
    })
  }
})

describe('CreatePerson', () => {
  it('creates a person from all arguments, or from the required ones', async () => {
    const full = 'CreatePerson($b, "Hopper", "grace@example.com", "Grace", "gh", false, "Somebody")'
    const made = (await answer(full)) as Record<string, unknown>
    const { lastName, emailAddress, firstName, userPrincipalName, isActive, organizationIds } = made
    assert.deepEqual(
      [lastName, emailAddress, firstName, userPrincipalName, isActive, organizationIds],
      ['Hopper', 'grace@example.com', 'Grace', 'gh', false, idsOf('$b')],
    )
    const { items } = await runs.store.audit.list({ subjectId: String(made.id), limit: 10 })
    assert.deepEqual(
      items.map(({ actor }) => actor),
      ['endpoint:The endpoint for anonymous'],
    )
    const short = (await answer('CreatePerson({id: $b}, "Short", "s@example.com")')) as Record<
      string,
      unknown
    >
    assert.deepEqual([short.firstName, short.userPrincipalName, short.isActive], [null, null, true])
  })

  for (const call of [
    'CreatePerson("unknown", "X", "x@example.com")',
    'CreatePerson(null, "X", "x@example.com")',
    'CreatePerson($a, "", "x@example.com")',
    'CreatePerson($a, null, "x@example.com")',
    'CreatePerson($a, "X", "no address")',
    'CreatePerson($a, "X", null)',
  ]) {
    it(`returns null for ${call}, and the log says why`, async () => {
      const { response, execution } = await runs.run(given(`Data._payload = ${call}`))
      assert.equal(response.body, 'null')
      assert.match(execution?.log[0]?.message ?? '', /^CreatePerson returned null: ./)
    })
  }
})

describe('changing persons', () => {
  const organizations = 'GetPersonById($ada).organizationIds'
  const rows: readonly (readonly [call: string, expected: boolean, organizations: readonly string[]])[] = [
    ['AddPersonToOrganization($ada, $b)', true, ['$a', '$b']],
    ['AddPersonToOrganization($ada, $b)', true, ['$a', '$b']],
    ['AddPersonToOrganization($ada, "unknown")', false, ['$a', '$b']],
    ['AddPersonToOrganization($ada, null)', false, ['$a', '$b']],
    ['AddPersonToOrganization("unknown", $b)', false, ['$a', '$b']],
    ['AddPersonToOrganization({id: $ada}, {id: $c})', true, ['$a', '$b', '$c']],
    ['RemovePersonFromOrganization($ada, $b)', true, ['$a', '$c']],
    ['RemovePersonFromOrganization($ada, $b)', true, ['$a', '$c']],
    ['RemovePersonFromOrganization($ada, "unknown")', true, ['$a', '$c']],
    ['RemovePersonFromOrganization("unknown", $a)', false, ['$a', '$c']],
    ['RemovePersonFromOrganization($ada, $a)', true, ['$c']],
    ['RemovePersonFromOrganization($ada, $c)', false, ['$c']],
    ['AddPersonToOrganization($ada, $a)', true, ['$c', '$a']],
  ]
  for (const [call, expected, left] of rows) {
    it(`${call} returns ${expected}`, async () => {
      assert.deepEqual(await answer(`[${call}, ${organizations}]`), [expected, idsOf(...left)])
    })
  }

  it('refuses more than 50 organizations for one person', async () => {
    const script = `
      var p = CreatePerson($a, "Many", "many@example.com")
      for i in 0 to 50 do
        var made = CreateOrganization("many " + i)
        Data._payload = AddPersonToOrganization(p, made)
        if Data._payload == false then Data._payload = [i, Length(GetPersonById(p.id).organizationIds)] return end
      end`
    const { response, execution } = await runs.run(given(script))
    assert.equal(response.body, '[49,50]', JSON.stringify(execution?.error))
  })

  it('replaces all members of a person, with keys in any letter case', async () => {
    const call = 'UpdatePerson($ada, {LastName: "L", EMAILADDRESS: "l@example.com", organizationId: $b})'
    assert.equal(await answer(call), true)
    const found = (await answer('GetPersonById($ada)')) as Record<string, unknown>
    const { firstName, middleName, lastName, emailAddress, userPrincipalName, isActive, organizationIds } =
      found
    assert.deepEqual(
      [firstName, middleName, lastName, emailAddress, userPrincipalName, isActive, organizationIds],
      [null, 'King', 'L', 'l@example.com', null, true, idsOf('$b', '$a')],
    )
    const all = '{firstName: "F", lastName: "M", emailAddress: "m@example.com", organizationId: {id: $a}'
    assert.equal(await answer(`UpdatePerson($ada, ${all}, userPrincipalName: "u", isActive: false})`), true)
    const next = (await answer('GetPersonById($ada)')) as Record<string, unknown>
    assert.deepEqual(
      [next.firstName, next.lastName, next.userPrincipalName, next.isActive, next.organizationIds],
      ['F', 'M', 'u', false, idsOf('$a')],
    )
  })

  for (const call of [
    'UpdatePerson("unknown", {lastName: "L", emailAddress: "l@example.com", organizationId: $b})',
    'UpdatePerson($ada, {emailAddress: "l@example.com", organizationId: $b})',
    'UpdatePerson($ada, {lastName: "L", organizationId: $b})',
    'UpdatePerson($ada, {lastName: "L", emailAddress: "l@example.com"})',
    'UpdatePerson($ada, {lastName: "L", emailAddress: "l@example.com", organizationId: "unknown"})',
    'UpdatePerson($ada, null)',
    'DeletePerson("unknown")',
    'DeletePerson(null)',
  ]) {
    it(`returns false for ${call}, and the log says why`, async () => {
      const { response, execution } = await runs.run(given(`Data._payload = ${call}`))
      assert.equal(response.body, 'false')
      assert.match(execution?.log[0]?.message ?? '', /^(Update|Delete)Person returned false: ./)
    })
  }

  it('deletes a person for good', async () => {
    assert.deepEqual(await answer('[DeletePerson($ada), GetPersonById($ada), DeletePerson($ada)]'), [
      true,
      null,
      false,
    ])
  })
})
