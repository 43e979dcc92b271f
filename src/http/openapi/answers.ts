/**
 * Shared parts of the operations in the OpenAPI document: their type, headers of requests and responses, error responses, and
 * all responses of a list of either version. These schemas are documentation only.
 */
import type { FastifySchema } from 'fastify'
import Type from '../../kernel/type.ts'
import type { ListName } from '../../schema/datasets.ts'
import { type ComponentName, reference } from './document.ts'
import type { Examples } from './examples.ts'

/** Adds the members of a route's schema that @fastify/swagger reads and Fastify does not know. */
export type Operation = FastifySchema & {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description: string
  readonly security?: readonly Record<string, readonly string[]>[]
  readonly response: Record<number, unknown>
}

export const listOperationId = (list: ListName) => `list${list.charAt(0).toUpperCase()}${list.slice(1)}`

type Headers = Readonly<Record<string, unknown>>

export const header = (description: string) => ({ type: 'string', description })

export const requestIdHeader = {
  'X-Request-Id': Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9._:-]{1,64}$',
      description: "The caller's own id for this request; without it the service creates one",
    }),
  ),
}

export const requestIdAnswer = {
  'X-Request-Id': header('Identifies this request, also in the log of the service'),
}

export const listRequestHeaders = Type.Object({
  'If-None-Match': Type.Optional(
    Type.String({
      description:
        'Entity tags of the copies that the caller has. The answer is 304 if one of them is still good',
    }),
  ),
  'If-Modified-Since': Type.Optional(
    Type.String({
      description:
        'The `Last-Modified` of the copy that the caller has, or when it asked last. The answer is 304 if the copy is still ' +
        'good. Ignored beside `If-None-Match`',
    }),
  ),
  'Snapshot-Id': Type.Optional(
    Type.String({
      description:
        'The Snapshot-Id of an earlier answer. Reads the same snapshot again, so that all pages show one state of ' +
        'the data. 410 once that snapshot is deleted',
    }),
  ),
  ...requestIdHeader,
})

/** What differs between the lists of the two versions. */
export type ListAnswers = {
  readonly success: {
    readonly description: string
    readonly shape: ComponentName
    readonly examples: Examples
    /** Headers besides those of every list, of a 304 too. */
    readonly headersOfAll?: Headers
    /** Headers that only a 200 has. */
    readonly headers?: Headers
  }
  readonly malformed: {
    readonly shape: 'Error' | 'QueryError'
    readonly examples: Examples
    readonly headers?: Headers
  }
  readonly unauthorised: object
  /** Only for lists with more than one format. */
  readonly notAcceptable?: ReturnType<typeof errorAnswer>
  /** Name of the rate limit in the RateLimit headers. */
  readonly policy: 'v1' | 'v2'
  /** Value of the header Vary. */
  readonly vary: string
  /** When the answer is 410. */
  readonly gone?: string
}

export function listAnswers({
  success,
  malformed,
  unauthorised,
  notAcceptable,
  policy,
  vary,
  gone = 'The snapshot that the request names no longer exists',
}: ListAnswers) {
  const limit = rateLimitHeaders(policy)
  const headers = { ...listHeaders(vary), ...success.headersOfAll, ...limit }
  return {
    200: {
      description: success.description,
      headers: { ...headers, ...success.headers },
      content: { 'application/json': { schema: reference(success.shape), examples: success.examples } },
    },
    304: { description: "The caller's copy is still good", type: 'null', headers },
    400: errorAnswer('A parameter cannot be understood', malformed.shape, malformed.examples, {
      ...malformed.headers,
      ...limit,
    }),
    401: unauthorised,
    405: methodNotAllowed,
    ...(notAcceptable && { 406: { ...notAcceptable, headers: { ...limit, ...notAcceptable.headers } } }),
    410: errorAnswer(
      gone,
      'Error',
      one({
        error:
          "Snapshot '20260102T030405678Z-1f3a' is not there any more. Leave the header Snapshot-Id out, and begin " +
          'again with the snapshot that the answer names.',
      }),
      limit,
    ),
    414: errorAnswer(
      'The request line is too long: longer than 16 KB by default',
      'Error',
      one({ error: 'The request line is longer than 16384 bytes; shorten the query' }),
    ),
    429: errorAnswer(
      'Too many requests of this account, at once or per second, or too many without a valid credential from ' +
        'the same address. Send fewer at the same time, and wait for Retry-After.',
      'Error',
      one({
        error: 'Too many requests: the limit is 50 per second after a burst of 200; retry after 1 second',
      }),
      {
        'Retry-After': header(
          'Seconds to wait before the next attempt. It may be refused again when other requests are faster',
        ),
        ...limit,
      },
    ),
    500: { ...failed, headers: { ...limit, ...failed.headers } },
    503: { ...unavailable, headers: { ...limit, ...unavailable.headers } },
  }
}

const listHeaders = (vary: string) => ({
  ETag: header(
    "Changes with the client's data and the meaning of the query. Each format and coding has its own tag",
  ),
  'Last-Modified': header('When the source was extracted'),
  'Cache-Control': header('private, no-cache: keep a copy, and revalidate it with each request'),
  Vary: header(vary),
  'Snapshot-Id': header('Id of the snapshot that was read'),
  ...requestIdAnswer,
})

const rateLimitHeaders = (policy: string) => ({
  RateLimit: header(
    `Only with a rate limit: requests that are left on the node that answered, and seconds until the full number is available again, such as \`"${policy}";r=199;t=1\``,
  ),
  'RateLimit-Policy': header(
    `Only with a rate limit: the most requests after a pause, and seconds until they are available again, such as \`"${policy}";q=200;w=4\``,
  ),
})

export const one = (value: object): Examples => ({ error: { value } })

export const errorAnswer = (
  description: string,
  shape: 'Error' | 'QueryError',
  examples: Examples,
  headers: Headers = {},
) => errorAnswerOf(description, reference(shape), examples, headers)

/** An error whose body is not exactly one of the shapes of all errors. */
export function errorAnswerOf(
  description: string,
  schema: object,
  examples: Examples,
  headers: Headers = {},
) {
  return {
    description,
    headers: { ...headers, 'Cache-Control': header('no-store'), ...requestIdAnswer },
    content: { 'application/json': { schema, examples } },
  }
}

export const unauthorised = (description: string, error: string) =>
  errorAnswer(description, 'Error', one({ error }), {
    'WWW-Authenticate': header('Names the expected header'),
  })

export const methodNotAllowed = errorAnswer(
  'The address does not support this method',
  'Error',
  one({ error: 'DELETE is not supported here; use one of GET, HEAD, OPTIONS' }),
  { Allow: header('The methods that the address supports') },
)

export const failed = errorAnswer(
  'The service failed',
  'Error',
  one({ error: 'Internal Server Error; the request id is 5f0c1c9e-6c3b-4a39-a7de-0a1f4a1d2b3c' }),
)

export const unavailable = errorAnswer(
  'The data is not available at the moment, or the service is busy with other requests',
  'Error',
  one({ error: 'The data is not ready yet: there is no snapshot to answer from. Retry in a few minutes.' }),
  { 'Retry-After': header('Seconds to wait before the next attempt') },
)
