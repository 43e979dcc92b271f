/**
 * The lists of version 1 in the OpenAPI document: parameters, the caret language, responses. These schemas are documentation
 * only; answers.ts has what the lists of both versions share.
 */
import type { FastifySchema } from 'fastify'
import Type from '../../kernel/type.ts'
import { defaultQueryLimits } from '../../query/limits.ts'
import type { ListName } from '../../schema/datasets.ts'
import {
  header,
  listAnswers,
  listOperationId,
  listRequestHeaders,
  type Operation,
  unauthorised,
} from './answers.ts'
import type { ComponentName } from './document.ts'
import { queryExamples, refusalExamples, resultExamples } from './version-1-examples.ts'

const responses: { readonly [List in ListName]: ComponentName } = {
  bookings: 'BookingsV1Response',
  invoices: 'InvoicesV1Response',
  itineraries: 'ItinerariesV1Response',
}

const contents: { readonly [List in ListName]: string } = {
  bookings: 'Bookings by `bookingDate` and `recordLocator`.',
  invoices: 'Invoices with their lines and payments, by `invoiceDate`, in the order of version 2.',
  itineraries: 'Bookings with their segments, by `bookingDate` and `recordLocator`.',
}

const paging =
  'To read all of them, add `fetch` to `offset` until `result` is empty, with the same `query` and `fetch` each time. ' +
  'Names of parameters may be in any letter case. Unknown parameters are ignored, and the header `Warning` names them.'

export function version1ListOperation(list: ListName): FastifySchema {
  return {
    operationId: `${listOperationId(list)}V1`,
    tags: ['Version 1'],
    summary: `The client's ${list}, in the shapes of version 1`,
    description: `${contents[list]} ${paging}`,
    security: [{ psk: [] }, { apiKey: [] }],
    querystring: listParameters(list),
    headers: listRequestHeaders,
    response: listAnswers({
      success: {
        description: 'The records. `result` is empty when no records, or no further ones, match',
        shape: responses[list],
        examples: resultExamples(list),
        headersOfAll: warning,
      },
      malformed: { shape: 'Error', examples: refusalExamples(list), headers: warning },
      unauthorised: credentialRefused,
      policy: 'v1',
      vary: 'psk, X-API-Key, Authorization, Accept, Accept-Encoding, Snapshot-Id',
    }),
  } satisfies Operation
}

const warning = {
  Warning: header('299, once for each parameter that was ignored, with its name, and for an ignored body'),
}

function listParameters(list: ListName) {
  return Type.Object({
    query: Type.Optional(Type.String({ description: caretGrammar, 'x-examples': queryExamples(list) })),
    fetch: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 100,
        default: 10,
        description:
          'Most records to return. A value below 1 or not a number means 10; a value above 100 means 100.',
      }),
    ),
    offset: Type.Optional(
      Type.Integer({
        minimum: 0,
        default: 0,
        description:
          'Records to skip, of those that `query` selects. A value below 0 or not a number means 0.',
      }),
    ),
  })
}

const caretGrammar = `
Clauses \`Property^EQvalue\`, joined by \`;\`. A returned record satisfies every one of them.

| Operator | Meaning | Properties |
|---|---|---|
| \`^EQ\` \`^NE\` | equal, not equal | all |
| \`^GT\` \`^LT\` | greater, less | numbers and dates |
| \`^GE\` \`^LE\` | at least, at most | numbers and dates |
| \`^IN\` \`^NI\` | in, not in a list \`a,b,c\` | all except booleans |
| \`^CT\` | contains | text |

Properties are the members of the record, in any letter case; nested collections and their members cannot be queried. Values
have no quotes: \`2026-01-31\`, \`12.50\`, \`true\` or \`1\`, \`false\` or \`0\`; \`null\` matches an unknown value. Text
comparisons ignore case, and only the day of a date-time counts. In a value, \`,\` \`;\` and \`^\` are written
\`%2C\` \`%3B\` \`%5E\`.

By default at most ${defaultQueryLimits.parameterLength} characters once decoded, ${defaultQueryLimits.filterNodes} clauses, and ${defaultQueryLimits.listItems} items in a list.
`.trim()

const credentialRefused = unauthorised(
  'The psk or API key is missing, unknown, disabled or expired. If a psk is sent, the API key is ignored.',
  'Valid credentials are required; send the psk header, or an API key in the X-API-Key header',
)
