/**
 * What each route says about itself in the OpenAPI document: purpose, parameters, answers, headers, examples. Nothing here
 * is executed; the query languages validate parameters, and records are written as stored.
 */
import type { FastifySchema } from 'fastify'
import Type from 'typebox'
import type { DatasetName } from '../schema/datasets.ts'
import { type ComponentName, reference } from './openapi.ts'
import { envelopeExamples, filterExamples, orderExamples, rotationExample } from './openapi-examples.ts'

const responses: { readonly [Name in DatasetName]: ComponentName } = {
  bookings: 'BookingsResponse',
  invoices: 'InvoicesResponse',
  itineraries: 'ItinerariesResponse',
}

const contents: { readonly [Name in DatasetName]: string } = {
  bookings:
    'Bookings with their custom data fields, by `bookingDate` and `recordLocator` unless `$orderby` says otherwise.',
  invoices:
    'Invoices with their lines and custom data fields, by `invoiceDate`, `company` and `invoiceNumber` unless `$orderby` says otherwise.',
  itineraries:
    'Bookings with their segments and custom data fields, by `bookingDate` and `recordLocator` unless `$orderby` says otherwise.',
}

export function listOperation(dataset: DatasetName): FastifySchema {
  return {
    operationId: `list${dataset.charAt(0).toUpperCase()}${dataset.slice(1)}`,
    tags: ['Records'],
    summary: `The client's ${dataset}`,
    description: `${contents[dataset]} Each parameter may be written with or without the leading \`$\`, in any case.`,
    security: [{ apiKey: [] }],
    querystring: listParameters(dataset),
    headers: Type.Object({
      'If-None-Match': Type.Optional(
        Type.String({ description: 'Entity tags of the copies the caller holds; 304 if one is still good' }),
      ),
      ...requestIdHeader,
    }),
    response: {
      200: {
        description: 'The records. With a parameter, `_meta` tells the totals.',
        headers: listHeaders,
        content: {
          'application/json': { schema: reference(responses[dataset]), examples: envelopeExamples(dataset) },
        },
      },
      304: { description: "The caller's copy is still good", type: 'null', headers: listHeaders },
      400: errorAnswer('A parameter cannot be understood', 'QueryError', {
        error: 'Invalid $filter',
        message: "Unknown field 'recordLocater'. Did you mean 'recordLocator'?",
        parameter: '$filter',
        column: 0,
        input: "recordLocater eq 'ABC123'",
      }),
      401: unauthorised,
      405: methodNotAllowed,
      414: errorAnswer('The request line is longer than 16 KB', 'Error', {
        error: 'The request line is longer than 16384 bytes; shorten the query',
      }),
      500: failed,
      503: unavailable,
    },
  } satisfies Operation
}

/** The members of a route's schema that @fastify/swagger reads and Fastify itself does not know. */
type Operation = FastifySchema & {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description: string
  readonly security?: readonly Record<string, readonly string[]>[]
  readonly response: Record<number, unknown>
}

const requestIdHeader = {
  'X-Request-Id': Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9._:-]{1,64}$',
      description: "The caller's own id for this request; one is made up when it is missing",
    }),
  ),
}

function listParameters(dataset: DatasetName) {
  return Type.Object({
    $filter: Type.Optional(
      Type.String({ maxLength: 8192, description: filterGrammar, 'x-examples': filterExamples(dataset) }),
    ),
    $orderby: Type.Optional(
      Type.String({
        maxLength: 8192,
        description:
          'Clauses `field [asc|desc]`, separated by commas, applied left to right. Null sorts as the greatest value. Ties keep the default order.',
        'x-examples': orderExamples(dataset),
      }),
    ),
    $page: Type.Optional(
      Type.Integer({
        minimum: 1,
        default: 1,
        description:
          'Page to return, counted from 1. A page past the end is empty and still tells the totals.',
      }),
    ),
    $pageSize: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 500,
        default: 50,
        description: 'Records of a page. More than 500 is taken as 500.',
      }),
    ),
  })
}

const filterGrammar = `
A condition that every returned record satisfies.

| Construct | Form |
|---|---|
| Comparison | \`field eq literal\`; also \`ne gt ge lt le\` |
| Set | \`field in (a, b, ...)\`, \`field nin (a, b, ...)\` |
| Logic | \`and\`, \`or\`, \`not\`, parentheses; \`not\` binds tightest, then \`and\` |
| Text | \`contains(field, 'x')\`, \`startswith(field, 'x')\`, \`endswith(field, 'x')\` |
| Collections | \`lineItems.lineType eq 'FARE'\` for any element; \`any(lineItems, lineType eq 'FARE' and gstPercent gt 0)\`, \`all(segments, status eq 'HK')\` |

Literals: \`'text'\` with \`''\` for a quote, numbers (\`-1.5e3\`), \`true\`, \`false\`, \`null\`. Dates are text:
\`'2026-01-31'\`, \`'2026-01-31T09:00'\`. Text compares without regard to case. A custom label stands in brackets:
\`customDataFields['Cost centre'] eq 'X1'\`.
`.trim()

