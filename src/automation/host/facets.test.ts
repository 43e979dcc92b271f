import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { FacetDefinitionDraft } from '../../schema/directory-shapes.ts'
import { openRuns, type Runs } from '../testing/open-runs.ts'

const usual: FacetDefinitionDraft = {
  resourceType: 'Organization',
  category: 'Sales',
  name: 'Tier',
  description: '',
  dataSensitivity: 'Internal',
  isCritical: false,
  allowFreeText: false,
  allowMultipleValues: false,
  values: ['Gold', 'Silver'],
  isActive: true,
}

let runs: Runs
const ids = new Map<string, string>()
before(async () => {
  runs = await openRuns()
  const { store } = runs
  const define = async (key: string, draft: Partial<FacetDefinitionDraft>) =>
    ids.set(key, (await store.facets.createDefinition({ ...usual, ...draft }, 'test')).id)
  await define('$tier', {})
  await define('$tags', { name: 'Tags', allowFreeText: true, allowMultipleValues: true, values: [] })
  await define('$old', { name: 'Old', isActive: false })
  await define('$personTier', { resourceType: 'Person' })
  const organization = { number: null, description: null, isActive: true, parentOrganizationId: null }
  const { id } = await store.organizations.create({ ...organization, name: 'O' }, 'test')
  ids.set('$org', id)
  const person = { firstName: null, middleName: null, prefix: null, suffix: null, userPrincipalName: null }
  const email = { lastName: 'P', emailAddress: 'p@example.com', organizationIds: [id], isActive: true }
  ids.set('$person', (await store.persons.create({ ...person, ...email }, 'test')).id)
})
after(() => runs.close())

const given = (text: string): string =>
  text.replaceAll(/\$[a-zA-Z]+/g, (key) => `"${ids.get(key) ?? assert.fail(key)}"`)
const answer = (expression: string): Promise<unknown> => runs.answer(given(expression))

describe('facet definitions of scripts', () => {
  it('have the documented members', async () => {
    const found = (await answer('GetFacetDefinitionByName("TIER")')) as Record<string, unknown>
    const { createdAt: _createdAt, updatedAt: _updatedAt, ...members } = found
    assert.deepEqual(members, { id: ids.get('$tier'), ...usual })
  })

  const rows: readonly (readonly [expression: string, expected: unknown])[] = [
    ['GetFacetDefinitionByName("tags").name', 'Tags'],
    ['GetFacetDefinitionByName("unknown")', null],
    ['GetFacetDefinitionByName(null)', null],
    ['GetFacetDefinitionByName([])', null],
    ['Length(GetAllFacetDefinitions())', 4],
  ]
  for (const [expression, expected] of rows) {
    it(`${expression} is ${JSON.stringify(expected)}`, async () => {
      assert.deepEqual(await answer(expression), expected)
    })
  }
})

