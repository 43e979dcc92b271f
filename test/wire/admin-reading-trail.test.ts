/** Every look of an operator at what clients, callers or scripts have left is in the audit trail. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { ADMIN_PREFIX } from '../../src/admin/admin-route.ts'
import { scriptDigest } from '../../src/directory/endpoints/text.ts'
import { addressOf, documentOf, operationsIn } from './admin-operations.ts'
import { draft, type EndpointAdmin, startEndpointAdmin } from './start-endpoint-admin.ts'

let admin: EndpointAdmin
let endpointId: string
let executionId: string
before(async () => {
  admin = await startEndpointAdmin()
  endpointId = (await admin.send('POST', '/endpoints', { body: draft() })).body.id
  await admin.send('POST', `/endpoints/${endpointId}/publish`, { body: {} })
  executionId = await admin.call(endpointId)
})
after(() => admin.close())

/**
 * Reading operations that show nothing of what clients, callers or scripts have left. Before you add one here, make sure that its
 * answer has no record of a client, no body of a request or answer, no line of a log and no value that a script has kept.
 */
const SHOWS_NOTHING = [
  ...['listAudit', 'listClients', 'getClient'],
  ...[
    'listEndpoints',
    'getEndpoint',
    'listEndpointVersions',
    'getEndpointVersion',
    'compareEndpointVersions',
  ],
  ...['listScriptFunctions', 'listModules', 'getModule', 'listModuleVersions', 'getModuleVersion'],
  ...['listModuleImporters', 'getExecutionStatistics', 'listLiveExecutions', 'getExecutionSeries'],
  ...['listRerunJobs', 'getRerunJob', 'listFacetDefinitions', 'getFacetDefinition'],
  // Directory data that operators enter; its whole is in the trail when it is exported.
  ...['listOrganizations', 'getOrganization', 'listDeletedOrganizations', 'getDeletedOrganization'],
  ...['getOrganizationFacet', 'listPersons', 'getPerson', 'getPersonFacet'],
  // Addressed to the reader.
  ...['listNotifications', 'streamNotifications'],
  ...['listSchedules', 'getSchedule', 'listSecrets', 'getSecret', 'listAccounts', 'getAccount'],
  ...['getAccountUsage', 'listAccountUsage', 'getMe', 'getSignIn', 'listSnapshots', 'getSnapshot'],
  ...['getRefresh', 'compareSnapshots', 'listRefreshes', 'getRefreshRecord', 'getCurrentRefresh'],
  ...['streamRefreshes', 'getSystem', 'listRequestsByMinute', 'listAttention', 'getTenant'],
  ...['listWebhooks', 'getWebhook', 'listWebhookDeliveries', 'listHolds'],
]

/** Writes its own entry, when the question is understood: `admin-preview.test.ts` has its tests. */
const OWN_ENTRY = ['previewClientRecords']

const LEAVES: Readonly<Record<string, string>> = {
  listExecutions: 'execution.search',
  getExecution: 'execution.view',
  listExecutionNotepads: 'execution.view-notepads',
  streamLiveExecutions: 'execution.watch',
  listEndpointState: 'endpoint.view-state',
  listRejects: 'snapshot.view-rejects',
  downloadRejects: 'snapshot.view-rejects',
  listRejectsOfLastRefusal: 'snapshot.view-rejects',
  downloadRejectsOfLastRefusal: 'snapshot.view-rejects',
  exportDirectory: 'directory.export',
}

