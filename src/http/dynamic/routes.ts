/**
 * `/api/dynamic/v1/*`: the routes that operators define (specification 4.3). Checks in this order: address and method, token
 * and role, body, signature, repeated delivery. Then the script runs and its response is sent.
 */
import type { ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { createCallRates } from '../../auth/limits/call-rates.ts'
import type { CancelReason } from '../../automation/problems.ts'
import { newExecutionId } from '../../automation/runs/execution-id.ts'
import {
  type RecordedRun,
  type RunJob,
  type RunScript,
  recordingOf,
  type ScriptRequest,
} from '../../automation/runs/run-states.ts'
import { signatureHeaders } from '../../automation/webhooks/signature.ts'
import type { PublishedEndpoint } from '../../directory/endpoints/published-endpoints.ts'
import { ENDPOINT_PREFIX, endpointMethods, finishesWithoutCaller } from '../../schema/endpoint-shapes.ts'
import { askForBody } from '../connections/expect-continue.ts'
import { dynamicOperation, dynamicTransform } from '../openapi/dynamic.ts'
import { callerAddress } from '../request-report.ts'
import {
  BodyRoom,
  bodyKind,
  decodeBody,
  hasBody,
  ignoreBody,
  readBody,
  refuseTooLong,
  refuseUnreadable,
} from './body.ts'
import { answerOptions } from './cross-origin.ts'
import { checkSignature, type DeliveryDeps, runOnce } from './delivery.ts'
import { admitCaller, type Call, type CallDeps, findEndpoint } from './guards.ts'
import { noteDuplicate, noteRefusedCall } from './note-refusal.ts'
import { scriptAddress, scriptHeaders } from './request.ts'
import { sendDuplicate, sendResponse } from './response.ts'

export type DynamicRouteDeps = CallDeps &
  DeliveryDeps & {
    readonly run: RunScript
    /** Ends a run soon. Does nothing when it has ended. */
    readonly cancelRun?: (executionId: string, reason: CancelReason) => void
    readonly maxBodyBytes: number
    /** Most bytes of the bodies of all concurrent calls of this thread; 64 MiB by default. */
    readonly maxHeldBytes?: number
  }

export function dynamicRoutes(scope: FastifyInstance, deps: DynamicRouteDeps): void {
  const room = new BodyRoom(deps.maxHeldBytes ?? 64 * 2 ** 20)
  const callDeps: CallDeps = { ...deps, callRates: deps.callRates ?? createCallRates() }
  scope.decorateRequest('call', null)
  scope.removeAllContentTypeParsers()
  // The handler reads the body itself, after the other checks.
  scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
  scope.route({
    method: 'OPTIONS',
    url: `${ENDPOINT_PREFIX}*`,
    schema: { hide: true },
    handler: async (request, reply) =>
      answerOptions(request, reply, await deps.endpoints(), deps.hasReference),
  })
  for (const method of [...endpointMethods, 'HEAD'] as const) {
    scope.route({
      method,
      url: `${ENDPOINT_PREFIX}*`,
      exposeHeadRoute: false,
      ...(method === 'HEAD'
        ? { schema: { hide: true } }
        : { schema: dynamicOperation(method), config: { swaggerTransform: dynamicTransform } }),
      onRequest: [
        (request, reply, done) => {
          const decide = (published: readonly PublishedEndpoint[]) => {
            const refusal = findEndpoint(request, reply, published, deps.hasReference)
            if (refusal !== undefined) noteRefusedCall(request, refusal, deps.noteRefusal)
            done(refusal)
          }
          const published = deps.endpoints()
          if (published instanceof Promise) published.then(decide, done)
          else decide(published)
        },
        (request, reply, done) => admitCaller(request, reply, callDeps, done),
      ],
      handler: async (request, reply) => {
        try {
          return await answerCall(request, reply, deps, room)
        } catch (cause) {
          noteRefusedCall(request, cause, deps.noteRefusal)
          throw cause
        }
      },
    })
  }
}

async function answerCall(
  request: FastifyRequest,
  reply: FastifyReply,
  deps: DynamicRouteDeps,
  room: BodyRoom,
): Promise<FastifyReply> {
  const { endpoint, contentType } = request.call as Call
  const body = await receiveBody(request, reply, deps, room)
  try {
    const headers = scriptHeaders(request.raw.rawHeaders)
    const job = jobOf(request, headers, body.length === 0 ? null : decodeBody(body, bodyKind(contentType)))
    await checkSignature(endpoint, { headers, body, now: Date.now() }, request, deps)
    const run = (): Promise<RecordedRun> => {
      const running = deps.run({ ...job, arrivedAt: Date.now() })
      const { cancelRun } = deps
      if (cancelRun !== undefined && !finishesWithoutCaller(endpoint)) {
        whenCallerLeaves(reply.raw, () => cancelRun(job.executionId, { kind: 'caller-left' }))
      }
      return running
    }
    const report =
      endpoint.deduplication === null
        ? await run()
        : await runOnce(endpoint, endpoint.deduplication, job.request, run, deps, request.id)
    if (report !== null)
      return await sendResponse(reply, report, job.executionId, endpoint.compress !== false)
    noteDuplicate(request, deps.noteRefusal)
    return sendDuplicate(reply)
  } finally {
    room.release(body.length)
  }
}

/** A response that closes before its beginning is written has lost its caller. */
function whenCallerLeaves(response: ServerResponse, cancel: () => void): void {
  const cancelUnanswered = () => {
    if (!response.headersSent) cancel()
  }
  // Each response closes once, and the listener goes with it: to remove it would be work for each call.
  response.on('close', cancelUnanswered)
  if (response.closed) cancelUnanswered()
}

const none = Buffer.alloc(0)

/** Empty for GET and HEAD, whose body is ignored (design 8.4). */
async function receiveBody(
  { method, raw, call }: FastifyRequest,
  reply: FastifyReply,
  { maxBodyBytes }: DynamicRouteDeps,
  room: BodyRoom,
): Promise<Buffer> {
  if (!hasBody(raw)) return none
  const isIgnored = method === 'GET' || method === 'HEAD'
  if (!isIgnored) refuseUnreadable(raw, call?.contentType)
  refuseTooLong(raw, maxBodyBytes)
  askForBody(raw, reply.raw)
  if (!isIgnored) return await readBody(raw, maxBodyBytes, room)
  await ignoreBody(raw, maxBodyBytes)
  return none
}

function jobOf(
  request: FastifyRequest,
  headers: Readonly<Record<string, string>>,
  rawBody: string | null,
): Omit<RunJob, 'arrivedAt'> {
  const { id: requestId, raw, call } = request
  const { endpoint, params, contentType, user } = call as Call
  const scriptRequest: ScriptRequest = {
    // For HEAD it is GET: the script has to answer both alike.
    method: endpoint.method,
    ...scriptAddress(raw.url as string),
    headers,
    params,
    rawBody,
    bodyKind: bodyKind(contentType),
    user,
    address: callerAddress(request) ?? null,
  }
  return {
    ...partsOfEndpoint(endpoint),
    executionId: newExecutionId(Date.now()),
    type: 'DynamicEndpoint',
    request: scriptRequest,
    requestId,
    rerunOf: null,
  }
}

type PartsOfEndpoint = Pick<RunJob, 'endpoint' | 'source' | 'signatureHeaders' | 'recording'>

const knownParts = new WeakMap<PublishedEndpoint, PartsOfEndpoint>()

/** All jobs of an endpoint share these objects, so that a message with many jobs holds them once. */
function partsOfEndpoint(endpoint: PublishedEndpoint): PartsOfEndpoint {
  const known = knownParts.get(endpoint)
  if (known !== undefined) return known
  const { id, name, category, limits, allowedHosts, version, signature } = endpoint
  const parts: PartsOfEndpoint = {
    endpoint: { id, name, category, limits, allowedHosts },
    source: { version },
    signatureHeaders: signatureHeaders(signature),
    ...recordingOf(endpoint),
  }
  knownParts.set(endpoint, parts)
  return parts
}
