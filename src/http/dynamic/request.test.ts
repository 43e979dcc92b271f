import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bodyKind, decodeBody } from './body.ts'
import { scriptAddress, scriptHeaders } from './request.ts'

describe('the query that a script sees', () => {
  const rows: readonly (readonly [query: string, queryString: string, expected: readonly unknown[]])[] = [
    ['', '', []],
    ['?', '', []],
    ['?a=1', '?a=1', [['a', '1']]],
    ['?a', '?a', [['a', '']]],
    ['?a=', '?a=', [['a', '']]],
    ['?=1', '?=1', [['', '1']]],
    ['?a=1&a=2&a=3', '?a=1&a=2&a=3', [['a', ['1', '2', '3']]]],
    [
      '?a=1&A=2',
      '?a=1&A=2',
      [
        ['a', '1'],
        ['A', '2'],
      ],
    ],
    ['?a[]=1&&b=2&', '?a[]=1&&b=2&', [['a[]', '1'], ...[['b', '2']]]],
    ['?a=b+c%20d%2Be', '?a=b+c%20d%2Be', [['a', 'b c d+e']]],
    ['?%C3%A9=%E2%82%AC', '?%C3%A9=%E2%82%AC', [['é', '€']]],
    ['?a=b=c?d', '?a=b=c?d', [['a', 'b=c?d']]],
    ['?__proto__=1&__proto__=2', '?__proto__=1&__proto__=2', [['__proto__', ['1', '2']]]],
    [
      '?constructor=1&toString=2',
      '?constructor=1&toString=2',
      [['constructor', '1'], ...[['toString', '2']]],
    ],
  ]
  for (const [query, queryString, expected] of rows) {
    it(`is read from '${query}'`, () => {
      const address = scriptAddress(`/api/dynamic/v1/x${query}`)
      assert.equal(address.queryString, queryString)
      assert.deepEqual(Object.entries(structuredClone(address.query)), expected)
    })
  }

  it('has no inherited members', () => {
    scriptAddress('/x?__proto__=a&constructor=b&__proto__[polluted]=yes')
    assert.equal(({} as { polluted?: unknown }).polluted, undefined)
    assert.equal(scriptAddress('/x').query.toString, undefined)
  })
})

describe('the path that a script sees', () => {
  it('is decoded, and otherwise as it was sent', () => {
    assert.equal(scriptAddress('/API/dynamic/v1/a%20b%2Fc/?x=%20').path, '/API/dynamic/v1/a b/c/')
  })
})

describe('the headers that a script sees', () => {
  type Row = readonly [raw: readonly string[], expected: readonly unknown[]]
  const rows: readonly Row[] = [
    [[], []],
    [['X-Own', 'A b'], [['x-own', 'A b']]],
    [['X-Own', 'a', 'x-OWN', 'b'], [['x-own', 'a, b']]],
    [['Cookie', 'a=1', 'Cookie', 'b=2'], [['cookie', 'a=1; b=2']]],
    [['Content-Type', 'a/b', 'Content-Type', 'c/d'], [['content-type', 'a/b, c/d']]],
    [
      ['__proto__', 'a', 'constructor', 'b'],
      [['__proto__', 'a'], ...[['constructor', 'b']]],
    ],
    [['X-Empty', ''], [['x-empty', '']]],
    // Node hands out each byte as the character with its number.
    [['X-Payer', 'Andr\u00c3\u00a9'], [['x-payer', 'André']]],
  ]
  for (const [raw, expected] of rows)
    it(`are in lower case, and repeated ones joined: ${raw.join(' ')}`, () =>
      assert.deepEqual(Object.entries(structuredClone(scriptHeaders(raw))), expected))
})

describe('the kind of a body', () => {
  const rows: readonly (readonly [contentType: string | undefined, kind: 'json' | 'form' | 'text'])[] = [
    ['application/json', 'json'],
    ['Application/JSON; charset=utf-8', 'json'],
    ['application/json;charset="UTF-8"', 'json'],
    ['application/cloudevents+json', 'json'],
    ['application/vnd.api+JSON ; ext=x', 'json'],
    ['text/json', 'text'],
    ['application/jsonl', 'text'],
    ['application/x-ndjson', 'text'],
    ['application/x-www-form-urlencoded', 'form'],
    ['application/x-www-form-urlencoded; charset=utf-8', 'form'],
    ['multipart/form-data; boundary=x', 'text'],
    ['text/plain', 'text'],
    ['what', 'text'],
    ['', 'text'],
    [undefined, 'text'],
  ]
  for (const [contentType, kind] of rows) {
    it(`is ${kind}: ${contentType ?? 'without a type'}`, () => assert.equal(bodyKind(contentType), kind))
  }

  it('changes nothing of the text, which keeps its byte order mark', () => {
    const marked = Buffer.from('\uFEFF{}\uFEFF')
    for (const kind of ['json', 'text', 'form'] as const)
      assert.equal(decodeBody(marked, kind), '\uFEFF{}\uFEFF')
  })
})
