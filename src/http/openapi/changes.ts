/** The operations for what changed in a list, in the OpenAPI document. These schemas are documentation only. */
import type { FastifySchema } from 'fastify'
import Type from '../../kernel/type.ts'
import type { ListName } from '../../schema/datasets.ts'
import { header, listAnswers, listRequestHeaders, type Operation, one } from './answers.ts'
import type { ComponentName } from './document.ts'
import { changesExamples } from './examples.ts'
import { formatParameter, formatRefused, listAnswerHeaders, otherFormats } from './formats.ts'
import { keyRefused } from './operations.ts'
import { countParameter, skipParameter, topParameter } from './selection.ts'

const responses: { readonly [Name in ListName]: ComponentName } = {
  bookings: 'BookingChangesResponse',
  invoices: 'InvoiceChangesResponse',
  itineraries: 'ItineraryChangesResponse',
}

const identities: { readonly [Name in ListName]: string } = {
  bookings: '`recordLocator`',
  invoices: '`company` and `invoiceNumber`',
  itineraries: '`recordLocator`',
}

export function changesOperation(list: ListName): FastifySchema {
  return {
    operationId: `list${responses[list].replace('Response', '')}`,
    tags: ['Records'],
    summary: `What changed in the client's ${list}`,
    description:
      `The ${list} that were added or changed since the data of a token or of a moment, and the identities of those that were removed, in the ` +
      `order of ${identities[list]}. Without \`since\` every record is told as added. Each answer has a token for the next ` +
      'request. A record that changed and changed back is not told. `$filter`, `$orderby`, `$select` and `$apply` are refused.',
    security: [{ apiKey: [] }],
    querystring: changesParameters,
    headers: listRequestHeaders,
    response: listAnswers({
      success: {
        description: `The changes. ${otherFormats}\n\nIn CSV and Arrow \`_change\` is the first column, and a removed record has no other values than its identity.`,
        shape: responses[list],
        examples: changesExamples(list),
        headersOfAll: {
          'Changes-Token': header(
            'Names the data that the answer was made from, in every format. Give it as `since` to get what changes from here on',
          ),
        },
        headers: listAnswerHeaders(list),
      },
      malformed: {
        shape: 'QueryError',
        examples: one({
          error: 'Invalid since',
          message:
            'Expected the token of an earlier answer, 40 characters as in its header Changes-Token, or a moment such as ' +
            "2026-11-20 or 2026-11-20T08:00:00Z, found 'yesterday'; leave since out " +
            'to read everything and to get a token',
          parameter: 'since',
          column: 0,
          input: 'yesterday',
        }),
      },
      notAcceptable: formatRefused,
      unauthorised: keyRefused,
      policy: 'v2',
      vary: 'X-API-Key, Authorization, Accept, Accept-Encoding, Snapshot-Id',
      gone:
        'It is not known any more what changed since the token or the moment, or the token is one of another list or client: read ' +
        'everything again without `since`, or ask since the oldest moment that the message names. Or the snapshot that the request names no longer exists',
    }),
  } satisfies Operation
}

const changesParameters = Type.Object({
  since: Type.Optional(
    Type.String({
      pattern:
        '^([A-Za-z0-9_-]{40}|[0-9]{4}-[0-9]{2}-[0-9]{2}([Tt ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]+)?)?([Zz]|[+-][0-9]{2}:[0-9]{2})?)?)$',
      description:
        'The token of an earlier answer of the same list, from `_meta.token` or the header `Changes-Token`; or a day such as ' +
        '`2026-11-20`, which begins at 00:00 UTC, or a moment such as `2026-11-20T08:00:00Z` (RFC 3339). A moment means the ' +
        'snapshot that was current then, which counts from its publication. Without it every record is told as added. Tokens and ' +
        'moments stay good for as long as the operator keeps what changed (`changesDays`).',
    }),
  ),
  $page: Type.Optional(
    Type.Integer({
      minimum: 1,
      default: 1,
      description:
        'Page to return, counted from 1. Send the `Snapshot-Id` of the first page with the others: then all pages end at the ' +
        'same data and have the same token.',
    }),
  ),
  $pageSize: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 500,
      default: 50,
      description: 'Changes per page. A value above 500 means 500.',
    }),
  ),
  $top: Type.Optional(topParameter),
  $skip: Type.Optional(skipParameter),
  $count: Type.Optional(countParameter),
  $format: Type.Optional(formatParameter),
})
