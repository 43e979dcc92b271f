/**
 * The OpenAPI 3.1 document around the operations: overview, authentication, and the record shapes as named components. The
 * operations come from the routes.
 */
import fastifySwagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import * as changes from '../../schema/changes-shapes.ts'
import * as shapes from '../../schema/shapes.ts'
import * as version1 from '../../schema/version-1-shapes.ts'

/** The named shapes of the document. Shapes inside other shapes become references, so inner ones come first. */
const components = {
  CustomDataFields: shapes.CustomDataFields,
  BookingSegment: shapes.BookingSegment,
  InvoiceLineItem: shapes.InvoiceLineItem,
  Booking: shapes.Booking,
  Itinerary: shapes.Itinerary,
  Invoice: shapes.Invoice,
  QueryMeta: shapes.QueryMeta,
  BookingsResponse: shapes.BookingsResponse,
  InvoicesResponse: shapes.InvoicesResponse,
  ItinerariesResponse: shapes.ItinerariesResponse,
  ChangedBooking: changes.ChangedBooking,
  ChangedItinerary: changes.ChangedItinerary,
  ChangedInvoice: changes.ChangedInvoice,
  RemovedBooking: changes.RemovedBooking,
  RemovedInvoice: changes.RemovedInvoice,
  ChangesMeta: changes.ChangesMeta,
  BookingChangesResponse: changes.BookingChangesResponse,
  InvoiceChangesResponse: changes.InvoiceChangesResponse,
  ItineraryChangesResponse: changes.ItineraryChangesResponse,
  GroupsResponse: shapes.GroupsResponse,
  TravellerV1: version1.TravellerV1,
  BookingV1: version1.BookingV1,
  ItineraryV1: version1.ItineraryV1,
  LineItemV1: version1.LineItemV1,
  PaymentV1: version1.PaymentV1,
  InvoiceV1: version1.InvoiceV1,
  BookingsV1Response: version1.BookingsV1Response,
  InvoicesV1Response: version1.InvoicesV1Response,
  ItinerariesV1Response: version1.ItinerariesV1Response,
  Error: shapes.ErrorBody,
  QueryError: shapes.QueryErrorBody,
  RotateApiKeyResponse: shapes.RotateApiKeyResponse,
} as const

/** The pages of the guides that descriptions name. */
const guideAddresses = {
  fromVersion1: '/docs/guides/how-to/from-v1-to-v2',
  formats: '/docs/guides/how-to/formats',
  queries: '/docs/guides/how-to/querying',
  changes: '/docs/guides/how-to/changes',
  webhooks: '/docs/guides/how-to/webhooks',
} as const

export type ComponentName = keyof typeof components

export const reference = (name: ComponentName) => ({ $ref: `${name}#` })

export type Tag = { readonly name: string; readonly description: string }

/** Has to be called before the routes are added. @param tags tags of the routes of other folders */
export function describeApi(server: FastifyInstance, tags: readonly Tag[] = []): void {
  for (const schema of componentSchemas()) server.addSchema(schema)
  server.register(fastifySwagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Tripfolio client data API',
        version: '2.0.0',
        description: overview,
        license: { name: 'MIT' },
      },
      servers: [{ url: '/', description: 'This server' }],
      tags: [
        {
          name: 'Records',
          description: "Version 2: the client's bookings, invoices and itineraries. Read-only.",
        },
        { name: 'Service account', description: 'The account behind the API key.' },
        { name: 'Events', description: "Tells when the client's data changed: live, or by webhooks." },
        { name: 'Version 1', description: version1Tag },
        { name: 'Dynamic endpoints', description: dynamicTag },
        ...tags,
        { name: 'Operation', description: 'For load balancers and monitoring. These routes need no key.' },
      ],
      components: {
        securitySchemes: {
          apiKey: {
            type: 'apiKey',
            in: 'header',
            name: 'X-API-Key',
            description:
              'The key of a service account. It alone decides which client the records belong to. Tools that cannot send this ' +
              'header send the key as `Authorization: Bearer`, or to read records as the password of `Basic` with any user name; ' +
              'this header takes precedence.',
          },
          psk: {
            type: 'apiKey',
            in: 'header',
            name: 'psk',
            description:
              'A GUID that the operator issues to a service account. It is valid for version 1 only.',
          },
          bearer: {
            type: 'http',
            scheme: 'bearer',
            bearerFormat: 'JWT',
            description:
              "A token of the operator's identity provider. Its roles decide what the caller may do.",
          },
        },
      },
    },
    refResolver: {
      buildLocalReference: (json, _base, _fragment, i) =>
        typeof json.$id === 'string' ? json.$id : `def-${i}`,
    },
  })
}

