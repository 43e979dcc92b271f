import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Problem } from '../../kernel/problem.ts'
import { ScriptFailure, serviceLimits } from '../../script/problems.ts'
import { compileScript, runWith } from '../../script/script.ts'
import { readJson } from '../../script/values.ts'
import { readResponse } from './response.ts'

const JSON_TYPE = 'application/json; charset=utf-8'

/** The response of a script that begins with an empty `Data`. */
async function responseOf(script: string, limits = serviceLimits, deadline = Infinity) {
  const { program } = compileScript(script)
  assert.ok(program)
  const { data, problem } = await runWith(program, { limits: serviceLimits }, (context) =>
    readJson('{}', context),
  )
  assert.equal(problem, null)
  return readResponse(data, { limits, deadline, cancellation: undefined })
}

const json = (status: number, body: string, headers = {}) => ({
  status,
  headers: { ...headers, 'content-type': JSON_TYPE },
  body,
})

const bytes = (contentType: string, body: string) => ({
  status: 200,
  headers: { 'content-type': contentType },
  body,
  bodyEncoding: 'base64',
})

describe('the response of a script', () => {
  const rows: readonly (readonly [script: string, response: object])[] = [
    ['', json(200, 'null')],
    ['Data._payload = null', json(200, 'null')],
    ['Data._payload = "é\\n"', json(200, '"é\\n"')],
    ['Data._payload = {b: 1, "1": [true]}', json(200, '{"b":1,"1":[true]}')],
    ['Data._statusCode = 201 Data._payload = 1', json(201, '1')],
    ['Data._statusCode = 599', json(599, 'null')],
    ['Data._statusCode = 200.0', json(200, 'null')],
    ['Data._statusCode = null', json(200, 'null')],
    ['Data._statusCode = 300 Data._payload = 1', json(300, '1')],
    ['Data._statusCode = 204 Data._payload = 1', { status: 204, headers: {}, body: null }],
    ['Data._statusCode = 205 Data._payload = 1', { status: 205, headers: {}, body: null }],
    [
      'Data._statusCode = 304 Data._headers = {ETag: "x"}',
      { status: 304, headers: { etag: 'x' }, body: null },
    ],
    [
      'Data._redirect = "/a?b=c#d" Data._payload = 1',
      { status: 302, headers: { location: '/a?b=c#d' }, body: null },
    ],
    [
      'Data._redirect = "HTTP://user@example.com:8080/a//b?c=//d#e"',
      { status: 302, headers: { location: 'HTTP://user@example.com:8080/a//b?c=//d#e' }, body: null },
    ],
    [
      'Data._redirect = "https://münchen.example/ü"',
      { status: 302, headers: { location: 'https://xn--mnchen-3ya.example/%C3%BC' }, body: null },
    ],
    ['Data._redirect = "/"', { status: 302, headers: { location: '/' }, body: null }],
    [
      'Data._redirect = "https://example.com/ü x" Data._statusCode = 307',
      { status: 307, headers: { location: 'https://example.com/%C3%BC%20x' }, body: null },
    ],
    [
      'Data._redirect = "/a" Data._statusCode = 201',
      { status: 302, headers: { location: '/a' }, body: null },
    ],
    ['Data._redirect = null', json(200, 'null')],
    ['Data._binary = "iVBORw=="', bytes('application/octet-stream', 'iVBORw==')],
    ['Data._binary = "_-8" Data._contentType = "image/png"', bytes('image/png', '_-8')],
    ['Data._binary = "" Data._contentType = "text/csv"', bytes('text/csv', '')],
    [
      'Data._binary = "6Q==" Data._contentType = "text/csv; charset=windows-1252" Data._statusCode = 201',
      { ...bytes('text/csv; charset=windows-1252', '6Q=='), status: 201 },
    ],
    ['Data._binary = null Data._payload = 1', json(200, '1')],
    ['Data._redirect = ""', json(200, 'null')],
    [
      'Data._contentType = "text/csv" Data._payload = "a,b"',
      { status: 200, headers: { 'content-type': 'text/csv; charset=utf-8' }, body: 'a,b' },
    ],
    [
      'Data._contentType = "Text/HTML; Charset=UTF-8" Data._payload = "<p>"',
      { status: 200, headers: { 'content-type': 'Text/HTML; Charset=UTF-8' }, body: '<p>' },
    ],
    [
      'Data._contentType = "application/xml; charset=\\"utf-8\\"" Data._payload = "<a/>"',
      { status: 200, headers: { 'content-type': 'application/xml; charset="utf-8"' }, body: '<a/>' },
    ],
    [
      'Data._contentType = "application/problem+json" Data._payload = {a: 1}',
      { status: 200, headers: { 'content-type': 'application/problem+json' }, body: '{"a":1}' },
    ],
    ['Data._contentType = "application/json" Data._payload = "a"', json(200, '"a"')],
    [
      'Data._headers = {"X-A": 1.5, "x-b": true, "X-C": "  two words ", "x-d": null}',
      json(200, 'null', { 'x-a': '1.5', 'x-b': 'true', 'x-c': 'two words' }),
    ],
    [
      'Data._headers = {location: "/made/1"} Data._statusCode = 201',
      json(201, 'null', { location: '/made/1' }),
    ],
    [
      'Data._headers = {location: "../made/1"} Data._statusCode = 201',
      json(201, 'null', { location: '../made/1' }),
    ],
    [
      'Data._headers = {location: "/other"} Data._statusCode = 308',
      json(308, 'null', { location: '/other' }),
    ],
    ['Data._headers = {"cache-control": "max-age=5"}', json(200, 'null', { 'cache-control': 'max-age=5' })],
    ['Data._headers = {"__proto__": "x"}', json(200, 'null', JSON.parse('{"__proto__":"x"}'))],
  ]
  for (const [script, response] of rows) {
    it(`of ${script || 'nothing'}`, async () => {
      assert.deepEqual(await responseOf(script), response)
    })
  }
})

