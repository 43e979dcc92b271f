import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DetailedProblem } from '../../kernel/problem.ts'
import { anonymous, type User } from '../../kernel/user.ts'
import type { EndpointMethod, Schedule } from '../../schema/endpoint-shapes.ts'
import type { Execution } from '../../schema/execution-shapes.ts'
import type { SampleRequest } from '../../schema/sample-request.ts'
import { scheduledRequest } from '../schedules/scheduled-job.ts'
import { recordedRequest, sampleRequest } from './script-request.ts'

const operator: User = {
  ...anonymous,
  isAuthenticated: true,
  name: 'Ann',
  principalId: 'user:ann@example.com',
  roles: ['admin'],
}

const made = (sample: SampleRequest, method: EndpointMethod = 'POST', path = 'spend') =>
  sampleRequest({ method, path, schedules: [], allowedRoles: ['reports'] }, sample, operator)

const schedule = {
  ...{ name: 'nightly', cron: '@daily', timeZone: 'UTC', input: { to: ['ops'] } },
  ...{ missedRuns: 'once', overlap: false },
} satisfies Schedule
const alone = { method: null, path: null, schedules: [schedule], allowedRoles: ['reports'] }

describe('the request of a sample for a script that only schedules run', () => {
  it('is what the first schedule runs, with its input or the body of the sample', () => {
    const { rawBody, method, path, user, schedule: ran } = sampleRequest(alone, {}, operator)
    assert.deepEqual([method, path, rawBody], ['SCHEDULE', '/schedules/nightly', '{"to":["ops"]}'])
    assert.deepEqual([user.principalId, user.roles], ['schedule:nightly', ['reports']])
    assert.equal(ran?.name, 'nightly')
    assert.equal(sampleRequest(alone, { body: 7 }, operator).rawBody, '7')
    assert.equal(sampleRequest({ ...alone, schedules: [] }, { body: null }, operator).rawBody, 'null')
    assert.deepEqual(sampleRequest(alone, { user: null }, operator).user, anonymous)
    assert.equal(sampleRequest(alone, { http: [{ url: '*', status: 503 }] }, operator).rawBody, rawBody)
  })

  it('is refused with what no schedule gives', () => {
    for (const [member, value] of Object.entries({
      ...{ params: { a: '1' }, query: { a: '1' }, headers: { a: '1' } },
      ...{ method: 'POST', rawBody: 'a' },
    })) {
      assert.throws(
        () => sampleRequest(alone, { [member]: value }, operator),
        (problem) => problem instanceof DetailedProblem && problem.details[0]?.path === `/request/${member}`,
      )
    }
  })

  it('is made again from the record of a run', () => {
    const dueAt = '2026-03-01T02:00:00.000Z'
    const { rawBody: body, ...request } = scheduledRequest({
      ...{ schedule: 'nightly', dueAt, input: { n: 1 }, allowedRoles: [] },
    })
    const execution = {
      request: { ...request, body, truncated: false },
      principalId: request.user.principalId,
    } as unknown as Execution
    assert.deepEqual(recordedRequest(execution), {
      ...request,
      rawBody: body,
      user: { ...request.user, name: 'schedule:nightly' },
    })
  })
})

