/**
 * Calls the APIs of the service with the types of its OpenAPI document. The credential is in memory only and goes into a header
 * of each request.
 *
 *     const { data, etag } = await answerOf(api.GET('/api/admin/v1/endpoints/{id}', { params: { path: { id } } }))
 */
import createClient, { type Client, type Middleware } from 'openapi-fetch'
import type { paths } from '../../generated/api.d.ts'
import type { Credential } from './credential.ts'
import { problemOf, unreachable } from './problem.ts'

export type Api = Client<paths>

/** What a header can carry. */
const SENDABLE = /^[ -~]*$/

type ApiOptions = {
  /** The address of the service. */
  readonly service: string
  /** Read for each request, because a token may be renewed. */
  readonly credential: () => Credential | undefined
  /** Is told when the server no longer accepts the credential. */
  readonly onUnauthenticated: () => void
  /** Whether it was refused: nothing is sent any more then, because the server counts refusals and would lock the caller out. */
  readonly hasEnded?: () => boolean
}

export function createApi({ service, credential, onUnauthenticated, hasEnded }: ApiOptions): Api {
  const api = createClient<paths>({ baseUrl: service, credentials: 'omit', redirect: 'error' })
  const authenticate: Middleware = {
    onRequest({ request }) {
      if (hasEnded?.()) return Response.json({ message: 'The session has ended' }, { status: 401 })
      const known = credential()
      if (known === undefined) return request
      // A slip of the clipboard, such as a text with other letters: no service has issued it.
      if (!SENDABLE.test(known.value)) return new Response(null, { status: 401 })
      request.headers.set(known.header, known.value)
      return request
    },
    onResponse({ request, response }) {
      const known = credential()
      // A request with the key of before may be answered after the key was rotated.
      const isOfBefore = known !== undefined && request.headers.get(known.header) !== known.value
      if (response.status === 401 && !isOfBefore) onUnauthenticated()
    },
  }
  api.use(authenticate)
  return api
}

type Called<T> = { readonly data?: T; readonly error?: unknown; readonly response: Response }

export type Answer<T> = {
  readonly data: T
  /** For `If-Match` of a change to what was answered. */
  readonly etag: string | undefined
  readonly response: Response
}

/** @throws ApiProblem when the server refuses, fails or cannot be reached; an AbortError when the caller has left */
export async function answerOf<T>(call: Promise<Called<T>>): Promise<Answer<T>> {
  const { data, error, response } = await call.catch((cause: unknown) => {
    throw isAbort(cause) ? cause : unreachable(cause)
  })
  if (!response.ok) throw problemOf(response, error)
  return { data: data as T, etag: response.headers.get('etag') ?? undefined, response }
}

/** For what needs no headers of the answer. */
export const dataOf = async <T>(call: Promise<Called<T>>): Promise<T> => (await answerOf(call)).data

export const isAbort = (cause: unknown): boolean =>
  cause instanceof DOMException && cause.name === 'AbortError'
