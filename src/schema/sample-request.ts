/** The sample request of a trial, one shape for the admin API, its OpenAPI document and the command line. */
import type { Static } from 'typebox'
import Type from '../kernel/type.ts'
import { nullable } from './shapes.ts'

const strict = { additionalProperties: false } as const

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
  },
  { ...strict, default: {}, description: 'A request to try an endpoint with' },
)

export type SampleRequest = Static<typeof SampleRequest>
