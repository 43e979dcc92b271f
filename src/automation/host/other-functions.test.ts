import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { caller, ENDPOINT_ID, openRuns, type Runs } from '../testing/open-runs.ts'

let runs: Runs
before(async () => {
  runs = await openRuns()
})
after(() => runs.close())

describe('functions of the specification that the library has', () => {
  const rows: readonly (readonly [expression: string, expected: unknown])[] = [
    ['Length([1, 2])', 2],
    ['Length("abc")', 3],
    ['Length({a: 1})', 1],
    ['Length(null)', 0],
    ['Length(5)', 1],
    [
      'RegexTest(Now(), "^\\\\d{4}-\\\\d\\\\d-\\\\d\\\\dT\\\\d\\\\d:\\\\d\\\\d:\\\\d\\\\d\\\\.\\\\d{3}Z$")',
      true,
    ],
  ]
  for (const [expression, expected] of rows) {
    it(`${expression} is ${JSON.stringify(expected)}`, async () => {
      assert.deepEqual(await runs.answer(expression), expected)
    })
  }
})

describe('the caller', () => {
  it('has everything that the token says', async () => {
    assert.deepEqual(await runs.answer('GetCurrentUser()', { request: { user: caller } }), caller)
  })

  it('is not authenticated without a token', async () => {
    assert.deepEqual(await runs.answer('GetCurrentUser()'), {
      ...caller,
      isAuthenticated: false,
      name: '',
      principalId: '',
      email: '',
      roles: [],
      claims: [],
    })
  })

  it('belongs to the one tenant, which each call reads anew', async () => {
    const { id, name } = await runs.store.tenant()
    assert.deepEqual(await runs.answer('GetCurrentTenant()'), {
      id,
      tenantId: id,
      name,
      subdomain: '',
      isActive: true,
      administratorEmailAddress: '',
      authorizedEntraTenantIds: [],
      authorizedEntraDomains: [],
      propertyValues: {},
      statistics: { organizationCount: 0, personCount: 0, facetDefinitionCount: 0 },
    })
    await runs.store.renameTenant('Other name', 'test')
    assert.equal(await runs.answer('GetCurrentTenant().name'), 'Other name')
    await runs.store.renameTenant(name, 'test')
  })
})

describe('Log', () => {
  const rows: readonly (readonly [call: string, level: string, message: string])[] = [
    ['Log("Debug", "a")', 'Debug', 'a'],
    ['Log("Information", "a")', 'Information', 'a'],
    ['Log("Warning", "a")', 'Warning', 'a'],
    ['Log("Error", "a")', 'Error', 'a'],
    ['Log("warning", "a")', 'Warning', 'a'],
    ['Log("Info", "a")', 'Information', 'a'],
    ['Log("Fatal", "a")', 'Information', 'a'],
    ['Log(null, null)', 'Information', 'null'],
    ['Log("Error", {a: [1, "x"]})', 'Error', '{a: [1, x]}'],
    ['Log(8, 2)', 'Information', '2'],
  ]
  for (const [call, level, message] of rows) {
    it(`${call} is a line of level ${level}`, async () => {
      const { execution } = await runs.run(`Data._payload = ${call}`)
      assert.deepEqual(
        execution?.log.map((line) => [line.level, line.message]),
        [[level, message]],
      )
      assert.equal(execution?.response.body, 'null')
    })
  }
})

