import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Value } from 'typebox/value'
import { Problem } from '../../kernel/problem.ts'
import type { Observation } from '../../observe/observation.ts'
import type { EndpointDefinition } from '../../schema/endpoint-shapes.ts'
import { Execution, nothingRead, nothingSent } from '../../schema/execution-shapes.ts'
import type { CancelReason } from '../problems.ts'
import { caller, ENDPOINT_ID, openRuns, type Runs } from '../testing/open-runs.ts'

let runs: Runs
before(async () => {
  runs = await openRuns({ historyBodyBytes: 100 })
})
after(() => runs.close())

const observed = (runs: Runs, kind: Observation['kind']) =>
  runs.observations.filter((observation) => observation.kind === kind)

describe('a run that succeeds', () => {
  it('is recorded with its request, its response and its figures', async () => {
    const executionId = crypto.randomUUID()
    const arrivedAt = Date.now() - 1000
    const { response, execution, dryRunWrites } = await runs.run(
      'foreach n in [1, 2] do Log("Debug", n) end Data._payload = {ok: true} Data._statusCode = 201',
      {
        executionId,
        arrivedAt,
        request: {
          queryString: '?token=abc&a=1',
          headers: { authorization: 'Bearer abcdefgh', 'x-hub-signature-256': 'sha256=00', accept: '*/*' },
          params: { id: '5' },
          rawBody: '{"password":"hunter22","a":1}',
          user: caller,
        },
      },
    )
    const json = { 'content-type': 'application/json; charset=utf-8' }
    assert.deepEqual(response, { status: 201, headers: json, body: '{"ok":true}' })
    assert.deepEqual(dryRunWrites, [])
    assert.ok(execution)
    assert.ok(Value.Check(Execution, execution), JSON.stringify(Value.Errors(Execution, execution)))
    const { startedAt, completedAt, queuedMs, executionTimeMs, log, ...rest } = execution
    assert.ok(queuedMs >= 1000 && executionTimeMs > 0 && startedAt <= completedAt)
    assert.deepEqual(
      log.map(({ level, message }) => [level, message]),
      [
        ['Debug', '1'],
        ['Debug', '2'],
      ],
    )
    assert.deepEqual(rest, {
      id: executionId,
      type: 'DynamicEndpoint',
      status: 'Success',
      endpointId: ENDPOINT_ID,
      endpointName: 'The endpoint',
      category: 'Utility',
      version: null,
      method: 'POST',
      path: '/api/dynamic/v1/test/it',
      responseStatus: 201,
      statementCount: 5,
      loopCount: 2,
      principalId: 'user:ada@example.com',
      requestId: 'r-1',
      rerunOf: null,
      errorMessage: null,
      requestCount: 1,
      recorded: 'full',
      request: {
        method: 'POST',
        path: '/api/dynamic/v1/test/it',
        queryString: '?token=[redacted]&a=1',
        headers: { authorization: '[redacted]', 'x-hub-signature-256': '[redacted]', accept: '*/*' },
        params: { id: '5' },
        body: '{"password":"[redacted]","a":1}',
        truncated: false,
      },
      response: { status: 201, headers: json, body: '{"ok":true}', truncated: false },
      error: null,
      cancellationReason: null,
      sent: nothingSent,
      read: nothingRead,
    })
  })

  it('has no principal for an anonymous caller, and cuts bodies between characters', async () => {
    const { execution } = await runs.run('Data._payload = Data.request.rawBody', {
      request: { rawBody: `a${'é'.repeat(60)}`, bodyKind: 'text' },
    })
    assert.equal(execution?.principalId, null)
    const { request, response } = execution
    assert.deepEqual([request.body, request.truncated], [`a${'é'.repeat(49)}`, true])
    assert.deepEqual([response.body, response.truncated], [`"a${'é'.repeat(49)}`, true])
  })

  it('redacts secrets in bodies that are far longer than the part that is kept', async () => {
    const { response, execution } = await runs.run(
      `var text = PadLeft("a", 100000, "a")
      Data._payload = {password: "hunter22", more: []}
      for i in 0 to 20 do Data._payload.more.add(text) end`,
    )
    assert.ok((response.body ?? '').length > 2 ** 20)
    assert.deepEqual(execution?.response.truncated, true)
    assert.match(execution?.response.body ?? '', /^\{"password":"\[redacted\]","more":\["aaa/)
  })

  it('keeps no part of a secret that lies where a body is cut', async () => {
    const runs = await openRuns({ historyBodyBytes: 100 })
    try {
      const secret = 'qwertyuiopasdfghjklzxcvbnmqwertyuiop'
      await runs.store.secrets.set('key', { value: secret }, 'test')
      for (const before of [70, 85, 95, 99]) {
        const rawBody = `${'-'.repeat(before)}${secret}${'-'.repeat(200)}`
        const { execution } = await runs.run('Data._payload = Data.request.rawBody GetSecret("key")', {
          request: { rawBody, bodyKind: 'text' },
        })
        for (const part of [execution?.request, execution?.response]) {
          assert.equal(part?.truncated, true)
          assert.doesNotMatch(part?.body ?? '', /q|w|rty/)
          assert.ok(Buffer.byteLength(part?.body ?? '') <= 100)
        }
      }
    } finally {
      await runs.close()
    }
  })

  it('redacts credentials of the request wherever they are repeated', async () => {
    const request = {
      headers: { 'x-api-key': 'key-of-somebody' },
      params: { token: 'path-token-1' },
      path: '/api/dynamic/v1/hook/path-token-1',
    }
    const script =
      'Log("Error", Data.request.path + Data.request.headers["x-api-key"]) Data._payload = Data.request.path'
    const { response, execution } = await runs.run(script, { request })
    assert.match(response.body ?? '', /path-token-1/)
    assert.doesNotMatch(JSON.stringify(execution), /path-token-1|key-of-somebody/)
  })

  it('redacts credentials of the query, the cookies and the body wherever they are repeated', async () => {
    const asked = [
      { query: { api_key: 'query-key-1', name: 'plain' }, queryString: '?api_key=query-key-1&name=plain' },
      {
        query: { token: ['query-key-1', 'query-key-2'] },
        queryString: '?token=query-key-1&token=query-key-2',
      },
      { headers: { cookie: 'theme=dark; session=cookie-value-1' } },
      { rawBody: '{"login":{"password":"body-word-1"},"secrets":{"a":["body-word-2"]}}' },
      { rawBody: 'a=1&client_secret=form+word%201', bodyKind: 'form' },
    ] as const
    const script = `var request = Data.request
      Log("Error", ToString(request.query) + Replace(ToString(request.headers), "session=", ""))
      Log("Error", request.body)
      if request.body != null and request.body.login != null then Log("Error", request.body.login.password) end
      if request.query.token != null then Log("Error", request.query.token) end
      CreateNotepad([Flatten([request.query.token, request.query.api_key])])
      Data._payload = [request.query.token, request.query.api_key, ToString(request.body)]`
    for (const request of asked) {
      const { execution } = await runs.run(script, { request })
      assert.equal(execution?.status, 'Success', JSON.stringify(execution?.error))
      assert.match(JSON.stringify(execution.log), /redacted/)
      assert.doesNotMatch(JSON.stringify(execution), /query-key|cookie-value|body-word|form word/)
    }
  })

  it('may end by return and by exit', async () => {
    for (const end of ['return', 'exit', 'exit "enough"']) {
      const { response, execution } = await runs.run(
        `Data._payload = 1 if true then ${end} end Data._payload = 2`,
      )
      assert.deepEqual([response.body, execution?.status], ['1', 'Success'], end)
    }
  })
})

describe('a run that fails', () => {
  const rows: readonly (readonly [
    script: string,
    error: { readonly code: string; readonly line: number | null; readonly limit: string | null },
  ])[] = [
    ['\nfail "because"', { code: 'JM5004', line: 2, limit: null }],
    ['var a = 1\n\nDData.x = 1', { code: 'JM3100', line: 3, limit: null }],
    ['NoSuchFunction()', { code: 'JM4100', line: 1, limit: null }],
    ['if then', { code: 'JM2000', line: 1, limit: null }],
    ['\n\nwhile true do end', { code: 'JM5901', line: 3, limit: 'loops' }],
    ['func f() f() end\nf()', { code: 'JM5902', line: 1, limit: 'depth' }],
    [
      'var a = []\nwhile true do a.add(Range(0, 1000)) end',
      { code: 'JM5910', line: 2, limit: 'memoryBytes' },
    ],
    ['Data._statusCode = 5', { code: 'END120', line: null, limit: null }],
    ['Data._headers = {connection: "close"}', { code: 'END121', line: null, limit: null }],
    ['Data._payload = PadLeft("a", 1000, "a")', { code: 'JM5911', line: null, limit: 'outputBytes' }],
  ]
  const limits = { loops: 1000, memoryBytes: 2 ** 20, outputBytes: 1000 }
  for (const [script, { code, line, limit }] of rows) {
    it(`shows no reason to the caller and ${code} in the record: ${JSON.stringify(script)}`, async () => {
      const executionId = crypto.randomUUID()
      const { response, execution } = await runs.run(script, { limits, executionId })
      assert.deepEqual(response, {
        status: 500,
        headers: { 'content-type': 'application/json; charset=utf-8' },
        body: JSON.stringify({ error: 'The endpoint could not answer: its script failed', executionId }),
      })
      assert.ok(execution)
      assert.ok(Value.Check(Execution, execution))
      const { error, errorMessage, status, responseStatus } = execution
      assert.deepEqual([status, responseStatus, errorMessage], ['Failed', 500, error?.message])
      assert.deepEqual([error?.code, error?.line, error?.limit], [code, line, limit])
      const told = observed(runs, 'script-failed').at(-1)
      assert.deepEqual(told, {
        kind: 'script-failed',
        executionId,
        endpoint: 'The endpoint',
        code: error?.code,
        message: error?.message,
        line,
      })
    })
  }

  it('names the endpoint’s own limits of statements and time', async () => {
    const script = 'for i in 0 to 100 do var a = i end'
    const few = await runs.run(script, { limits: { statements: 10 } })
    assert.match(few.execution?.errorMessage ?? '', /limit of 10 statements \(statements\)/)
    assert.equal(few.execution?.statementCount, 11)
    const short = await runs.run('while true do var a = 1 end', {
      limits: { milliseconds: 20, statements: 1e9, loops: 1e9 },
    })
    assert.equal(short.execution?.error?.limit, 'milliseconds')
  })

  it('is recorded with the beginning of a long message, which is redacted before it is cut', async () => {
    const script = 'fail PadLeft("", 4000, "é") + " password=hunter22 " + PadLeft("", 900000, "x")'
    const { execution } = await runs.run(script)
    assert.match(execution?.errorMessage ?? '', /^é+ \[cut\]$/)
    const { execution: named } = await runs.run('fail "password=hunter22 " + PadLeft("", 900000, "x")')
    assert.match(named?.errorMessage ?? '', /^password=\[redacted\] x{4000,4096} \[cut\]$/)
    assert.equal(named?.error?.message, named?.errorMessage)
  })

  it('is recorded without the parts of a secret that its message quotes', async () => {
    const value = `sk-live-${'0123456789abcdef'.repeat(8)}`
    await runs.store.secrets.set('Long', { value }, 'test')
    for (const use of [
      'Data._contentType = GetSecret("Long")',
      'var headers = {} headers["bad " + GetSecret("Long")] = 1 Data._headers = headers',
      'ParseDate(GetSecret("Long"))',
      'HmacSha256("a", "b", GetSecret("Long"))',
      'CreateOrganization(GetSecret("Long")) CreateOrganization(GetSecret("Long"))',
    ]) {
      const { execution } = await runs.run(use)
      assert.doesNotMatch(JSON.stringify(execution), /sk-live-0123/, use)
      assert.match(JSON.stringify([execution?.error, execution?.log]), /redacted/, use)
    }
  })

  const cancellations: readonly (readonly [CancelReason, code: string, reason: RegExp, told: RegExp])[] = [
    [
      { kind: 'operator', by: 'user:ben@example.com' },
      'END105',
      /by user:ben@example\.com$/,
      /cancelled by an operator"/,
    ],
    [{ kind: 'caller-left' }, 'END106', /its caller closed the connection/, /its caller closed/],
    [{ kind: 'stopping' }, 'END107', /the service was stopped$/, /the service is stopping/],
  ]
  for (const [reason, code, message, told] of cancellations) {
    it(`is recorded as cancelled, with the reason, when it was cancelled (${reason.kind})`, async () => {
      const control = { aborted: false, reason }
      const running = runs.run('while true do var a = 1 end', {
        limits: { milliseconds: 60_000, statements: 1e9, loops: 1e9 },
        cancellation: control,
      })
      setImmediate(() => {
        control.aborted = true
      })
      const { status, response, execution } = await running
      assert.deepEqual([status, response.status], ['Cancelled', 503])
      assert.equal(response.headers['retry-after'], reason.kind === 'stopping' ? '5' : undefined)
      assert.match(response.body ?? '', told)
      assert.doesNotMatch(response.body ?? '', /ben@example/)
      assert.ok(execution)
      assert.deepEqual(
        [execution.status, execution.error?.code, execution.error?.line],
        ['Cancelled', code, 1],
      )
      assert.match(execution.cancellationReason ?? '', message)
      assert.equal(execution.errorMessage, execution.cancellationReason)
      assert.ok(Value.Check(Execution, execution))
    })
  }

  it('is recorded as cancelled without the secrets that the reason quotes', async () => {
    const control = { aborted: false, reason: { kind: 'operator', by: '"a key of the caller"' } }
    const running = runs.run('while true do end', {
      request: { headers: { 'x-api-key': 'a key of the caller' } },
      limits: { statements: 1e9, loops: 1e9, milliseconds: 60_000 },
      cancellation: control,
    })
    setImmediate(() => {
      control.aborted = true
    })
    const { execution } = await running
    assert.equal(execution?.status, 'Cancelled')
    assert.equal(execution?.cancellationReason, 'The run was cancelled by "[redacted]"')
  })

  it('is recorded as a failure of the service when the request cannot be given to the script', async () => {
    const cause = new TypeError('a defect')
    const user = {
      ...caller,
      get isAuthenticated(): boolean {
        throw cause
      },
    }
    const { execution } = await runs.run('Data.x = 1', { request: { user } })
    assert.deepEqual([execution?.status, execution?.error?.code], ['Failed', 'END122'])
    assert.deepEqual(
      observed(runs, 'script-defect').map((o) => (o as { cause: unknown }).cause),
      [cause],
    )
  })

  it('is recorded when a host function meets a defect, whose cause is only in the log of the service', async () => {
    const cause = new Error('disk image is malformed')
    const broken = await openRuns({ query: () => Promise.reject(cause) })
    try {
      const { execution } = await broken.run('Log("Error", "first")\nQueryBookings("C1")')
      assert.doesNotMatch(JSON.stringify(execution), /malformed/)
      assert.deepEqual([execution?.error?.line, execution?.statementCount], [2, 2])
      assert.deepEqual(
        observed(broken, 'script-defect').map((o) => (o as { cause: unknown }).cause),
        [cause],
      )
    } finally {
      await broken.close()
    }
  })
})

describe('the log of a run', () => {
  it('is also written to the log of the service when the run is over', async () => {
    const executionId = crypto.randomUUID()
    const before = runs.observations.length
    const { execution } = await runs.run('Log("Warning", "a") Log("Error", "b")', { executionId })
    const run = { kind: 'script-logged', executionId, endpoint: 'The endpoint' }
    const [first, second] = execution?.log ?? []
    assert.deepEqual(runs.observations.slice(before), [
      { ...run, level: 'Warning', message: 'a', loggedAt: first?.time },
      { ...run, level: 'Error', message: 'b', loggedAt: second?.time },
    ])
  })
})

describe('programs', () => {
  const definition: EndpointDefinition = {
    name: 'Published',
    description: '',
    category: 'Utility',
    method: 'GET',
    path: 'published',
    requiresAuthentication: false,
    allowedRoles: [],
    allowedHosts: [],
    limits: {},
    signature: null,
    deduplication: null,
    record: 'full',
    maskedFields: [],
    schedules: [],
    script: 'Data._payload = 1',
  }

  it('are those of the requested version', async () => {
    const { endpoints } = runs.store
    const { id } = await endpoints.create(definition, 'test')
    await endpoints.publish(id, 'test')
    await endpoints.saveDraft(id, { ...definition, script: 'Data._payload = 2' }, 'test')
    await endpoints.publish(id, 'test')
    for (const version of [1, 2, 1]) {
      const { response, execution } = await runs.run('', { endpointId: id, source: { version } })
      assert.deepEqual([response.body, execution?.version], [String(version), version])
    }
    await endpoints.remove(id, 'test')
    assert.equal((await runs.run('', { endpointId: id, source: { version: 1 } })).response.body, '1')
  })

  it('of deleted versions cannot be run', async () => {
    const source = { version: 7 }
    await assert.rejects(runs.run('', { endpointId: crypto.randomUUID(), source }), (problem) => {
      assert.ok(problem instanceof Problem)
      assert.equal(problem.code, 'END110')
      return true
    })
  })

  it('share nothing between runs, also when these run at the same time', async () => {
    const script =
      'Data.a = Data.a or [] Data.a.add(Data.request.query.n) GetAllOrganizations() Data._payload = Data.a'
    const answers = await Promise.all(
      ['1', '2', '3'].map((n) => runs.run(script, { request: { query: { n } } })),
    )
    assert.deepEqual(
      answers.map(({ response }) => response.body),
      ['["1"]', '["2"]', '["3"]'],
    )
  })
})
