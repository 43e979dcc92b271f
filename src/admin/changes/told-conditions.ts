/** How the OpenAPI document tells of entity tags, `If-Match` and `Idempotency-Key`. */
import type { Resource } from './resource.ts'

type ToldRoute = {
  readonly method: string
  readonly path: string
  readonly resource?: Resource<never> | undefined
}

/** A POST to a list creates; every other change is one of something that is there. */
export const creates = ({ method, path }: ToldRoute): boolean => method === 'POST' && !path.includes(':')

export function conditionalOperation(route: ToldRoute) {
  const isChange = route.method !== 'GET'
  const mustMatch = isChange && route.resource !== undefined && !creates(route)
  const sent: Readonly<Record<string, object>> = {
    ...(mustMatch && {
      'if-match': {
        type: 'string',
        description:
          'The ETag of what is changed, from the answer that showed it; `*` changes it whatever it is by now',
      },
    }),
    ...(route.method === 'POST' && {
      'idempotency-key': {
        type: 'string',
        minLength: 16,
        maxLength: 200,
        description:
          'A random text of your choice, such as a UUID. The same request with the same key gets the same answer for 24 hours, and changes nothing again',
      },
    }),
  }
  return {
    headers: (Object.keys(sent).length === 0
      ? {}
      : { headers: { type: 'object', properties: sent } }) as object,
    answerHeaders:
      route.resource === undefined
        ? {}
        : { ETag: { type: 'string', description: 'The version of the object, for `If-Match`' } },
    refusals: {
      ...(mustMatch && {
        412: 'The object was changed since the version in `If-Match`',
        428: 'The request has no `If-Match`',
      }),
      ...(route.method === 'POST' && {
        409: 'A request with this `Idempotency-Key` is being answered',
        422: 'The `Idempotency-Key` was sent with another request before',
      }),
    } satisfies Readonly<Partial<Record<number, string>>>,
  }
}
