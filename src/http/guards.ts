/** Checks the credential of a request before anything else about the request is read. */
import type { IncomingHttpHeaders } from 'node:http'
import type { onRequestHookHandler } from 'fastify'
import { bearerKey, keyOfAuthorization } from '../auth/key-of-authorization.ts'
import type { Problem } from '../kernel/problem.ts'
import type { Soon } from '../kernel/soon.ts'
import type { Observe } from '../observe/observation.ts'
import type { RouteFamily } from '../observe/route-family.ts'
import { credentialNotAccepted, keyNotAccepted } from './problems.ts'
import { type RefuseCaller, refuseEach } from './refuse-caller.ts'
import type { AuthenticatedAccount } from './request-report.ts'

type HeaderValue = string | string[] | undefined

export type Authenticate = (apiKeyHeader: HeaderValue) => Soon<AuthenticatedAccount | null>

/** Version 1 takes the header psk besides the API key. */
export type AuthenticateVersion1 = (
  headers: Readonly<Record<'psk' | 'x-api-key', HeaderValue>>,
) => Soon<AuthenticatedAccount | null>

type GuardDeps = { readonly observe: Observe; readonly refuseCaller?: RefuseCaller | undefined }

/**
 * Of several credentials the more specific header counts, alone: psk, then X-API-Key, then Authorization. So a caller whose proxy
 * adds `Authorization` for itself is not affected, and a wrong key is refused whatever else is sent.
 */
export const requireApiKey = (authenticate: Authenticate, deps: GuardDeps): onRequestHookHandler =>
  requireKey(keyOfAuthorization, authenticate, deps)

/**
 * For a request that changes something. `Basic` is not accepted: a browser repeats it without asking, even for a request that
 * another site started.
 */
export const requireDeliberateApiKey = (authenticate: Authenticate, deps: GuardDeps): onRequestHookHandler =>
  requireKey(bearerKey, authenticate, deps)

const requireKey = (
  keyIn: (authorization: string | undefined) => string | undefined,
  authenticate: Authenticate,
  deps: GuardDeps,
): onRequestHookHandler =>
  requireAccount(
    {
      routes: 'v2',
      credentialOf: (headers) => headers['x-api-key'] ?? authorizationCredential(headers),
      authenticate: (headers) => authenticate(headers['x-api-key'] ?? keyIn(headers.authorization)),
      refusal: keyNotAccepted,
    },
    deps,
  )

export const requireVersion1Credential = (
  authenticate: AuthenticateVersion1,
  deps: GuardDeps,
): onRequestHookHandler =>
  requireAccount(
    {
      routes: 'v1',
      credentialOf: (headers) => headers.psk ?? headers['x-api-key'] ?? authorizationCredential(headers),
      authenticate: ({ psk, 'x-api-key': apiKey, authorization }) =>
        authenticate({ psk, 'x-api-key': apiKey ?? keyOfAuthorization(authorization) }),
      refusal: credentialNotAccepted,
    },
    deps,
  )

/** Failures of a key are counted together, whichever header brings it; those of other text by the text. */
const authorizationCredential = ({ authorization }: IncomingHttpHeaders): HeaderValue =>
  keyOfAuthorization(authorization) ?? authorization

type Requirement = {
  readonly routes: RouteFamily
  readonly credentialOf: (headers: IncomingHttpHeaders) => HeaderValue
  readonly authenticate: (headers: IncomingHttpHeaders) => Soon<AuthenticatedAccount | null>
  readonly refusal: () => Problem
}

function requireAccount(
  { routes, credentialOf, authenticate, refusal }: Requirement,
  { observe, refuseCaller = refuseEach }: GuardDeps,
): onRequestHookHandler {
  return (request, _reply, done) => {
    const started = performance.now()
    const { headers } = request.raw
    const decide = (account: AuthenticatedAccount | null) => {
      request.account = account
      observe({ kind: 'stage-timed', stage: 'authenticate', milliseconds: performance.now() - started })
      // Failures are counted only here, so that other callers at the same address never block a good credential.
      done(account === null ? refuseCaller(request, routes, credentialOf(headers), refusal) : undefined)
    }
    const account = authenticate(headers)
    if (account instanceof Promise) account.then(decide, done)
    else decide(account)
  }
}
