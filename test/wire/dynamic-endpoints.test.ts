import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { createRefusals } from '../../src/automation/history/refusals.ts'
import { endpointCategories, endpointMethods } from '../../src/schema/endpoint-shapes.ts'
import type { Execution } from '../../src/schema/execution-shapes.ts'
import { type Endpoints, startEndpoints } from './start-endpoints.ts'

let endpoints: Endpoints

before(async () => {
  endpoints = await startEndpoints()
})
after(() => endpoints.close())

const jsonType = { 'Content-Type': 'application/json' }
const bodyOf = async (response: Response) => JSON.parse(await response.text())

describe('specification 4.3: the routes', () => {
  for (const method of endpointMethods) {
    it(`answer ${method}`, async () => {
      const { call } = await endpoints.publish('Data._payload = Data.request.method', { method })
      const response = await call()
      assert.deepEqual([response.status, await bodyOf(response)], [200, method])
    })
  }

  it('may have several segments, including parameters', async () => {
    const { url } = await endpoints.publish('Data._payload = Data.request.params', {
      method: 'GET',
      path: 'grouping/{client}/name/{part}',
    })
    const address = url.replace('{client}', 'C%2F1').replace('{part}', 'a%20b')
    assert.deepEqual(await bodyOf(await fetch(address)), { client: 'C/1', part: 'a b' })
  })

  for (const category of endpointCategories) {
    it(`answer in the category ${category}`, async () => {
      const { call } = await endpoints.publish('Data._payload = 1', { category })
      assert.equal((await call()).status, 200)
    })
  }

  it('return 404 when the endpoint is switched off', async () => {
    const { id, call } = await endpoints.publish('Data._payload = 1')
    await endpoints.store.endpoints.setActive(id, false, 'test')
    const response = await call()
    assert.equal(response.status, 404)
    assert.deepEqual(Object.keys(await bodyOf(response)), ['error'])
    await endpoints.store.endpoints.setActive(id, true, 'test')
    assert.equal((await call()).status, 200)
  })

  it('run the published version, not the draft', async () => {
    const { id, call } = await endpoints.publish('Data._payload = "published"')
    const { draft } = await endpoints.store.endpoints.find(id)
    await endpoints.store.endpoints.saveDraft(id, { ...draft, script: 'Data._payload = "draft"' }, 'test')
    assert.equal(await bodyOf(await call()), 'published')
    await endpoints.store.endpoints.publish(id, 'test')
    assert.equal(await bodyOf(await call()), 'draft')
  })
})

