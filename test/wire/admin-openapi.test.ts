/** Every operation of the admin API: described in full, and open only to those whom its role admits. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { ADMIN_PREFIX } from '../../src/admin/admin-route.ts'
import { adminTags } from '../../src/admin/openapi-components.ts'
import { assertProblem } from '../../src/http/testing/answered-problem.ts'
import type { Json } from '../fixtures/json.ts'
import { addressOf, documentOf, type Operation, operationsIn } from './admin-operations.ts'
import { type Admin, startAdmin } from './start-admin.ts'

let admin: Admin
let document: Json
let operations: readonly Operation[]

before(async () => {
  admin = await startAdmin()
  document = await documentOf(admin)
  operations = operationsIn(document)
})
after(() => admin.close())

/** Resolves references to shapes within the document. */
function resolved(shape: Json): Json {
  if (shape?.$ref === undefined) return shape
  const name = /^#\/components\/schemas\/(.+)$/.exec(shape.$ref)?.[1] as string
  return document.components.schemas[name] ?? assert.fail(`Nothing is called ${shape.$ref}`)
}

function everyReference(value: Json, check: (reference: string) => void): void {
  if (typeof value !== 'object' || value === null) return
  if (typeof value.$ref === 'string') check(value.$ref)
  for (const member of Object.values(value)) everyReference(member, check)
}

describe('the OpenAPI document of the admin API', () => {
  it('has every route', () => {
    const routes = admin.routes
      .filter((route) => !route.startsWith('HEAD ') && route.includes(ADMIN_PREFIX))
      .map((route) => route.replaceAll(/:(\w+)/g, '{$1}'))
    assert.deepEqual(operations.map(({ name }) => name).toSorted(), routes.toSorted())
    assert.ok(routes.length >= 60, `${routes.length} routes`)
    for (const path of ['/api/notifications/v1', '/api/notifications/v1/{id}/read'])
      assert.ok(document.paths[path], path)
  })

  it('is the same for each server of a process', async () => {
    const other = await startAdmin()
    try {
      assert.deepEqual(await documentOf(other), document)
    } finally {
      await other.close()
    }
  })

  it('names every operation once, under one described subject', () => {
    const ids = operations.map(({ told }) => told.operationId)
    assert.equal(new Set(ids).size, ids.length)
    const subjects = new Set(document.tags.map(({ name }: Json) => name))
    for (const { name } of adminTags) assert.ok(subjects.has(name), name)
    for (const { name, role, told } of operations) {
      assert.match(told.operationId, /^[a-z][A-Za-z]+$/, name)
      assert.equal(told.tags.length, 1, name)
      assert.ok(
        adminTags.some((tag) => tag.name === told.tags[0]),
        name,
      )
      assert.ok(told.summary !== '' && told.description !== '', name)
      assert.deepEqual(told.security, role === 'anyone' ? [] : [{ bearer: [] }], name)
    }
    for (const tag of adminTags) {
      assert.ok(
        operations.some(({ told }) => told.tags[0] === tag.name),
        tag.name,
      )
    }
  })

  it('describes every parameter', () => {
    for (const { name, path, told } of operations) {
      const parameters: Json[] = told.parameters ?? []
      const inPath = parameters.filter((parameter) => parameter.in === 'path').map((one) => `{${one.name}}`)
      assert.deepEqual(inPath.toSorted(), (path.match(/\{\w+\}/g) ?? []).toSorted(), name)
      for (const { name: parameter, description } of parameters) {
        assert.ok(description, `${name} ${parameter}`)
      }
    }
  })

  it('describes every status, and the shape of every response body', () => {
    for (const { name, role, told } of operations) {
      const statuses = Object.keys(told.responses)
      const guarded = { anyone: [], 'signed-in': ['401'] }[role as string] ?? ['401', '403']
      for (const status of ['400', ...guarded, '429', '500'])
        assert.ok(statuses.includes(status), `${name} ${status}`)
      const [success, ...others] = statuses.filter((status) => status.startsWith('2'))
      assert.ok(success !== undefined && others.length === 0, name)
      for (const [status, answer] of Object.entries<Json>(told.responses)) {
        assert.ok(answer.description, `${name} ${status}`)
        assert.ok(answer.headers['X-Request-Id'], `${name} ${status}`)
        const [content] = Object.values<Json>(answer.content ?? {})
        if (status === '204') assert.equal(content, undefined, name)
        else assert.ok(Object.keys(resolved(content.schema)).length > 0, `${name} ${status}`)
      }
    }
  })

  it('describes the shape of every body, without other members', () => {
    const bodies = operations.filter(({ told }) => told.requestBody !== undefined)
    assert.ok(bodies.length > 10)
    for (const { name, told } of bodies) {
      const shape = resolved(told.requestBody.content['application/json'].schema)
      assert.ok(shape.properties, name)
      assert.equal(shape.additionalProperties, false, name)
    }
    for (const { name, method, told } of operations) {
      if (method === 'PUT') assert.ok(told.requestBody, name)
      if (method === 'GET' || method === 'DELETE') assert.equal(told.requestBody, undefined, name)
    }
  })

  it('has a target for every reference', () => {
    everyReference(document, (reference) => void resolved({ $ref: reference }))
  })
})

