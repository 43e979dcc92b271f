import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { PublishedEndpoint } from '../../directory/endpoints/published-endpoints.ts'
import { parseEndpointPath, pathKey } from '../../schema/endpoint-path.ts'
import { type RouteMatch, routeTable } from './route-table.ts'

const endpoint = (method: string, path: string): PublishedEndpoint => ({
  id: `${method} ${path}`,
  version: 1,
  name: path,
  category: 'Utility',
  method: method as PublishedEndpoint['method'],
  path,
  requiresAuthentication: false,
  allowedRoles: [],
  allowedHosts: [],
  limits: {},
  signature: null,
  deduplication: null,
  record: 'full',
  maskedFields: [],
})

const table = routeTable(
  [
    'GET reports/spend',
    'GET reports/{id}',
    'POST reports/{id}',
    'DELETE reports/{report}',
    'GET {group}/spend/total',
    'GET reports/{id}/{part}',
    'GET Mixed-Case/~a.b_c',
    'GET a/{x}/c/{y}',
    'GET a/b/{z}/d',
    'PUT only-put',
    'GET kilo',
    'GET proto/{__proto__}/{constructor}',
  ].map((line) => endpoint(...(line.split(' ') as [string, string]))),
)

const outcome = (match: RouteMatch): string => {
  if (match.kind === 'wrong-method') return `405 ${match.allowed.join()}`
  if (match.kind !== 'found') return match.kind
  return [match.endpoint.id, ...Object.entries(match.params).map(([name, value]) => `${name}=${value}`)].join(
    ' ',
  )
}

describe('the endpoint that answers an address', () => {
  const rows: readonly (readonly [method: string, path: string, expected: string])[] = [
    ['GET', 'reports/spend', 'GET reports/spend'],
    ['GET', 'REPORTS/Spend', 'GET reports/spend'],
    ['GET', 'reports/spend/', 'GET reports/spend'],
    ['GET', 'reports/spend//', 'none'],
    ['GET', 'reports//spend', 'none'],
    ['GET', '/reports/spend', 'none'],
    ['GET', 'reports/%73pend', 'GET reports/spend'],
    ['GET', 'reports/7', 'GET reports/{id} id=7'],
    ['GET', 'reports/Spend%20X', 'GET reports/{id} id=Spend X'],
    ['GET', 'reports/a%2Fb', 'GET reports/{id} id=a/b'],
    ['GET', 'reports/%2F', 'GET reports/{id} id=/'],
    ['GET', 'reports/%E2%82%AC', 'GET reports/{id} id=€'],
    ['GET', 'reports/a+b', 'GET reports/{id} id=a+b'],
    ['GET', 'reports/..', 'GET reports/{id} id=..'],
    ['GET', 'reports/{id}', 'GET reports/{id} id={id}'],
    ['GET', 'reports/', 'none'],
    ['GET', 'reports', 'none'],
    ['GET', '', 'none'],
    ['GET', '/', 'none'],
    // The parameter gets the methods that the literal segment does not have.
    ['POST', 'reports/spend', 'POST reports/{id} id=spend'],
    ['DELETE', 'reports/7', 'DELETE reports/{report} report=7'],
    ['PATCH', 'reports/7', '405 DELETE,GET,POST'],
    ['OPTIONS', 'reports/7', '405 DELETE,GET,POST'],
    ['HEAD', 'reports/spend', '405 DELETE,GET,POST'],
    ['GET', 'only-put', '405 PUT'],
    ['PROPFIND', 'only-put', '405 PUT'],
    // When no endpoint follows a literal segment, the parameter is tried.
    ['GET', 'reports/spend/total', 'GET reports/{id}/{part} id=spend part=total'],
    ['GET', 'trips/spend/total', 'GET {group}/spend/total group=trips'],
    ['GET', 'a/b/c/d', 'GET a/b/{z}/d z=c'],
    ['GET', 'a/b/c/e', 'GET a/{x}/c/{y} x=b y=e'],
    ['GET', 'mixed-case/~A.B_c', 'GET Mixed-Case/~a.b_c'],
    ['GET', 'proto/1/2', 'GET proto/{__proto__}/{constructor} __proto__=1 constructor=2'],
    ['GET', 'reports/%zz', 'undecodable'],
    ['GET', 'reports/%C3%28', 'undecodable'],
    ['GET', '%', 'undecodable'],
    ['GET', 'reports/spend/a/b/c', 'none'],
    // The Kelvin sign is a K in lower case.
    ['GET', '%E2%84%AAilo', 'none'],
  ]
  for (const [method, path, expected] of rows) {
    it(`${method} '${path}' is ${expected}`, () => assert.equal(outcome(table.match(method, path)), expected))
  }

  it('is looked up in the same table as long as no endpoint changes', () => {
    const endpoints = [endpoint('GET', 'a')]
    assert.equal(routeTable(endpoints), routeTable(endpoints))
    assert.notEqual(routeTable(endpoints), routeTable([...endpoints]))
  })

  it('is found although another endpoint has a malformed path', () => {
    const { match } = routeTable([endpoint('GET', 'a//b'), endpoint('GET', 'c')])
    assert.equal(match('GET', 'c').kind, 'found')
  })

  it('is found quickly when many paths begin alike', () => {
    const paths = Array.from({ length: 1024 }, (_, i) =>
      [...i.toString(2).padStart(10, '0')].map((bit, at) => (bit === '0' ? 'x' : `{p${at}}`)).join('/'),
    )
    const { match } = routeTable(paths.map((path) => endpoint('GET', path)))
    assert.deepEqual(match('GET', 'x/x/x/x/x/x/x/x/x/x/x'), { kind: 'none' })
    assert.equal(outcome(match('GET', 'x/y/x/x/x/x/x/x/x/x')).split(' ')[1], 'x/{p1}/x/x/x/x/x/x/x/x')
  })
})

