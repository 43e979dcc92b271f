import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { DetailedProblem } from '../../kernel/problem.ts'
import type { OrganizationDraft, PersonDraft } from '../../schema/directory-shapes.ts'
import type { ControlStore } from '../control-store.ts'
import { BY, changesOf, facet, makeStores, organization, person } from '../testing/people-store.ts'

const stores = makeStores()
const others = makeStores()
let store: ControlStore
/** Has the same facets and nobody else. */
let other: ControlStore
before(async () => {
  ;[store, other] = [await stores.open(), await others.open()]
  for (const one of [store, other]) {
    const free = { name: 'Cost centre', allowFreeText: true, allowMultipleValues: true }
    await one.facets.createDefinition(facet(free), BY)
    await one.facets.createDefinition(facet({ ...free, resourceType: 'Person' }), BY)
    await one.facets.createDefinition(facet({ name: 'Tier', values: ['Gold', 'Silver'] }), BY)
  }
})
after(async () => {
  await stores.remove()
  await others.remove()
})

const load = (csv: string, to = store, dryRun = false) => to.directoryFiles.import([csv], { by: BY, dryRun })

async function exported(from: ControlStore): Promise<string> {
  let text = ''
  for await (const part of from.directoryFiles.export()) text += part
  return text
}

async function faultsOf(csv: string): Promise<readonly string[]> {
  const before = await exported(store)
  const problem = await load(csv).then(
    () => assert.fail('The file was accepted'),
    (cause) => cause,
  )
  assert.ok(problem instanceof DetailedProblem && problem.code === 'DIR317', String(problem))
  assert.equal(await exported(store), before)
  return problem.details.map(({ path, message }) => `${path}: ${message}`)
}

const harbour = `resource,number,name,parent,facet tier,firstName,lastName,emailAddress,organizations,facet Cost centre
organization,H1,Harbour,,gold,,,,,
organization,H2,Harbour West,h1,,,,,,A|B\\|C
person,,,,,Ada,Byron,ada@harbour.example,H2|H1,4711
`