describe('setting facets', () => {
  const rows: readonly (readonly [call: string, expected: boolean, values: readonly string[] | null])[] = [
    ['SetOrganizationFacetInstance($org, $tier, ["Gold"])', true, ['Gold']],
    ['SetOrganizationFacetInstance($org, $tier, ["Silver"])', true, ['Silver']],
    ['SetOrganizationFacetInstance($org, GetFacetDefinitionByName("tier"), ["Gold"])', true, ['Gold']],
    ['SetOrganizationFacetInstance({id: $org}, "tier", ["Silver"])', true, ['Silver']],
    ['SetOrganizationFacetInstance($org, $tier, ["Bronze"])', false, ['Silver']],
    ['SetOrganizationFacetInstance($org, $tier, ["Gold", "Silver"])', false, ['Silver']],
    ['SetOrganizationFacetInstance($org, $tier, [null])', false, ['Silver']],
    ['SetOrganizationFacetInstance($org, $tier, [["Gold"]])', false, ['Silver']],
    ['SetOrganizationFacetInstance("unknown", $tier, ["Gold"])', false, ['Silver']],
    ['SetOrganizationFacetInstance(null, $tier, ["Gold"])', false, ['Silver']],
    ['SetOrganizationFacetInstance($org, "unknown", ["Gold"])', false, ['Silver']],
    ['SetOrganizationFacetInstance($org, null, ["Gold"])', false, ['Silver']],
    ['SetOrganizationFacetInstance($org, $old, ["Gold"])', false, ['Silver']],
    ['SetOrganizationFacetInstance($org, $personTier, ["Gold"])', false, ['Silver']],
    ['SetOrganizationFacetInstance($org, $tier, null)', false, ['Silver']],
    ['SetOrganizationFacetInstance($org, $tier, [])', true, null],
    ['SetOrganizationFacetInstance($org, "unknown", [])', false, null],
  ]
  for (const [call, expected, values] of rows) {
    it(`${call} returns ${expected}`, async () => {
      const [result, instance] = (await answer(`[${call}, GetOrganizationFacetInstance($org, $tier)]`)) as [
        boolean,
        { values: readonly string[] } | null,
      ]
      assert.equal(result, expected)
      assert.deepEqual(instance, values === null ? null : { facetDefinitionId: ids.get('$tier'), values })
    })
  }

  it('replaces all values and takes numbers as texts', async () => {
    await answer('SetOrganizationFacetInstance($org, $tags, ["a", "b"])')
    await answer('SetOrganizationFacetInstance($org, $tags, [42, true])')
    const tags = { facetDefinitionId: ids.get('$tags'), values: ['42', 'true'] }
    assert.deepEqual(await answer('GetOrganizationFacetInstances($org)'), [tags])
    assert.deepEqual(await answer('GetOrganizationById($org).facetInstances'), [tags])
    await answer('SetOrganizationFacetInstance($org, $tags, [])')
  })

  it('takes up to 10,000 values at once', async () => {
    const set = async (count: number) =>
      (
        await runs.run(
          given(`SetOrganizationFacetInstance($org, $tags, Map(Range(1, ${count}), n => "same"))`),
        )
      ).execution
    assert.doesNotMatch((await set(10_000))?.log[0]?.message ?? '', /10000|10,000/)
    assert.match(JSON.stringify(await set(10_001)), /10000|10,000/)
    await answer('SetOrganizationFacetInstance($org, $tags, [])')
  })

  it('says in the log why it was refused', async () => {
    const { execution } = await runs.run(given('SetOrganizationFacetInstance($org, $tier, ["Bronze"])'))
    assert.match(execution?.log[0]?.message ?? '', /^SetOrganizationFacetInstance returned false: .*'Bronze'/)
  })

  it('fails when the values are not an array', async () => {
    const { execution } = await runs.run(given('SetOrganizationFacetInstance($org, $tier, "Gold")'))
    assert.equal(execution?.error?.code, 'JM5104')
  })

  it('does the same for persons, whose instances have a stable id', async () => {
    const script = 'SetPersonFacetInstance($person, "Tier", ["Gold"])'
    assert.equal(await answer(script), true)
    const first = (await answer('GetPersonFacetInstance($person, "tier")')) as Record<string, unknown>
    assert.match(String(first.id), /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/)
    const { id, ...instance } = first
    assert.deepEqual(instance, { facetDefinitionId: ids.get('$personTier'), values: ['Gold'] })
    assert.deepEqual(await answer('GetPersonById($person).facetInstances'), [first])
    const rows = [
      ['SetPersonFacetInstance($person, $personTier, ["Bronze"])', false],
      ['SetPersonFacetInstance($person, $tier, ["Gold"])', false],
      ['SetPersonFacetInstance("unknown", $personTier, ["Gold"])', false],
      ['GetPersonFacetInstance("unknown", $personTier)', null],
      ['GetPersonFacetInstance(null, $personTier)', null],
      ['GetPersonFacetInstance($person, $tier)', null],
      ['GetPersonFacetInstance($person, "unknown")', null],
    ] as const
    for (const [expression, expected] of rows) assert.equal(await answer(expression), expected, expression)
    assert.equal(((await answer('GetPersonFacetInstance($person, "tier")')) as typeof first).id, id)
  })
})

describe('reading facets', () => {
  const rows: readonly (readonly [expression: string, expected: unknown])[] = [
    ['GetOrganizationFacetInstances("unknown")', []],
    ['GetOrganizationFacetInstances(null)', []],
    ['GetOrganizationFacetInstances($org)', []],
    ['GetOrganizationFacetInstance($org, $tier)', null],
    ['GetOrganizationFacetInstance($org, "unknown")', null],
    ['GetOrganizationFacetInstance($org, null)', null],
    ['GetOrganizationFacetInstance($org, {})', null],
    ['GetOrganizationFacetInstance("unknown", $tier)', null],
  ]
  for (const [expression, expected] of rows) {
    it(`${expression} is ${JSON.stringify(expected)}`, async () => {
      assert.deepEqual(await answer(expression), expected)
    })
  }
})
