/**
 * The operations of the OpenAPI document except the lists of version 1: purpose, parameters, responses, examples. These schemas
 * are documentation only: the query languages check parameters, and records are sent as stored.
 */
import type { FastifySchema } from 'fastify'
import Type from '../../kernel/type.ts'
import { defaultQueryLimits } from '../../query/limits.ts'
import type { ListName } from '../../schema/datasets.ts'
import { tooManyFailures } from '../problems.ts'
import { additionalFieldsTable, additionalOrder } from './additional-fields.ts'
import {
  errorAnswer,
  failed,
  header,
  listAnswers,
  listOperationId,
  listRequestHeaders,
  methodNotAllowed,
  type Operation,
  one,
  requestIdAnswer,
  requestIdHeader,
  unauthorised,
  unavailable,
} from './answers.ts'
import { type ComponentName, reference } from './document.ts'
import {
  applyExamples,
  envelopeExamples,
  filterExamples,
  orderExamples,
  rotationExample,
} from './examples.ts'
import { formatParameter, formatRefused, listAnswerHeaders, otherFormats } from './formats.ts'
import { countParameter, selectParameter, skipParameter, topParameter } from './selection.ts'

const responses: { readonly [Name in ListName]: ComponentName } = {
  bookings: 'BookingsResponse',
  invoices: 'InvoicesResponse',
  itineraries: 'ItinerariesResponse',
}

const contents: { readonly [Name in ListName]: string } = {
  bookings:
    'Bookings with their custom data fields, by `bookingDate` and `recordLocator` unless `$orderby` says otherwise.',
  invoices:
    'Invoices with their lines and custom data fields, by `invoiceDate`, `company` and `invoiceNumber` unless ' +
    '`$orderby` says otherwise.',
  itineraries:
    'Bookings with their segments and custom data fields, by `bookingDate` and `recordLocator` unless `$orderby` says otherwise.',
}

export function listOperation(dataset: ListName): FastifySchema {
  return {
    operationId: listOperationId(dataset),
    tags: ['Records'],
    summary: `The client's ${dataset}`,
    description: `${contents[dataset]} Names of parameters may be written without the leading \`$\`, and in any letter case.`,
    security: [{ apiKey: [] }],
    querystring: listParameters(dataset),
    headers: listRequestHeaders,
    response: listAnswers({
      success: {
        description: `The records. If the request has a parameter, \`_meta\` has the totals. With \`$apply\`, a GroupsResponse instead. ${otherFormats}`,
        shape: responses[dataset],
        examples: envelopeExamples(dataset),
        headers: listAnswerHeaders(dataset),
      },
      malformed: {
        shape: 'QueryError',
        examples: one({
          error: 'Invalid $filter',
          message: `Unknown field 'recordLocater' in ${dataset}; did you mean recordLocator?`,
          parameter: '$filter',
          column: 0,
          input: "recordLocater eq 'ABC123'",
        }),
      },
      notAcceptable: formatRefused,
      unauthorised: keyRefused,
      policy: 'v2',
      vary: 'X-API-Key, Authorization, Accept, Accept-Encoding, Snapshot-Id',
    }),
  } satisfies Operation
}

