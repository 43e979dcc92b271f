/**
 * `GET /api/v2/bookings`, `/invoices`, `/itineraries` (specification 4.1): take the request apart, ask for the answer,
 * write it. HEAD tells what GET would, without building a body that is not small.
 */
import type { ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Observe } from '../observe/observation.ts'
import type { Answer, DataRequest } from '../read/answer.ts'
import type { DatasetName } from '../schema/datasets.ts'
import { type Authenticate, requireApiKey } from './guards.ts'
import { type JsonBody, jsonBody } from './json-body.ts'
import { listOperation } from './openapi-operations.ts'
import { isStillGood } from './preconditions.ts'
import { readParameters } from './query-parameters.ts'
import type { AuthenticatedAccount } from './request-report.ts'

export type DataRouteDeps = {
  readonly answer: (request: DataRequest) => Promise<Answer>
  readonly authenticate: Authenticate
  readonly observe: Observe
}

export function dataRoutes(server: FastifyInstance, deps: DataRouteDeps): void {
  const onRequest = requireApiKey(deps.authenticate, deps.observe)
  for (const dataset of ['bookings', 'invoices', 'itineraries'] as const) {
    const url = `/api/v2/${dataset}`
    const handler = readDataset(dataset, deps)
    server.route({
      method: 'GET',
      url,
      onRequest,
      handler,
      schema: listOperation(dataset),
      exposeHeadRoute: false,
    })
    server.route({ method: 'HEAD', url, onRequest, handler, schema: { hide: true } })
  }
}

function readDataset(dataset: DatasetName, { answer, observe }: DataRouteDeps) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const found = await answer({
      dataset,
      principal: request.account as AuthenticatedAccount,
      parameters: readParameters(request.raw.url as string),
    })
    if (isStillGood(request.raw.headers['if-none-match'], found.etag)) {
      return reply.code(304).headers(listHeaders(request, found)).send()
    }
    const left = leaving(reply.raw)
    const result = await found.execute(left).catch((cause: unknown) => {
      if (left.aborted) return null
      throw cause
    })
    if (result === null) return reply.hijack()
    const started = performance.now()
    const body = jsonBody(found, result)
    observe({ kind: 'stage-timed', stage: 'write', milliseconds: performance.now() - started })
    if (body.kind === 'whole') return sendWhole(request, reply, found, body)
    reply.headers(listHeaders(request, found)).header('content-type', jsonType)
    if (request.method === 'HEAD') return reply.send()
    const stream = body.open((bytes) => (request.bodyBytes += bytes))
    stream.once('error', (cause) => observe({ kind: 'request-failed', requestId: request.id, cause }))
    return reply.send(stream)
  }
}

/** Aborted when the caller goes away, so that nothing is worked out for nobody. */
function leaving(response: ServerResponse): AbortSignal {
  const controller = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) controller.abort()
  })
  return controller.signal
}

const jsonType = 'application/json; charset=utf-8'

/** Past Fastify, which takes one buffer only: joining the parts would copy every record once more. */
function sendWhole(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Answer,
  { byteLength, parts }: Extract<JsonBody, { kind: 'whole' }>,
): FastifyReply {
  const { raw } = reply.hijack()
  const headers = listHeaders(request, answer)
  headers['content-type'] = jsonType
  headers['content-length'] = String(byteLength)
  raw.writeHead(200, headers)
  if (request.method !== 'HEAD') {
    request.bodyBytes = byteLength
    for (const part of parts) raw.write(part)
  }
  raw.end()
  return reply
}

/** One literal with the frame's own in it: joining objects would cost more than writing them. */
function listHeaders(
  request: FastifyRequest,
  { etag, lastModified, snapshotId }: Answer,
): Record<string, string> {
  return {
    'x-request-id': request.id,
    'x-content-type-options': 'nosniff',
    etag,
    'last-modified': httpDate(lastModified),
    'cache-control': 'private, no-cache',
    vary: 'X-API-Key, Accept, Accept-Encoding',
    'snapshot-id': snapshotId,
  }
}

/** All answers of a snapshot carry the same date. */
let lastDate = { time: Number.NaN, text: '' }

function httpDate(date: Date): string {
  const time = date.getTime()
  if (time !== lastDate.time) lastDate = { time, text: date.toUTCString() }
  return lastDate.text
}
