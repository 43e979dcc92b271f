/** Writes what a script has answered. The script decides on status, headers and body; what it may say was checked before. */
import type { FastifyReply } from 'fastify'
import type { RecordedRun } from '../../automation/runs/run-states.ts'

/** @param executionId under which the run is recorded, if the script ran */
export function sendResponse(
  reply: FastifyReply,
  { response }: RecordedRun,
  executionId: string,
): FastifyReply {
  const { status, headers, body } = response
  reply
    .code(status)
    .header('cache-control', 'no-store')
    .headers(headers)
    .header('x-execution-id', executionId)
  if (!isJson(headers['content-type'])) reply.header('content-security-policy', apart)
  return body === null ? reply.send() : reply.send(body)
}

/** The sender need not try again. */
export const sendDuplicate = (reply: FastifyReply): FastifyReply =>
  reply
    .header('cache-control', 'no-store')
    .header('content-type', 'application/json; charset=utf-8')
    .send('{"duplicate":true}')

const isJson = (contentType: string | undefined): boolean =>
  contentType === undefined || /^application\/(?:[\w.+-]+\+)?json\b/i.test(contentType)

/** A page that a script writes must not act with what the browser keeps for this address, such as an operator's token. */
const apart = 'sandbox allow-downloads allow-forms allow-popups allow-scripts'
