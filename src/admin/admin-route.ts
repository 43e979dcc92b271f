/**
 * Builds one route of the admin API from a row: routing, the guard, validation and the OpenAPI document. Handlers get valid input
 * and the user, call one operation, and return its result.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import type { Static, TObject, TSchema } from 'typebox'
import type { VerifyToken } from '../auth/tokens/verifier.ts'
import type { Problem } from '../kernel/problem.ts'
import Type from '../kernel/type.ts'
import type { User } from '../kernel/user.ts'
import type { Observe } from '../observe/observation.ts'
import { type ConditionalStore, changed } from './changes/conditional-change.ts'
import { type Resource, tagOf } from './changes/resource.ts'
import { conditionalOperation, creates } from './changes/told-conditions.ts'
import { type AdminTag, documented, documentedBody, documentedParameters } from './openapi-components.ts'
import { adminRequired, authenticationRequired, tokensUnavailable } from './problems.ts'

export const ADMIN_PREFIX = '/api/admin/v1'
const ADMIN_ROLE = 'admin'

type AdminRequest<Params extends TObject, Query extends TObject, Body extends TSchema> = {
  readonly params: Static<Params>
  readonly query: Static<Query>
  readonly body: Static<Body>
  readonly user: User
  /** The actor for audit entries. */
  readonly by: string
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

export type AdminRoute<Params extends TObject, Query extends TObject, Body extends TSchema> = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** After `/api/admin/v1`, with `:name` for parameters. */
  readonly path: string
  readonly operationId: string
  readonly tag: AdminTag
  readonly summary: string
  readonly description?: string
  readonly params?: Params
  readonly query?: Query
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
  /** Returns the body of the response. */
  readonly handle: (request: AdminRequest<Params, Query, Body>) => unknown
}

export type AddRoute = <
  Params extends TObject = TObject,
  Query extends TObject = TObject,
  Body extends TSchema = TSchema,
>(
  route: AdminRoute<Params, Query, Body>,
) => void

/** The largest body: a script of 1 MiB with the escapes of JSON. */
export const MOST_BODY_BYTES = 4 * 2 ** 20

const nothing = Type.Object({}, { additionalProperties: false })

/** Returns the problem for a caller without a valid token: `refusal()`, or another one when the caller failed too often. */
export type RefuseAdmin = (
  request: FastifyRequest,
  authorization: string | undefined,
  refusal: () => Problem,
) => Problem

const refuseEach: RefuseAdmin = (_request, _authorization, refusal) => refusal()

type Guard = {
  readonly verifyToken: VerifyToken
  readonly refuse?: RefuseAdmin | undefined
  readonly observe: Observe
  readonly store: ConditionalStore
}

export function routeAdder(server: FastifyInstance, guard: Guard): AddRoute {
  return (route) => {
    const { method, path, params = nothing, query = nothing, body, answer, handle } = route
    server.route({
      method,
      url: ADMIN_PREFIX + path,
      schema: operationOf(route),
      bodyLimit: MOST_BODY_BYTES,
      onRequest: async (request) => {
        request.user = await admitted(request, guard)
      },
      handler: async (request, reply) => {
        const user = request.user as User
        // Not imported at the top: the validator is a third of the files that a thread would load, and few threads need it.
        const { validBody, validParameters, validPath } = await import('./validate.ts')
        const given = validPath(params, request.params as Record<string, unknown>)
        const input = {
          params: given as never,
          query: validParameters(query, parametersOf(request)) as never,
          body: (body === undefined ? undefined : validBody(body, request.body)) as never,
          user,
          by: user.principalId,
          request,
          reply,
        }
        const { resource } = route
        const status = answer.status ?? 200
        const result =
          method === 'GET'
            ? await handle(input)
            : await changed(
                {
                  store: guard.store,
                  resource,
                  creates: creates(route),
                  status,
                  params: given,
                  user,
                  request,
                  reply,
                },
                () => handle(input),
              )
        if (reply.sent || reply.raw.headersSent) return reply
        const etag = method === 'GET' && resource !== undefined ? tagOf(resource, result) : null
        if (etag !== null) reply.header('etag', etag)
        reply.header('cache-control', 'no-store').code(status)
        if (status === 204) return reply.send()
        return reply.header('content-type', 'application/json; charset=utf-8').send(JSON.stringify(result))
      },
    })
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the guard of the admin API. */
    user?: User
  }
}

async function admitted(
  request: FastifyRequest,
  { verifyToken, observe, refuse = refuseEach }: Guard,
): Promise<User> {
  const { authorization } = request.raw.headers
  const check = await verifyToken(authorization)
  if (check.kind === 'unknown') {
    observe({ kind: 'token-refused', requestId: request.id, reason: check.reason, inSummary: false })
    throw tokensUnavailable()
  }
  if (check.kind !== 'valid') {
    const refusal = refuse(request, authorization, authenticationRequired)
    if (check.kind === 'invalid') {
      const inSummary = request.refusedCaller?.inSummary === true
      observe({ kind: 'token-refused', requestId: request.id, reason: check.reason, inSummary })
    }
    throw refusal
  }
  if (!check.user.roles.includes(ADMIN_ROLE)) throw adminRequired()
  return check.user
}

/** A repeated name has an array, which no shape accepts. */
function parametersOf({ raw }: FastifyRequest): Record<string, unknown> {
  const address = raw.url as string
  const start = address.indexOf('?')
  if (start < 0) return {}
  const given = new URLSearchParams(address.slice(start))
  return Object.fromEntries(
    [...new Set(given.keys())].map((name) => {
      const values = given.getAll(name)
      return [name, values.length === 1 ? values[0] : values]
    }),
  )
}

function operationOf(route: Omit<AdminRoute<TObject, TObject, TSchema>, 'handle'>): FastifySchema {
  const { operationId, tag, summary, description = summary, params, query, body, refusals = {} } = route
  const { status = 200, description: success, shape, mediaType = 'application/json' } = route.answer
  const told = conditionalOperation(route)
  return {
    operationId,
    tags: [tag],
    summary,
    description,
    security: [{ bearer: [] }],
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
      401: error('The request has no valid token'),
      429: error('Too many requests from the same address had no valid token'),
      403: error("The token does not carry the role 'admin'"),
      ...(body !== undefined && { 413: error(`The body is longer than ${MOST_BODY_BYTES} bytes`) }),
      503: error('Tokens cannot be checked at the moment'),
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

const headers = {
  'X-Request-Id': { type: 'string', description: 'Identifies this request, also in the log' },
}

const error = (description: string, shape = 'Error#') => ({
  description,
  headers,
  content: { 'application/json': { schema: { $ref: shape } } },
})
