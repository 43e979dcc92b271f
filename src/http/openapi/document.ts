/**
 * The OpenAPI 3.1 document around the operations: what the service is, how to authenticate, and the record shapes as
 * named components. The operations come from the routes themselves.
 */
import fastifySwagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import * as shapes from '../../schema/shapes.ts'
import * as version1 from '../../schema/version-1-shapes.ts'

/** Named in the document; shapes inside other shapes become references to these. Inner ones come first. */
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

/** Where the guides are served, under the names that their files have. */
export const guideAddresses = {
  fromVersion1: '/docs/from-v1-to-v2.md',
  formats: '/docs/formats.md',
} as const

export type ComponentName = keyof typeof components

export const reference = (name: ComponentName) => ({ $ref: `${name}#` })

export type Tag = { readonly name: string; readonly description: string }

/** Has to be called before the routes it shall describe are added. The tags are of routes that come from elsewhere. */
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
        { name: 'Version 1', description: version1Tag },
        { name: 'Dynamic endpoints', description: dynamicTag },
        ...tags,
        { name: 'Operation', description: 'For load balancers and monitoring; no key is asked for.' },
      ],
      components: {
        securitySchemes: {
          apiKey: {
            type: 'apiKey',
            in: 'header',
            name: 'X-API-Key',
            description: 'The key of a service account. It alone decides whose records are answered.',
          },
          psk: {
            type: 'apiKey',
            in: 'header',
            name: 'psk',
            description: 'A GUID that the operator issues to a service account. It opens version 1 only.',
          },
          bearer: {
            type: 'http',
            scheme: 'bearer',
            bearerFormat: 'JWT',
            description: "A token of the operator's identity provider. Its roles decide what it opens.",
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

/** Each component as JSON Schema, with every named shape inside it replaced by a reference. */
function componentSchemas(): Record<string, unknown>[] {
  const names = new Map<string, ComponentName>()
  return (Object.keys(components) as ComponentName[]).map((name) => {
    // By text, not by identity: an optional shape is a copy of the shape.
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
A client's own bookings, invoices and itineraries, from periodic extracts of the data warehouse. The data is not real
time: \`Last-Modified\` says when the source was extracted.

**Authentication.** Every request for records carries the header \`X-API-Key\`. The key alone decides whose records are answered.
Version 1 takes the header \`psk\` as well. The guide [From version 1 to version 2](${guideAddresses.fromVersion1}) is for those who move.
Dynamic endpoints and administration take a token instead, \`Authorization: Bearer\`, whose roles decide.

**Whole collections and pages.** Without parameters a list answers every record. \`$page\` and \`$pageSize\` ask for a
page; \`_meta\` then tells the totals. Records come in a stable order, by date and then by their identity.

**Formats.** JSON, newline-delimited JSON, CSV and Arrow: \`$format\` or \`Accept\` says which, and
[this guide](${guideAddresses.formats}) how to load them. Version 1 has JSON only.
Answers are compressed for whoever asks for it: \`Accept-Encoding: zstd\` or \`gzip\`.

**Copies.** Every list carries an \`ETag\`. Send it back in \`If-None-Match\`: while the client's data has not changed, the
answer is \`304\` without a body.

**Limits.** The operator may limit how often an account asks. Answers then tell in \`RateLimit\` what is left. A request
too many is answered with \`429\`, and so are many at the same time; wait as many seconds as \`Retry-After\` says. So are requests
without a valid credential, once there were many of them from the same address; those with a valid one are not affected. While
the service has too much to do for others, it answers \`503\` with the same header. How long a query may be, and how much
work it may take, are settings of the operator's too: a query that is certain to take more is answered with \`400\`,
one that turned out to take more with \`503\`.

**Errors.** Every error is a JSON object with \`error\`. A parameter that cannot be understood names itself, the zero-based
column and the text it is about. \`X-Request-Id\` identifies a request when reporting a problem.
`.trim()

const version1Tag =
  'Kept for older integrations: the same records in the shapes of version 1, queried by caret clauses. Write new ones ' +
  `against version 2. The guide [From version 1 to version 2](${guideAddresses.fromVersion1}) translates fields, operators and paging.`

const dynamicTag =
  'Routes that the operator of this server adds: each runs a script. Which there are, what they take and what they answer ' +
  'is for the operator to say; what all of them have in common is described here.'
