/** Scripts as they were written for other services, unchanged, over HTTP (decision 39). */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { facet, organization, person } from '../../src/directory/testing/people-store.ts'
import { type Endpoints, startEndpoints } from './start-endpoints.ts'

let endpoints: Endpoints
before(async () => {
  endpoints = await startEndpoints()
})
after(() => endpoints.close())

const bodyOf = async (response: Response) => JSON.parse(await response.text())

describe('a script that compares numbers with parameters of the query', () => {
  const script = `
var limit = Data.Request.Query.Limit or 100
var from = Data.request.query.from
var matches = []
foreach amount in [5, 10, 15, 20, 25] do
  if Length(matches) >= limit then
    break
  elif from == null or amount > from then
    matches.add(amount)
  end
end
Data._payload = {page: Data.request.query.page == 1, matches: matches}`

  const rows: readonly (readonly [query: string, expected: object])[] = [
    ['', { page: false, matches: [5, 10, 15, 20, 25] }],
    ['?limit=2', { page: false, matches: [5, 10] }],
    ['?LIMIT=2&from=9.5&page=1', { page: true, matches: [10, 15] }],
    ['?limit=+1&page=01', { page: true, matches: [5] }],
    ['?limit=0&page=1e0', { page: true, matches: [] }],
  ]
  for (const [query, expected] of rows) {
    it(`answers ${query || 'without a query'}`, async () => {
      const { url } = await endpoints.publish(script, { method: 'GET' })
      assert.deepEqual(await bodyOf(await fetch(url + query)), expected)
    })
  }

  for (const limit of ['ten', '', '1,5', '2%25']) {
    it(`fails for the limit '${limit}' and says in the history that it is not a number`, async () => {
      const { url } = await endpoints.publish('Data._payload = 5 >= Data.request.query.limit', {
        method: 'GET',
      })
      const response = await fetch(`${url}?limit=${limit}`)
      assert.equal(response.status, 500)
      const { executionId } = await bodyOf(response)
      const { error } = (await endpoints.history.find(executionId)) ?? assert.fail()
      assert.equal(error?.code, 'JM5206')
      assert.match(error?.message ?? '', /compares a Number with a String only if the text is a number/)
    })
  }
})

it('a loop that counts to a parameter of the query counts to the number, and says so of other texts', async () => {
  const { url } = await endpoints.publish(
    'Data._payload = [] for i in 0 to Data.request.query.n do Data._payload.add(i) end',
    { method: 'GET' },
  )
  assert.deepEqual(await bodyOf(await fetch(`${url}?n=3`)), [0, 1, 2])
  const { executionId } = await bodyOf(await fetch(`${url}?n=three`))
  const { error } = (await endpoints.history.find(executionId)) ?? assert.fail()
  assert.match(error?.message ?? '', /LessThan compares a Number with a String only if the text is a number/)
})

it('a comparison with a parameter that is missing names both types in the history', async () => {
  const { call } = await endpoints.publish('Data._payload = 5 >= Data.request.query.limit')
  const { executionId } = await bodyOf(await call())
  const execution = await endpoints.history.find(executionId)
  assert.equal(
    execution?.errorMessage,
    "The operator GreaterThanOrEqual is not defined for Number and Null; 'limit' of 'Data.request.query' is null",
  )
})

describe('a script that writes names of members in another letter case', () => {
  it('reads the request, the directory and parsed bodies', async () => {
    const { id } = await endpoints.store.organizations.create(organization({ name: 'Acme' }), 'test')
    const tier = await endpoints.store.facets.createDefinition(facet({ allowFreeText: true }), 'test')
    await endpoints.store.facets.setInstance('Organization', id, tier.id, ['Gold'], 'test')
    const { call } = await endpoints.publish(`
var org = GetOrganizationById(Data.Request.Body.OrganizationId)
Data._payload = [
  Data.Request.Method, Data.request.headers["X-Own-Header"], Data.Request.User.IsAuthenticated, org.Name, Org(org),
  First(GetAllOrganizations().where(o => o.Name == "Acme")).ID == org.Id,
  GetOrganizationFacetInstances(org.Id).first().Values
]
func Org(org)
  return org.ParentOrganizationId == null
end`)
    const response = await call({
      body: JSON.stringify({ organizationId: id }),
      headers: { 'Content-Type': 'application/json', 'X-Own-Header': 'v' },
    })
    assert.deepEqual(await bodyOf(response), ['POST', 'v', false, 'Acme', true, true, ['Gold']])
  })
})

describe('a script that uses the functions of other services', () => {
  it('reads roles, lower and upper case', async () => {
    const { call } = await endpoints.publish(
      'Data._payload = [Map(GetCurrentUserRoles(), r => Upper(r.Name)), "ABC".lower()]',
    )
    const headers = { Authorization: await endpoints.tokenOf('reports', 'travel') }
    assert.deepEqual(await bodyOf(await call({ headers })), [['REPORTS', 'TRAVEL'], 'abc'])
    assert.deepEqual(await bodyOf(await call()), [[], 'abc'])
  })

  it('reads the roles of persons', async () => {
    const { id } = await endpoints.store.organizations.create(organization(), 'test')
    const { id: personId } = await endpoints.store.persons.create(person([id]), 'test')
    const roles = facet({ resourceType: 'Person', name: 'Roles', values: ['auditor'] })
    const definition = await endpoints.store.facets.createDefinition(roles, 'test')
    await endpoints.store.facets.setInstance('Person', personId, definition.id, ['auditor'], 'test')
    const { call } = await endpoints.publish(
      `Data._payload = Map(GetPersonRoles("${personId}"), r => r.Name)`,
    )
    assert.deepEqual(await bodyOf(await call()), ['auditor'])
  })

  it('deletes an organization, with an entry in the audit trail', async () => {
    const { id } = await endpoints.store.organizations.create(organization(), 'test')
    const { call } = await endpoints.publish(
      `Data._payload = [DeleteOrganization("${id}"), GetOrganizationById("${id}")]`,
    )
    assert.deepEqual(await bodyOf(await call()), [true, null])
    const { items } = await endpoints.store.audit.list({ subjectId: id, limit: 1 })
    assert.equal(items[0]?.action, 'organization.soft-delete')
  })

  it('cancels: the caller gets 409 and the reason, the history has the run as cancelled', async () => {
    const { call } = await endpoints.publish(`
if Data.request.query.period == 2024 then
  CancelAction("The period 2024 is closed")
end
Data._payload = "done"`)
    assert.equal(await bodyOf(await call()), 'done')
    const response = await call({}, '?period=2024')
    assert.equal(response.status, 409)
    const executionId = response.headers.get('x-execution-id')
    assert.deepEqual(await bodyOf(response), { error: 'The period 2024 is closed', executionId })
    const execution = await endpoints.history.find(String(executionId))
    assert.deepEqual(
      [execution?.status, execution?.cancellationReason, execution?.error?.line],
      ['Cancelled', 'The period 2024 is closed', 3],
    )
    const { items } = await endpoints.history.list({ status: 'Cancelled' }, { limit: 10 })
    assert.deepEqual(
      items.map(({ id }) => id),
      [executionId],
    )
  })
})
