/**
 * Builds one route of the admin API from a row: routing, the guard, validation and the OpenAPI document. Handlers get valid input
 * and the user, call one operation, and return its result.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import type { Static, TObject, TSchema } from 'typebox'
import { type RequiredRole, rolesThatMay } from '../auth/operator-roles.ts'
import type { Deed } from '../directory/audit/audit.ts'
import { decodeForm, faultOfForm, formPairs } from '../kernel/addresses/form-encoding.ts'
import Type from '../kernel/type.ts'
import { anonymous, type OperatorRole, type User } from '../kernel/user.ts'
import { admitOperator, type Guard, type Operator } from './admin-guard.ts'
import { type ConditionalStore, changed } from './changes/conditional-change.ts'
import { type Resource, tagOf } from './changes/resource.ts'
import { conditionalOperation, creates } from './changes/told-conditions.ts'
import { type AdminTag, documented, documentedBody, documentedParameters } from './openapi-components.ts'
import { invalidInput } from './problems.ts'
import type { ReadingTrail } from './reading-trail.ts'

export const ADMIN_PREFIX = '/api/admin/v1'
/** What every user with a token may read, whatever the roles. */
export const NOTIFICATIONS_PREFIX = '/api/notifications/v1'

type AdminRequest<Params extends TObject, Query extends TObject, Body extends TSchema> = {
  readonly params: Static<Params>
  readonly query: Static<Query>
  readonly body: Static<Body>
  readonly user: User
  /** What the roles of the token mean here. */
  readonly roles: readonly OperatorRole[]
  /** The actor for audit entries. */
  readonly by: string
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

export type AdminRoute<Params extends TObject, Query extends TObject, Body extends TSchema> = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** After the prefix, `/api/admin/v1`, with `:name` for parameters. */
  readonly path: string
  readonly operationId: string
  /** What the caller must be at least; checked before anything else of the request is read. */
  readonly role: RequiredRole
  readonly tag: AdminTag
  readonly summary: string
  readonly description?: string
  readonly params?: Params
  readonly query?: Query
  /** Whether the handler reads the parameters itself; the shape then only describes them. */
  readonly readsQuery?: boolean
  readonly body?: Body
  readonly answer: {
    /** By default 200. 204 has no body. */
    readonly status?: 200 | 201 | 202 | 204
    readonly description: string
    /** The shape of the JSON body. */
    readonly shape?: TSchema
    /** The media type of a response that the handler writes itself. */
    readonly mediaType?: string
  }
  /** Statuses of refusals in addition to those of all routes. A text given here replaces the general text of the status. */
  readonly refusals?: Readonly<Partial<Record<404 | 409 | 410 | 413 | 503, string>>>
  /**
   * What the operation reads or changes. The answer has its version as ETag, and an operation that changes it (any but GET and
   * the POST that creates it) needs that version as If-Match.
   */
  readonly resource?: Resource<never>
  /** Whether the operation does something else than change the control store: it runs a script, or begins a refresh. */
  readonly isBeyondStore?: boolean
  /**
   * The entry in the audit trail of a look at what clients, callers or scripts have left. It is written first: without it there is no
   * answer. Null for a question that shows nothing of it.
   */
  readonly leaves?: {
    readonly action: string
    readonly entry: (
      asked: Pick<AdminRequest<Params, Query, Body>, 'params' | 'query' | 'roles'>,
    ) => Pick<Deed, 'subjectId' | 'after'> | null
  }
  /** Returns the body of the response. */
  readonly handle: (request: AdminRequest<Params, Query, Body>) => unknown
}

/** What a list of all operations tells of one. */
export type AdminOperation = Pick<
  AdminRoute<TObject, TObject, TSchema>,
  'method' | 'path' | 'operationId' | 'role' | 'tag' | 'summary'
>

export type AddRoute = <
  Params extends TObject = TObject,
  Query extends TObject = TObject,
  Body extends TSchema = TSchema,
>(
  route: AdminRoute<Params, Query, Body>,
) => void

/** The largest body: a script of 1 MiB with the escapes of JSON. */
export const MOST_BODY_BYTES = 4 * 2 ** 20

const nobody: Operator = { user: anonymous, roles: [] }

const nothing = Type.Object({}, { additionalProperties: false })

/**
 * @param added gets each route that is added
 * @param prefix comes before each path
 */