describe('an operation that reads', () => {
  it('is known to leave an entry in the trail, or to need none', async () => {
    const reading = operationsIn(await documentOf(admin)).filter(({ method }) => method === 'GET')
    const found = reading.map(({ told }) => [told.operationId, told['x-audit-action'] ?? null])
    const known = [
      ...Object.entries(LEAVES),
      ...[...SHOWS_NOTHING, ...OWN_ENTRY].map((operation) => [operation, null] as const),
    ]
    assert.deepEqual(Object.fromEntries(found), Object.fromEntries(known))
  })

  it('leaves its entry before its answer', async () => {
    const operations = operationsIn(await documentOf(admin))
    for (const [name, action] of Object.entries(LEAVES)) {
      const operation = operations.find(({ told }) => told.operationId === name) ?? assert.fail(name)
      // The stream of live runs does not end, and there is none here.
      if (name === 'streamLiveExecutions') continue
      await admin.newAudit()
      // Alike looks leave one entry, so each asks for something of its own.
      const query =
        name === 'listExecutions' ? 'content=smith' : name.includes('Rejects') ? `table=${name}` : ''
      const address = new URL(`${ADMIN_PREFIX}${addressOf(operation)}?${query}`, admin.url)
      await (await fetch(address, { headers: { authorization: 'Bearer author' } })).text()
      const entries = (await admin.newAudit()).map(({ actor, action }) => [actor, action])
      assert.deepEqual(entries, [['user:author@example.com', action]], name)
    }
  })

  it('leaves one entry in a minute for the same look, and another for another subject, reader or question', async () => {
    await admin.newAudit()
    const search = async (content: string, token: string) =>
      admin.send('GET', `/executions?content=${content}`, { token })
    for (const [content, token] of [
      ['a', 'author'],
      ['a', 'author'],
      ['a', 'support'],
      ['b', 'support'],
      ['a', 'author'],
    ] as const) {
      assert.equal((await search(content, token)).status, 200)
    }
    const entries = (await admin.newAudit()).map(({ actor, after }) => [actor, after])
    assert.deepEqual(entries, [
      ['user:author@example.com', { content: 'a' }],
      ['user:support@example.com', { content: 'a' }],
      ['user:support@example.com', { content: 'b' }],
    ])
    await admin.send('GET', '/executions', { token: 'support' })
    assert.deepEqual(await admin.newAudit(), [])
  })

  it('leaves none for who may not ask', async () => {
    await admin.newAudit()
    assert.equal((await admin.send('GET', `/executions/${executionId}`, { token: 'viewer' })).status, 403)
    assert.equal((await admin.send('GET', '/executions?content=smith', { token: 'viewer' })).status, 403)
    assert.deepEqual(await admin.newAudit(), [])
  })
})

describe('a trial that records nothing', () => {
  const scripts: readonly (readonly [
    what: string,
    script: string,
    clientNumbers: readonly string[],
    secretNames: readonly string[],
  ])[] = [
    ['all bookings of a client', 'Data._payload = QueryBookings("DIFF", {})', ['DIFF'], []],
    ['a secret', 'Data._payload = GetSecret("TopSecret")', [], ['topsecret']],
    [
      'both, and fails',
      'Data.a = [GetSecret("topsecret"), QueryInvoices("C1", {})] fail "x"',
      ['C1'],
      ['topsecret'],
    ],
  ]
  for (const [what, script, clientNumbers, secretNames] of scripts) {
    it(`leaves in the trail who has read ${what}, and with which script`, async () => {
      await admin.send('PUT', '/secrets/TopSecret', { body: { value: 'the value' } })
      await admin.newAudit()
      const definition = draft({ record: 'none', script })
      const body = { request: {}, definition }
      const { status } = await admin.send('POST', `/endpoints/${endpointId}/test`, { body, token: 'author' })
      assert.equal(status, 200)
      const [began, ended, ...others] = await admin.newAudit()
      assert.deepEqual(others, [])
      assert.deepEqual([began?.actor, began?.action], ['user:author@example.com', 'endpoint.test'])
      assert.deepEqual(
        ((began ?? assert.fail()).after as { readonly script: unknown }).script,
        scriptDigest(script),
      )
      assert.deepEqual([ended?.actor, ended?.action], ['user:author@example.com', 'execution.read'])
      const { read } = (ended ?? assert.fail()).after as { readonly read: Record<string, unknown> }
      assert.deepEqual([read.clientNumbers, read.secretNames], [clientNumbers, secretNames])
      assert.ok(!JSON.stringify([began, ended]).includes('the value'))
    })
  }
})