function listParameters(dataset: ListName) {
  return Type.Object({
    $filter: Type.Optional(
      Type.String({
        description: `${filterGrammar}\n\n${additionalFieldsTable(dataset)}`,
        'x-examples': filterExamples(dataset),
      }),
    ),
    $apply: Type.Optional(Type.String({ description: `${applyGrammar}\n\n${applyExamples(dataset)}` })),
    $orderby: Type.Optional(
      Type.String({
        description:
          'Clauses `field [asc|desc]`, separated by commas, applied left to right. Null sorts as the greatest value. Ties keep the default order. Beside `$apply`, the fields are members of the groups. ' +
          `${additionalOrder(dataset)} ` +
          `By default at most ${defaultQueryLimits.parameterLength} characters once decoded, and ${defaultQueryLimits.sortClauses} clauses.`,
        'x-examples': orderExamples(dataset),
      }),
    ),
    $select: Type.Optional(selectParameter(dataset)),
    $page: Type.Optional(
      Type.Integer({
        minimum: 1,
        default: 1,
        description: 'Page to return, counted from 1. A page past the end is empty and still has the totals.',
      }),
    ),
    $pageSize: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 500,
        default: 50,
        description: 'Records per page. A value above 500 means 500.',
      }),
    ),
    $top: Type.Optional(topParameter),
    $skip: Type.Optional(skipParameter),
    $count: Type.Optional(countParameter),
    $format: Type.Optional(formatParameter),
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
| Collections | \`lineType eq 'FARE'\` or \`lineItems.lineType eq 'FARE'\` for any element; \`any(lineItems, lineType eq 'FARE' and gstPercent gt 0)\`, \`all(segments, status eq 'HK')\` |

| Field | Literals |
|---|---|
| Text | \`'text'\`, with \`''\` for a quote, compared without letter case; a number, compared with the texts that are numbers |
| Date, date-time | \`'2026-01-31'\`, \`'2026-01-31T09:00'\`; seconds, a fraction and \`Z\` or an offset may follow. A date is its midnight. An offset is converted to UTC: \`'2026-01-31T09:00+10:00'\` compares as \`'2026-01-30T23:00'\`. Fields are local times without an offset, so leave it out for a local time |
| Number | \`12\`, \`-0.5\`, \`1.5e3\`, also in quotes |
| Boolean | \`true\`, \`false\`, \`1\`, \`0\`, also in quotes |
| Custom label | any of these; numbers and dates are compared as such where the value is one, and as text elsewhere |

On the path of a collection, \`ne\` and \`nin\` mean that no element equals: \`lineItems.lineType ne 'TAX'\` finds the invoices without a tax line.
Invoices with at least one other line are \`any(lineItems, lineType ne 'TAX')\`.

Other literals are refused with 400, because they would find nothing or everything. \`null\` fits every field. A custom label is written in
brackets: \`customDataFields['Cost centre'] eq 'X1'\`. Typographic quotes and dashes in it do not matter. A label that the client does not have
is refused with 400, unless the operator has set \`unknownLabels\` to \`null\`: then it is null in every record.

By default at most ${defaultQueryLimits.parameterLength} characters once decoded, ${defaultQueryLimits.filterNodes} operators, functions and comparisons,
${defaultQueryLimits.filterDepth} levels of nesting, and ${defaultQueryLimits.listItems} items in a list.
`.trim()

const applyGrammar = `
Asks for groups instead of records: a subset of OData Data Aggregation 4.0. The answer is a \`GroupsResponse\`, an object per group.

| Step | Form |
|---|---|
| Condition | \`filter(condition)\`, any number of them, first; a condition is written as in \`$filter\`, which applies before |
| Groups | \`groupby((dimension, ...))\` or \`groupby((dimension, ...),aggregate(...))\`, last |
| One group of everything | \`aggregate(...)\`, last |

Steps are joined by \`/\`. Dimensions and aggregates:

| Construct | Form |
|---|---|
| Dimension | a field, \`customDataFields['Cost centre']\`, or a field of elements such as \`lineItems.lineType\`; with \`as name\` the answer has another name for it |
| Part of a date | \`year(field)\` 2026, \`quarter(field)\` \`2026-Q1\`, \`month(field)\` \`2026-03\`, \`week(field)\` \`2026-W09\` (ISO 8601), \`date(field)\` |
| Count | \`$count as name\`; the \`$\` may be left out |
| Aggregate | \`field with sum as name\`; also \`min max average countdistinct\` |

With a dimension of elements, the groups consist of elements: \`$count\` counts elements, \`recordLocator with countdistinct as bookings\` counts their bookings,
and fields of the record cannot be summed. Otherwise the groups consist of records, and an aggregate over a field of elements takes all elements of the
records. Conditions select records, not elements. A request names one collection of elements at most.

Texts that differ in letter case only are one group, which has the first spelling by code point. Null is a group of its own, the last one. Aggregates leave nulls
out; of nothing but nulls they are null, and counts are 0. Sums are exact. Averages are rounded half away from zero at 5 decimals. \`sum\` and \`average\` need numbers;
labels are texts.

By default at most ${defaultQueryLimits.applyDimensions} dimensions, ${defaultQueryLimits.applyAggregates} aggregates and 100,000 groups.
`.trim()

