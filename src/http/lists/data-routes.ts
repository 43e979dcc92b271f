/**
 * `GET /api/v2/bookings`, `/invoices` and `/itineraries`, what changed in them (`/changes`), and the same lists below `/api/v1`
 * (specification 4.1 and 4.2): reads the request, gets the answer, sends it. HEAD sends the headers of GET, and builds a large
 * body no further than needed.
 */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifySchema,
  onRequestHookHandler,
} from 'fastify'
import type { RateLimiter } from '../../auth/limits/rate-limiter.ts'
import type { Cancellation } from '../../kernel/cancellation.ts'
import type { Principal } from '../../kernel/principal.ts'
import { Problem } from '../../kernel/problem.ts'
import type { Observe } from '../../observe/observation.ts'
import { unknownNames } from '../../query/caret/unknown-parameters.ts'
import type { Admission } from '../../read/admission.ts'
import type { Answer, DataRequest } from '../../read/answer.ts'
import type { ApiVersion } from '../../read/languages.ts'
import type { ListName } from '../../schema/datasets.ts'
import type { Reader } from '../../snapshot/files/collection-files.ts'
import { announcesBody } from '../announced-body.ts'
import {
  type Authenticate,
  type AuthenticateVersion1,
  requireApiKey,
  requireVersion1Credential,
} from '../guards.ts'
import { changesOperation } from '../openapi/changes.ts'
import { listOperation } from '../openapi/operations.ts'
import { version1ListOperation } from '../openapi/version-1.ts'
import { bodyInsteadOfParameters } from '../problems.ts'
import { limitRate } from '../rate-limit.ts'
import type { RefuseCaller } from '../refuse-caller.ts'
import type { AuthenticatedAccount } from '../request-report.ts'
import { finishBody } from '../sending/buffered-body.ts'
import { goodCopy, representationOf } from '../sending/representation.ts'
import { ResponseCache } from '../sending/response-cache.ts'
import { sendBuffered, sendCopyIsGood, sendStream } from '../sending/send-body.ts'
import { answerBody } from './answer-body.ts'
import { queryPart, readParameters, readRawParameters } from './query-parameters.ts'
import { refusedEarly, streamFromSlot, waitForSlot } from './wait-for-slot.ts'
import { ignoredWarning } from './warnings.ts'

export type DataRouteDeps = {
  readonly answer: (request: DataRequest) => Promise<Answer>
  /** Answers what changed in a list; without it there are no such lists. */
  readonly changes?: (request: DataRequest) => Promise<Answer>
  readonly authenticate: Authenticate
  readonly authenticateVersion1: AuthenticateVersion1
  /** Per version; null means no limit. */
  readonly rateLimiters: { readonly v1: RateLimiter | null; readonly v2: RateLimiter | null }
  /** Limits the concurrent queries; without it every request computes at once. */
  readonly admission?: Admission | undefined
  readonly observe: Observe
  readonly refuseCaller?: RefuseCaller | undefined
  /** The reader of a connection. */
  readonly readerOf: (socket: Socket) => Reader
}

/** A caller that the routes of lists do not know, and the client whose records it is shown. */
type OtherReader = {
  readonly principal: Principal
  /** Called once when the request is understood, before anything is sent. */
  readonly beforeAnswer: (answer: Answer) => Promise<void>
}

/** Answers a list of version 2, with the parameters and headers of the request, as its client gets it. */
export type SendRecords = (
  list: ListName,
  request: FastifyRequest,
  reply: FastifyReply,
  reader: OtherReader,
) => Promise<FastifyReply>

/** Size of the cache for responses that are requested repeatedly. */
const MOST_CACHED_BYTES = 32 * 2 ** 20

export const createResponseCache = (): ResponseCache => new ResponseCache(MOST_CACHED_BYTES)

export const recordSender =
  (deps: DataRouteDeps, responses: ResponseCache): SendRecords =>
  (list, request, reply, reader) =>
    readList(2, list, deps, responses)(request, reply, reader)

export function dataRoutes(server: FastifyInstance, deps: DataRouteDeps, responses: ResponseCache): void {
  const { authenticate, authenticateVersion1, rateLimiters } = deps
  const version2Guards = [requireApiKey(authenticate, deps), limitRate('v2', rateLimiters.v2), refuseBody]
  const versions: readonly Version[] = [
    {
      version: 2,
      guards: version2Guards,
      operation: listOperation,
    },
    {
      version: 1,
      guards: [requireVersion1Credential(authenticateVersion1, deps), limitRate('v1', rateLimiters.v1)],
      operation: version1ListOperation,
    },
  ]
  for (const { version, guards, operation } of versions) {
    for (const list of ['bookings', 'invoices', 'itineraries'] as const) {
      const url = `/api/v${version}/${list}`
      const route = { url, onRequest: [...guards], handler: listHandler(version, list, deps, responses) }
      server.route({ ...route, method: 'GET', schema: operation(list), exposeHeadRoute: false })
      server.route({ ...route, method: 'HEAD', schema: { hide: true } })
    }
  }
  const { changes } = deps
  if (changes === undefined) return
  for (const list of ['bookings', 'invoices', 'itineraries'] as const) {
    const handler = listHandler(2, list, { ...deps, answer: changes }, responses)
    const route = { url: `/api/v2/${list}/changes`, onRequest: [...version2Guards], handler }
    server.route({ ...route, method: 'GET', schema: changesOperation(list), exposeHeadRoute: false })
    server.route({ ...route, method: 'HEAD', schema: { hide: true } })
  }
}

