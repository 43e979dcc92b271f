/** Sends the response of a script. The script chooses status, headers and body; they were checked before. */
import type { FastifyReply } from 'fastify'
import type { RecordedRun } from '../../automation/runs/run-states.ts'
import { withoutBasePath } from '../../kernel/addresses/base-path.ts'
import { acceptedCoding, codeBuffered } from '../sending/content-codings.ts'

/** Smaller bodies take one or two packets, compressed or not. */
const LEAST_CODED_BYTES = 1024

type Sendable = RecordedRun['response']

/**
 * @param executionId the id under which the run is recorded, if the script ran
 * @param mayCompress a large body, for a caller that accepts it
 */
export function sendResponse(
  reply: FastifyReply,
  { response }: Pick<RecordedRun, 'response'>,
  executionId: string,
  mayCompress: boolean,
): FastifyReply | Promise<FastifyReply> {
  const { status, headers, body, bodyEncoding } = response
  const varied = reply.getHeader('vary')
  reply
    .code(status)
    .header('cache-control', 'no-store')
    .headers(headers)
    .header('x-execution-id', executionId)
  const { location } = headers
  if (location?.startsWith('/')) reply.header('location', placed(location, reply.request))
  if (varied !== undefined && headers.vary !== undefined) reply.header('vary', `${headers.vary}, ${varied}`)
  if (!isJson(headers['content-type'])) reply.header('content-security-policy', sandboxPolicy)
  if (body === null) return reply.send()
  const sent = bodyEncoding === 'base64' ? Buffer.from(body, 'base64') : body
  return mayCompress && sent.length >= LEAST_CODED_BYTES && isCompressible(headers)
    ? sendCoded(reply, response, sent)
    : reply.send(sent)
}

/** Paths of scripts begin at the root of the service; those that a script has written with the prefix stay. */
const placed = (path: string, { pathPrefix }: FastifyReply['request']): string =>
  withoutBasePath(path, pathPrefix) === path ? pathPrefix + path : path

/** Caches have to keep the answers for callers with another `Accept-Encoding` apart, whether or not this one is compressed. */
async function sendCoded(
  reply: FastifyReply,
  { headers }: Sendable,
  body: string | Buffer,
): Promise<FastifyReply> {
  const { coding } = acceptedCoding(reply.request.raw.headers['accept-encoding'])
  const varied = reply.getHeader('vary')
  reply.header('vary', varied === undefined ? 'Accept-Encoding' : `${varied}, Accept-Encoding`)
  if (coding === null) return reply.send(body)
  const bytes = await codeBuffered(coding, Buffer.from(body as string))
  // The script named the uncompressed bytes; a strong tag may stand for one sequence of bytes only (RFC 9110, 8.8.3).
  if (headers.etag?.startsWith('"')) reply.header('etag', `W/${headers.etag}`)
  return reply.header('content-encoding', coding).send(bytes)
}

/** Images, archives and PDF are compressed already. */
const isCompressible = (headers: Sendable['headers']): boolean =>
  /^(?:text\/|application\/(?:[\w.+-]+\+)?(?:json|xml)\b|application\/(?:javascript|x-ndjson)\b|image\/svg)/i.test(
    headers['content-type'] ?? '',
  ) && !/\bno-transform\b/i.test(headers['cache-control'] ?? '')

/** A success, so that the sender does not retry. */
export const sendDuplicate = (reply: FastifyReply): FastifyReply =>
  reply
    .header('cache-control', 'no-store')
    .header('content-type', 'application/json; charset=utf-8')
    .send('{"duplicate":true}')

const isJson = (contentType: string | undefined): boolean =>
  contentType === undefined || /^application\/(?:[\w.+-]+\+)?json\b/i.test(contentType)

/** Sandboxes a page that a script returns: it must not use what the browser keeps for this address, such as a token. */
const sandboxPolicy = 'sandbox allow-downloads allow-forms allow-popups allow-scripts'