describe('every operation of the admin API', () => {
  const guarded = () => operations.filter(({ role }) => role !== 'anyone')

  it('answers 401 without a token and with a wrong one, and names the scheme', async () => {
    for (const operation of guarded()) {
      for (const token of [null, 'nobody']) {
        const { status, headers, body } = await admin.send(operation.method, addressOf(operation), { token })
        assert.equal(status, 401, operation.name)
        assert.match(headers.get('www-authenticate') ?? '', /^Bearer/, operation.name)
        const error = 'Authentication required. Send a token of an operator as Authorization: Bearer TOKEN.'
        assert.deepEqual(body, { error }, operation.name)
        await assertProblem(admin.observations, { headers }, 'ADM101')
      }
    }
  })

  it('answers 403 to a token without the role', async () => {
    for (const operation of guarded().filter(({ role }) => role !== 'signed-in')) {
      const { status, headers, body } = await admin.send(operation.method, addressOf(operation), {
        token: 'user',
      })
      assert.equal(status, 403, operation.name)
      await assertProblem(admin.observations, { headers }, 'ADM102')
      assert.match(body.error, /admin/, operation.name)
    }
  })

  it('answers 503 while tokens cannot be checked', async () => {
    for (const operation of guarded()) {
      const { status, headers } = await admin.send(operation.method, addressOf(operation), {
        token: 'keyless',
      })
      assert.equal(status, 503, operation.name)
      assert.ok(headers.get('retry-after'), operation.name)
      await assertProblem(admin.observations, { headers }, 'ADM103')
    }
  })

  it('changes nothing for refused callers', async () => {
    assert.deepEqual(await admin.newAudit(), [])
    assert.deepEqual((await admin.send('GET', '/accounts')).body.items, [])
  })

  it('refuses a parameter that it does not know', async () => {
    // The parameters of a preview are those of clients.
    const own = operations.filter(({ told }) => told.operationId !== 'previewClientRecords')
    for (const operation of own.filter(({ method }) => method === 'GET')) {
      const { status, body } = await admin.send('GET', `${addressOf(operation)}?nonsense=1`)
      assert.equal(status, 400, operation.name)
      assert.equal(body.details[0].path, '/nonsense', operation.name)
    }
  })
})

describe('addresses of the admin API', () => {
  it('list the methods that they accept', async () => {
    const { status, headers } = await admin.send('PATCH', '/tenant')
    assert.deepEqual([status, headers.get('allow')], [405, 'GET, HEAD, OPTIONS, PUT'])
  })

  it('return 404 when they are not described', async () => {
    assert.equal((await admin.send('GET', '/everything')).status, 404)
  })

  it('refuse a body that is too large, before reading it', async () => {
    const { status, headers } = await admin.send('PUT', '/tenant', {
      body: { name: 'x'.repeat(5 * 2 ** 20) },
    })
    assert.equal(status, 413)
    await assertProblem(admin.observations, { headers }, 'ADM106')
  })
})
