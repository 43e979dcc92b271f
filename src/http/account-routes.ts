/**
 * `POST /api/v2/service-accounts/me/rotate-api-key`: exchanges the caller's key for a new one (specification 4.1).
 * The route needs no body. A body that is sent anyway is read and ignored, up to a small limit.
 */
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { RateLimiter } from '../auth/limits/rate-limiter.ts'
import type { Observe } from '../observe/observation.ts'
import type { RotateApiKeyResponse } from '../schema/shapes.ts'
import { type Authenticate, requireDeliberateApiKey } from './guards.ts'
import { rotateOperation } from './openapi/operations.ts'
import { bodyTooLarge, keyNotAccepted } from './problems.ts'
import { limitRate } from './rate-limit.ts'
import type { RefuseCaller } from './refuse-caller.ts'
import type { AuthenticatedAccount } from './request-report.ts'

export type AccountRouteDeps = {
  readonly authenticate: Authenticate
  /** Null when the key no longer belongs to the account, because another rotation was faster. */
  readonly rotateOwnKey: (keyHash: string) => Promise<RotateApiKeyResponse | null>
  readonly observe: Observe
  /** An account has one limit for all of version 2. */
  readonly rateLimiters: { readonly v2: RateLimiter | null }
  readonly ignoredBodyBytes: number
  readonly refuseCaller?: RefuseCaller | undefined
}

export function accountRoutes(server: FastifyInstance, deps: AccountRouteDeps): void {
  const { authenticate, rotateOwnKey, rateLimiters, observe, ignoredBodyBytes } = deps
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('*', (_request, payload, done) => drain(payload, ignoredBodyBytes, done))
  server.route({
    method: 'POST',
    url: '/api/v2/service-accounts/me/rotate-api-key',
    schema: rotateOperation,
    onRequest: [
      requireDeliberateApiKey(authenticate, deps),
      limitRate('v2', rateLimiters.v2),
      forgetContentType,
    ],
    handler: async (request, reply) => {
      const account = request.account as AuthenticatedAccount
      const rotated = await rotateOwnKey(account.keyHash)
      if (rotated === null) throw keyNotAccepted()
      observe({ kind: 'key-rotated', accountId: account.accountId })
      return reply
        .header('cache-control', 'no-store')
        .header('content-type', 'application/json; charset=utf-8')
        .send(JSON.stringify(rotated))
    },
  })
}

/** The body is ignored, so its type does not matter, not even a malformed one. */
function forgetContentType(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  delete request.raw.headers['content-type']
  done()
}

/** Reads the body to its end and discards it, so that the connection can serve the next request. */
function drain(payload: IncomingMessage, limit: number, done: (error: Error | null) => void): void {
  let length = 0
  payload.on('data', (chunk: Buffer) => {
    length += chunk.length
    if (length > limit) {
      payload.removeAllListeners('data').removeAllListeners('end').resume()
      done(bodyTooLarge())
    }
  })
  payload.once('end', () => done(null))
  payload.once('error', done)
}
