import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe, it } from 'node:test'
import { queueFull, runLost, waitedTooLong } from '../../automation/problems.ts'
import type { ScriptResponse } from '../../automation/runs/run-states.ts'
import { anonymous } from '../../kernel/user.ts'
import { assertProblem } from '../testing/answered-problem.ts'
import { endpoint, PREFIX, startEndpoints, userWith } from '../testing/endpoints.ts'
import { startServer, until } from '../testing/server.ts'

const errorOf = async (response: Response) => ((await response.json()) as { readonly error: string }).error

const routes = [
  endpoint('GET', 'reports/spend'),
  endpoint('GET', 'reports/{id}'),
  endpoint('DELETE', 'reports/{id}'),
  endpoint('POST', 'hooks/{source}'),
  endpoint('PUT', 'things'),
  endpoint('PATCH', 'things'),
]

describe('HEAD', () => {
  const rows: readonly (readonly [what: string, answer: Partial<ScriptResponse>])[] = [
    ['text', { body: '{"sum":"é"}' }],
    ['bytes', { headers: { 'content-type': 'image/png' }, body: 'iVBORw==', bodyEncoding: 'base64' }],
    ['an error of the script', { status: 404, body: '{"error":"none"}' }],
    ['nothing', { status: 204, headers: {}, body: null }],
  ]
  for (const [what, answer] of rows) {
    it(`is answered as GET, with its length and without its body: ${what}`, async (t) => {
      const { call, jobs } = await startEndpoints(t, { endpoints: routes, script: () => answer })
      const [got, head] = [await call('GET', 'reports/spend'), await call('HEAD', 'reports/spend')]
      const shown = ({ status, headers }: Response) => [
        status,
        headers.get('content-type'),
        headers.get('content-length'),
      ]
      assert.deepEqual(shown(head), shown(got))
      assert.equal((await head.arrayBuffer()).byteLength, 0)
      assert.deepEqual(
        jobs.map(({ request }) => request.method),
        ['GET', 'GET'],
      )
    })
  }
})

describe('bytes', () => {
  it('are sent as they are', async (t) => {
    const { call } = await startEndpoints(t, {
      endpoints: routes,
      script: () => ({ headers: { 'content-type': 'image/png' }, body: 'iVBORw==', bodyEncoding: 'base64' }),
    })
    const response = await call('GET', 'reports/spend')
    assert.deepEqual(Buffer.from(await response.arrayBuffer()), Buffer.from([0x89, 0x50, 0x4e, 0x47]))
    assert.equal(response.headers.get('content-type'), 'image/png')
    assert.equal(response.headers.get('content-length'), '4')
    assert.match(response.headers.get('content-security-policy') ?? '', /^sandbox/)
  })
})