/** All endpoints that match the path; literal segments come before parameters, from left to right. */
function naiveMatch(endpoints: readonly PublishedEndpoint[], method: string, path: string): string {
  const segments = path.replace(/(?<=.)\/$/, '').split('/')
  const covering = endpoints.filter(({ path: pattern }) => {
    const wanted = pattern.split('/')
    return (
      wanted.length === segments.length &&
      wanted.every((part, i) =>
        part.startsWith('{') ? segments[i] !== '' : part.toLowerCase() === segments[i]?.toLowerCase(),
      )
    )
  })
  const [first] = covering
    .filter((one) => one.method === method)
    .map((one) => ({
      id: one.id,
      rank: one.path
        .split('/')
        .map((part) => (part.startsWith('{') ? '1' : '0'))
        .join(''),
    }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
  if (first !== undefined) return first.id
  const allowed = [...new Set(covering.map((one) => one.method))].sort()
  return allowed.length === 0 ? 'none' : `405 ${allowed.join()}`
}

describe('the route table', () => {
  const part = fc.constantFrom('a', 'b', 'A', 'c.d')
  const pattern = fc
    .array(fc.option(part), { minLength: 1, maxLength: 4 })
    .map((parts) => parts.map((one, i) => one ?? `{p${i}}`).join('/'))
  const method = fc.constantFrom('GET', 'POST', 'DELETE')
  /** No two endpoints have the same method and addresses, which the directory guarantees. */
  const endpoints = fc.uniqueArray(fc.tuple(method, pattern), {
    maxLength: 25,
    selector: ([name, path]) => {
      const parsed = parseEndpointPath(path)
      return `${name} ${'segments' in parsed ? pathKey(parsed.segments) : path}`
    },
  })
  const asked = fc.array(fc.constantFrom('a', 'b', 'B', 'c.d', 'z', ''), { maxLength: 5 })

  it('finds the same endpoint as a search through all endpoints', () => {
    fc.assert(
      fc.property(endpoints, method, asked, (lines, name, parts) => {
        const all = lines.map(([verb, path]) => endpoint(verb, path))
        const path = parts.join('/')
        const match = routeTable(all).match(name, path)
        const found = match.kind === 'found' ? match.endpoint.id : outcome(match)
        assert.equal(found, naiveMatch(all, name, path))
      }),
      { numRuns: 500 },
    )
  })

  it('gives every parameter of the path the value of its segment', () => {
    const value = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 4 }), (values) => {
        const path = values.map((_, i) => `{p${i}}`).join('/')
        const match = routeTable([endpoint('GET', path)]).match(
          'GET',
          values.map(encodeURIComponent).join('/'),
        )
        assert.ok(match.kind === 'found')
        assert.deepEqual(Object.values(match.params), values)
      }),
    )
  })
})
