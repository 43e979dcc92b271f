/**
 * The shapes of dynamic endpoints: definition, draft and published version. Validation, TypeScript types, OpenAPI and the
 * files of `endpoint push` derive from them.
 */
import type { Static } from 'typebox'
import Type from '../kernel/type.ts'
import { ADDRESS_RANGE } from './address-range.ts'
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

/** What happens to due times that passed while nothing could run them. */
const missedRunPolicies = ['skip', 'once', 'all'] as const

/** The path of every endpoint begins with this. */
export const ENDPOINT_PREFIX = '/api/dynamic/v1/'

const strict = { additionalProperties: false } as const
const words = <Words extends string[]>(words: readonly [...Words], description: string) =>
  Type.Enum<Words>([...words], { description })

export const EndpointLimits = Type.Object(
  {
    milliseconds: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 300_000, description: 'Duration of a run; 5,000 by default' }),
    ),
    statements: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000_000,
        description: 'Statements of a run; 1,000,000 by default',
      }),
    ),
    loops: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000_000,
        description: 'Iterations of all loops together; 1,000,000 by default',
      }),
    ),
    depth: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 20_000, description: 'Depth of nested calls; 64 by default' }),
    ),
    memoryBytes: Type.Optional(
      Type.Integer({
        minimum: 65_536,
        maximum: 2 ** 29,
        description: 'Size of all values together; 64 MiB by default',
      }),
    ),
    outputBytes: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 2 ** 27, description: 'Size of the payload; 8 MiB by default' }),
    ),
    concurrency: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1000,
        description: 'Runs at the same time; by default the setting endpointConcurrency',
      }),
    ),
  },
  {
    ...strict,
    default: {},
    description: 'What a run may use; members that are left out have their defaults',
  },
)

/**
 * How senders sign deliveries. The style sets the defaults of the other members: `github` (`X-Hub-Signature-256: sha256=HEX`
 * of the body), `stripe` (`Stripe-Signature: t=SECONDS,v1=HEX` of `SECONDS.BODY`), `slack` (`X-Slack-Signature: v0=HEX` of
 * `v0:SECONDS:BODY`, seconds in `X-Slack-Request-Timestamp`), `plain` (only the digest of the body).
 */
export const SignatureCheck = Type.Object(
  {
    style: words(['github', 'stripe', 'slack', 'plain'], 'Sets the members that are left out'),
    secret: Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'Name of the secret that the sender signs with',
    }),
    previousSecret: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description:
          'Name of the secret that the sender signed with before. While both are named, either signature is accepted',
      }),
    ),
    header: Type.Optional(
      Type.String({ pattern: '^[A-Za-z0-9-]{1,100}$', description: 'Header with the signature' }),
    ),
    algorithm: Type.Optional(words(['sha1', 'sha256', 'sha512'], 'Hash algorithm of the HMAC')),
    encoding: Type.Optional(words(['hex', 'base64'], 'Encoding of the digest')),
    prefix: Type.Optional(
      Type.String({ maxLength: 20, description: 'Text before the digest, such as `sha256=`' }),
    ),
    timestampHeader: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9-]{1,100}$',
        description: 'Header with the time of signing, in seconds since 1970',
      }),
    ),
    toleranceSeconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 86_400,
        description: 'How far the time of signing may be in the past or the future; 300 by default',
      }),
    ),
  },
  {
    ...strict,
    description: 'Checked before the script runs; a delivery that fails the check is answered with 401',
  },
)

export const Deduplication = Type.Object(
  {
    header: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9-]{1,100}$',
        description: 'Header with the id of the delivery',
      }),
    ),
    field: Type.Optional(
      Type.String({
        pattern: '^(/[^/]+)+$',
        maxLength: 200,
        description:
          'Where the id of the delivery is in a JSON body or a form, as a JSON pointer such as `/event/id`. With `header` too, it counts when the header is missing',
      }),
    ),
    windowSeconds: Type.Integer({
      minimum: 1,
      maximum: 2_592_000,
      description: 'How long an id is remembered',
    }),
  },
  {
    ...strict,
    minProperties: 2,
    description:
      'A delivery that was already processed is answered with 200 and not run again. Its id is in `header`, in `field`, or in either',
  },
)