describe('the address of a dynamic endpoint', () => {
  const answers: readonly (readonly [method: string, path: string, endpointPath: string])[] = [
    ['GET', 'reports/spend', 'reports/spend'],
    ['GET', 'Reports/SPEND/', 'reports/spend'],
    ['GET', 'reports/2026?x=1', 'reports/{id}'],
    ['DELETE', 'reports/spend', 'reports/{id}'],
    ['POST', 'hooks/github', 'hooks/{source}'],
    ['PUT', 'things', 'things'],
    ['PATCH', 'things', 'things'],
  ]
  for (const [method, path, endpointPath] of answers) {
    it(`leads to the endpoint: ${method} ${path}`, async (t) => {
      const { call, jobs } = await startEndpoints(t, { endpoints: routes })
      assert.equal((await call(method, path)).status, 200)
      assert.equal(jobs[0]?.endpoint.id, `id of ${method} ${endpointPath}`)
    })
  }

  const refusals: readonly (readonly [method: string, path: string, status: number, allow: string | null])[] =
    [
      ['GET', 'nothing', 404, null],
      ['GET', '', 404, null],
      ['GET', 'reports', 404, null],
      ['GET', 'reports//', 404, null],
      ['POST', 'nothing', 404, null],
      ['HEAD', 'nothing', 404, null],
      ['OPTIONS', 'nothing', 404, null],
      ['POST', 'reports/spend', 405, 'DELETE, GET, HEAD, OPTIONS'],
      ['GET', 'things', 405, 'OPTIONS, PATCH, PUT'],
      ['HEAD', 'things', 405, 'OPTIONS, PATCH, PUT'],
      ['PROPFIND', 'things', 405, 'OPTIONS, PATCH, PUT'],
      ['GET', '%zz', 400, null],
      ['GET', 'reports/%C3%28', 400, null],
      ['HEAD', 'reports/%C3%28', 400, null],
    ]
  for (const [method, path, status, allow] of refusals) {
    it(`is refused with ${status} and without a run: ${method} ${path}`, async (t) => {
      const { call, jobs } = await startEndpoints(t, { endpoints: routes })
      const response = await call(method, path)
      assert.equal(response.status, status)
      assert.equal(response.headers.get('allow'), allow)
      if (method !== 'HEAD') assert.ok(await errorOf(response))
      assert.deepEqual(jobs, [])
    })
  }

  it('lists its methods for OPTIONS', async (t) => {
    const { call, jobs } = await startEndpoints(t, { endpoints: routes })
    const response = await call('OPTIONS', 'REPORTS/spend/')
    assert.equal(response.status, 204)
    assert.equal(response.headers.get('allow'), 'DELETE, GET, HEAD, OPTIONS')
    assert.deepEqual(jobs, [])
  })

  it('may spell the prefix differently', async (t) => {
    const { url, jobs } = await startEndpoints(t, { endpoints: routes })
    for (const path of ['/API/Dynamic/V1/things', '/api/dyn%61mic/v1/things']) {
      assert.equal((await fetch(url + path, { method: 'PUT' })).status, 200, path)
    }
    assert.equal(jobs.length, 2)
  })

  it('is served from the next request after its publication', async (t) => {
    let published = [endpoint('GET', 'a')]
    const { call } = await startEndpoints(t, { endpoints: () => published })
    assert.equal((await call('GET', 'b')).status, 404)
    published = [endpoint('GET', 'b')]
    assert.equal((await call('GET', 'b')).status, 200)
    assert.equal((await call('GET', 'a')).status, 404)
  })

  it('does not exist without dynamic endpoints', async (t) => {
    const { url } = await startServer(t)
    for (const method of ['GET', 'PUT', 'OPTIONS']) {
      assert.equal((await fetch(`${url}${PREFIX}things`, { method })).status, 404, method)
    }
  })
})

describe('the caller of a dynamic endpoint', () => {
  const guarded = { requiresAuthentication: true }
  const endpoints = [
    endpoint('GET', 'public'),
    endpoint('GET', 'any-user', guarded),
    endpoint('GET', 'clerks', { ...guarded, allowedRoles: ['clerk', 'boss'] }),
    endpoint('GET', 'clerks-unsaid', { allowedRoles: ['clerk'] }),
  ]
  const rows: readonly (readonly [path: string, token: string | null, expected: number | string[]])[] = [
    ['public', null, 200],
    ['public', 'expired', 200],
    ['public', 'unknown', 200],
    ['public', 'valid', []],
    ['public', 'valid clerk', ['clerk']],
    ['any-user', null, 401],
    ['any-user', 'expired', 401],
    ['any-user', 'unknown', 503],
    ['any-user', 'valid', []],
    ['any-user', 'valid other', ['other']],
    ['clerks', null, 401],
    ['clerks', 'expired', 401],
    ['clerks', 'unknown', 503],
    ['clerks', 'valid', 403],
    ['clerks', 'valid other', 403],
    ['clerks', 'valid boss', ['boss']],
    ['clerks-unsaid', null, 401],
    ['clerks-unsaid', 'valid', 403],
    ['clerks-unsaid', 'valid clerk', ['clerk']],
  ]
  const problems: Readonly<Record<number, string>> = { 401: 'SRV121', 403: 'SRV122', 503: 'SRV123' }
  for (const [path, token, expected] of rows) {
    const outcome = typeof expected === 'number' ? expected : 'a user'
    it(`is ${outcome} at ${path} with ${token === null ? 'no' : `the '${token}'`} token`, async (t) => {
      const { call, jobs, observations } = await startEndpoints(t, { endpoints })
      const response = await call('GET', path, {
        headers: token === null ? {} : { Authorization: `Bearer ${token}` },
      })
      const status = typeof expected === 'number' ? expected : 200
      assert.equal(response.status, status)
      assert.equal(jobs.length, status === 200 ? 1 : 0)
      if (status === 200) {
        const user = typeof expected === 'number' ? anonymous : userWith(...expected)
        assert.deepEqual(jobs[0]?.request.user, user)
        return
      }
      const { error } = (await response.json()) as { error: string }
      if (status === 401) {
        assert.equal(error, 'Authentication required')
        assert.equal(response.headers.get('www-authenticate'), 'Bearer realm="tripfolio"')
      }
      if (status === 503) assert.equal(response.headers.get('retry-after'), '30')
      await assertProblem(observations, response, problems[status])
    })
  }

  it('may be decided asynchronously', async (t) => {
    const { call, jobs } = await startEndpoints(t, {
      endpoints,
      verifyToken: async () => ({ kind: 'valid', user: userWith('clerk') }),
    })
    assert.equal((await call('GET', 'clerks')).status, 200)
    assert.deepEqual(jobs[0]?.request.user.roles, ['clerk'])
  })

  it('gets only the request id when a defect prevents the check of tokens', async (t) => {
    const { call, observations } = await startEndpoints(t, {
      endpoints,
      verifyToken: () => Promise.reject(new TypeError('Cannot read /secret/place')),
    })
    const response = await call('GET', 'clerks')
    assert.equal(response.status, 500)
    assert.doesNotMatch(await response.text(), /secret/)
    assert.ok(observations.some(({ kind }) => kind === 'request-failed'))
  })

  it('needs a token before the body is read', async (t) => {
    const { call } = await startEndpoints(t, { endpoints: [endpoint('POST', 'p', guarded)] })
    const init = { body: 'x'.repeat(2000), headers: { 'Content-Encoding': 'gzip' } }
    assert.equal((await call('POST', 'p', init)).status, 401)
  })

  it('is logged with the reason when a required token is refused, and not when the token was not required', async (t) => {
    const { call, observations } = await startEndpoints(t, { endpoints })
    const headers = { Authorization: 'Bearer old', 'X-Request-Id': 'r-1' }
    await call('GET', 'public', { headers })
    await call('GET', 'any-user', { headers })
    assert.deepEqual(
      observations.filter(({ kind }) => kind === 'token-refused'),
      [{ kind: 'token-refused', requestId: 'r-1', reason: 'it has expired', inSummary: false }],
    )
  })
})

