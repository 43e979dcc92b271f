import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import Type, { type TSchema } from 'typebox'
import { DetailedProblem, type ProblemDetail } from '../kernel/problem.ts'
import { nullable } from '../schema/shapes.ts'
import { EndpointDraft } from './endpoints/endpoint-shapes.ts'
import { requestShape } from './request-shape.ts'
import { validBody, validParameters } from './validate.ts'

const strict = { additionalProperties: false } as const

function detailsOf(validate: () => unknown): readonly ProblemDetail[] {
  try {
    validate()
  } catch (problem) {
    assert.ok(problem instanceof DetailedProblem)
    assert.equal(problem.code, 'ADM105')
    return problem.details
  }
  return assert.fail('It was taken')
}

const wrong = (shape: TSchema, body: unknown) =>
  detailsOf(() => validBody(shape, body)).map(({ path, message }) => `${path}: ${message}`)

const Rule = Type.Object(
  { style: Type.Enum(['a', 'b']), seconds: Type.Optional(Type.Integer({ minimum: 1 })) },
  strict,
)

describe('a body', () => {
  const shape = Type.Object(
    {
      name: Type.String({ maxLength: 5 }),
      rule: Type.Union([Rule, Type.Null()], { default: null }),
      roles: Type.Array(Type.String(), { default: [] }),
      note: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    },
    strict,
  )

  it('gets the default of every member that is left out', () => {
    assert.deepEqual(validBody(shape, { name: 'x' }), { name: 'x', rule: null, roles: [] })
  })

  it('with too many items is refused before they are compared with each other', () => {
    const ids = Type.Object({ ids: Type.Array(Type.String(), { maxItems: 3, uniqueItems: true }) }, strict)
    assert.deepEqual(wrong(ids, { ids: ['a', 'a'] }), ['/ids: must not have duplicate items'])
    // All that are there twice would be listed as well, which takes a minute for 40,000.
    assert.deepEqual(wrong(ids, { ids: Array(1000).fill('a') }), ['/ids: must not have more than 3 items'])
    assert.deepEqual(wrong(ids, { ids: Array(1000).fill(1) }), ['/ids: must not have more than 3 items'])
  })

  it('that is missing counts as an object without members', () => {
    assert.deepEqual(validBody(Type.Object({ note: Type.Optional(Type.String()) }), undefined), {})
    assert.deepEqual(wrong(shape, undefined), ['/name: is missing'])
  })

  it('does not share its defaults with another', () => {
    const first = validBody(shape, { name: 'x' })
    first.roles.push('changed')
    assert.deepEqual(validBody(shape, { name: 'y' }).roles, [])
  })

  for (const [what, body, details] of [
    ['null', null, [': must be object']],
    ['another type', { name: 5 }, ['/name: must be string']],
    ['an unknown member', { name: 'x', more: 1 }, ['/more: is not known here']],
    [
      'a value outside an enumeration',
      { name: 'x', rule: { style: 'c' } },
      ['/rule/style: must be one of a, b'],
    ],
    [
      'a fault inside a value that may be null',
      { name: 'x', rule: { style: 'a', seconds: 0 } },
      ['/rule/seconds: must be >= 1'],
    ],
    [
      'a missing member inside a value that may be null',
      { name: 'x', rule: {} },
      ['/rule/style: is missing'],
    ],
    ['a type that is neither of two', { name: 'x', note: 1 }, ['/note: must be string or null']],
    [
      'several faults',
      { name: 'too long', rule: 1, roles: [1] },
      [
        '/name: must not have more than 5 characters',
        '/rule: must be object or null',
        '/roles/0: must be string',
      ],
    ],
  ] as const) {
    it(`is refused with ${what}, reported once with its place`, () => {
      assert.deepEqual(wrong(shape, body), details)
    })
  }

  it('is refused with at most twenty of its faults', () => {
    assert.equal(wrong(Type.Array(Type.String()), Array.from({ length: 500 }).fill(1)).length, 20)
  })

  it('has twenty reported faults even when the library reports each twice', () => {
    const items = Array.from({ length: 30 }, () => ({ style: 'a', more: 1 }))
    assert.equal(wrong(Type.Array(Rule), items).length, 20)
  })

  it('of an endpoint may leave out members that have a default', () => {
    const given = { name: 'Spend', category: 'Utility', method: 'GET', path: 'spend', script: '' }
    assert.deepEqual(validBody(EndpointDraft, given), {
      ...given,
      description: '',
      requiresAuthentication: true,
      allowedRoles: [],
      limits: {},
      signature: null,
      deduplication: null,
      record: 'full',
      maskedFields: [],
    })
  })
})

