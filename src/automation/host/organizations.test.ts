import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { openRuns, type Runs } from '../testing/open-runs.ts'

let runs: Runs
let parent: string
let child: string
before(async () => {
  runs = await openRuns()
  const draft = { number: 'N1', description: 'Above', isActive: true, parentOrganizationId: null }
  parent = (await runs.store.organizations.create({ ...draft, name: 'Parent' }, 'test')).id
  const below = { ...draft, number: null, isActive: false, parentOrganizationId: parent }
  child = (await runs.store.organizations.create({ ...below, name: 'Child' }, 'test')).id
})
after(() => runs.close())

/** Replaces `$parent` and `$child` with the ids. */
const given = (expression: string): string =>
  expression.replaceAll('$parent', `"${parent}"`).replaceAll('$child', `"${child}"`)
const answer = (expression: string): Promise<unknown> => runs.answer(given(expression))

describe('organizations of scripts', () => {
  it('have the documented members', async () => {
    const found = (await answer('GetOrganizationById($child)')) as Record<string, unknown>
    const { createdAt, updatedAt, tenantId, ...members } = found
    assert.deepEqual(members, {
      id: child,
      number: null,
      name: 'Child',
      description: 'Above',
      isActive: false,
      parentOrganizationId: parent,
      facetInstances: [],
      fieldInstances: [],
      entitlementInstances: [],
      hybridListInstanceItems: [],
    })
    assert.equal(tenantId, (await runs.store.tenant()).id)
    assert.match(`${createdAt} ${updatedAt}`, /^\d{4}-\d\d-\d\dT\S+Z \d{4}-\d\d-\d\dT\S+Z$/)
  })

  const name = (call: string) => `(${call}).name`
  const names = (call: string) => `Map(${call}, o => o.name)`
  const rows: readonly (readonly [expression: string, expected: unknown])[] = [
    [name('GetOrganizationById($parent)'), 'Parent'],
    [name('GetOrganizationById(ToUpper($parent))'), 'Parent'],
    [name('GetOrganizationById(GetOrganizationById($parent))'), 'Parent'],
    ['GetOrganizationById("00000000-0000-4000-8000-00000000ffff")', null],
    ['GetOrganizationById("no id")', null],
    ['GetOrganizationById(null)', null],
    ['GetOrganizationById(5)', null],
    ['GetOrganizationById([])', null],
    ['GetOrganizationById({})', null],
    [names('GetAllOrganizations()'), ['Child', 'Parent']],
    [names('GetChildOrganizations($parent)'), ['Child']],
    [names('GetChildOrganizations({id: $parent})'), ['Child']],
    [names('GetChildOrganizations($child)'), []],
    [names('GetChildOrganizations("unknown")'), []],
    [names('GetChildOrganizations(null)'), []],
  ]
  for (const [expression, expected] of rows) {
    it(`${expression} is ${JSON.stringify(expected)}`, async () => {
      assert.deepEqual(await answer(expression), expected)
    })
  }
})

describe('members of organizations', () => {
  it('are read in any letter case, also by paths', async () => {
    const found = await answer(
      '[GetOrganizationById($child).Name, GetOrganizationById($child)["PARENTORGANIZATIONID"], Select(GetAllOrganizations(), "Name").length]',
    )
    assert.deepEqual(found, ['Child', parent, 2])
  })
})