describe('specification 4.3: the request that a script reads', () => {
  type Row = readonly [
    what: string,
    expression: string,
    call: { readonly init?: RequestInit; readonly after?: string },
    expected: unknown,
  ]
  const json = (body: string) => ({ init: { body, headers: jsonType } })
  const rows: readonly Row[] = [
    ['method', 'Data.request.method', {}, 'POST'],
    ['path', 'Data.request.path.contains("/api/dynamic/v1/test/")', {}, true],
    ['queryString', 'Data.request.queryString', { after: '?a=1&b=%20' }, '?a=1&b=%20'],
    ['queryString without a query', 'Data.request.queryString', {}, ''],
    ['query', 'Data.request.query', { after: '?a=1&b=x+y&c=%C3%A9' }, { a: '1', b: 'x y', c: 'é' }],
    ['query with a repeated name', 'Data.request.query.a', { after: '?a=1&a=2' }, ['1', '2']],
    ['query without one', 'Data.request.query', {}, {}],
    [
      'query with names of JavaScript',
      'Data.request.query',
      { after: '?__proto__=1&constructor=2' },
      JSON.parse('{"__proto__":"1","constructor":"2"}'),
    ],
    [
      'headers in lower case',
      'Data.request.headers["x-own-header"]',
      { init: { headers: { 'X-Own-Header': 'Value' } } },
      'Value',
    ],
    ['body of JSON', 'Data.request.body', json('{"a":[1,null,"x"]}'), { a: [1, null, 'x'] }],
    ['body of JSON that is not an object', 'Data.request.body', json('7'), 7],
    ['body without one', 'Data.request.body', {}, null],
    [
      'body of a form',
      'Data.request.body',
      { init: { body: new URLSearchParams('a=1&b=x+y&c=1&c=2') } },
      { a: '1', b: 'x y', c: ['1', '2'] },
    ],
    ['body of a text, which is not parsed', 'Data.request.body', { init: { body: '{"a":1}' } }, null],
    ['rawBody', 'Data.request.rawBody', json('{ "a" : 1 }'), '{ "a" : 1 }'],
    ['rawBody of a text', 'Data.request.rawBody', { init: { body: 'é' } }, 'é'],
    ['rawBody without one', 'Data.request.rawBody', {}, null],
    [
      'user of an anonymous call',
      'Data.request.user',
      {},
      { isAuthenticated: false, name: '', principalId: '', roles: [] },
    ],
  ]
  for (const [what, expression, { init, after }, expected] of rows) {
    it(`has its ${what}`, async () => {
      const { call } = await endpoints.publish(`Data._payload = ${expression}`)
      const response = await call(init, after)
      const text = await response.text()
      assert.equal(response.status, 200, text)
      assert.deepEqual(JSON.parse(text), expected)
    })
  }

  it('has its user: isAuthenticated, name, principalId and roles', async () => {
    const { call } = await endpoints.publish('Data._payload = Data.request.user', {
      requiresAuthentication: true,
    })
    const headers = { Authorization: await endpoints.tokenOf('reports', 'clerk') }
    assert.deepEqual(await bodyOf(await call({ headers })), {
      isAuthenticated: true,
      name: 'Ada',
      principalId: 'user:ada@example.com',
      roles: ['reports', 'clerk'],
    })
  })

  for (const [method, expected] of [
    ['POST', 'x'],
    ['PUT', 'x'],
    ['PATCH', 'x'],
    ['DELETE', 'x'],
  ] as const) {
    it(`has the body of ${method}`, async () => {
      const { call } = await endpoints.publish('Data._payload = Data.request.body', { method })
      assert.equal(await bodyOf(await call({ body: '"x"', headers: jsonType })), expected)
    })
  }

  it('is refused with 400 before the script runs when its body is not JSON', async () => {
    const { id, call } = await endpoints.publish('Data._payload = 1')
    const response = await call({ body: '{"a":', headers: jsonType })
    assert.equal(response.status, 400)
    assert.match((await bodyOf(response)).error, /line 1, column 6/)
    const [row] = (await endpoints.history.list({ endpointId: id }, { limit: 1 })).items
    assert.deepEqual([row?.status, row?.responseStatus], ['Refused', 400])
  })

  it('is refused with 413 when its body is over 1 MiB, but not at 1 MiB', async () => {
    const { call } = await endpoints.publish('Data._payload = Length(Data.request.rawBody)')
    assert.equal(await bodyOf(await call({ body: 'x'.repeat(2 ** 20) })), 2 ** 20)
    assert.equal((await call({ body: 'x'.repeat(2 ** 20 + 1) })).status, 413)
  })
})

