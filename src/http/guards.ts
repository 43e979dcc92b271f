/** What stands before a route: the caller must be known before anything else about the request is looked at. */
import type { IncomingHttpHeaders } from 'node:http'
import type { onRequestHookHandler } from 'fastify'
import type { Problem } from '../kernel/problem.ts'
import type { Observe } from '../observe/observation.ts'
import { credentialNotAccepted, keyNotAccepted } from './problems.ts'
import type { AuthenticatedAccount } from './request-report.ts'

type HeaderValue = string | string[] | undefined

export type Authenticate = (apiKeyHeader: HeaderValue) => AuthenticatedAccount | null

/** Version 1 has a credential of its own besides the API key. */
export type AuthenticateVersion1 = (
  headers: Readonly<Record<'psk' | 'x-api-key', HeaderValue>>,
) => AuthenticatedAccount | null

export const requireApiKey = (authenticate: Authenticate, observe: Observe): onRequestHookHandler =>
  requireAccount((headers) => authenticate(headers['x-api-key']), keyNotAccepted, observe)

export const requireVersion1Credential = (
  authenticate: AuthenticateVersion1,
  observe: Observe,
): onRequestHookHandler =>
  requireAccount(
    (headers) => authenticate({ psk: headers.psk, 'x-api-key': headers['x-api-key'] }),
    credentialNotAccepted,
    observe,
  )

function requireAccount(
  authenticate: (headers: IncomingHttpHeaders) => AuthenticatedAccount | null,
  refusal: () => Problem,
  observe: Observe,
): onRequestHookHandler {
  return (request, _reply, done) => {
    const started = performance.now()
    request.account = authenticate(request.raw.headers)
    observe({ kind: 'stage-timed', stage: 'authenticate', milliseconds: performance.now() - started })
    done(request.account === null ? refusal() : undefined)
  }
}
