/**
 * The state of one connection: whether its reader still takes what is sent, and since when nothing has arrived. It is updated
 * about once a second; requests in between cost nothing here.
 */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Peer } from './connection-places.ts'

/** Private fields of node's sockets: the answer that is being written, and the stream of the operating system. */
type HttpSocket = Socket & {
  readonly _httpMessage?: ServerResponse | null
  readonly _handle?: { readonly bytesWritten: number; readonly writeQueueSize: number } | null
}

export type Connection = {
  readonly socket: HttpSocket
  readonly peer: Peer
  /** It is beyond the limits: one request on it is answered, and only a probe with more than a refusal. */
  readonly isSpare: boolean
  readonly openedAt: number
  /** The answer to the newest request, until it is over. Earlier answers on the same connection are sent first. */
  newest: ServerResponse | null
  hasAsked: boolean
  /** Bytes that had been sent at the last check. */
  sentBytes: number
  /** Since when no waiting byte was sent; null when no byte waits. */
  stalledSince: number | null
  /** Bytes that had arrived at the last check. */
  receivedBytes: number
  /** Since when no byte has arrived while the caller did not wait for us. */
  quietSince: number
}

export const connectionOf = (
  socket: Socket,
  { peer, isSpare, now }: { readonly peer: Peer; readonly isSpare: boolean; readonly now: number },
): Connection => ({
  socket,
  peer,
  isSpare,
  openedAt: now,
  newest: null,
  hasAsked: false,
  sentBytes: 0,
  stalledSince: null,
  receivedBytes: 0,
  quietSince: now,
})

export const isAnswering = ({ socket }: Connection): boolean => Boolean(socket._httpMessage)

/** Whether the request that is being answered has arrived completely. */
export const hasArrived = ({ socket }: Connection): boolean => socket._httpMessage?.req.complete === true

/** Whether the unread part of a body fills its buffer, so that no more is read from the socket. */
export const isHeldBack = ({ socket }: Connection): boolean => {
  const request = socket._httpMessage?.req
  return request !== undefined && request.readableLength >= request.readableHighWaterMark
}

/** Updates the counts of sent and received bytes. */
export function look(connection: Connection, now: number): void {
  const { socket, newest } = connection
  // The response must not stay in memory for as long as the connection lasts.
  if (newest?.closed) connection.newest = null
  const isQuiet = socket.bytesRead === connection.receivedBytes
  if (!isQuiet || hasArrived(connection) || isHeldBack(connection)) {
    connection.receivedBytes = socket.bytesRead
    connection.quietSince = now
  }
  // Small answers are sent at once: none of their bytes waits.
  if (socket.writableLength === 0) {
    connection.stalledSince = null
    return
  }
  const sentBytes = bytesSent(socket)
  if (connection.stalledSince !== null && sentBytes === connection.sentBytes) return
  connection.sentBytes = sentBytes
  connection.stalledSince = now
}

/** Milliseconds since the reader took the last byte, while bytes wait for it; else 0. */
export const stalledFor = ({ stalledSince }: Connection, now: number): number =>
  stalledSince === null ? 0 : now - stalledSince

/** Bytes that the operating system has taken. Node itself counts a write only when all of it was taken. */
function bytesSent({ _handle: handle }: HttpSocket): number {
  return handle ? handle.bytesWritten - handle.writeQueueSize : 0
}

/** A reset also frees the bytes in the buffers of the operating system, which an orderly end would still try to send. */
export const cutOff = ({ socket }: Connection): void => void socket.resetAndDestroy()
