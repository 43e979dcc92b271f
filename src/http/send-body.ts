/**
 * Bodies onto the wire, with their headers. A whole body goes out at once with its length; a stream as its reader takes it.
 * HEAD gets the headers alone, and of a stream nothing is built.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Observe } from '../observe/observation.ts'
import type { Answer } from '../read/answer.ts'
import type { BodyPart, StreamedBody } from './answer-body.ts'
import { codeStream } from './content-codings.ts'
import { dispositionHeaders, listHeaders, setHeaders } from './list-headers.ts'
import type { Representation } from './representation.ts'
import { representationHeaders, type WholeBody } from './whole-body.ts'

export type Sent = {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly answer: Answer
  readonly chosen: Representation
}

export function sendCopyIsGood({ request, reply, answer }: Sent, etag: string): FastifyReply {
  return setHeaders(reply.code(304), [...listHeaders(request, answer), 'etag', etag]).send()
}

/** Past Fastify, which takes one buffer only: joining the parts would copy every record once more. */
export function sendWhole(
  { request, reply, answer, chosen }: Sent,
  { parts, byteLength, headers: ofBody }: WholeBody,
): FastifyReply {
  const { raw } = reply
  const headers = listHeaders(request, answer)
  headers.push(...ofBody, ...dispositionHeaders(answer, chosen.format))
  raw.writeHead(200, headers)
  // Not before: a header that node refuses must still become an error that is answered.
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

export function sendStream(
  { request, reply, answer, chosen }: Sent,
  total: number,
  body: StreamedBody,
  observe: Observe,
): FastifyReply {
  const { coding } = chosen
  setHeaders(reply, listHeaders(request, answer))
  setHeaders(reply, representationHeaders(chosen, coding, total))
  setHeaders(reply, dispositionHeaders(answer, chosen.format))
  if (request.method === 'HEAD') return reply.send()
  const count = (bytes: number) => {
    request.bodyBytes += bytes
  }
  const stream = body.open({
    onPull: coding === null ? count : () => undefined,
    onFailure: (cause) => observe({ kind: 'request-failed', requestId: request.id, cause }),
  })
  return reply.send(coding === null ? stream : codeStream(coding, stream, count))
}