describe('the job of a script', () => {
  it('has everything about the call', async (t) => {
    const endpoints = [
      endpoint('POST', 'hooks/{source}', {
        limits: { milliseconds: 7 },
        signature: { style: 'github', secret: 'signing', header: 'X-My-Signature' },
      }),
    ]
    const before = Date.now()
    const { url, jobs } = await startEndpoints(t, { endpoints })
    const body = '{"a":"é"}'
    const signed = await fetch(`${url}/api/Dynamic/v1/Hooks/a%2Fb%20c/?x=1&y=%C3%A9&x=2&z=a+b`, {
      method: 'POST',
      body,
      headers: {
        'X-My-Signature': `sha256=${createHmac('sha256', 'the secret').update(body).digest('hex')}`,
        'Content-Type': 'application/json',
        'X-Request-Id': 'r-1',
        'X-Other': 'Value',
      },
    })
    assert.equal(signed.status, 200)
    const [job] = jobs
    assert.ok(job)
    const { executionId, arrivedAt, request, ...rest } = job
    assert.match(executionId, /^[0-9a-f-]{36}$/)
    assert.ok(arrivedAt >= before && arrivedAt <= Date.now())
    assert.deepEqual(rest, {
      type: 'DynamicEndpoint',
      endpoint: {
        id: 'id of POST hooks/{source}',
        name: 'Name of hooks/{source}',
        category: 'Integration',
        limits: { milliseconds: 7 },
        allowedHosts: [],
      },
      source: { version: 3 },
      requestId: 'r-1',
      rerunOf: null,
      signatureHeaders: ['x-my-signature'],
    })
    assert.equal(request.method, 'POST')
    assert.equal(request.path, '/api/Dynamic/v1/Hooks/a/b c/')
    assert.equal(request.queryString, '?x=1&y=%C3%A9&x=2&z=a+b')
    assert.deepEqual({ ...request.query }, { x: ['1', '2'], y: 'é', z: 'a b' })
    assert.deepEqual({ ...request.params }, { source: 'a/b c' })
    assert.equal(request.headers['content-type'], 'application/json')
    assert.equal(request.headers['x-other'], 'Value')
    assert.equal(request.rawBody, body)
    assert.equal(request.bodyKind, 'json')
    assert.deepEqual(request.user, anonymous)
  })

  it('can be sent to another thread', async (t) => {
    const { call, jobs } = await startEndpoints(t, { endpoints: [endpoint('GET', '{__proto__}')] })
    await call('GET', 'p?__proto__=q&constructor=c', { headers: { __proto__: 'ignored', constructor: 'h' } })
    const { params, query, headers } = structuredClone(jobs[0]?.request) ?? assert.fail()
    assert.deepEqual(Object.entries(params), [['__proto__', 'p']])
    assert.deepEqual(Object.entries(query), [
      ['__proto__', 'q'],
      ['constructor', 'c'],
    ])
    assert.ok(Object.entries(headers).some(([name, value]) => name === 'constructor' && value === 'h'))
  })

  it('is not created when the query cannot be decoded', async (t) => {
    const { call, jobs } = await startEndpoints(t, { endpoints: [endpoint('GET', 'a')] })
    const response = await call('GET', 'a?x=%zz')
    assert.equal(response.status, 400)
    const body = (await response.json()) as object
    assert.deepEqual(Object.keys(body), ['error'])
    assert.deepEqual(jobs, [])
  })
})

