/** What operators see of a client is what the client gets, and it leaves an entry in the trail. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { openControlStore } from '../../src/directory/open-stores.ts'
import { fixtureExtract, harbour, limmat } from '../fixtures/fixture-extract.ts'
import type { Json } from '../fixtures/json.ts'
import { publishExtract } from '../fixtures/published-extract.ts'
import { createAccount } from '../process/accounts.ts'
import { runCommand } from '../process/run-command.ts'
import { type ServingHere, serveHere } from '../process/service-in-process.ts'

let data: string
let serving: ServingHere
let key: string
const tokens = new Map<string, string>()

before(async () => {
  data = join(await mkdtemp(join(tmpdir(), 'tripfolio-preview-')), 'data')
  await publishExtract({ data }, fixtureExtract)
  key = await createAccount(data, harbour, 'Export')
  await createAccount(data, 'C999', 'Nothing extracted yet')
  serving = await serveHere(data)
  for (const role of ['viewer', 'support', 'admin']) {
    const { stdout } = await runCommand(['token', 'issue', '--role', role, '--data', data])
    tokens.set(role, stdout.trim())
  }
})
after(async () => {
  await serving.close()
  await rm(join(data, '..'), { recursive: true, force: true })
})

const asClient = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  fetch(`${serving.address}/api/v2/${path}`, { headers: { 'X-API-Key': key, ...headers } })

const asOperator = (path: string, headers: Readonly<Record<string, string>> = {}, client = harbour) =>
  fetch(`${serving.address}/api/admin/v1/clients/${client}/records/${path}`, {
    headers: { Authorization: `Bearer ${tokens.get('support')}`, ...headers },
  })

async function trail(): Promise<readonly Json[]> {
  const { body } = await adminGet('/audit?action=client.')
  return body.items
}

async function adminGet(path: string, role = 'admin'): Promise<{ status: number; body: Json }> {
  const headers = { Authorization: `Bearer ${tokens.get(role)}` }
  const response = await fetch(`${serving.address}/api/admin/v1${path}`, { headers })
  return { status: response.status, body: await response.json() }
}

/** Of an answer, all but what differs between any two answers. */
async function seen(response: Response) {
  const headers = [...response.headers].filter(
    ([name]) => !['date', 'x-request-id', 'x-error-code'].includes(name),
  )
  return {
    status: response.status,
    headers,
    body: Buffer.from(await response.arrayBuffer()).toString('base64'),
  }
}

describe('a preview of the records of a client', () => {
  const questions: readonly (readonly [path: string, headers?: Readonly<Record<string, string>>])[] = [
    ['bookings'],
    ['invoices?$page=1&$pageSize=1'],
    ['itineraries?$orderby=bookingDate desc&$top=1&$count=true'],
    ["bookings?$filter=customDataFields['Cost Centre'] ne null&$select=recordLocator"],
    ['bookings?filter=isTicketed eq true&$format=csv'],
    ['invoices?$format=arrow'],
    ['invoices', { accept: 'application/x-ndjson', 'accept-encoding': 'gzip' }],
    ['bookings?$apply=aggregate($count as bookings)'],
    ['bookings?$filter=nonsense eq 1'],
    ['bookings?$page=1&$page=2'],
    ['bookings?unknown=%FF'],
    ['bookings?$format=xml'],
    ['bookings', { 'snapshot-id': '20200101T000000000Z-0000' }],
  ]
  for (const [path, headers] of questions) {
    it(`answers as the client's own request: ${path} ${headers ? JSON.stringify(headers) : ''}`, async () => {
      assert.deepEqual(await seen(await asOperator(path, headers)), await seen(await asClient(path, headers)))
    })
  }

  it('answers 304 to the tag of the client', async () => {
    const etag = (await asClient('bookings')).headers.get('etag') ?? assert.fail()
    assert.equal((await asOperator('bookings', { 'if-none-match': etag })).status, 304)
  })

  it('leaves one entry for each answer with records, and none for a refusal', async () => {
    const before = (await trail()).length
    const answer = await asOperator("invoices?$filter=invoiceNumber eq 'X'&$page=1")
    await answer.arrayBuffer()
    assert.equal((await asOperator('bookings?$filter=nonsense')).status, 400)
    const [{ id, at, actor, ...entry }, ...older] = await trail()
    assert.equal(older.length, before)
    assert.match(actor, /^user:/)
    assert.deepEqual(entry, {
      action: 'client.preview',
      subjectId: harbour,
      before: null,
      after: {
        list: 'invoices',
        query: '$filter=invoiceNumber%20eq%20%27X%27&$page=1',
        snapshotId: answer.headers.get('snapshot-id'),
      },
    })
  })

  it('is of the client that the address names, also for one question about two clients', async () => {
    for (const client of [harbour, limmat, harbour]) {
      const answer = (await (await asOperator('bookings?$top=1', {}, client)).json()) as Json
      assert.equal(answer.clientNumber, client)
      assert.deepEqual(new Set(answer.bookings.map((one: Json) => one.clientNumber)), new Set([client]))
      assert.equal((await trail())[0]?.subjectId, client)
    }
  })

  it('is for support and admin', async () => {
    const path = `/clients/${harbour}/records/bookings`
    assert.equal((await adminGet(path, 'viewer')).status, 403)
    assert.equal((await adminGet(path, 'admin')).status, 200)
  })

  it('is not found for a client that neither the snapshot nor an account has, and for another list', async () => {
    for (const [client, list] of [
      ['c100', 'bookings'],
      ['C1000', 'bookings'],
      [harbour, 'payments'],
    ] as const) {
      assert.equal((await asOperator(list, {}, client)).status, 404, `${client} ${list}`)
    }
    const empty = await asOperator('bookings', {}, 'C999')
    assert.deepEqual([empty.status, ((await empty.json()) as Json).count], [200, 0])
  })

  it('does not count as use of an account', async () => {
    const other = await serveHere(data)
    const headers = { Authorization: `Bearer ${tokens.get('admin')}` }
    const address = `${other.address}/api/admin/v1/clients/C999/records/bookings`
    assert.equal((await fetch(address, { headers })).status, 200)
    // Closing writes the counts.
    await other.close()
    const store = await openControlStore(data)
    try {
      const account = (await store.accounts.list()).find(({ clientNumber }) => clientNumber === 'C999')
      assert.equal(account?.lastUsedAt, null)
      assert.deepEqual(await store.accounts.usage(account?.id ?? '', {}), [])
    } finally {
      await store.close()
    }
  })
})
