/**
 * Answers what never becomes a request: bytes that are not HTTP, headers that are too long, senders that pause too long. The
 * answer is written to the bare socket in the one error shape, and the connection ends with it.
 */
import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { plainAddress } from '../../auth/client-address.ts'
import type { Problem } from '../../kernel/problem.ts'
import type { Observe } from '../../observe/observation.ts'
import { errorResponse } from '../error-response.ts'
import { headersTooLarge, malformedRequest, requestTimedOut } from '../problems.ts'
import { requestId } from '../request-id.ts'

/** How long a caller that is still sending has for reading the refusal. */
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

/** A private field of node's sockets: the answer that is being written. Node's own handler of this event reads it too. */
type HttpSocket = Socket & { readonly _httpMessage?: ServerResponse | null }

/** Requests that arrived completely before the malformed one are answered first. */
function afterEarlierAnswers(socket: HttpSocket, proceed: () => void): void {
  const earlier = socket._httpMessage
  if (earlier?.req.complete) earlier.once('close', () => afterEarlierAnswers(socket, proceed))
  else proceed()
}

/** After the head of an answer, an error would land in the middle of its body. */
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
  // Closing with unread bytes would reset the connection, and the caller would lose the answer.
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
    accountId: undefined,
    clientNumber: undefined,
    address: plainAddress(socket.remoteAddress),
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