describe('the response of a script', () => {
  type Row = readonly [
    what: string,
    answered: Partial<ScriptResponse>,
    expected: { status: number; body: string; headers: Readonly<Record<string, string | null>> },
  ]
  const json = { 'content-type': 'application/json; charset=utf-8' }
  const rows: readonly Row[] = [
    [
      'a payload',
      { body: '{"a":"€"}' },
      {
        status: 200,
        body: '{"a":"€"}',
        headers: {
          ...json,
          'cache-control': 'no-store',
          'content-length': '11',
          'x-content-type-options': 'nosniff',
          'content-security-policy': null,
        },
      },
    ],
    ...[201, 400, 401, 403, 404, 418, 500, 599].map((status): Row => {
      const body = '{"error":"as the script says"}'
      return [`the status ${status}`, { status, body }, { status, body, headers: json }]
    }),
    [
      '204 without a body',
      { status: 204, body: null, headers: {} },
      { status: 204, body: '', headers: { 'content-type': null, 'content-length': null } },
    ],
    ['304 without a body', { status: 304, body: null, headers: {} }, { status: 304, body: '', headers: {} }],
    [
      'no body',
      { body: null, headers: {} },
      { status: 200, body: '', headers: { 'content-length': '0', 'content-type': null } },
    ],
    [
      'a redirect',
      { status: 302, body: null, headers: { location: 'https://example.com/a?b=c' } },
      { status: 302, body: '', headers: { location: 'https://example.com/a?b=c' } },
    ],
    [
      'a cache time and headers of its own',
      { headers: { ...json, 'cache-control': 'max-age=60', 'x-own': 'yes' } },
      { status: 200, body: 'null', headers: { 'cache-control': 'max-age=60', 'x-own': 'yes' } },
    ],
    [
      'a text',
      { body: 'a,b', headers: { 'content-type': 'text/csv; charset=utf-8' } },
      { status: 200, body: 'a,b', headers: { 'content-type': 'text/csv; charset=utf-8' } },
    ],
    [
      'a page, which browsers sandbox',
      { body: '<p>', headers: { 'content-type': 'text/html' } },
      {
        status: 200,
        body: '<p>',
        headers: {
          'content-security-policy': 'sandbox allow-downloads allow-forms allow-popups allow-scripts',
        },
      },
    ],
  ]
  for (const [what, answered, expected] of rows) {
    it(`is sent as it is: ${what}`, async (t) => {
      const { call, jobs } = await startEndpoints(t, { script: () => answered })
      const response = await call('POST', 'echo')
      assert.equal(response.status, expected.status)
      assert.equal(await response.text(), expected.body)
      for (const [name, value] of Object.entries(expected.headers)) {
        assert.equal(response.headers.get(name), value, name)
      }
      assert.match(response.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/)
      assert.equal(response.headers.get('x-execution-id'), jobs[0]?.executionId)
    })
  }

  it('has the execution id even when the record of the run is not returned', async (t) => {
    const ids: string[] = []
    const { call } = await startEndpoints(t, {
      run: async ({ executionId }) => {
        ids.push(executionId)
        return {
          status: 'Success',
          response: { status: 200, headers: json, body: '1' },
          execution: null,
          dryRunWrites: [],
        }
      },
    })
    const response = await call('POST', 'echo')
    assert.deepEqual([response.headers.get('x-execution-id')], ids)
  })

  it('does not delay other callers', async (t) => {
    const first = Promise.withResolvers<Partial<ScriptResponse>>()
    const scripts = [() => first.promise, () => ({ body: '"second"' })]
    const { call } = await startEndpoints(t, { script: () => scripts.shift()?.() ?? assert.fail() })
    const slow = call('POST', 'echo')
    // The second call is answered at once.
    const quick = await Promise.any([slow, call('POST', 'echo')])
    assert.equal(await quick.text(), '"second"')
    first.resolve({ body: '"first"' })
    assert.equal((await slow).status, 200)
  })
})

