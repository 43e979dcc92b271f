import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { AdminOperation } from '../../src/admin/admin-route.ts'
import { rolesPage } from '../../src/admin/roles-page.ts'
import { operatorRoles } from '../../src/kernel/user.ts'
import { addressOf, documentOf, type Operation, operationsIn } from './admin-operations.ts'
import { type Admin, startAdmin } from './start-admin.ts'

const page = join(import.meta.dirname, '../../docs/reference/roles.md')

let admin: Admin
let operations: readonly Operation[]

before(async () => {
  admin = await startAdmin()
  operations = operationsIn(await documentOf(admin))
})
after(() => admin.close())

const listed = ({ method, path, role, told }: Operation): AdminOperation => ({
  method: method as AdminOperation['method'],
  path,
  role,
  operationId: told.operationId,
  tag: told.tags[0],
  summary: told.summary,
})

describe('docs/reference/roles.md', () => {
  it('is what the routes say', (t) => {
    t.assert.fileSnapshot(rolesPage(operations.map(listed)), page, { serializers: [(text) => text] })
  })

  it('is what every operation does for every role over HTTP', async () => {
    const text = await readFile(page, 'utf8')
    const rows = [...text.matchAll(/^\| .*\(`(\w+)`\) \| `\S+ \S+` \| (.*) \|$/gm)]
    const table = new Map(rows.map(([, id, cells = '']) => [id, cells.split('|').map((cell) => cell.trim())]))
    assert.equal(table.size, operations.length)
    for (const operation of operations) {
      for (const [i, role] of operatorRoles.entries()) {
        // Who is admitted gets as far as the parameters, and no further.
        const { status } = await admin.send(operation.method, `${addressOf(operation)}?nonsense=1`, {
          token: role,
        })
        const isAllowed = table.get(operation.told.operationId)?.[i] === 'yes'
        // A preview looks for its client first: its parameters are those of clients.
        const admitted = operation.told.operationId === 'previewClientRecords' ? 404 : 400
        assert.equal(status, isAllowed ? admitted : 403, `${operation.name} for ${role}`)
      }
    }
    assert.deepEqual(await admin.newAudit(), [])
  })
})

describe('roles', () => {
  const may = (token: string) =>
    admin.send('GET', '/me', { token }).then(({ body }) => new Set<string>(body.rights))

  it('give more rights from viewer to admin, and each of support and author has its own', async () => {
    const [viewer, support, author, all] = await Promise.all(operatorRoles.map(may))
    const ids = operations.map(({ told }) => told.operationId).sort()
    assert.deepEqual([...(all ?? [])], ids)
    for (const one of [support, author]) assert.ok(viewer?.size && [...viewer].every((id) => one?.has(id)))
    assert.ok(support?.has('rotateAccountKey') && !author?.has('rotateAccountKey'))
    assert.ok(author?.has('publishEndpoint') && !support?.has('publishEndpoint'))
  })

  it('keep bodies of runs, people, secrets, rejected rows and the audit trail from viewers', async () => {
    const viewer = await may('viewer')
    for (const id of [
      ...['getExecution', 'listExecutionNotepads', 'listPersons', 'getPerson', 'getPersonFacet'],
      ...[
        'previewClientRecords',
        'listSecrets',
        'listAudit',
        'listRejects',
        'listRejectsOfLastRefusal',
        'listNotifications',
      ],
    ])
      assert.ok(!viewer.has(id), id)
  })

  it('let a viewer change nothing', () => {
    for (const { name, method, role } of operations)
      if (method !== 'GET') assert.ok(!['anyone', 'signed-in', 'viewer'].includes(role), name)
  })

  it('leave accounts, secrets, refreshes and deletion to admin', () => {
    for (const { name, method, path, role, told } of operations) {
      // A script of an author can delete the state of its endpoint anyway.
      const isAuthors = path.startsWith('/endpoints/{id}/state')
      const isDeletion = method === 'DELETE' && told.operationId !== 'removeAccountPsk' && !isAuthors
      const isSecret = path.startsWith('/secrets') && method !== 'GET'
      if (isDeletion || isSecret || ['createAccount', 'startRefresh'].includes(told.operationId))
        assert.equal(role, 'admin', name)
    }
  })
})