describe('parameters of an address', () => {
  const shape = Type.Object(
    {
      limit: Type.Integer({ minimum: 1, default: 50 }),
      unread: Type.Optional(Type.Boolean()),
      text: Type.Optional(Type.String()),
    },
    strict,
  )

  for (const [given, read] of [
    [{}, { limit: 50 }],
    [{ limit: '7' }, { limit: 7 }],
    [{ unread: 'false' }, { limit: 50, unread: false }],
    [{ unread: 'true' }, { limit: 50, unread: true }],
    [{ text: '12' }, { limit: 50, text: '12' }],
    [{ text: '' }, { limit: 50, text: '' }],
  ] as const) {
    it(`are read from ${JSON.stringify(given)}`, () => {
      assert.deepEqual(validParameters(shape, given), read)
    })
  }

  for (const [given, path] of [
    [{ limit: '1.5' }, '/limit'],
    [{ limit: '' }, '/limit'],
    [{ limit: ' 1' }, '/limit'],
    [{ limit: '0x10' }, '/limit'],
    [{ limit: '1e2' }, '/limit'],
    [{ limit: 'true' }, '/limit'],
    [{ limit: '0' }, '/limit'],
    [{ limit: ['1', '2'] }, '/limit'],
    [{ unread: '1' }, '/unread'],
    [{ unread: 'yes' }, '/unread'],
    [{ text: ['a', 'b'] }, '/text'],
    [{ colour: 'red' }, '/colour'],
    [JSON.parse('{"__proto__":"x"}'), '/__proto__'],
  ] as const) {
    it(`are refused for ${JSON.stringify(given)}`, () => {
      assert.deepEqual(
        detailsOf(() => validParameters(shape, given)).map((detail) => detail.path),
        [path],
      )
    })
  }
})

const Draft = Type.Object({
  name: Type.String(),
  note: nullable(Type.String({ maxLength: 5 })),
  active: Type.Boolean({ default: true }),
  tags: Type.Array(Type.String(), { default: [] }),
})

describe('the request shape of a body', () => {
  it('completes members that have a default with it, and members that may be null with null', () => {
    assert.deepEqual(validBody(requestShape(Draft), { name: 'A' }), {
      name: 'A',
      note: null,
      active: true,
      tags: [],
    })
  })

  it('keeps the given members', () => {
    const whole = { name: 'A', note: 'B', active: false, tags: ['C'] }
    assert.deepEqual(validBody(requestShape(Draft), whole), whole)
  })

  it('shows in the document which members are required', () => {
    const { required } = JSON.parse(JSON.stringify(requestShape(Draft)))
    assert.deepEqual(required, ['name'])
  })

  for (const body of [
    {},
    { name: 'A', note: 'too long' },
    { name: 'A', note: 1 },
    { name: 'A', active: null },
    { name: 'A', other: 1 },
    { name: null },
  ]) {
    it(`refuses ${JSON.stringify(body)}`, () => {
      assert.throws(() => validBody(requestShape(Draft), body), { code: 'ADM105' })
    })
  }

  it('gives each body a default of its own', () => {
    const first = validBody(requestShape(Draft), { name: 'A' })
    first.tags.push('mine')
    assert.deepEqual(validBody(requestShape(Draft), { name: 'B' }).tags, [])
  })
})