describe('a response that cannot be sent', () => {
  const rows: readonly (readonly [script: string, reason: RegExp])[] = [
    ['Data._statusCode = 199', /200 to 599 as Data\._statusCode, found 199/],
    ['Data._statusCode = 600', /found 600/],
    ['Data._statusCode = 200.5', /found 200\.5/],
    ['Data._statusCode = "404"', /found String/],
    ['Data._statusCode = true', /found Boolean/],
    ['Data._statusCode = 1000 Data._redirect = "/a"', /found 1000/],
    ['Data._binary = 1', /the base64 of the bytes.* as Data\._binary, found Number/],
    ['Data._binary = "iVBO Rw=="', /found a text of 9 characters that is not/],
    ['Data._binary = "iVBOR"', /Data\._binary/],
    ['Data._binary = "iV=ORw=="', /Data\._binary/],
    ['Data._binary = "iVBORwé="', /Data\._binary/],
    ['Data._binary = "AA==" Data._payload = 1', /null beside Data\._binary as Data\._payload/],
    ['Data._redirect = 1', /as Data\._redirect, found Number/],
    ['Data._redirect = PadLeft("a", 8193, "a")', /found one of 8193/],
    ['Data._redirect = "/a\\r\\nset-cookie: b=c"', /control characters/],
    ['Data._redirect = "/a\\u0000"', /control characters/],
    ['Data._headers = {Location: "//a.example"} Data._statusCode = 302', /as Data\._headers\['location'\]/],
    ['Data._redirect = "app://callback?token=secret"', /found 'app:\/\/callback'$/],
    ...[
      'javascript:alert(1)',
      'JavaScript:alert(1)',
      'data:text/html,x',
      'ftp://example.com/a',
      'file:///etc/passwd',
      'blob:https://example.com/a',
      'mailto:a@example.com',
      '//example.com/a',
      '///example.com/a',
      '/\\\\example.com',
      '\\\\/example.com',
      '/a\\\\b',
      'a/b',
      '?a=b',
      '#a',
      ' /a',
      ' https://example.com',
      'https:example.com',
      'https:/example.com',
      'https:///example.com',
      'https://',
      'https://\\\\example.com',
      'https://example.com:port/',
      'example.com',
      'localhost:8080/a',
    ].map((address): readonly [string, RegExp] => [
      `Data._redirect = "${address}"`,
      /a path that begins with one '\/', or an address of http: or https: as Data\._redirect, found '/,
    ]),
    ['Data._contentType = "csv"', /a media type such as text\/csv as Data\._contentType, found 'csv'/],
    ['Data._contentType = "text/csv\\r\\nx: y"', /media type/],
    ['Data._contentType = "text/csv; charset"', /media type/],
    ['Data._contentType = "text/csv; charset=iso-8859-1"', /found 'iso-8859-1'/],
    ['Data._contentType = 5', /found Number/],
    ['Data._contentType = "text/" + PadLeft("a", 200, "a")', /media type/],
    ['Data._headers = "a: b"', /an object of texts as Data\._headers, found String/],
    ['Data._headers = {"a b": "c"}', /names of headers as Data\._headers, found 'a b'/],
    ['Data._headers = {"": "c"}', /names of headers/],
    ['Data._headers = {a: ["b"]}', /a text as Data\._headers\['a'\], found Array/],
    ['Data._headers = {a: "b\\r\\nset-cookie: c"}', /printable ASCII/],
    ['Data._headers = {a: "ü"}', /printable ASCII/],
    ['Data._headers = {a: "1", A: "2"}', /'a'.*twice/],
    ['Data._headers = {} for i in 0 to 51 do Data._headers["x-" + i] = i end', /at most 50 headers/],
    ['Data._headers = {a: PadLeft("a", 8192, "a")}', /8192 characters/],
  ]
  for (const [script, reason] of rows) {
    it(`${script.slice(0, 60)}: ${reason.source.slice(0, 40)}`, async () => {
      await assert.rejects(responseOf(script), (problem) => {
        assert.ok(problem instanceof Problem, String(problem))
        assert.equal(problem.code, /twice/.test(reason.source) ? 'END121' : 'END120')
        assert.match(problem.message, reason)
        return true
      })
    })
  }

  const refused = [
    ...['Connection', 'keep-alive', 'proxy-authenticate', 'proxy-connection', 'TE', 'trailer', 'Upgrade'],
    ...['transfer-encoding', 'content-length', 'content-encoding', 'Content-Type', 'date', 'server'],
    ...['x-accel-redirect', 'X-Accel-Buffering', 'X-Sendfile', 'x-reproxy-url'],
    ...['x-request-id', 'X-Execution-Id', 'set-cookie', 'strict-transport-security', 'x-frame-options'],
    ...['content-security-policy', 'content-security-policy-report-only', 'x-content-type-options'],
    ...['access-control-allow-origin', 'Cross-Origin-Resource-Policy', 'referrer-policy', 'clear-site-data'],
    'Refresh',
  ]
  for (const name of refused) {
    it(`has no header ${name}`, async () => {
      await assert.rejects(responseOf(`Data._headers = {"${name}": "x"}`), (problem) => {
        assert.ok(problem instanceof Problem)
        assert.equal(problem.code, 'END121')
        assert.match(problem.message, new RegExp(`'${name.toLowerCase()}' in Data._headers: .+`))
        return true
      })
    })
  }

  const limits = { ...serviceLimits, outputBytes: 5000 }
  const failures: readonly (readonly [what: string, script: string, code: string, limit: string | null])[] = [
    ['a payload over the limit', 'Data._payload = PadLeft("a", 4999, "a")', 'JM5911', 'outputBytes'],
    [
      'a text over the limit, in bytes',
      'Data._contentType = "text/plain" Data._payload = PadLeft("", 2501, "é")',
      'JM5911',
      'outputBytes',
    ],
    ['bytes over the limit', 'Data._binary = PadLeft("", 6668, "A")', 'JM5911', 'outputBytes'],
    ['a payload within itself', 'Data._payload = [] Data._payload[0] = Data._payload', 'JM5002', null],
    ['a number that JSON does not have', 'Data._payload = Power(10, 308) * 10', 'JM5002', null],
  ]
  for (const [what, script, code, limit] of failures) {
    it(`is ${what}`, async () => {
      await assert.rejects(responseOf(script, limits), (failure) => {
        assert.ok(failure instanceof ScriptFailure, String(failure))
        assert.deepEqual([failure.code, failure.limit], [code, limit])
        return true
      })
    })
  }

  it('is not written when the time of the run is over', async () => {
    const wide =
      'var wide = {} for i in 0 to 100000 do wide["k" + i] = i end for i in 0 to 100000 do delete wide["k" + i] end'
    const script = `${wide} Data._payload = [] for i in 0 to 30 do Data._payload.add(wide) end`
    const body = `[${Array.from({ length: 30 }, () => '{}').join()}]`
    assert.deepEqual(await responseOf(script), json(200, body))
    await assert.rejects(responseOf(script, serviceLimits, 0), (failure) => {
      assert.ok(failure instanceof ScriptFailure, String(failure))
      assert.deepEqual([failure.code, failure.limit], ['JM5903', 'milliseconds'])
      return true
    })
  })

  it('is sent when it reaches its limit exactly', async () => {
    const { body } = await responseOf('Data._payload = PadLeft("a", 4998, "a")', limits)
    assert.equal(body?.length, 5000)
    assert.equal((await responseOf('Data._binary = PadLeft("", 6667, "A")', limits)).body?.length, 6667)
    const plain = 'Data._contentType = "text/plain" Data._payload = PadLeft("", 2500, "é")'
    assert.equal((await responseOf(plain, limits)).body?.length, 2500)
  })
})