describe('the request of a sample', () => {
  it('is empty by default, and comes from the operator', () => {
    assert.deepEqual(made({}, 'GET'), {
      method: 'GET',
      path: '/api/dynamic/v1/spend',
      queryString: '',
      query: {},
      headers: {},
      params: {},
      rawBody: null,
      bodyKind: 'text',
      user: operator,
    })
  })

  it('has an address built from the path, the parameters and the query', () => {
    const { path, params, queryString, query } = made(
      { params: { client: 'C 1/é', year: '2026' }, query: { a: '1 &', b: ['x', 'y'] } },
      'GET',
      'spend/{client}/of/{year}',
    )
    assert.equal(path, '/api/dynamic/v1/spend/C 1/é/of/2026')
    assert.deepEqual(params, { client: 'C 1/é', year: '2026' })
    assert.equal(queryString, '?a=1+%26&b=x&b=y')
    assert.deepEqual(query, { a: '1 &', b: ['x', 'y'] })
  })

  it('takes query parameters with any name', () => {
    const { query } = made({ query: JSON.parse('{"__proto__":"a","constructor":"b"}') }, 'GET')
    assert.deepEqual(Object.entries(query), [
      ['__proto__', 'a'],
      ['constructor', 'b'],
    ])
  })

  it('has header names in lower case, and joins those that differ only in case', () => {
    assert.deepEqual(made({ headers: { 'X-One': 'a', 'x-one': 'b', Two: 'c' } }).headers, {
      'x-one': 'a, b',
      two: 'c',
    })
  })

  for (const [name, sample, rawBody, bodyKind, contentType] of [
    ['a value as JSON', { body: { a: [1] } }, '{"a":[1]}', 'json', 'application/json'],
    ['null as JSON', { body: null }, 'null', 'json', 'application/json'],
    ['a text as JSON', { body: 'x' }, '"x"', 'json', 'application/json'],
    [
      'a value with the given media type',
      { body: 1, headers: { 'Content-Type': 'application/vnd.x+json' } },
      '1',
      'json',
      'application/vnd.x+json',
    ],
    ['a text as it is', { rawBody: '{broken' }, '{broken', 'text', undefined],
    [
      'broken JSON unchanged',
      { rawBody: '{broken', headers: { 'content-type': 'Application/JSON; charset=utf-8' } },
      '{broken',
      'json',
      'Application/JSON; charset=utf-8',
    ],
    [
      'a form unchanged',
      { rawBody: 'a=1', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      'a=1',
      'form',
      'application/x-www-form-urlencoded',
    ],
    ['nothing', {}, null, 'text', undefined],
  ] as const) {
    it(`sends ${name}`, () => {
      const request = made(sample)
      assert.equal(request.rawBody, rawBody)
      assert.equal(request.bodyKind, bodyKind)
      assert.equal(request.headers['content-type'], contentType)
    })
  }

  it('comes from the user that the sample names, or from an anonymous caller', () => {
    assert.deepEqual(made({ user: null }).user, anonymous)
    assert.deepEqual(made({ user: { principalId: 'user:bo@example.com', roles: ['finance'] } }).user, {
      ...anonymous,
      isAuthenticated: true,
      name: 'user:bo@example.com',
      principalId: 'user:bo@example.com',
      roles: ['finance'],
    })
  })

  for (const [name, sample, path] of [
    ['another method', { method: 'PUT' }, '/request/method'],
    ['two bodies', { body: 1, rawBody: '1' }, '/request/rawBody'],
    ['a parameter too few', { params: { a: '1' } }, '/request/params/b'],
    ['an empty parameter', { params: { a: '1', b: '' } }, '/request/params/b'],
    ['a parameter too many', { params: { a: '1', b: '2', c: '3' } }, '/request/params/c'],
  ] as const) {
    it(`is refused with ${name}, and the refusal names the place`, () => {
      const sent = { params: { a: '1', b: '2' }, ...sample }
      assert.throws(
        () => made(sent, 'POST', '{a}/x/{b}'),
        (problem) => {
          assert.ok(problem instanceof DetailedProblem)
          assert.equal(problem.code, 'END135')
          assert.deepEqual(
            problem.details.map((detail) => detail.path),
            [path],
          )
          return true
        },
      )
    })
  }

  it('may name the method in any letter case', () => {
    assert.equal(made({ method: 'post' }).method, 'POST')
  })

  it('is refused when a GET has a body', () => {
    assert.throws(() => made({ body: 1 }, 'GET'), /the body of a GET is not read/)
  })

  it('does not take members that every object inherits for given parameters', () => {
    assert.throws(() => made({}, 'GET', 'x/{toString}'), /toString is missing/)
  })

  it('is refused for a definition with a malformed path', () => {
    assert.throws(() => made({}, 'GET', 'a//b'), /definition\/path has an empty segment/)
  })
})

describe('a recorded request', () => {
  const execution = (members: object, principalId: string | null = null) =>
    ({
      principalId,
      request: {
        method: 'POST',
        path: '/api/dynamic/v1/hooks/crm',
        queryString: '?a=1&a=2&b=%20',
        headers: { 'content-type': 'application/json', authorization: '[redacted]' },
        params: { system: 'crm' },
        body: '{"token":"[redacted]"}',
        truncated: false,
        ...members,
      },
    }) as unknown as Execution

  it('is the request of the record, with credentials redacted', () => {
    assert.deepEqual(recordedRequest(execution({})), {
      method: 'POST',
      path: '/api/dynamic/v1/hooks/crm',
      queryString: '?a=1&a=2&b=%20',
      query: { a: ['1', '2'], b: ' ' },
      headers: { 'content-type': 'application/json', authorization: '[redacted]' },
      params: { system: 'crm' },
      rawBody: '{"token":"[redacted]"}',
      bodyKind: 'json',
      user: anonymous,
    })
  })

  it('has a caller with a name but no roles', () => {
    assert.deepEqual(recordedRequest(execution({}, 'user:bo@example.com')).user, {
      ...anonymous,
      isAuthenticated: true,
      name: 'user:bo@example.com',
      principalId: 'user:bo@example.com',
    })
  })
})