/** How much of its runs an endpoint records. */
export const recordedParts = ['full', 'metadata', 'none'] as const
export type RecordedPart = (typeof recordedParts)[number]

/** `passport`, or a path such as `$.travellers[*].passport`. */
const MASKED_FIELD = '^(?:[^\\s$.\\[\\]][^.\\[\\]]*|\\$(?:\\.[^\\s.\\[\\]]+|\\[(?:\\*|\\d{1,9})\\])+)$'
export const Schedule = Type.Object(
  {
    name: Type.String({
      pattern: '^[a-z0-9]([a-z0-9-]{0,48}[a-z0-9])?$',
      description: 'Unique within the endpoint: small letters, digits and hyphens',
    }),
    cron: Type.String({
      minLength: 1,
      maxLength: 200,
      description:
        'Minute, hour, day of month, month and day of week, such as `0 6 * * MON-FRI`; or `@hourly`, `@daily`, `@weekly`, `@monthly`, `@yearly`',
    }),
    timeZone: Type.String({
      minLength: 1,
      maxLength: 60,
      default: 'UTC',
      description: 'IANA time zone, such as `Pacific/Auckland`',
    }),
    input: Type.Unknown({
      default: null,
      description: 'What the script reads as `Data.request.body`; at most 65,536 bytes of JSON',
    }),
    missedRuns: words(
      missedRunPolicies,
      'What becomes of due times at which nothing could run: `skip` drops them, `once` runs once for all of them, `all` runs each of the newest 100',
    ),
    overlap: Type.Boolean({
      default: false,
      description: 'Whether a run may begin while the one before still runs',
    }),
  },
  { ...strict, description: 'When the script runs by itself' },
)

const ALLOWED_HOST =
  '^(?:(?:\\*\\.)?[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?|\\[[0-9A-Fa-f:.]+\\])(?::[1-9][0-9]{0,4})?$'

/** Which web pages may call the endpoint; in place of the setting `corsOrigins`. */
export const CrossOrigin = Type.Object(
  {
    origins: Type.Array(
      Type.String({
        pattern: '^(?:\\*|https?://[^\\s/?#*,]{1,200})$',
        description: 'Such as `https://app.example.com`, or `*`',
      }),
      { maxItems: 50, uniqueItems: true, description: 'Empty: the pages of no other origin' },
    ),
    headers: Type.Optional(
      Type.Array(Type.String({ pattern: '^[A-Za-z0-9-]{1,100}$' }), {
        maxItems: 50,
        description: 'Headers that pages may send; by default all that they ask for',
      }),
    ),
    maxAgeSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 86_400,
        description: 'How long a browser may keep the answer to its preflight request; 600 by default',
      }),
    ),
  },
  {
    ...strict,
    description:
      'Which web pages may call the endpoint and read its answers, in place of the setting corsOrigins. Cookies and stored passwords are never accepted',
  },
)

export const CallRate = Type.Object(
  {
    calls: Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      description: 'Calls in a period, also all at once',
    }),
    per: words(['second', 'minute'], 'The period'),
    by: Type.Optional(
      words(
        ['caller', 'address'],
        'Who has a limit of their own: each `caller` by their token, or by their address without a token (the default); or each `address`',
      ),
    ),
  },
  {
    ...strict,
    description: 'Calls beyond it are answered with 429. Each node of the service counts for itself',
  },
)