describe('specification 4.3 and 7.3: the response that a script sets', () => {
  type Row = readonly [
    script: string,
    status: number,
    body: string,
    headers?: Readonly<Record<string, string>>,
  ]
  const rows: readonly Row[] = [
    ['var x = 1', 200, 'null', { 'content-type': 'application/json; charset=utf-8' }],
    ['Data._payload = {"a": [1, null, "é"]}', 200, '{"a":[1,null,"é"]}'],
    ['Data._payload = "text"', 200, '"text"'],
    ['Data._payload = {"created": true}\nData._statusCode = 201', 201, '{"created":true}'],
    ['Data._statusCode = 204', 204, ''],
    ['Data._payload = {"a": 1}\nData._statusCode = 204', 204, ''],
    ['Data._payload = {"error": "Invalid input"}\nData._statusCode = 400', 400, '{"error":"Invalid input"}'],
    ['Data._payload = {"error": "Who?"}\nData._statusCode = 401', 401, '{"error":"Who?"}'],
    ['Data._payload = {"error": "Not you"}\nData._statusCode = 403', 403, '{"error":"Not you"}'],
    ['Data._payload = {"error": "None"}\nData._statusCode = 404', 404, '{"error":"None"}'],
    [
      'Data._payload = {"success": false, "error": "Failed"}\nData._statusCode = 500',
      500,
      '{"success":false,"error":"Failed"}',
    ],
    ['Data._redirect = "https://example.com/a"', 302, '', { location: 'https://example.com/a' }],
    ['Data._redirect = "/b"\nData._statusCode = 307', 307, '', { location: '/b' }],
    [
      'Data._payload = "a,b"\nData._contentType = "text/csv"',
      200,
      'a,b',
      { 'content-type': 'text/csv; charset=utf-8' },
    ],
    [
      'Data._headers = {"X-Own": "yes", "Cache-Control": "max-age=60"}',
      200,
      'null',
      { 'cache-control': 'max-age=60' },
    ],
  ]
  for (const [script, status, body, headers = {}] of rows) {
    it(`is ${status} ${body} after: ${script.replace('\n', '; ')}`, async () => {
      const { id, call } = await endpoints.publish(script)
      const response = await call()
      assert.equal(await response.text(), body)
      assert.equal(response.status, status)
      for (const [name, value] of Object.entries(headers)) assert.equal(response.headers.get(name), value)
      const executionId = response.headers.get('x-execution-id') ?? assert.fail()
      const execution = await endpoints.history.find(executionId)
      assert.deepEqual(
        [execution?.endpointId, execution?.version, execution?.status, execution?.responseStatus],
        [id, 1, 'Success', status],
      )
      assert.equal(execution?.requestId, response.headers.get('x-request-id'))
    })
  }

  const failures: readonly (readonly [what: string, script: string, limit: string | null])[] = [
    ['fails', 'fail "of /secret"', null],
    ['sets an unknown status', 'Data._statusCode = 99', null],
    ['sets a status that is not a whole number', 'Data._statusCode = 200.5', null],
    ['sets a header of the service', 'Data._headers = {"Content-Length": "7"}', null],
    ['runs for ever', 'while true do\nend', 'loops'],
  ]
  for (const [what, script, limit] of failures) {
    it(`is 500 with the execution id, without the reason, when the script ${what}`, async () => {
      const { call } = await endpoints.publish(script)
      const response = await call()
      assert.equal(response.status, 500)
      const text = await response.text()
      const { error, executionId } = JSON.parse(text)
      assert.equal(typeof error, 'string')
      assert.doesNotMatch(text, /secret|_statusCode|loops|Content-Length/)
      assert.equal(executionId, response.headers.get('x-execution-id'))
      const execution = await endpoints.history.find(String(executionId))
      assert.equal(execution?.status, 'Failed')
      assert.equal(execution?.error?.limit ?? null, limit)
    })
  }
})

describe('specification 5.3: who may call', () => {
  const guarded = { requiresAuthentication: true }
  type Row = readonly [
    what: string,
    rule: { readonly requiresAuthentication?: boolean; readonly allowedRoles?: string[] },
    token: readonly string[] | 'none' | 'forged',
    status: number,
  ]
  const rows: readonly Row[] = [
    ['1: authentication required, without a token', guarded, 'none', 401],
    ['1: authentication required, with a forged token', guarded, 'forged', 401],
    ['2: no roles set, any user', guarded, [], 200],
    ['2: roles set, a user with one of them', { ...guarded, allowedRoles: ['a', 'b'] }, ['x', 'b'], 200],
    ['4: roles set, a user with none of them', { ...guarded, allowedRoles: ['a', 'b'] }, ['x'], 403],
    ['2: roles set, without a token', { ...guarded, allowedRoles: ['a'] }, 'none', 401],
    ['3: public, anyone', {}, 'none', 200],
    ['3: public, with a token', {}, ['x'], 200],
    ['3: public, with a forged token', {}, 'forged', 200],
    ['roles set without the requirement, which they imply', { allowedRoles: ['a'] }, 'none', 401],
    ['roles set without the requirement, a user with none', { allowedRoles: ['a'] }, ['x'], 403],
  ]
  for (const [what, rule, token, status] of rows) {
    it(`${what}: ${status}`, async () => {
      const { call } = await endpoints.publish('Data._payload = Data.request.user.isAuthenticated', rule)
      const authorization =
        token === 'none' ? null : token === 'forged' ? forged : await endpoints.tokenOf(...token)
      const response = await call({ headers: authorization === null ? {} : { Authorization: authorization } })
      assert.equal(response.status, status)
      const body = await bodyOf(response)
      if (status === 200) assert.equal(body, Array.isArray(token))
      else assert.deepEqual(Object.keys(body), ['error'])
      if (status === 401) assert.equal(body.error, 'Authentication required')
    })
  }
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const forged = `Bearer ${part({ alg: 'none' })}.${part({ sub: 'x', iss: 'tripfolio', exp: 9e9, roles: ['a'] })}.`
})