describe('DeleteOrganization', () => {
  const draft = { number: null, description: null, isActive: true, parentOrganizationId: null }
  const make = async (name: string) => (await runs.store.organizations.create({ ...draft, name }, 'test')).id

  it('hides the organization from the same run, from later ones, and from the admin API', async () => {
    const id = await make('Leaving')
    const script = `var id = "${id}" Data._payload = [
      DeleteOrganization(GetOrganizationById(id)), GetOrganizationById(id),
      Any(GetAllOrganizations(), o => o.id == id), DeleteOrganization(id)]`
    const { response, execution } = await runs.run(script)
    assert.equal(response.body, '[true,null,false,false]')
    assert.match(
      execution?.log[0]?.message ?? '',
      /^DeleteOrganization returned false: There is no organization/,
    )
    assert.equal(await answer(`GetOrganizationById("${id}")`), null)
    assert.equal(await runs.store.organizations.byId(id), null)
  })

  it('names the endpoint and its caller in the audit trail, and can be undone', async () => {
    const id = await make('Coming back')
    await answer(`DeleteOrganization("${id.toUpperCase()}")`)
    const { items } = await runs.store.audit.list({ subjectId: id, limit: 1 })
    assert.deepEqual(
      items.map(({ actor, action }) => [actor, action]),
      [['endpoint:The endpoint for anonymous', 'organization.soft-delete']],
    )
    assert.equal((await runs.store.organizations.restore(id, 'test')).name, 'Coming back')
    await runs.store.organizations.remove(id, 'test')
  })

  it('is held back in a trial, which sees its effect', async () => {
    const id = await make('Staying')
    const script = `DeleteOrganization("${id}") Data._payload = GetOrganizationById("${id}")`
    const { response, dryRunWrites } = await runs.run(script, { type: 'Test' })
    assert.equal(response.body, 'null')
    assert.deepEqual(
      dryRunWrites.map(({ action, subjectId }) => [action, subjectId]),
      [['organization.soft-delete', id]],
    )
    assert.equal((await runs.store.organizations.byId(id))?.name, 'Staying')
    await runs.store.organizations.remove(id, 'test')
  })

  const refused: readonly (readonly [call: string, reason: RegExp])[] = [
    ['DeleteOrganization($parent)', /has child organizations \(/],
    ['DeleteOrganization("no id")', /There is no organization 'no id'/],
    ['DeleteOrganization("00000000-0000-4000-8000-00000000ffff")', /There is no organization/],
    ['DeleteOrganization(null)', /no id was given/],
    ['DeleteOrganization({})', /no id was given/],
  ]
  for (const [call, reason] of refused) {
    it(`returns false for ${call}, and the log says why`, async () => {
      const { execution, response } = await runs.run(given(`Data._payload = ${call}`))
      assert.equal(response.body, 'false')
      assert.match(execution?.log[0]?.message ?? '', reason)
    })
  }
})

describe('CreateOrganization', () => {
  const made: readonly (readonly [call: string, expected: Record<string, unknown>])[] = [
    ['CreateOrganization("Only a name")', { name: 'Only a name', description: null, number: null }],
    ['CreateOrganization("  Two  ", "Why")', { name: 'Two', description: 'Why', isActive: true }],
    ['CreateOrganization("Three", null, null)', { description: null, parentOrganizationId: null }],
    ['CreateOrganization("Four", "", "")', { description: null, parentOrganizationId: null }],
    ['CreateOrganization("Five", "d", $parent)', { parentOrganizationId: '$parent' }],
    ['CreateOrganization("Six", "d", {id: $parent})', { parentOrganizationId: '$parent' }],
    ['CreateOrganization("Seven", "d", "Replace")', { parentOrganizationId: null }],
    ['CreateOrganization("Eight", "d", "extend")', { parentOrganizationId: null }],
    ['CreateOrganization(name: "Nine", parentId: $parent)', { parentOrganizationId: '$parent' }],
    [
      'CreateOrganization("N8", "Ten", "Replace", false, true, true, true, true)',
      { number: 'N8', name: 'Ten', isActive: false, description: null, parentOrganizationId: null },
    ],
    [
      'CreateOrganization("N9", "Eleven", "Extend", true, true, true, true, true, "d")',
      { number: 'N9', isActive: true, description: 'd', parentOrganizationId: null },
    ],
    [
      'CreateOrganization(10, "Twelve", "Extend", true, false, false, false, false, "d", $parent)',
      { number: '10', parentOrganizationId: '$parent' },
    ],
    [
      'CreateOrganization("N11", "Thirteen", "Extend", true, false, false, false, false, "d", $parent, "Somebody")',
      { number: 'N11', parentOrganizationId: '$parent' },
    ],
  ]
  for (const [call, expected] of made) {
    it(`creates the organization of ${call}`, async () => {
      const created = (await answer(call)) as Record<string, unknown>
      const wanted = expected.parentOrganizationId === '$parent' ? { parentOrganizationId: parent } : {}
      for (const [member, value] of Object.entries({ ...expected, ...wanted })) {
        assert.deepEqual(created[member], value, member)
      }
      const stored = await runs.store.organizations.byId(String(created.id))
      assert.equal(stored?.name, created.name)
    })
  }

  it('notes the endpoint and its caller as the author and ignores the argument createdBy', async () => {
    const { id } = (await answer(
      'CreateOrganization("N12", "Author", "Replace", true, true, true, true, true, "", null, "Somebody")',
    )) as { id: string }
    const { items } = await runs.store.audit.list({ subjectId: id, limit: 10 })
    assert.deepEqual(
      items.map(({ actor, action }) => [actor, action]),
      [['endpoint:The endpoint for anonymous', 'organization.create']],
    )
  })

  const refused: readonly (readonly [call: string, reason: RegExp])[] = [
    ['CreateOrganization("")', /name/],
    ['CreateOrganization("   ")', /name/],
    ['CreateOrganization(null)', /name/],
    ['CreateOrganization({})', /name/],
    ['CreateOrganization("PARENT")', /has the name 'Parent'/],
    ['CreateOrganization("Orphan", null, "00000000-0000-4000-8000-00000000ffff")', /could be the parent/],
    ['CreateOrganization("Orphan", null, "no id")', /parent/],
    ['CreateOrganization("Orphan", null, 5)', /parent/],
    ['CreateOrganization("Orphan", null, {})', /parent/],
    ['CreateOrganization("n1", "Number", "Replace", true, true, true, true, true)', /has the number 'n1'/],
  ]
  for (const [call, reason] of refused) {
    it(`returns null for ${call}, and the log says why`, async () => {
      const { execution, response } = await runs.run(given(`Data._payload = ${call}`))
      assert.equal(response.body, 'null')
      const [line] = execution?.log ?? []
      assert.equal(line?.level, 'Warning')
      assert.match(line?.message ?? '', /^CreateOrganization returned null: /)
      assert.match(line?.message ?? '', reason)
    })
  }

  for (const count of [4, 7]) {
    it(`fails with ${count} arguments`, async () => {
      const args = Array.from({ length: count }, (_, i) => `"${i}"`)
      const { execution } = await runs.run(`\nCreateOrganization(${args.join(', ')})`)
      assert.deepEqual([execution?.error?.code, execution?.error?.line], ['JM5920', 2])
    })
  }

  it('is visible to the next call of the same run', async () => {
    const seen = await runs.answer(
      '[CreateOrganization("Seen").name, Any(GetAllOrganizations(), o => o.name == "Seen")]',
    )
    assert.deepEqual(seen, ['Seen', true])
  })
})
