/** What stands before a route: the caller must be known before anything else about the request is looked at. */
import type { onRequestHookHandler } from 'fastify'
import type { Observe } from '../observe/observation.ts'
import { keyNotAccepted } from './problems.ts'
import type { AuthenticatedAccount } from './request-report.ts'

export type Authenticate = (apiKeyHeader: string | string[] | undefined) => AuthenticatedAccount | null

export function requireApiKey(authenticate: Authenticate, observe: Observe): onRequestHookHandler {
  return (request, _reply, done) => {
    const started = performance.now()
    request.account = authenticate(request.raw.headers['x-api-key'])
    observe({ kind: 'stage-timed', stage: 'authenticate', milliseconds: performance.now() - started })
    done(request.account === null ? keyNotAccepted() : undefined)
  }
}
