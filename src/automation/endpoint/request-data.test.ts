import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { testMaker } from '../../script/testing/maker.ts'
import { TooManyKeys } from '../../script/values.ts'
import type { ScriptRequest } from '../runs/run-states.ts'
import { caller, openRuns, type Runs } from '../testing/open-runs.ts'
import { requestData } from './request-data.ts'

let runs: Runs
before(async () => {
  runs = await openRuns()
})
after(() => runs.close())

const body = (rawBody: string | null, bodyKind: ScriptRequest['bodyKind'] = 'json') => ({
  request: { rawBody, bodyKind },
})

describe('a body with many different keys', () => {
  const request = (rawBody: string, bodyKind: ScriptRequest['bodyKind']): ScriptRequest => ({
    ...{ method: 'POST', path: '/', queryString: '', query: {}, headers: {}, params: {}, user: caller },
    ...{ rawBody, bodyKind },
  })
  const keys = (count: number) => Array.from({ length: count }, (_, i) => `key${i % 50}`)
  const asJson = (count: number) => request(`[${keys(count).map((key) => `{"${key}":1}`)}]`, 'json')
  const asForm = (count: number) =>
    request(
      keys(count)
        .map((key) => `${key}=1`)
        .join('&'),
      'form',
    )

  for (const [kind, body] of [
    ['JSON', asJson],
    ['a form', asForm],
  ] as const) {
    it(`is refused as ${kind} beyond the limit; repeated keys count once`, () => {
      assert.doesNotThrow(() => requestData(body(500), testMaker(), 50))
      assert.throws(() => requestData(body(50), testMaker(), 49), TooManyKeys)
    })
  }
})

describe('Data.request', () => {
  it('has the members of the request, in the documented order', async () => {
    const request: Partial<ScriptRequest> = {
      method: 'PUT',
      path: '/api/dynamic/v1/reports/spend/C1',
      queryString: '?a=1&b=2&b=3',
      query: Object.assign(Object.create(null), { a: '1', b: ['2', '3'], ['__proto__']: 'x' }),
      headers: { accept: 'text/csv', 'x-a': '1, 2' },
      params: { client: 'C1' },
      rawBody: '{"b":[1],"1":{"a":null}}',
      user: caller,
    }
    const { response } = await runs.run('Data._payload = Clone(Data)', { request })
    assert.equal(
      response.body,
      '{"request":{"method":"PUT","path":"/api/dynamic/v1/reports/spend/C1","queryString":"?a=1&b=2&b=3",' +
        '"query":{"a":"1","b":["2","3"],"__proto__":"x"},"headers":{"accept":"text/csv","x-a":"1, 2"},' +
        '"params":{"client":"C1"},"body":{"b":[1],"1":{"a":null}},"rawBody":"{\\"b\\":[1],\\"1\\":{\\"a\\":null}}",' +
        '"user":{"isAuthenticated":true,"name":"Ada","principalId":"user:ada@example.com","roles":["reports"]}}}',
    )
  })

  it('has the address of the caller, if there is one', async () => {
    const script = 'Data._payload = Data.request.address'
    const answered = async (request: Partial<ScriptRequest>) => (await runs.run(script, { request })).response
    assert.equal((await answered({ address: '203.0.113.7' })).body, '"203.0.113.7"')
    assert.equal((await answered({ address: null })).body, 'null')
    assert.equal((await answered({})).body, 'null')
  })

  it('shows an anonymous caller as not authenticated', async () => {
    assert.deepEqual(await runs.answer('Data.request.user'), {
      isAuthenticated: false,
      name: '',
      principalId: '',
      roles: [],
    })
  })

  const bodies: readonly (readonly [what: string, asked: ReturnType<typeof body>, parsed: unknown])[] = [
    ['none', body(null), null],
    ['an empty one', body(''), null],
    ['a blank one', body(' \r\n\t'), null],
    ['a JSON object', body('{"a":[1,"x",null]}'), { a: [1, 'x', null] }],
    ['a JSON text', body('"x"'), 'x'],
    ['JSON behind a byte order mark', body('\ufeff{"a":1}'), { a: 1 }],
    ['a hostile key', body('{"__proto__":{"a":1}}'), JSON.parse('{"__proto__":{"a":1}}')],
    ['a form', body('a=1&b=x+y%26&c=', 'form'), { a: '1', b: 'x y&', c: '' }],
    ['a form with a repeated name', body('a=1&b=2&a=3', 'form'), { a: ['1', '3'], b: '2' }],
    ['an empty form', body('', 'form'), {}],
    ['a text', body('{"a":1}', 'text'), null],
  ]
  for (const [what, asked, parsed] of bodies) {
    it(`parses the body: ${what}`, async () => {
      assert.deepEqual(await runs.answer('Data.request.body', asked), parsed)
      assert.equal(await runs.answer('Data.request.rawBody', asked), asked.request.rawBody)
    })
  }

  const malformed: readonly (readonly [text: string, error: string])[] = [
    ['{"a":1,}', 'The body is not valid JSON: Expected a key at character 7 (line 1, column 8)'],
    ['{\r\n "a" 1}', 'The body is not valid JSON: Expected ":" at character 8 (line 2, column 6)'],
    ['x', 'The body is not valid JSON: Expected a value at character 0 (line 1, column 1)'],
    [
      '{"a":[1e308, -1e999]}',
      'The body is not valid JSON: Expected a number from -1.8e308 to 1.8e308 at character 13 (line 1, column 14)',
    ],
    ['['.repeat(65), 'The body is not valid JSON: Nested too deeply (line 1, column 65)'],
  ]
  const malformedForms: readonly (readonly [text: string, found: string])[] = [
    ['payer=Andr%E9', "'%E9' at character 10"],
    ['a=1&%zz=2', "'%zz' at character 4"],
    ['discount=5%', "'%' at character 10"],
    ['%ED%A0%80', "'%ED%A0%80' at character 0"],
  ]
  const refused = [
    ...malformed.map((row) => [...row, 'json'] as const),
    ['\ufeff{"a" 1}', 'The body is not valid JSON: Expected ":" at character 5 (line 1, column 6)', 'json'],
    ...malformedForms.map(
      ([text, found]) =>
        [
          text,
          `The body is not a valid form: expected percent-encoded UTF-8, found ${found}`,
          'form',
        ] as const,
    ),
  ] as const
  for (const [text, error, kind] of refused) {
    it(`refuses ${JSON.stringify(text.slice(0, 12))} before the script runs, and records the refusal`, async () => {
      const { execution, ...report } = await runs.run('Log("Error", "ran")', body(text, kind))
      assert.deepEqual(report, {
        status: 'Rejected',
        response: {
          status: 400,
          headers: { 'content-type': 'application/json; charset=utf-8' },
          body: JSON.stringify({ error }),
        },
        dryRunWrites: [],
      })
      assert.deepEqual([execution?.status, execution?.error?.code, execution?.log], ['Refused', 'END117', []])
      assert.deepEqual(runs.observations, [])
    })
  }

  it('is counted like the values of the script', async () => {
    const limits = { memoryBytes: 65_536 }
    const asked = { ...body(JSON.stringify(Array(10_000).fill(1))), limits }
    const { response, execution } = await runs.run('Data._payload = 1', asked)
    assert.equal(response.status, 500)
    assert.deepEqual([execution?.error?.code, execution?.error?.limit], ['JM5910', 'memoryBytes'])
  })
})
