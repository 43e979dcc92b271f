/**
 * What never becomes a request: bytes that are no HTTP, headers without end, senders that fall asleep. Answered on the
 * bare socket in the same error shape as everything else, and the connection ends with it.
 */
import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Problem } from '../../kernel/problem.ts'
import type { Observe } from '../../observe/observation.ts'
import { errorResponse } from '../error-response.ts'
import { headersTooLarge, malformedRequest, requestTimedOut } from '../problems.ts'
import { requestId } from '../request-id.ts'

/** How long a caller that is still sending has to read why it is refused. */
const lingerMs = 2000

const answered = new WeakSet<Socket>()

/** For the server's `clientError` event. */
export function malformedRequests(observe: Observe, headerBytes: number) {
  return (error: NodeJS.ErrnoException, socket: Socket): void => {
    if (answered.has(socket)) return
    answered.add(socket)
    afterEarlierAnswers(socket, () => {
      if (error.code === 'ECONNRESET' || !socket.writable || hasBegunToAnswer(socket)) socket.destroy()
      else refuse(socket, problemOf(error, headerBytes), observe)
    })
  }
}

/** What node keeps on a socket: the answer that is being written to it. Its own handler of this event looks there too. */
type HttpSocket = Socket & { readonly _httpMessage?: ServerResponse | null }

/** Requests that arrived whole before the broken one still get their answers, and in front of it. */
function afterEarlierAnswers(socket: HttpSocket, proceed: () => void): void {
  const earlier = socket._httpMessage
  if (earlier?.req.complete) earlier.once('close', () => afterEarlierAnswers(socket, proceed))
  else proceed()
}

/** An error after the head of an answer would land in the middle of its body. */
function hasBegunToAnswer(socket: HttpSocket): boolean {
  return socket._httpMessage?.headersSent === true
}

function refuse(socket: Socket, refusal: Problem, observe: Observe): void {
  const id = requestId({ headers: {} })
  const { status, headers, body, problem } = errorResponse(refusal, id)
  const bytes = Buffer.byteLength(body)
  const all = { ...headers, 'content-length': bytes, 'x-request-id': id, connection: 'close' }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`)
  // Closing with unread bytes would reset the connection and take the answer with it.
  socket.resume()
  setTimeout(() => socket.destroy(), lingerMs).unref()
  observe({
    kind: 'request-answered',
    requestId: id,
    method: 'unknown',
    route: 'malformed',
    status,
    milliseconds: 0,
    bytes,
    clientNumber: undefined,
    problem: problem ?? undefined,
    aborted: false,
  })
}

function problemOf({ code }: NodeJS.ErrnoException, headerBytes: number): Problem {
  if (code === 'HPE_HEADER_OVERFLOW') return headersTooLarge(headerBytes)
  if (code === 'HPE_INVALID_URL') {
    return malformedRequest('characters outside ASCII in the address have to be percent-encoded')
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return requestTimedOut()
  return malformedRequest('it is not valid HTTP/1.1')
}