describe('digests', () => {
  const text = 'Grüße 👋'
  const hmac = (key: string, encoding: 'hex' | 'base64' | 'base64url') =>
    createHmac('sha256', key).update(text).digest(encoding)
  const rows: readonly (readonly [expression: string, expected: unknown])[] = [
    // FIPS 180-4 and RFC 4231, test case 2
    ['Sha256("abc")', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
    [
      'HmacSha256("Jefe", "what do ya want for nothing?")',
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    ],
    ['Sha256("")', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    ['Sha256(null)', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    ['Sha256("abc", "base64")', 'ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0='],
    ['Sha256("abc", "Base64Url")', 'ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0'],
    [`HmacSha256("k", "${text}")`, hmac('k', 'hex')],
    [`HmacSha256("k", "${text}", null)`, hmac('k', 'hex')],
    [`HmacSha256("k", "${text}", "base64")`, hmac('k', 'base64')],
    [`HmacSha256("k", "${text}", "base64url")`, hmac('k', 'base64url')],
    ['HmacSha256("k", null) == HmacSha256("k", "")', true],
    ['SecureEquals("abc", "abc")', true],
    ['SecureEquals("", "")', true],
    ['SecureEquals("abc", "abd")', false],
    ['SecureEquals("abc", "ab")', false],
    ['SecureEquals("\\uD800", "\\uFFFD")', false],
    ['SecureEquals(null, null)', false],
    ['SecureEquals(null, "null")', false],
    ['SecureEquals(1, 1)', false],
    ['SecureEquals([], [])', false],
  ]
  for (const [expression, expected] of rows) {
    it(`${expression} is ${JSON.stringify(expected)}`, async () => {
      assert.deepEqual(await runs.answer(expression), expected)
    })
  }

  const failures: readonly (readonly [expression: string, code: string])[] = [
    ['HmacSha256(null, "a")', 'JM5104'],
    ['HmacSha256(GetSecret("unknown"), "a")', 'JM5104'],
    ['HmacSha256(5, "a")', 'JM5104'],
    ['HmacSha256("", "a")', 'JM5920'],
    ['HmacSha256("k", "a", "utf8")', 'JM5920'],
    ['Sha256("a", 16)', 'JM5920'],
  ]
  for (const [expression, code] of failures) {
    it(`${expression} fails with ${code}`, async () => {
      const { execution } = await runs.run(`Data._payload = ${expression}`)
      assert.deepEqual([execution?.status, execution?.error?.code], ['Failed', code])
    })
  }

  it('count as work', async () => {
    const script = 'var t = PadLeft("a", 1000000, "a") while true do Sha256(t) end'
    const { execution } = await runs.run(script, { limits: { milliseconds: 100 } })
    assert.equal(execution?.error?.limit, 'milliseconds')
  })
})

describe('GetSecret', () => {
  before(async () => {
    const { secrets } = runs.store
    await secrets.set('Partner Key', { value: 's3cr3t-value' }, 'test')
    await secrets.set('off', { value: 's3cr3t-off', isActive: false }, 'test')
  })

  const rows: readonly (readonly [expression: string, expected: unknown])[] = [
    ['GetSecret("Partner Key")', 's3cr3t-value'],
    ['GetSecret("PARTNER KEY")', 's3cr3t-value'],
    ['GetSecret("unknown")', null],
    ['GetSecret("off")', null],
    ['GetSecret(null)', null],
    ['GetSecret({})', null],
  ]
  for (const [expression, expected] of rows) {
    it(`${expression} is ${JSON.stringify(expected)}`, async () => {
      assert.deepEqual(await runs.answer(expression), expected)
    })
  }

  it('keeps the values that it has read out of the record and the log, also when they were logged before', async () => {
    const request = { rawBody: '{"note":"s3cr3t-value"}', queryString: '?q=s3cr3t-value' }
    const { response, execution } = await runs.run(
      `Log("Error", Data.request.rawBody)
      Data._payload = [GetSecret("partner key")]
      Data._headers = {"x-echo": Data._payload[0]}
      Log("Error", "it is " + Data._payload[0])`,
      { request },
    )
    assert.equal(response.body, '["s3cr3t-value"]')
    assert.doesNotMatch(JSON.stringify([execution, runs.observations]), /s3cr3t/)
    assert.equal(execution?.log[1]?.message, 'it is [redacted]')
    assert.equal(execution?.response.body, '["[redacted]"]')
    const failed = await runs.run('fail "no " + GetSecret("partner key")')
    assert.equal(failed.execution?.errorMessage, 'no [redacted]')
    assert.doesNotMatch(JSON.stringify(runs.observations), /s3cr3t/)
  })
})

describe('notifications', () => {
  type Sent = { readonly audience: string | null; readonly type: string; readonly link: string | null }
  const newest = async (): Promise<Sent | undefined> =>
    (await runs.store.notifications.list('user:ada@example.com', { limit: 1 }))[0]

  const sent: readonly (readonly [call: string, expected: Sent])[] = [
    ['BroadcastNotification("t", "m", "Info")', { audience: null, type: 'Info', link: null }],
    [
      'BroadcastNotification("t", "m", "Warning", null, true)',
      { audience: null, type: 'Warning', link: null },
    ],
    ['BroadcastNotification("t", "m", "error", "/a", false)', { audience: null, type: 'Error', link: '/a' }],
    [
      'BroadcastNotification("t", 5, "Information", "https://example.com/")',
      { audience: null, type: 'Info', link: 'https://example.com/' },
    ],
    [
      'SendNotification("user:ada@example.com", "t", "m", "Success")',
      { audience: 'user:ada@example.com', type: 'Success', link: null },
    ],
    [
      'SendNotification("Ada@example.com", "t", "m", "Success", "/x")',
      { audience: 'user:ada@example.com', type: 'Success', link: '/x' },
    ],
  ]
  for (const [call, expected] of sent) {
    it(`are sent by ${call}`, async () => {
      assert.equal(await runs.answer(call), true)
      const { audience, type, link } = (await newest()) as Sent
      assert.deepEqual({ audience, type, link }, expected)
    })
  }

  it('are at most 100 of a run, and at most 50,000 characters each', async () => {
    const many = `var n = 0 for i in 0 to 101 do if BroadcastNotification("t", "m", "Info") then n += 1 end end
      Data._payload = n`
    const { response, execution } = await runs.run(many, { limits: { milliseconds: 60_000 } })
    assert.equal(response.body, '100', JSON.stringify(execution?.error))
    // The store refuses both; from the limit on, without redacting them first.
    const saying = async (length: number) => {
      const { execution } = await runs.run(`BroadcastNotification("t", PadLeft("", ${length}, "m"), "Info")`)
      return execution?.log[0]?.message ?? ''
    }
    assert.doesNotMatch(await saying(49_999), /at most 50000 characters/)
    assert.match(await saying(50_000), /at most 50000 characters/)
  })

  const refused = [
    'BroadcastNotification("t", "m", "Fatal")',
    'BroadcastNotification("t", "m", null)',
    'BroadcastNotification("", "m", "Info")',
    'BroadcastNotification(null, "m", "Info")',
    'BroadcastNotification("t", {}, "Info")',
    'BroadcastNotification("t", "m", "Info", "javascript:alert(1)")',
    'SendNotification("", "t", "m", "Info")',
    'SendNotification(null, "t", "m", "Info")',
    'SendNotification("a b", "t", "m", "Info")',
  ]
  for (const call of refused) {
    it(`are not sent by ${call}, and the log says why`, async () => {
      const { response, execution } = await runs.run(`Data._payload = ${call}`)
      assert.equal(response.body, 'false')
      assert.match(execution?.log[0]?.message ?? '', /^(Broadcast|Send)Notification returned false: ./)
    })
  }
})

describe('notepads', () => {
  const long = { limits: { milliseconds: 60_000, memoryBytes: 2 ** 28 } }

  it('are at most 100 of a run, and at most 8 MiB together', async () => {
    const many = `var n = 0 for i in 0 to 101 do if CreateNotepad(i) != null then n += 1 end end
      Data._payload = [n, CreateNotepad(1)]`
    const { response: ofMany, execution: ran } = await runs.run(many, long)
    assert.equal(ofMany.body, '[100,null]', JSON.stringify(ran?.error))
    // Eight of them are within 8 MiB, and nine are not.
    const large = `var text = PadLeft("", 1000000, "x") var n = 0
      for i in 0 to 9 do if CreateNotepad(text) != null then n += 1 end end
      Data._payload = n`
    const { response, execution } = await runs.run(large, long)
    assert.equal(response.body, '8', JSON.stringify(execution?.error))
    assert.match(execution?.log.at(-1)?.message ?? '', /at most 100 notepads and 8388608 bytes in all/)
  })

  it('keep a value for later runs, with its keys in camelCase', async () => {
    const executionId = crypto.randomUUID()
    const content = '{Name: "x", URLValue: [1, {ID: null}], "1": true, "__proto__": 5, iPad: 1, A1: 2}'
    const kept = JSON.parse('{"name":"x","urlValue":[1,{"id":null}],"1":true,"__proto__":5,"iPad":1,"a1":2}')
    const id = await runs.answer(`CreateNotepad(${content})`, { executionId })
    assert.deepEqual(await runs.answer(`GetNotepadContent("${id}")`), kept)
    const listed = `GetNotepads({ExecutionId: "${executionId}"})`
    const [notepad] = (await runs.answer(listed)) as readonly Record<string, unknown>[]
    const { createdAt, ...members } = notepad ?? {}
    assert.match(String(createdAt), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.deepEqual(members, {
      id,
      sourceId: ENDPOINT_ID,
      executionId,
      createdBy: 'endpoint:The endpoint for anonymous',
      content: kept,
    })
  })

  it('are those of the run by default', async () => {
    const endpointId = crypto.randomUUID()
    const asked = { endpointId }
    await runs.answer('CreateNotepad("before")', asked)
    const contents = 'n => n.content'
    const script = `[CreateNotepad("a"), CreateNotepad("b"), Map(GetNotepads(), ${contents}),
      Map(GetNotepads(null), ${contents}), Map(GetNotepads({sourceId: "${endpointId}"}), ${contents}),
      GetNotepads({executionId: "unknown"})]`
    const answer = (await runs.answer(script, asked)) as readonly unknown[]
    assert.deepEqual(answer.slice(2), [['a', 'b'], ['a', 'b'], ['before', 'a', 'b'], []])
  })

  const rows: readonly (readonly [expression: string, expected: unknown])[] = [
    ['GetNotepadContent("unknown")', null],
    ['GetNotepadContent(null)', null],
    ['DeleteNotepad("unknown")', false],
    ['DeleteNotepad(null)', false],
    ['GetNotepadContent(CreateNotepad(null))', null],
    ['GetNotepadContent(CreateNotepad("text"))', 'text'],
    ['GetNotepads()', []],
  ]
  for (const [expression, expected] of rows) {
    it(`${expression} is ${JSON.stringify(expected)}`, async () => {
      assert.deepEqual(await runs.answer(expression), expected)
    })
  }

  it('can be deleted', async () => {
    const script = `var id = CreateNotepad(1)
      Data._payload = [DeleteNotepad(id), DeleteNotepad(id), GetNotepadContent(id), GetNotepads()]`
    assert.equal((await runs.run(script)).response.body, '[true,false,null,[]]')
  })

  for (const [what, made] of [
    ['is within itself', 'var c = [] c[0] = c'],
    ['is too long', 'var c = PadLeft("a", 600000, "a") c = c + c'],
    ['JSON does not have', 'var c = Power(10, 308) * 10'],
  ]) {
    it(`do not keep a value that ${what}`, async () => {
      const { response, execution } = await runs.run(`${made} Data._payload = CreateNotepad(c)`)
      assert.equal(response.body, 'null')
      assert.match(execution?.log[0]?.message ?? '', /^CreateNotepad returned null: ./)
    })
  }

  it('fail when the options are not an object', async () => {
    const { execution } = await runs.run('GetNotepads("x")')
    assert.equal(execution?.error?.code, 'JM5104')
  })
})