type Version = {
  readonly version: ApiVersion
  /** They run in this order. */
  readonly guards: readonly onRequestHookHandler[]
  readonly operation: (list: ListName) => FastifySchema
}

/** Version 1 ignores what it does not know (specification 4.2). */
const refuseBody: onRequestHookHandler = ({ method, raw }, _reply, done) =>
  done(announcesBody(raw) ? bodyInsteadOfParameters(method) : undefined)

function listHandler(...parts: Parameters<typeof readList>) {
  const read = readList(...parts)
  return (request: FastifyRequest, reply: FastifyReply) => read(request, reply, null)
}

const parametersOf = { 1: readRawParameters, 2: readParameters } as const

function readList(
  version: ApiVersion,
  list: ListName,
  { answer, admission, observe, readerOf }: DataRouteDeps,
  responses: ResponseCache,
) {
  return async (
    request: FastifyRequest,
    reply: FastifyReply,
    reader: OtherReader | null,
  ): Promise<FastifyReply> => {
    const address = request.raw.url as string
    const parameters = () => parametersOf[version](address)
    const principal = reader?.principal ?? (request.account as AuthenticatedAccount)
    const snapshotId = request.raw.headers['snapshot-id'] as string | undefined
    const mayRead = () =>
      admission === undefined ? null : refusedEarly(admission, principal.accountId, reply.raw)
    const asked = { version, list, principal, snapshotId, query: queryPart(address), parameters, mayRead }
    const refused = (refusal: unknown): never => {
      // The refusal also has the warnings, so that a caller learns of a misspelled second parameter at once.
      if (version === 1 && refusal instanceof Problem && refusal.kind === 'invalid') {
        const warning = ignoredWarning(unknownNames(parameters()), announcesBody(request.raw))
        if (warning !== undefined) reply.header('warning', warning)
      }
      throw refusal
    }
    const found = await answer(asked).catch(refused)
    if (reader !== null) await reader.beforeAnswer(found)
    const chosen = representationOf(request.raw.headers, found)
    const sent = { request, reply, answer: found, chosen }
    const copy = goodCopy(request.raw.headers, chosen, found)
    if (copy !== null) return sendCopyIsGood(sent, copy)
    const key = `${found.clientNumber} ${chosen.etag}${chosen.orPlain ? '' : ' coded'}`
    const kept = responses.get(key)
    if (kept !== undefined) return sendBuffered(sent, kept)
    const left = new Leaving(reply.raw, principal.accountId)
    let slot = admission?.enter(principal.accountId)
    if (admission !== undefined && slot === null && !found.isRemembered()) {
      slot = await waitForSlot(admission, principal.accountId, reply.raw)
      if (slot === null) return reply.hijack()
    }
    try {
      const result = await found
        .execute(left)
        .catch((cause: unknown) => (left.aborted ? null : refused(cause)))
      if (result === null) return reply.hijack()
      const started = performance.now()
      const built = answerBody(chosen.format, found, result)
      const body = built instanceof Promise ? await built : built
      // The thread pool and the reader do the rest, so another request may compute meanwhile.
      if (body.kind === 'streamed' && slot) streamFromSlot(slot, reply.raw)
      else slot?.release()
      const ready = body.kind === 'buffered' ? await finishBody(chosen, result.total, body) : body
      observe({ kind: 'stage-timed', stage: 'write', milliseconds: performance.now() - started })
      if ('chunks' in ready) return sendStream(sent, result.total, ready, { observe, readerOf })
      responses.offer(key, ready)
      return left.aborted ? reply.hijack() : sendBuffered(sent, ready)
    } finally {
      slot?.release()
    }
  }
}

/**
 * The engine polls this, so that a request that never waits needs no listener. A class, because V8 keeps the getter of each literal, and
 * with it the whole request, in the old generation.
 */
class Leaving implements Cancellation {
  readonly #response: ServerResponse
  readonly owner: string

  constructor(response: ServerResponse, owner: string) {
    this.#response = response
    this.owner = owner
  }

  get aborted(): boolean {
    return this.#response.destroyed && !this.#response.writableFinished
  }
}
