/**
 * Sends bodies with their headers: a buffered body at once with its length, a stream as its reader takes it. HEAD gets only
 * the headers, and its stream is ended without building more.
 */
import type { Socket } from 'node:net'
import { pipeline } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Observe } from '../../observe/observation.ts'
import type { Answer } from '../../read/answer.ts'
import type { Reader } from '../../snapshot/files/collection-files.ts'
import type { BodyPart, StreamedBody } from '../lists/answer-body.ts'
import { dispositionHeaders, listHeaders, pushLinks, setHeaders } from '../lists/list-headers.ts'
import { type PagedPart, partLinks } from '../lists/page-links.ts'
import { queryPart } from '../lists/query-parameters.ts'
import { type BufferedBody, linksOf, representationHeaders } from './buffered-body.ts'
import { openCoder } from './content-codings.ts'
import type { Representation } from './representation.ts'
import { streamBody } from './stream-body.ts'

export type Sent = {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly answer: Answer
  readonly chosen: Representation
}

const queryOf = ({ raw }: FastifyRequest): string => queryPart(raw.url as string)

const isPart = ({ page, slice }: PagedPart): boolean => page !== null || slice !== null

export function sendCopyIsGood({ request, reply, answer }: Sent, etag: string): FastifyReply {
  return setHeaders(reply.code(304), [...listHeaders(request, answer), 'etag', etag]).send()
}

/** Bypasses Fastify, which takes only one buffer: joining the parts would copy every record again. */
export function sendBuffered({ request, reply, answer, chosen }: Sent, body: BufferedBody): FastifyReply {
  const { raw } = reply
  const { parts, byteLength } = body
  const headers = listHeaders(request, answer)
  headers.push(...body.headers, ...dispositionHeaders(answer, chosen.format))
  if (isPart(answer)) pushLinks(headers, linksOf(body, queryOf(request), answer))
  if (request.crossOriginHeaders !== null) headers.push(...request.crossOriginHeaders)
  raw.writeHead(200, headers)
  // Only now: when node refuses a header, Fastify must still answer with an error.
  reply.hijack()
  if (request.method === 'HEAD') {
    raw.end()
    return reply
  }
  request.bodyBytes = byteLength
  for (let i = 0; i < parts.length - 1; i++) raw.write(parts[i] as BodyPart)
  raw.end(parts.at(-1))
  return reply
}

/** Bypasses Fastify too: its own stream between the chunks and the socket would keep their memory from being reused. */
export function sendStream(
  { request, reply, answer, chosen }: Sent,
  total: number,
  { chunks, release }: StreamedBody,
  { observe, readerOf }: { readonly observe: Observe; readonly readerOf: (socket: Socket) => Reader },
): FastifyReply {
  const { raw } = reply
  const { coding } = chosen
  const headers = listHeaders(request, answer)
  headers.push(...representationHeaders(chosen, coding, total), ...dispositionHeaders(answer, chosen.format))
  if (isPart(answer)) pushLinks(headers, partLinks(queryOf(request), answer, total))
  if (request.crossOriginHeaders !== null) headers.push(...request.crossOriginHeaders)
  raw.writeHead(200, headers)
  reply.hijack()
  if (request.method === 'HEAD') {
    chunks.return?.()
    raw.end()
    return reply
  }
  // The chunks read the memory of a snapshot file: hold it until the response closes, even if the file is replaced.
  if (!raw.closed) raw.once('close', answer.hold(readerOf(request.raw.socket)))
  const count = ({ length }: Uint8Array) => {
    request.bodyBytes += length
  }
  const onFailure = (cause: unknown) => {
    observe({ kind: 'request-failed', requestId: request.id, cause })
    // Destroyed, not ended: the reader has to notice that the body is incomplete.
    raw.destroy()
  }
  const shared = { chunks, onTaken: release, onFailure }
  if (coding === null) {
    streamBody({ ...shared, sink: raw, onChunk: count })
    return reply
  }
  const coder = openCoder(coding)
  pipeline(coder, raw, () => undefined)
  coder.on('data', count)
  streamBody({ ...shared, sink: coder, onChunk: () => undefined })
  return reply
}