let schemasMade: readonly Record<string, unknown>[] | undefined

/** Each component as JSON Schema. The server copies them, so they are made once for each process. */
function componentSchemas(): readonly Record<string, unknown>[] {
  schemasMade ??= makeComponentSchemas()
  return schemasMade
}

/** A named shape inside a component is replaced by a reference. */
function makeComponentSchemas(): Record<string, unknown>[] {
  const names = new Map<string, ComponentName>()
  return (Object.keys(components) as ComponentName[]).map((name) => {
    // Compared by text, not by identity: an optional shape is a copy of the shape.
    const text = JSON.stringify(components[name])
    const schema = JSON.parse(text, (key, value) => {
      const inner = key === '' ? undefined : names.get(JSON.stringify(value))
      return inner === undefined ? value : reference(inner)
    })
    names.set(JSON.stringify(schema), name)
    return { $id: name, ...schema }
  })
}

const overview = `
Bookings, invoices and itineraries of one client, from periodic extracts of the data warehouse. The data is not real time:
\`Last-Modified\` says when the source was extracted.

**Authentication.** Every request for records needs the header \`X-API-Key\`, or the key in \`Authorization\`: after \`Bearer\`, or as
the password of \`Basic\` with any user name. The key alone decides which client the records belong to. Version 1 also accepts the header \`psk\`. The guide [From version 1 to version 2](${guideAddresses.fromVersion1}) helps to migrate.
Dynamic endpoints and administration use a token instead, \`Authorization: Bearer\`; its roles decide what the caller may do.

**Whole collections and pages.** Without parameters a list returns every record. \`$page\` and \`$pageSize\` select a page;
\`_meta\` then has the totals, and the header \`Link\` the next, previous, first and last page. The order of records is stable: by date, then by their identifying fields.

**Queries.** \`$filter\`, \`$select\`, \`$orderby\` and \`$apply\` choose, shorten, sort and sum the records;
[this guide](${guideAddresses.queries}) has the whole language with examples. [Another one](${guideAddresses.changes}) shows how a copy follows what
changed, and [a third](${guideAddresses.webhooks}) how to be told.

**Formats.** JSON, newline-delimited JSON, CSV and Arrow. \`$format\` or \`Accept\` selects the format, and
[this guide](${guideAddresses.formats}) shows how to load each one. Version 1 has JSON only.
Answers are compressed on request: \`Accept-Encoding: zstd\` or \`gzip\`.

**Copies.** Every list has an \`ETag\`. Send it back in \`If-None-Match\`: while the client's data has not changed, the
answer is \`304\` without a body. \`If-Modified-Since\` does the same with \`Last-Modified\`, for the data of all clients together.

**Limits.** The operator may limit the rate of an account's requests; \`RateLimit\` then says how many are left. Each node of a
service counts for itself: with several nodes, \`RateLimit\` tells of the node that answered, and an account that all of them
serve may send as many times the rate as there are nodes. The answer is
\`429\` beyond that rate, and for too many requests at the same time: wait for the seconds in \`Retry-After\`. It is also
\`429\` for requests without a valid credential, after many of them from the same address; requests with a valid one are not
affected. While the service is busy with other accounts, it answers \`503\` with the same header. The operator also limits
the length of a query and the work that it may take: a query that certainly needs more is answered with \`400\`, one that
exceeds the limit while it runs with \`503\`.

**Errors.** Every error is a JSON object with \`error\`. For an invalid parameter the object also has its name, the
zero-based column of the fault and the text. When you report a problem, include the \`X-Request-Id\`.
`.trim()

const version1Tag =
  'Kept for older integrations: the same records in the shapes of version 1, queried by caret clauses. Write new ' +
  `integrations against version 2. The guide [From version 1 to version 2](${guideAddresses.fromVersion1}) translates fields, operators and paging.`

const dynamicTag =
  'Routes that the operator of this server adds: each runs a script. The operator defines which routes exist, what they take ' +
  'and what they answer. This document describes what all of them have in common.'
