/**
 * Dynamic endpoints, once: what an operator defines, publishes and gets back. Validation, TypeScript types, OpenAPI and the
 * files of `endpoint push` derive from these shapes.
 */
import Type, { type Static } from 'typebox'
import { moment, nullable } from './shapes.ts'

/** Specification 4.3. */
export const endpointMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
export type EndpointMethod = (typeof endpointMethods)[number]

/** Specification 4.3. */
export const endpointCategories = [
  'OrganizationReport',
  'PersonReport',
  'Integration',
  'Webhook',
  'Utility',
] as const

/** Before the route of every endpoint. */
export const ENDPOINT_PREFIX = '/api/dynamic/v1/'

const strict = { additionalProperties: false } as const
const words = <Words extends string[]>(words: readonly [...Words], description: string) =>
  Type.Enum<Words>([...words], { description })

export const EndpointLimits = Type.Object(
  {
    milliseconds: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 300_000, description: 'Of a run, 5,000 by default' }),
    ),
    statements: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1_000_000_000, description: '1,000,000 by default' }),
    ),
    loops: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000_000,
        description: 'Rounds of all loops, 1,000,000 by default',
      }),
    ),
    depth: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 20_000, description: 'Calls within calls, 64 by default' }),
    ),
    memoryBytes: Type.Optional(
      Type.Integer({ minimum: 65_536, maximum: 2 ** 29, description: 'Of values, 64 MiB by default' }),
    ),
    outputBytes: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 2 ** 27, description: 'Of the payload, 8 MiB by default' }),
    ),
    concurrency: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1000,
        description: 'Runs at the same time; a setting is the default',
      }),
    ),
  },
  { ...strict, default: {}, description: 'What a run may use; what is not given has its default' },
)

/**
 * How senders sign deliveries. A style fills in what is not given: `github` (`X-Hub-Signature-256: sha256=HEX` of the body),
 * `stripe` (`Stripe-Signature: t=SECONDS,v1=HEX` of `SECONDS.BODY`), `slack` (`X-Slack-Signature: v0=HEX` of
 * `v0:SECONDS:BODY`, seconds in `X-Slack-Request-Timestamp`), `plain` (the digest of the body and nothing else).
 */
export const SignatureCheck = Type.Object(
  {
    style: words(['github', 'stripe', 'slack', 'plain'], 'Fills in the members that are not given'),
    secret: Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'Name of the secret that the sender signs with',
    }),
    header: Type.Optional(
      Type.String({ pattern: '^[A-Za-z0-9-]{1,100}$', description: 'Carries the signature' }),
    ),
    algorithm: Type.Optional(words(['sha1', 'sha256', 'sha512'], 'Of the HMAC')),
    encoding: Type.Optional(words(['hex', 'base64'], 'Of the digest')),
    prefix: Type.Optional(
      Type.String({ maxLength: 20, description: 'Before the digest, such as `sha256=`' }),
    ),
    timestampHeader: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9-]{1,100}$',
        description: 'Carries the time of signing, in seconds since 1970',
      }),
    ),
    toleranceSeconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 86_400,
        description: 'How old or early a signature may be; 300 by default',
      }),
    ),
  },
  { ...strict, description: 'Checked before the script runs; a delivery that fails is answered with 401' },
)

export const Deduplication = Type.Object(
  {
    header: Type.String({ pattern: '^[A-Za-z0-9-]{1,100}$', description: 'Carries the id of the delivery' }),
    windowSeconds: Type.Integer({
      minimum: 1,
      maximum: 2_592_000,
      description: 'How long an id is remembered',
    }),
  },
  { ...strict, description: 'A delivery that was dealt with already is answered with 200 and not run again' },
)

/** The default of every member that may be left out stands here. */
export const EndpointDefinition = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: 100,
      pattern: '^\\S(.*\\S)?$',
      description: 'Unique without regard to case',
    }),
    description: Type.String({ maxLength: 1000, default: '' }),
    category: words(endpointCategories, 'For filtering in the list'),
    method: words(endpointMethods, 'The one method that it answers'),
    path: Type.String({
      minLength: 1,
      maxLength: 200,
      description: `After \`${ENDPOINT_PREFIX}\`: segments, of which \`{name}\` stands for any`,
    }),
    requiresAuthentication: Type.Boolean({ default: true }),
    allowedRoles: Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
      maxItems: 100,
      uniqueItems: true,
      default: [],
      description: 'Empty: any authenticated user',
    }),
    limits: EndpointLimits,
    signature: Type.Union([SignatureCheck, Type.Null()], { default: null }),
    deduplication: Type.Union([Deduplication, Type.Null()], { default: null }),
    script: Type.String({ maxLength: 2 ** 20 }),
  },
  { ...strict, description: 'What an operator defines' },
)

export const PublishedVersion = Type.Object(
  {
    version: Type.Integer({ minimum: 1 }),
    publishedAt: moment('When it was published'),
    publishedBy: Type.String({ description: 'Who published it' }),
    note: nullable(Type.String({ description: 'Why' })),
    definition: EndpointDefinition,
  },
  { ...strict, description: 'Never changes' },
)

export const Endpoint = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    draft: EndpointDefinition,
    draftRevision: Type.Integer({ description: 'Grows with every change of the draft' }),
    draftChangedAt: moment('When the draft was changed last'),
    draftChangedBy: Type.String(),
    hasUnpublishedChanges: Type.Boolean({ description: 'The draft differs from the published version' }),
    active: Type.Boolean({ description: 'An inactive endpoint answers 404' }),
    published: nullable(Type.Omit(PublishedVersion, ['definition'])),
    createdAt: moment('When it was created'),
  },
  { ...strict, description: 'An endpoint with its draft; callers see the published version' },
)

export type EndpointLimits = Static<typeof EndpointLimits>
export type SignatureCheck = Static<typeof SignatureCheck>
export type Deduplication = Static<typeof Deduplication>
export type EndpointDefinition = Static<typeof EndpointDefinition>
export type EndpointCategory = (typeof endpointCategories)[number]
export type PublishedVersion = Static<typeof PublishedVersion>
export type Endpoint = Static<typeof Endpoint>
