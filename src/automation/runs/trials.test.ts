import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { ENDPOINT_ID, openRuns, type Runs } from '../testing/open-runs.ts'

let runs: Runs
let organizationId: string
let keptNotepad: string
before(async () => {
  runs = await openRuns()
  const draft = { number: null, description: null, isActive: true, parentOrganizationId: null }
  organizationId = (await runs.store.organizations.create({ ...draft, name: 'Real' }, 'test')).id
  keptNotepad = String(await runs.answer('CreateNotepad("kept")'))
  await runs.store.secrets.set('key', { value: 's3cr3t-value' }, 'test')
})
after(() => runs.close())

const asTrial = { type: 'Test' } as const

describe('a trial of a draft', () => {
  it('writes to its own copy, reads what it wrote, and reports what it would have done', async () => {
    const script = `
      var made = CreateOrganization("Made", null, "${organizationId}")
      var person = CreatePerson(made, "P", "p@example.com")
      BroadcastNotification("t", "m", "Info")
      var pad = CreateNotepad({A: 1})
      DeleteNotepad("${keptNotepad}")
      Data._payload = [
        Length(GetAllOrganizations()), Length(GetAllPersons()), GetNotepadContent(pad), Map(GetNotepads(), n => n.content),
        GetNotepadContent("${keptNotepad}"), GetSecret("key"), Map(GetNotepads({sourceId: "${ENDPOINT_ID}"}), n => n.content)
      ]`
    const { response, dryRunWrites, execution } = await runs.run(script, asTrial)
    assert.equal(response.body, '[2,1,{"a":1},[{"a":1}],null,"s3cr3t-value",[{"a":1}]]')
    assert.equal(execution?.type, 'Test')
    assert.deepEqual(
      dryRunWrites.map(({ action }) => action),
      ['organization.create', 'person.create', 'notification.send', 'notepad.create', 'notepad.delete'],
    )
    const [made, , , pad] = dryRunWrites
    assert.equal((made?.after as { name?: string } | undefined)?.name, 'Made')
    assert.deepEqual([pad?.before, pad?.after], [null, { a: 1 }])

    const { store, history } = runs
    assert.equal((await store.organizations.list()).length, 1)
    assert.deepEqual(await store.persons.list(), [])
    assert.equal(await store.notifications.newestSequence(), 0)
    assert.equal((await history.notepads.find(keptNotepad))?.content, 'kept')
    assert.equal((await history.notepads.list({ sourceId: ENDPOINT_ID })).length, 1)
    assert.equal((await store.audit.list({ action: 'person.', limit: 10 })).items.length, 0)
  })

  it('reports its notifications in full, with secrets redacted', async () => {
    const script = 'SendNotification("ada@example.com", "t", "it is " + GetSecret("key"), "Info", "/x")'
    const { dryRunWrites } = await runs.run(script, asTrial)
    const after = { title: 't', message: 'it is [redacted]', type: 'Info', link: '/x' }
    assert.deepEqual(
      dryRunWrites.map((write) => write.after),
      [{ ...after, audience: 'user:ada@example.com' }],
    )
  })

  it('reads the stores of the service until it writes', async () => {
    const { response, dryRunWrites } = await runs.run(
      'Data._payload = GetAllOrganizations()[0].name',
      asTrial,
    )
    assert.deepEqual([response.body, dryRunWrites], ['"Real"', []])
  })

  it('writes its log lines to the record but not to the log of the service', async () => {
    const before = runs.observations.length
    const { execution } = await runs.run('Log("Error", "x") fail "y"', asTrial)
    assert.equal(runs.observations.length, before)
    assert.deepEqual([execution?.log[0]?.message, execution?.errorMessage], ['x', 'y'])
  })

  it('redacts secrets in the writes that it held back', async () => {
    const script = 'CreateNotepad({value: "it is " + GetSecret("key")})'
    const { dryRunWrites } = await runs.run(script, asTrial)
    assert.deepEqual(
      dryRunWrites.map(({ after }) => after),
      [{ value: 'it is [redacted]' }],
    )
  })

  it('refuses the writes that the store would refuse', async () => {
    const script =
      'Data._payload = [CreateOrganization("real"), CreateOrganization("a"), CreateOrganization("A")]'
    const { response } = await runs.run(script, asTrial)
    const [first, second, third] = JSON.parse(response.body ?? '[]')
    assert.deepEqual([first, second.name, third], [null, 'a', null])
  })
})

describe('a rerun', () => {
  it('writes for good', async () => {
    const { dryRunWrites } = await runs.run('CreateOrganization("Rerun")', { type: 'Rerun' })
    assert.deepEqual(dryRunWrites, [])
    assert.ok((await runs.store.organizations.list()).some(({ name }) => name === 'Rerun'))
  })
})