export const keyRefused = unauthorised(
  'The API key is missing, unknown, disabled or expired',
  'A valid API key is required; send it in the X-API-Key header',
)

export const rotateOperation: FastifySchema = {
  operationId: 'rotateOwnApiKey',
  tags: ['Service account'],
  summary: "Replaces the caller's API key",
  description:
    'Exchanges the key in `X-API-Key` for a new one in one step; the old key is invalid from then on. The new ' +
    'key appears only in this answer: store it before you do anything else. The request needs no body.',
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
    401: keyRefused,
    405: methodNotAllowed,
    413: errorAnswer(
      'The body is too large to be ignored',
      'Error',
      one({ error: 'The request body is too large; none is needed here' }),
    ),
    429: errorAnswer(
      'Too many requests of this account, if the operator has set a limit, or too many without a valid key from the same address',
      'Error',
      one({ error: tooManyFailures(2).message }),
      { 'Retry-After': header('Seconds to wait') },
    ),
    500: failed,
    503: unavailable,
  },
} satisfies Operation

export const livezOperation: FastifySchema = {
  operationId: 'livez',
  tags: ['Operation'],
  summary: 'Is the process alive?',
  description: 'Answers 200 as long as the process can answer.',
  response: { 200: statusAnswer('The process is alive', 'live') },
} satisfies Operation

const readinessMembers = {
  notWritten: {
    type: 'array',
    description: 'Stores that cannot be written at the moment, because space or rights are missing',
    items: {
      type: 'object',
      required: ['store', 'effect'],
      properties: {
        store: { type: 'string', enum: ['control', 'history', 'snapshots'] },
        effect: { type: 'string' },
      },
    },
  },
  accounts: {
    type: 'string',
    description: 'That accounts are refused because their rows do not match their checksums',
  },
  held: {
    type: 'array',
    description: 'What operators hold, and what that means',
    items: {
      type: 'object',
      required: ['what', 'effect'],
      properties: {
        what: { type: 'string', enum: ['refreshes', 'schedules', 'outbound'] },
        effect: { type: 'string' },
      },
    },
  },
  skipped: { type: 'string', description: 'Why a published snapshot is not used' },
  storage: {
    type: 'string',
    description: 'What the storage of shared snapshots prevents while it does not work',
  },
}

export const readyzOperation: FastifySchema = {
  operationId: 'readyz',
  tags: ['Operation'],
  summary: 'Can it serve records?',
  description:
    'Ready from the first published snapshot until the server begins to shut down. A service that cannot write is still ready, ' +
    'and lists in `notWritten` what it cannot write. One that cannot reach the database of its accounts, or has another secret key than the one that sealed them, is not ready. `accounts` is there while accounts do not match their checksums, and `held` while operators hold refreshes or schedules, or the installation is quiet. `skipped` names a snapshot of another format, which is not used. `storage` is there while the storage of shared snapshots does not work.',
  response: { 200: statusAnswer('Records can be served', 'ready', readinessMembers), 503: unavailable },
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

function statusAnswer(description: string, status: string, members: object = {}) {
  return {
    description,
    headers: requestIdAnswer,
    content: {
      'application/json': {
        schema: {
          type: 'object',
          required: ['status'],
          properties: { status: { type: 'string', const: status }, ...members },
        },
      },
    },
  }
}
