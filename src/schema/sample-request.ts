/** The sample request of a trial, one shape for the admin API, its OpenAPI document and the command line. */
import type { Static } from 'typebox'
import Type from '../kernel/type.ts'
import { nullable } from './shapes.ts'

const strict = { additionalProperties: false } as const

/** What `HttpRequest` gets in a trial, in which nothing is sent. */
export const SampleAnswer = Type.Object(
  {
    method: Type.Optional(Type.String({ description: 'By default every method' })),
    url: Type.String({
      minLength: 1,
      maxLength: 2000,
      description: 'URL of the request; `*` stands for any text',
    }),
    status: Type.Optional(Type.Integer({ minimum: 200, maximum: 599, description: '200 by default' })),
    headers: Type.Optional(Type.Record(Type.String(), Type.String())),
    body: Type.Optional(Type.Unknown({ description: 'Answered as JSON' })),
    rawBody: Type.Optional(Type.String({ description: 'Answered unchanged instead of `body`' })),
    failure: Type.Optional(
      Type.Enum(['unreachable', 'timeout'], {
        description: 'The host cannot be reached, or does not answer',
      }),
    ),
  },
  { ...strict, description: 'An answer to a request of the script' },
)

export const SampleRequest = Type.Object(
  {
    method: Type.Optional(Type.String({ description: 'By default the method of the endpoint' })),
    params: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: "A value for every parameter of the endpoint's path",
      }),
    ),
    query: Type.Optional(
      Type.Record(Type.String(), Type.Union([Type.String(), Type.Array(Type.String())]), {
        description: 'Query parameters; several values of one name as an array',
      }),
    ),
    headers: Type.Optional(
      Type.Record(
        Type.String({ pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$" }),
        Type.String({ pattern: '^[^\\r\\n\\0]*$' }),
      ),
    ),
    body: Type.Optional(Type.Unknown({ description: 'Sent as JSON' })),
    rawBody: Type.Optional(
      Type.String({
        description: 'Sent unchanged instead of `body`; the header `content-type` has its media type',
      }),
    ),
    user: Type.Optional(
      nullable(
        Type.Object(
          {
            principalId: Type.Optional(
              Type.String({
                minLength: 1,
                maxLength: 300,
                description: 'By default `user:<email>` or `user:<name>`',
              }),
            ),
            name: Type.Optional(Type.String({ maxLength: 300 })),
            email: Type.Optional(Type.String({ maxLength: 300 })),
            preferredUsername: Type.Optional(Type.String({ maxLength: 300 })),
            objectId: Type.Optional(Type.String({ maxLength: 300 })),
            tenantId: Type.Optional(Type.String({ maxLength: 300 })),
            roles: Type.Optional(Type.Array(Type.String({ maxLength: 100 }), { maxItems: 100 })),
          },
          {
            ...strict,
            description:
              'The caller that the script sees. Null for an anonymous caller; by default the operator who runs the trial',
          },
        ),
      ),
    ),
    http: Type.Optional(
      Type.Array(SampleAnswer, {
        maxItems: 100,
        description:
          'Answers to the requests that the script sends with `HttpRequest`. Of those that fit, each is used once, in order; then the last one again. Without one, the answer is 202 without a body',
      }),
    ),
  },
  { ...strict, default: {}, description: 'A request to try an endpoint with' },
)

export type SampleAnswer = Static<typeof SampleAnswer>
export type SampleRequest = Static<typeof SampleRequest>