/** Has the default of every member that may be left out. */
export const EndpointDefinition = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: 100,
      pattern: '^\\S(.*\\S)?$',
      description: 'Unique; letter case does not count',
    }),
    description: Type.String({ maxLength: 1000, default: '' }),
    category: words(endpointCategories, 'For filtering in the list'),
    method: Type.Union([words(endpointMethods, 'The only method that it answers'), Type.Null()], {
      default: null,
      description:
        'The only method that it answers. Null, like the path, for a script that only schedules run',
    }),
    path: Type.Union([Type.String({ minLength: 1, maxLength: 200 }), Type.Null()], {
      default: null,
      description: `Segments after \`${ENDPOINT_PREFIX}\`; \`{name}\` matches any one segment. Null, like the method, for a script that only schedules run`,
    }),
    requiresAuthentication: Type.Boolean({ default: true }),
    allowedRoles: Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
      maxItems: 100,
      uniqueItems: true,
      default: [],
      description: 'Empty: any authenticated user',
    }),
    limits: EndpointLimits,
    allowedHosts: Type.Array(
      Type.String({
        maxLength: 260,
        pattern: ALLOWED_HOST,
        description:
          '`erp.example.com`, or `*.example.com` for every name below it, with a port such as `:8443`',
      }),
      {
        maxItems: 50,
        uniqueItems: true,
        default: [],
        description: 'Hosts to which the script may send requests with `HttpRequest`; empty: none',
      },
    ),
    signature: Type.Union([SignatureCheck, Type.Null()], { default: null }),
    deduplication: Type.Union([Deduplication, Type.Null()], { default: null }),
    finishWhenCallerLeaves: Type.Optional(
      Type.Boolean({
        description:
          'Whether a run goes on when its caller closes the connection before the answer; by default it is cancelled',
      }),
    ),
    record: Type.Enum([...recordedParts], {
      default: 'full',
      description:
        'What the history keeps of a run: `full`; `metadata`, without headers, parameters, bodies, log lines and messages; or `none`, which also leaves out the caller, the request id and the values in the path. Every run leaves a row with times, status and counts',
    }),
    maskedFields: Type.Array(Type.String({ minLength: 1, maxLength: 200, pattern: MASKED_FIELD }), {
      maxItems: 100,
      uniqueItems: true,
      default: [],
      description:
        'Members whose values are masked in the history and the log: by name at any depth (`passport`), or by path (`$.travellers[*].passport`). Letter case does not count',
    }),
    cors: Type.Optional(CrossOrigin),
    rateLimit: Type.Optional(CallRate),
    allowedAddresses: Type.Optional(
      Type.Array(
        Type.String({ format: ADDRESS_RANGE, description: 'Such as `203.0.113.0/24` or `2001:db8::1`' }),
        {
          minItems: 1,
          maxItems: 200,
          uniqueItems: true,
          description: 'Addresses and ranges that may call the endpoint; others get 403. By default all',
        },
      ),
    ),
    compress: Type.Optional(
      Type.Boolean({
        description:
          'Whether large answers of text are compressed for callers that accept it; true by default',
      }),
    ),
    schedules: Type.Array(Schedule, {
      maxItems: 20,
      default: [],
      description: 'When the published version runs by itself',
    }),
    script: Type.String({ maxLength: 2 ** 20 }),
  },
  { ...strict, description: 'What an operator defines' },
)

/** Nobody reads the answer any more, so the run ends unless the endpoint says that its work counts. */
export const finishesWithoutCaller = ({
  finishWhenCallerLeaves = false,
}: Pick<EndpointDefinition, 'finishWhenCallerLeaves'>): boolean => finishWhenCallerLeaves

export const PublishedVersion = Type.Object(
  {
    version: Type.Integer({ minimum: 1 }),
    publishedAt: moment('When it was published'),
    publishedBy: Type.String({ description: 'User who published it' }),
    note: nullable(Type.String({ description: 'Why it was published' })),
    definition: EndpointDefinition,
  },
  { ...strict, description: 'A published version, which never changes' },
)

export const Endpoint = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    draft: EndpointDefinition,
    draftRevision: Type.Integer({ description: 'Increases with every change of the draft' }),
    draftChangedAt: moment('When the draft was last changed'),
    draftChangedBy: Type.String(),
    hasUnpublishedChanges: Type.Boolean({ description: 'The draft differs from the published version' }),
    active: Type.Boolean({ description: 'An inactive endpoint answers 404' }),
    published: nullable(Type.Omit(PublishedVersion, ['definition'])),
    createdAt: moment('When it was created'),
  },
  { ...strict, description: 'An endpoint with its draft; callers get the published version' },
)

export type EndpointLimits = Static<typeof EndpointLimits>
export type SignatureCheck = Static<typeof SignatureCheck>
export type Deduplication = Static<typeof Deduplication>
export type CrossOrigin = Static<typeof CrossOrigin>
export type CallRate = Static<typeof CallRate>
export type Schedule = Static<typeof Schedule>
export type EndpointDefinition = Static<typeof EndpointDefinition>
export type EndpointCategory = (typeof endpointCategories)[number]
export type PublishedVersion = Static<typeof PublishedVersion>
export type Endpoint = Static<typeof Endpoint>
