/** Sends the response of a script. The script chooses status, headers and body; they were checked before. */
import type { FastifyReply } from 'fastify'
import type { RecordedRun } from '../../automation/runs/run-states.ts'

/** @param executionId the id under which the run is recorded, if the script ran */
export function sendResponse(
  reply: FastifyReply,
  { response }: RecordedRun,
  executionId: string,
): FastifyReply {
  const { status, headers, body, bodyEncoding } = response
  reply
    .code(status)
    .header('cache-control', 'no-store')
    .headers(headers)
    .header('x-execution-id', executionId)
  if (!isJson(headers['content-type'])) reply.header('content-security-policy', sandboxPolicy)
  if (body === null) return reply.send()
  return reply.send(bodyEncoding === 'base64' ? Buffer.from(body, 'base64') : body)
}

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
