/**
 * Builds requests that no caller sent: from the sample of an operator for a trial, or from the record of a run. Refuses samples
 * that no caller could send to the endpoint.
 */
import { decodedPairs } from '../../kernel/addresses/form-encoding.ts'
import type { ProblemDetail } from '../../kernel/problem.ts'
import { anonymous, type User } from '../../kernel/user.ts'
import { parseEndpointPath } from '../../schema/endpoint-path.ts'
import { ENDPOINT_PREFIX, type EndpointDefinition } from '../../schema/endpoint-shapes.ts'
import type { Execution } from '../../schema/execution-shapes.ts'
import type { SampleRequest } from '../../schema/sample-request.ts'
import type { ScriptRequest } from '../runs/run-states.ts'
import { recordedSchedule, scheduledRequest } from '../schedules/scheduled-job.ts'
import { sampleDoesNotFit } from './problems.ts'

type Target = { readonly method: string; readonly path: string }
type Definition = Pick<EndpointDefinition, 'method' | 'path' | 'schedules' | 'allowedRoles'>

/** @throws DetailedProblem END135 */
export function sampleRequest(definition: Definition, sample: SampleRequest, operator: User): ScriptRequest {
  const { method, path } = definition
  return method === null || path === null
    ? sampleOfSchedule(definition, sample)
    : sampleOfRoute({ method, path }, sample, operator)
}

/** `http` says what the outside answers, whoever asks the script to run. */
const MEMBERS_OF_SCHEDULES: ReadonlySet<string> = new Set(['body', 'user', 'http'])

/** What the first schedule would run now. The body of the sample takes the place of its input. */
function sampleOfSchedule(
  { schedules: [first], allowedRoles }: Definition,
  sample: SampleRequest,
): ScriptRequest {
  const others = Object.keys(sample).filter((member) => !MEMBERS_OF_SCHEDULES.has(member))
  if (others.length > 0) {
    const message = 'must be left out: an endpoint without a route gets only a body, its input'
    throw sampleDoesNotFit(others.map((member) => ({ path: `/request/${member}`, message })))
  }
  const { name = 'trial', input = null } = first ?? {}
  const dueAt = new Date().toISOString()
  const body = sample.body === undefined ? input : sample.body
  const request = scheduledRequest({ schedule: name, dueAt, input: body, allowedRoles })
  return sample.user === undefined ? request : { ...request, user: userOf(sample.user) }
}

function sampleOfRoute(target: Target, sample: SampleRequest, operator: User): ScriptRequest {
  const { params = {}, query = {}, user } = sample
  const details = [...unfitParts(target, sample), ...unfitParameters(target, params)]
  if (details.length > 0) throw sampleDoesNotFit(details)
  const queryString = queryStringOf(query)
  const headers = headersOf(sample)
  return {
    method: target.method,
    path: addressOf(target, params),
    queryString,
    query: queryOf(queryString),
    headers,
    params: { ...params },
    rawBody: rawBodyOf(sample),
    bodyKind: bodyKindOf(headers['content-type']),
    user: user === undefined ? operator : userOf(user),
  }
}

/**
 * The caller has a name but no roles, because roles are not recorded. Credentials are not recorded either: they stay redacted.
 */
export function recordedRequest({ request, principalId }: Execution): ScriptRequest {
  const { method, path, queryString, headers, params, body } = request
  return {
    ...{ method, path, queryString, headers, params },
    query: queryOf(queryString),
    rawBody: body,
    bodyKind: bodyKindOf(headers['content-type']),
    user: userOf(principalId === null ? null : { principalId }),
    ...recordedSchedule({ method, path, queryString }),
  }
}

function unfitParts({ method }: Target, sample: SampleRequest): ProblemDetail[] {
  const details: ProblemDetail[] = []
  const hasBody = sample.body !== undefined || sample.rawBody !== undefined
  if (sample.method !== undefined && sample.method.toUpperCase() !== method) {
    details.push({ path: '/request/method', message: `must be ${method}, the method of the endpoint` })
  }
  if (sample.body !== undefined && sample.rawBody !== undefined) {
    details.push({ path: '/request/rawBody', message: 'must be left out when body is given' })
  }
  if (hasBody && method === 'GET') {
    details.push({ path: '/request/body', message: 'must be left out: the body of a GET is not read' })
  }
  return details
}

function unfitParameters({ path }: Target, params: Readonly<Record<string, string>>): ProblemDetail[] {
  const parsed = parseEndpointPath(path)
  if ('fault' in parsed) return [{ path: '/definition/path', message: `has ${parsed.fault}` }]
  const names = parsed.segments.flatMap((segment) => (segment.kind === 'parameter' ? [segment.name] : []))
  return [
    ...names.flatMap((name) => {
      const value = Object.hasOwn(params, name) ? params[name] : undefined
      if (value !== undefined && value !== '') return []
      return [{ path: `/request/params/${name}`, message: value === '' ? 'must not be empty' : 'is missing' }]
    }),
    ...Object.keys(params)
      .filter((name) => !names.includes(name))
      .map((name) => ({
        path: `/request/params/${name}`,
        message: 'is not a parameter of the path',
      })),
  ]
}

/** The path of the request, decoded. */
const addressOf = ({ path }: Target, params: Readonly<Record<string, string>>): string =>
  ENDPOINT_PREFIX + path.replace(/\{(\w+)\}/g, (_, name: string) => params[name] as string)

function queryStringOf(query: Readonly<Record<string, string | readonly string[]>>): string {
  const pairs = Object.entries(query).flatMap(([name, values]) =>
    [values].flat().map((value): [string, string] => [name, value as string]),
  )
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`
}

/** One text per name; an array for a repeated name. Names such as `__proto__` are ordinary names. */
function queryOf(queryString: string): Record<string, string | readonly string[]> {
  const given = Map.groupBy(decodedPairs(queryString.replace(/^\?/, '')), ([name]) => name)
  return Object.fromEntries(
    [...given].map(([name, pairs]) => {
      const values = pairs.map(([, value]) => value)
      return [name, values.length === 1 ? (values[0] as string) : values]
    }),
  )
}

/** Names in lower case; values whose names differ only in letter case are joined. */
function headersOf({ headers = {}, body }: SampleRequest): Record<string, string> {
  const given = new Map<string, string>()
  for (const [name, value] of Object.entries(headers)) {
    const key = name.toLowerCase()
    const other = given.get(key)
    given.set(key, other === undefined ? value : `${other}, ${value}`)
  }
  if (body !== undefined && !given.has('content-type')) given.set('content-type', 'application/json')
  return Object.fromEntries(given)
}

const rawBodyOf = ({ body, rawBody }: SampleRequest): string | null =>
  body === undefined ? (rawBody ?? null) : JSON.stringify(body)

function bodyKindOf(contentType = ''): ScriptRequest['bodyKind'] {
  const [type = ''] = contentType.toLowerCase().split(';', 1)
  if (/^application\/(?:[^/]+\+)?json$/.test(type.trim())) return 'json'
  return type.trim() === 'application/x-www-form-urlencoded' ? 'form' : 'text'
}

type SampleUser = NonNullable<SampleRequest['user']>

function userOf(user: SampleUser | null): User {
  if (user === null) return anonymous
  // The form that tokens have.
  const principalId = user.principalId ?? `user:${user.email ?? user.name ?? 'sample'}`
  return { ...anonymous, isAuthenticated: true, name: principalId, ...user, principalId }
}