const header = (description: string) => ({ type: 'string', description })
const requestIdAnswer = { 'X-Request-Id': header('Identifies this request, in the log too') }

const listHeaders = {
  ETag: header("Changes with the client's data and with the meaning of the query"),
  'Last-Modified': header('When the source was extracted'),
  'Cache-Control': header('private, no-cache: keep a copy, and ask each time whether it is still good'),
  Vary: header('X-API-Key, Accept, Accept-Encoding'),
  'Snapshot-Id': header('The snapshot that was read'),
  ...requestIdAnswer,
}

function errorAnswer(
  description: string,
  shape: 'Error' | 'QueryError',
  example: object,
  headers: Record<string, unknown> = {},
) {
  return {
    description,
    headers: { ...headers, ...requestIdAnswer },
    content: { 'application/json': { schema: reference(shape), examples: { error: { value: example } } } },
  }
}

const unauthorised = errorAnswer(
  'The API key is missing, unknown, disabled or expired',
  'Error',
  { error: 'A valid API key is required; send it in the X-API-Key header' },
  { 'WWW-Authenticate': header('Names the header that is expected') },
)
const methodNotAllowed = errorAnswer(
  'The address does not answer to this method',
  'Error',
  { error: 'DELETE is not possible here; use one of GET, HEAD, OPTIONS' },
  { Allow: header('The methods it answers to') },
)
const failed = errorAnswer('Something failed on our side', 'Error', {
  error: 'Internal Server Error; the request id is 5f0c1c9e-6c3b-4a39-a7de-0a1f4a1d2b3c',
})
const unavailable = errorAnswer(
  'The data is not available at the moment',
  'Error',
  { error: 'The data is not ready yet: no snapshot has been published. Retry in a few minutes.' },
  { 'Retry-After': header('Seconds to wait before the next attempt') },
)

export const rotateOperation: FastifySchema = {
  operationId: 'rotateApiKey',
  tags: ['Service account'],
  summary: "Replaces the caller's API key",
  description:
    'The key in `X-API-Key` is exchanged for a new one in a single step and is invalid from then on. The new key appears only in this answer: store it before doing anything else. Takes no body.',
  security: [{ apiKey: [] }],
  headers: Type.Object(requestIdHeader),
  response: {
    200: {
      description: 'The new key',
      headers: { 'Cache-Control': header('no-store'), ...requestIdAnswer },
      content: {
        'application/json': {
          schema: reference('RotateApiKeyResponse'),
          examples: { rotated: { value: rotationExample } },
        },
      },
    },
    401: unauthorised,
    405: methodNotAllowed,
    413: errorAnswer('A body was sent that is too large to be ignored', 'Error', {
      error: 'The request body is too large; none is needed here',
    }),
    500: failed,
    503: unavailable,
  },
} satisfies Operation

export const livezOperation: FastifySchema = {
  operationId: 'livez',
  tags: ['Operation'],
  summary: 'Is the process alive?',
  description: 'Answers as long as the process can answer at all.',
  response: { 200: statusAnswer('The process is alive', 'live') },
} satisfies Operation

export const readyzOperation: FastifySchema = {
  operationId: 'readyz',
  tags: ['Operation'],
  summary: 'Can it serve records?',
  description: 'Ready from the first published snapshot until the server begins to shut down.',
  response: { 200: statusAnswer('Records can be served', 'ready'), 503: unavailable },
} satisfies Operation

export const metricsOperation: FastifySchema = {
  operationId: 'metrics',
  tags: ['Operation'],
  summary: 'Metrics for Prometheus',
  description: 'Requests, stages, snapshots, refreshes and the process, in the Prometheus text format.',
  response: {
    200: {
      description: 'Prometheus text',
      headers: requestIdAnswer,
      content: { 'text/plain': { schema: { type: 'string' } } },
    },
  },
} satisfies Operation

function statusAnswer(description: string, status: string) {
  return {
    description,
    headers: requestIdAnswer,
    content: {
      'application/json': {
        schema: {
          type: 'object',
          required: ['status'],
          properties: { status: { type: 'string', const: status } },
        },
      },
    },
  }
}
