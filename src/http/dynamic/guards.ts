/**
 * Finds the endpoint for an address and a method, and decides whether the caller may run it. Both happen before the body is
 * read.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type AccessDecision, authorize } from '../../auth/authorize.ts'
import type { CallRates } from '../../auth/limits/call-rates.ts'
import { reportRefusedToken } from '../../auth/tokens/refused-token.ts'
import type { TokenCheck, VerifyToken } from '../../auth/tokens/verifier.ts'
import { routeTable } from '../../automation/endpoint/route-table.ts'
import type { PublishedEndpoint } from '../../directory/endpoints/published-endpoints.ts'
import type { Problem } from '../../kernel/problem.ts'
import { type Soon, whenThere } from '../../kernel/soon.ts'
import { anonymous, type User } from '../../kernel/user.ts'
import type { Observe } from '../../observe/observation.ts'
import { ENDPOINT_PREFIX } from '../../schema/endpoint-shapes.ts'
import { type AllowedMethods, pathOf } from '../allowed-methods.ts'
import { malformedRequest, methodNotAllowed, routeNotFound } from '../problems.ts'
import { type RefuseCaller, refuseEach } from '../refuse-caller.ts'
import { refuseAddress } from './allowed-addresses.ts'
import { limitCalls } from './call-rate.ts'
import { shareAnswer } from './cross-origin.ts'
import { allowHeader, endpointPath, methodOfRoute } from './endpoint-path.ts'
import { type NoteRefusal, noteRefusedCall } from './note-refusal.ts'
import { authenticationRequired, roleRequired, tokensUnavailable } from './problems.ts'

export type CallDeps = {
  /** Returns the same array until an endpoint changes. */
  readonly endpoints: () => Soon<readonly PublishedEndpoint[]>
  readonly verifyToken: VerifyToken
  readonly observe: Observe
  readonly refuseCaller?: RefuseCaller | undefined
  /** Counts calls of endpoints with a limit; by default in this thread alone. */
  readonly callRates?: CallRates | undefined
  /** Leaves a short row in the history. */
  readonly noteRefusal?: NoteRefusal | undefined
  /** Whether the public address has the reference; it has unless operators have an address of their own. */
  readonly hasReference?: boolean
}

/** A call whose endpoint was found. The user is anonymous until the token was checked. */
export type Call = {
  readonly endpoint: PublishedEndpoint
  readonly params: Readonly<Record<string, string>>
  readonly contentType: string | undefined
  user: User
}

declare module 'fastify' {
  interface FastifyRequest {
    call: Call | null
  }
}

export const isDynamic = (address: string): boolean => pathOf(address).startsWith(ENDPOINT_PREFIX)

/** Adds the methods of dynamic endpoints, for addresses below their prefix. */
export function withDynamicMethods(
  allowedMethods: AllowedMethods,
  endpoints: CallDeps['endpoints'],
): AllowedMethods {
  return (address) => {
    if (!isDynamic(address)) return allowedMethods(address)
    return whenThere(endpoints(), (published) => {
      const match = routeTable(published).match('OPTIONS', endpointPath(address))
      return match.kind === 'wrong-method' ? allowHeader(match.allowed) : undefined
    })
  }
}

export function findEndpoint(
  request: FastifyRequest,
  reply: FastifyReply,
  published: readonly PublishedEndpoint[],
  hasReference?: boolean,
): Problem | undefined {
  const { method, raw } = request
  const match = routeTable(published).match(methodOfRoute(method), endpointPath(raw.url as string))
  switch (match.kind) {
    case 'found': {
      const { endpoint, params } = match
      request.call = { endpoint, params, contentType: raw.headers['content-type'], user: anonymous }
      request.routePattern = ENDPOINT_PREFIX + endpoint.path
      // Fastify would refuse a malformed type, and a script may get a body of any type.
      delete raw.headers['content-type']
      if (endpoint.cors !== undefined) shareAnswer(request, reply, endpoint.cors)
      return endpoint.allowedAddresses === undefined
        ? undefined
        : refuseAddress(request, endpoint.allowedAddresses)
    }
    case 'wrong-method': {
      const allowed = allowHeader(match.allowed)
      reply.header('allow', allowed)
      return methodNotAllowed(method, allowed)
    }
    case 'undecodable':
      return malformedRequest('the path is not valid percent-encoding')
    case 'none':
      return routeNotFound(hasReference)
  }
}

export function admitCaller(
  request: FastifyRequest,
  reply: FastifyReply,
  { verifyToken, observe, refuseCaller = refuseEach, noteRefusal, callRates }: CallDeps,
  done: (refusal?: Error) => void,
): void {
  const started = performance.now()
  const decide = (check: TokenCheck) => {
    observe({ kind: 'stage-timed', stage: 'authenticate', milliseconds: performance.now() - started })
    const call = request.call as Call
    if (check.kind === 'valid') call.user = check.user
    const decision = authorize(call.endpoint, check)
    const refusal =
      decision === 'unauthenticated'
        ? refuseCaller(request, 'dynamic', authorization, authenticationRequired)
        : (refusals[decision]?.() ?? limitCalls(call, request, reply, callRates))
    if (decision !== 'yes') reportRefusedToken(request, check, observe)
    if (refusal != null) noteRefusedCall(request, refusal, noteRefusal)
    done(refusal)
  }
  const { authorization } = request.raw.headers
  const check = verifyToken(authorization)
  if ('then' in check) check.then(decide, done)
  else decide(check)
}

const refusals: { readonly [A in Exclude<AccessDecision, 'unauthenticated'>]: (() => Problem) | null } = {
  yes: null,
  forbidden: roleRequired,
  unavailable: tokensUnavailable,
}