export function routeAdder(
  server: FastifyInstance,
  guard: Guard & {
    readonly store: ConditionalStore
    readonly noteReading: ReadingTrail
  },
  added: AdminOperation[] = [],
  prefix = ADMIN_PREFIX,
): AddRoute {
  return (route) => {
    const { method, path, role, params = nothing, query = nothing, readsQuery, body, answer, handle } = route
    added.push(route)
    server.route({
      method,
      url: prefix + path,
      schema: operationOf(route),
      bodyLimit: MOST_BODY_BYTES,
      onRequest: async (request) => {
        request.operator = role === 'anyone' ? nobody : await admitOperator(request, role, guard)
      },
      handler: async (request, reply) => {
        const { user, roles } = request.operator as Operator
        // Not imported at the top: the validator is a third of the files that a thread would load, and few threads need it.
        const { validBody, validParameters, validPath } = await import('./validate.ts')
        const given = validPath(params, request.params as Record<string, unknown>)
        const input = {
          params: given as never,
          query: (readsQuery ? {} : validParameters(query, parametersOf(request))) as never,
          body: (body === undefined ? undefined : validBody(body, request.body)) as never,
          user,
          roles,
          by: user.principalId,
          request,
          reply,
        }
        const { resource, leaves } = route
        const entry = leaves?.entry(input) ?? null
        if (leaves !== undefined && entry !== null) {
          await guard.noteReading({ actor: user.principalId, action: leaves.action, ...entry })
        }
        const status = answer.status ?? 200
        const result =
          method === 'GET'
            ? await handle(input)
            : await changed(
                {
                  store: guard.store,
                  resource,
                  creates: creates(route),
                  isBeyondStore: route.isBeyondStore ?? false,
                  status,
                  params: given,
                  user,
                  request,
                  reply,
                },
                () => handle(input),
              )
        if (result === reply || reply.sent || reply.raw.headersSent) return reply
        const etag = method === 'GET' && resource !== undefined ? tagOf(resource, result) : null
        if (etag !== null) reply.header('etag', etag)
        if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
        reply.code(status)
        if (status === 204) return reply.send()
        return reply.header('content-type', 'application/json; charset=utf-8').send(JSON.stringify(result))
      },
    })
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the guard of the admin API. */
    operator?: Operator
  }
}

/** A repeated name has an array, which no shape accepts. */
function parametersOf({ raw }: FastifyRequest): Record<string, unknown> {
  const address = raw.url as string
  const start = address.indexOf('?')
  if (start < 0) return {}
  const given = new Map<string, string | string[]>()
  for (const [rawName, rawValue] of formPairs(address.slice(start + 1))) {
    const name = decoded(rawName)
    const value = decoded(rawValue)
    const earlier = given.get(name)
    given.set(name, earlier === undefined ? value : [earlier, value].flat())
  }
  return Object.fromEntries(given)
}

/** @throws DetailedProblem ADM105 */
function decoded(raw: string): string {
  const text = decodeForm(raw)
  if (text !== undefined) return text
  throw invalidInput('address', [
    { path: '', message: `is malformed: ${faultOfForm(raw)} of '${raw.slice(0, 40)}'` },
  ])
}

function operationOf(
  route: Omit<AdminRoute<TObject, TObject, TSchema>, 'handle' | 'leaves'> & {
    readonly leaves?: { readonly action: string } | undefined
  },
): FastifySchema {
  const {
    leaves,
    operationId,
    role,
    tag,
    summary,
    description = summary,
    params,
    query,
    body,
    refusals = {},
  } = route
  const { status = 200, description: success, shape, mediaType = 'application/json' } = route.answer
  const told = conditionalOperation(route)
  return {
    operationId,
    tags: [tag],
    summary,
    description,
    security: role === 'anyone' ? [] : [{ bearer: [] }],
    'x-required-role': role,
    ...(leaves !== undefined && { 'x-audit-action': leaves.action }),
    ...(params !== undefined && { params: documented(params) }),
    ...told.headers,
    ...(query !== undefined && { querystring: documentedParameters(query) }),
    ...(body !== undefined && { body: documentedBody(body) }),
    response: {
      [status]: {
        description: success,
        headers: { ...headers, ...told.answerHeaders },
        ...(status === 204
          ? { type: 'null' }
          : {
              content: {
                [mediaType]: { schema: shape === undefined ? { type: 'string' } : documented(shape) },
              },
            }),
      },
      400: error(
        'The address or the body is not valid; `details` lists every fault with its place',
        'DetailedError#',
      ),
      ...refusalsByRole(role),
      ...(body !== undefined && { 413: error(`The body is longer than ${MOST_BODY_BYTES} bytes`) }),
      ...Object.fromEntries(
        Object.entries({ ...told.refusals, ...refusals }).map(([refused, why]) => [
          refused,
          error(why as string, refused === '409' ? 'DetailedError#' : undefined),
        ]),
      ),
      500: error('The service failed; the request id identifies the entry in its log'),
    },
  } as FastifySchema
}

function refusalsByRole(role: RequiredRole): object {
  if (role === 'anyone') return { 429: error('Too many requests from the same address') }
  return {
    401: error('The request has no valid token'),
    ...(role !== 'signed-in' && { 403: error(`The token has none of the roles ${namesOf(role)}`) }),
    429: error('Too many requests from the same address had no valid token'),
    503: error('Tokens cannot be checked at the moment'),
  }
}

const namesOf = (role: RequiredRole): string => rolesThatMay[role].map((name) => `\`${name}\``).join(', ')

const headers = {
  'X-Request-Id': { type: 'string', description: 'Identifies this request, also in the log' },
}

const errorHeaders = {
  ...headers,
  'X-Error-Code': {
    type: 'string',
    description: 'Code of the error, such as `DIR301`, which never changes its meaning; not with every 500',
  },
}

const error = (description: string, shape = 'Error#') => ({
  description,
  headers: errorHeaders,
  content: { 'application/json': { schema: { $ref: shape } } },
})