describe('a directory file', () => {
  it('creates organizations, persons and their facets, in the trail as if one by one', async () => {
    const { dryRun, organizations, persons, rows, total } = await load(harbour)
    assert.deepEqual([dryRun, total], [false, 3])
    assert.deepEqual(organizations, { created: 2, changed: 0, unchanged: 0 })
    assert.deepEqual(persons, { created: 1, changed: 0, unchanged: 0 })
    assert.deepEqual(
      rows.map(({ line, resource, name, outcome }) => [line, resource, name, outcome]),
      [
        [2, 'Organization', 'Harbour', 'created'],
        [3, 'Organization', 'Harbour West', 'created'],
        [4, 'Person', 'ada@harbour.example', 'created'],
      ],
    )
    const [parent, child] = [rows[0]?.id ?? '', rows[1]?.id ?? '']
    const west = await store.organizations.byId(child)
    assert.equal(west?.parentOrganizationId, parent)
    assert.deepEqual(west?.facetInstances[0]?.values, ['A', 'B|C'])
    assert.deepEqual((await store.organizations.byId(parent))?.facetInstances[0]?.values, ['Gold'])
    const [ada] = await store.persons.byEmail('ada@harbour.example')
    assert.deepEqual([ada?.firstName, ada?.isActive, ada?.organizationIds], ['Ada', true, [child, parent]])
    assert.deepEqual(ada?.facetInstances[0]?.values, ['4711'])
    const trail = await changesOf(store, ada?.id ?? '')
    assert.deepEqual(trail.map(({ action }) => action).toSorted(), ['person.create', 'person.facet-set'])
  })

  it('leaves what is the same, and what it has no column for', async () => {
    const again = await load(harbour)
    assert.deepEqual(again.organizations, { created: 0, changed: 0, unchanged: 2 })
    assert.deepEqual(again.persons, { created: 0, changed: 0, unchanged: 1 })
    const csv =
      'Resource,number,description,emailAddress,lastName,facet cost centre\n' +
      'organization,H1,Head office,,,\nperson,,,ADA@harbour.example,Lovelace,\n'
    const { rows } = await load(csv)
    assert.deepEqual(
      rows.map(({ outcome, members }) => [outcome, members]),
      [
        ['changed', ['description']],
        ['changed', ['lastName', 'emailAddress', 'facet cost centre']],
      ],
    )
    const [ada] = await store.persons.byEmail('ada@harbour.example')
    assert.deepEqual([ada?.firstName, ada?.lastName, ada?.organizationIds.length], ['Ada', 'Lovelace', 2])
    assert.deepEqual(ada?.facetInstances, [])
    const entry = (await changesOf(store, ada?.id ?? '')).find(({ action }) => action === 'person.update')
    assert.deepEqual(entry?.before, { lastName: 'Byron', emailAddress: 'ada@harbour.example' })
  })

  it('is only tried by a dry run, which says what an import says', async () => {
    const csv =
      'resource,number,name,emailAddress,lastName,organizations\n' +
      'organization,D1,Dock,,,\nperson,,,dan@dock.example,Docker,D1\norganization,H1,Harbour,,,\n'
    const before = await exported(store)
    const tried = await load(csv, store, true)
    assert.equal(tried.dryRun, true)
    assert.equal(await exported(store), before)
    const done = await load(csv)
    const withoutIds = ({ rows, organizations, persons }: typeof done) => ({
      organizations,
      persons,
      rows: rows.map(({ id: _, ...row }) => row),
    })
    assert.deepEqual(withoutIds(tried), withoutIds(done))
  })

  it('is refused as a whole, with line and column of each fault', async () => {
    const csv = `resource,id,number,name,parent,emailAddress,lastName,organizations,isActive,facet tier
organization,,F1,Ferry,,,,,,Gold
organization,,F2,,F1,,,,,
organization,,F3,Ferries,F9,,,,,
organization,,F4,Fast,,,,,,Bronze
organization,,F1,Ferry again,,,,,,
person,,,,,fay@ferry.example,Fay,F1,perhaps,
person,,,,,fred,Fred,F1,,
person,,,Name,,finn@ferry.example,Finn,F1,,
person,17,,,,fern@ferry.example,Fern,F1,,
person,,,,,flo@ferry.example,Flo,F7,,
ship,,,,,,,,,
person,,,
`
    const found = await faultsOf(csv)
    const patterns = [
      /^line 3, column name: /,
      /^line 4, column parent: there is no organization with the number or id 'F9'/,
      /^line 5, column facet tier: .*'Bronze'/,
      /^line 6: is about the same organization as line 2/,
      /^line 7, column isActive: expected true or false, found 'perhaps'/,
      /^line 9, column name: must be empty in a row of a person/,
      /^line 10, column id: /,
      /^line 12, column resource: expected organization or person, found 'ship'/,
      /^line 13: has 4 values for 10 columns/,
      /^line 8, column emailAddress: /,
      /^line 11, column organizations: there is no organization/,
    ]
    assert.equal(found.length, patterns.length, found.join('\n'))
    for (const pattern of patterns)
      assert.ok(
        found.some((fault) => pattern.test(fault)),
        String(pattern),
      )
  })

  it('is refused for its header, for quotes, and when it is empty', async () => {
    assert.match((await faultsOf('resource,colour\n'))[0] ?? '', /^line 1, column colour: is unknown: /)
    assert.match((await faultsOf('name,Name\n')).join('; '), /Name: is there twice; .*resource: is missing/)
    assert.match((await faultsOf('resource\n"organization')).join(), /^line 2: a quote is never closed/)
    assert.match((await faultsOf('')).join(), /^line 1: is missing/)
    const spreadsheet = await faultsOf('resource;number;name\norganization;N1;North\n')
    assert.deepEqual(spreadsheet, ['line 1: expected commas between the columns, found semicolons'])
    assert.match((await faultsOf('resource\tnumber\n')).join(), /found tabs$/)
  })

  it('is refused when an address belongs to several persons, or stands twice, or names a deleted one', async () => {
    const { id } = await store.organizations.create(organization({ number: 'T1' }), BY)
    for (const _ of [1, 2]) await store.persons.create(person([id], { emailAddress: 'twin@example.com' }), BY)
    const head = 'resource,emailAddress,lastName,organizations\n'
    assert.match((await faultsOf(`${head}person,Twin@example.com,Twin,T1\n`)).join(), /several persons/)
    const twice = 'person,new@example.com,New,T1\nperson,NEW@example.com,New,T1\n'
    assert.match((await faultsOf(head + twice)).join(), /^line 3: is about the same person as line 2/)
    const gone = await store.organizations.create(organization(), BY)
    await store.organizations.delete(gone.id, BY)
    assert.match((await faultsOf(`resource,id,name\norganization,${gone.id},Gone\n`)).join(), /restore it/)
  })

  it('has rows that find what the rows before them have left, wherever they stand', async () => {
    await store.organizations.create(organization({ number: 'S1' }), BY)
    const head = 'resource,id,number,name,emailAddress,lastName,organizations\n'
    const first = await load(`${head}person,,,,first@swap.example,First,S1\n`)
    const id = first.rows[0]?.id
    // The address is free by then, so it is that of somebody new.
    const swapped = await load(
      `${head}person,${id},,,second@swap.example,First,S1\nperson,,,,first@swap.example,New,S1\n`,
    )
    assert.deepEqual(
      swapped.rows.map(({ outcome }) => outcome),
      ['changed', 'created'],
    )
    // The address is that of the row before, so this is the same person.
    const again = `${head}person,${id},,,third@swap.example,First,S1\nperson,,,,third@swap.example,New,S1\n`
    assert.match((await faultsOf(again)).join(), /^line 3: is about the same person as line 2$/)
    const late = `${head}person,,,,late@swap.example,Late,S2\norganization,,S2,Late,,,\n`
    assert.match((await faultsOf(late)).join(), /^line 2, column organizations: there is no organization/)
  })

  it('that comes slowly shuts no other writer out', async () => {
    const elsewhere = await stores.open()
    async function* slowly() {
      yield 'resource,number,name\n'
      await elsewhere.renameTenant('Meanwhile', BY)
      yield 'organization,W1,Slow\n'
    }
    const { total } = await store.directoryFiles.import(slowly(), { by: BY, dryRun: true })
    assert.deepEqual([total, (await store.tenant()).name], [1, 'Meanwhile'])
  })

  it('leaves the thread to others while its organizations are written', async () => {
    const lines = Array.from({ length: 1000 }, (_, i) => `organization,TURN${i},Turn ${i}\n`).join('')
    let [turns, isOver] = [0, false]
    const imported = load(`resource,number,name\n${lines}`, store, true).finally(() => {
      isOver = true
    })
    // A turn that another one could use: an answer, or a look at the queue.
    for (; !isOver; turns++) await setImmediate()
    assert.equal((await imported).organizations.created, 1000)
    assert.ok(turns >= 10, `${turns} turns`)
  })

  it('is not nested deeper than organizations may be', async () => {
    const chain = Array.from(
      { length: 300 },
      (_, i) => `organization,DEEP${i},x,${i > 0 ? `DEEP${i - 1}` : ''}\n`,
    )
    const faults = await faultsOf(`resource,number,name,parent\n${chain.join('')}`)
    assert.match(faults[0] ?? '', /^line 102: Organizations are at most 100 levels deep, and below 'x'/)
    const { organizations } = await load(
      `resource,number,name,parent\n${chain.slice(0, 100).join('')}`,
      store,
      true,
    )
    assert.equal(organizations.created, 100)
  })

  it('is refused for texts that a store or a terminal would take for something else', async () => {
    const head = 'resource,number,name,description,lastName,emailAddress,organizations,facet Cost centre\n'
    const fine = 'organization,TEXT1,Text,"one\nline,\ttwo",,,,\n'
    const texts: readonly [row: string, column: string][] = [
      ['organization,N\0UL,Nul,,,,,', 'number'],
      ['organization,ESC1,a\x1b[2Jb,,,,,', 'name'],
      ['organization,ESC2,Esc,a\x07b,,,,', 'description'],
      ['organization,ESC3,Esc,,,,,a\x9bb', 'facet Cost centre'],
      ['person,,,,By\x7fron,ada@text.example,TEXT1,', 'lastName'],
    ]
    for (const [row, column] of texts) {
      const faults = await faultsOf(`${head}${fine}${row}\n`)
      assert.match(
        faults.join(),
        new RegExp(
          `^line 4, column ${column}: .*without control|^line 4, column ${column}: must not have control`,
        ),
      )
    }
    assert.equal((await load(head + fine, store, true)).organizations.created, 1)
  })

  it('has no columns that objects have by nature', async () => {
    for (const name of ['__proto__', 'constructor', 'toString', 'facet __proto__'])
      assert.match((await faultsOf(`resource,${name}\n`))[0] ?? '', / is unknown: /)
    const rows = ['__proto__', 'constructor', 'hasOwnProperty'].map((it) => `organization,${it},${it},\n`)
    const child = 'organization,C1,child,__proto__\n'
    const { organizations } = await load(`resource,number,name,parent\n${rows.join('')}${child}`, store, true)
    assert.equal(organizations.created, 4)
  })

  it('never repeats a long text of the file', async () => {
    const long = 'x'.repeat(100_000)
    for (const csv of [
      `${long}\n`,
      `resource,number\n${long},1\n`,
      `resource,parent,name\norganization,${long},n\n`,
      `resource,isActive\norganization,${long}\n`,
      `resource,name,facet tier\norganization,n,${long}\n`,
    ])
      assert.ok((await faultsOf(csv)).join().length < 2000)
  })

  it('stops after a hundred faults', async () => {
    const faults = await faultsOf(`resource\n${'ship\n'.repeat(300)}`)
    assert.equal(faults.length, 100)
  })

  it('comes back from an export as it was, in the same store and in another one', async () => {
    const word = fc.string({ unit: fc.constantFrom(...'ab=+\'",|\\é -@'), minLength: 1, maxLength: 8 })
    const name = word.map((text) => text.trim()).filter((text) => text !== '')
    const texts = fc.array(name, { minLength: 1, maxLength: 3 })
    const directory = fc.record({ name, description: fc.option(word), lastName: name, texts })
    let run = 0
    await fc.assert(
      fc.asyncProperty(directory, async ({ name, description, lastName, texts }) => {
        const own = `${name}${++run}`
        const draft: Partial<OrganizationDraft> = { name: own, description, isActive: run % 2 === 0 }
        const root = await store.organizations.create(organization({ ...draft, number: `R${run}` }), BY)
        const child = await store.organizations.create(
          organization({ name: own, parentOrganizationId: root.id }),
          BY,
        )
        const members: Partial<PersonDraft> = { lastName, firstName: description, prefix: texts[0] ?? null }
        const { id } = await store.persons.create(person([child.id, root.id], members), BY)
        const definitions = await store.facets.definitions('Person')
        const definitionId = definitions.find((one) => one.name === 'Cost centre')?.id ?? ''
        await store.facets.setInstance('Person', id, definitionId, texts, BY)
        const text = await exported(store)
        const same = await load(text)
        assert.equal(same.organizations.unchanged + same.persons.unchanged, same.total)
        await load(text, other)
        assert.equal(await exported(other), text)
      }),
      { numRuns: 8 },
    )
  })
})

describe('many persons', () => {
  it('are imported in batches', async () => {
    const lines = Array.from({ length: 1203 }, (_, i) => `person,${i}@many.example,Many,M1,${i}\n`)
    const csv = ['resource,emailAddress,lastName,organizations,facet cost centre,number,name\n']
    const wide = lines.map((line) => line.replace('\n', ',,\n'))
    const file = [...csv, 'organization,,,,,M1,Many\n', ...wide]
    const { persons, rows, total } = await store.directoryFiles.import(file, { by: BY, dryRun: false })
    assert.deepEqual([persons.created, total, rows.length], [1203, 1204, 1000])
    const id = rows[0]?.id ?? ''
    assert.equal((await store.persons.briefs(id)).length, 1203)
    const [last] = await store.persons.byEmail('1202@many.example')
    assert.deepEqual(last?.facetInstances[0]?.values, ['1202'])
  })
})