describe('a script that cannot be run', () => {
  it('is answered with 503 and Retry-After when there is no room, and is not a logged failure', async (t) => {
    for (const [problem, seconds] of [
      [queueFull(100, 2), '2'],
      [waitedTooLong(10_000, 1), '1'],
    ] as const) {
      const { call, observations } = await startEndpoints(t, { script: () => Promise.reject(problem) })
      const response = await call('POST', 'echo')
      assert.equal(response.status, 503)
      assert.equal(response.headers.get('retry-after'), seconds)
      assert.equal(await errorOf(response), `${problem.message}. ${problem.hint}`)
      assert.ok(!observations.some(({ kind }) => kind === 'request-failed'))
    }
  })

  it('is answered with 500 and the execution id when its run was lost; only the log has the reason', async (t) => {
    const { call, observations } = await startEndpoints(t, {
      script: ({ executionId }) => Promise.reject(runLost(executionId, 'the thread /secret ended')),
    })
    const response = await call('POST', 'echo')
    assert.equal(response.status, 500)
    const body = (await response.json()) as { error: string; executionId: string }
    assert.deepEqual(Object.keys(body), ['error', 'executionId'])
    assert.equal(body.executionId, response.headers.get('x-execution-id'))
    assert.doesNotMatch(JSON.stringify(body), /secret/)
    const failed = observations.find(({ kind }) => kind === 'request-failed')
    assert.ok(failed?.kind === 'request-failed')
    assert.match(String(failed.cause), /the thread \/secret ended/)
  })

  it('is answered with 500 and the request id after a defect', async (t) => {
    const { call } = await startEndpoints(t, { script: () => Promise.reject(new TypeError('/secret')) })
    const response = await call('POST', 'echo')
    assert.equal(response.status, 500)
    assert.match(await errorOf(response), new RegExp(response.headers.get('x-request-id') ?? 'none'))
  })
})

describe('what is observed of a call', () => {
  it('names the path of the endpoint, never the address', async (t) => {
    const { call, observations } = await startEndpoints(t, { endpoints: routes })
    await call('GET', 'reports/secret-1?x=secret-2')
    await call('GET', 'secret-3')
    await call('HEAD', 'secret-4')
    await call('PUT', 'reports/secret-5')
    const answered = () => observations.filter((one) => one.kind === 'request-answered')
    await until(() => answered().length === 4)
    assert.deepEqual(
      answered()
        .map(({ method, route, status }) => `${method} ${route} ${status}`)
        .sort(),
      [
        'GET /api/dynamic/v1/* 404',
        'GET /api/dynamic/v1/reports/{id} 200',
        'HEAD /api/dynamic/v1/* 404',
        'PUT /api/dynamic/v1/* 405',
      ],
    )
    assert.doesNotMatch(JSON.stringify(observations), /secret/)
  })
})

describe('the OpenAPI document', () => {
  it('describes one operation per method for all endpoints', async (t) => {
    const { url } = await startEndpoints(t)
    const document = (await (await fetch(`${url}/openapi.json`)).json()) as {
      paths: Record<string, Record<string, { operationId: string; responses: object; requestBody?: object }>>
      components: { securitySchemes: { bearer: object } }
    }
    const operations = document.paths[`${PREFIX}{route}`] ?? assert.fail()
    assert.deepEqual(Object.keys(operations).sort(), ['delete', 'get', 'patch', 'post', 'put'])
    assert.equal(new Set(Object.values(operations).map(({ operationId }) => operationId)).size, 5)
    for (const [method, { responses, requestBody }] of Object.entries(operations)) {
      // The table of specification 7.3, and what is refused before a script runs.
      for (const status of [200, 201, 204, 302, 400, 401, 403, 404, 405, 409, 500, 503]) {
        assert.ok(String(status) in responses, `${method} ${status}`)
      }
      assert.equal('413' in responses && '415' in responses, method !== 'get')
      assert.equal(requestBody !== undefined, method !== 'get')
    }
    assert.deepEqual(document.components.securitySchemes.bearer, {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
      description: "A token of the operator's identity provider. Its roles decide what the caller may do.",
    })
  })
})