describe('a webhook receiver', () => {
  const body = '{"id":"evt_1"}'
  const signatureOf = (secret: string) => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`

  before(() => endpoints.store.secrets.set('hook', { value: 'the signing secret' }, 'test'))

  it('runs once for a signed delivery, and records neither signature nor secret', async () => {
    const { id, call } = await endpoints.publish('Data._payload = Data.request.body.id', {
      category: 'Webhook',
      signature: { style: 'github', secret: 'Hook' },
      deduplication: { header: 'X-GitHub-Delivery', windowSeconds: 60 },
    })
    const headers = {
      ...jsonType,
      'X-Hub-Signature-256': signatureOf('the signing secret'),
      'X-GitHub-Delivery': 'd-1',
    }
    assert.equal(await bodyOf(await call({ body, headers })), 'evt_1')
    assert.deepEqual(await bodyOf(await call({ body, headers })), { duplicate: true })
    const wrong = { ...headers, 'X-Hub-Signature-256': signatureOf('another secret') }
    const refused = await call({ body, headers: wrong })
    assert.deepEqual(
      [refused.status, await bodyOf(refused)],
      [401, { error: 'The signature is missing or wrong' }],
    )
    const { items } = await endpoints.history.list({ endpointId: id }, { limit: 10 })
    assert.equal(items.length, 1)
    const execution = await endpoints.history.find(items[0]?.id ?? '')
    assert.equal(execution?.request.headers['x-hub-signature-256'], '[redacted]')
    assert.doesNotMatch(JSON.stringify(execution), new RegExp(signatureOf('the signing secret').slice(7)))
  })

  it('is refused with 503 when its secret was deleted after the publication, and leaves a row', async () => {
    const rows: Execution[] = []
    const { note } = createRefusals({ writer: { add: (row) => void rows.push(row) } })
    const receiver = await startEndpoints({ noteRefusal: note })
    try {
      await receiver.store.secrets.set('hook', { value: 'the signing secret' }, 'test')
      const { id, call } = await receiver.publish('Data._payload = 1', {
        signature: { style: 'github', secret: 'hook' },
      })
      const headers = { ...jsonType, 'X-Hub-Signature-256': signatureOf('the signing secret') }
      assert.equal((await call({ body, headers })).status, 200)
      await receiver.store.secrets.remove('hook', 'test')
      assert.equal((await call({ body, headers })).status, 503)
      await receiver.history.record(rows)
      const { items } = await receiver.history.list({ endpointId: id, status: 'Refused' }, { limit: 10 })
      assert.deepEqual(
        items.map(({ responseStatus, errorMessage }) => [
          responseStatus,
          errorMessage?.includes('cannot be checked'),
        ]),
        [[503, true]],
      )
    } finally {
      await receiver.close()
    }
  })

  it('runs a failed delivery again', async () => {
    const { id, call } = await endpoints.publish('fail "because"', {
      deduplication: { header: 'X-Id', windowSeconds: 60 },
    })
    for (let i = 0; i < 2; i++) assert.equal((await call({ headers: { 'X-Id': 'd-1' } })).status, 500)
    assert.equal((await endpoints.history.list({ endpointId: id }, { limit: 10 })).items.length, 2)
  })
})
