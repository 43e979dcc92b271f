/**
 * One connection and what is known of it: whether its reader still takes what is sent, and since when nothing has arrived.
 * Looked at about once a second; a request in between costs nothing here.
 */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Peer } from './connection-places.ts'

/** What node keeps on a socket: the answer that is being written to it, and the stream of the operating system. */
type HttpSocket = Socket & {
  readonly _httpMessage?: ServerResponse | null
  readonly _handle?: { readonly bytesWritten: number; readonly writeQueueSize: number } | null
}

export type Connection = {
  readonly socket: HttpSocket
  readonly peer: Peer
  /** It is beyond what may be open at once: only probes are answered, and only one of them. */
  readonly isSpare: boolean
  readonly openedAt: number
  /** The answer to the newest request while it is not over; those before it on the same connection go out first. */
  newest: ServerResponse | null
  hasAsked: boolean
  /** Bytes that had left when they were counted last. */
  sentBytes: number
  /** Since when no byte of what waits has left; null when nothing waits. */
  stalledSince: number | null
  /** Bytes that had arrived when they were counted last. */
  receivedBytes: number
  /** Since when none has arrived and none is waited for by the other side. */
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

/** Whether the request that is being answered has arrived whole. */
export const hasArrived = ({ socket }: Connection): boolean => socket._httpMessage?.req.complete === true

/** Whether so much of a body waits to be read here that no more of it is let in. */
export const isHeldBack = ({ socket }: Connection): boolean => {
  const request = socket._httpMessage?.req
  return request !== undefined && request.readableLength >= request.readableHighWaterMark
}

/** Counts again what has left and what has arrived. */
export function look(connection: Connection, now: number): void {
  const { socket, newest } = connection
  // What it holds is not kept for as long as the connection lasts.
  if (newest?.closed) connection.newest = null
  const isQuiet = socket.bytesRead === connection.receivedBytes
  if (!isQuiet || hasArrived(connection) || isHeldBack(connection)) {
    connection.receivedBytes = socket.bytesRead
    connection.quietSince = now
  }
  // Small answers go out at once, and nothing of them ever waits.
  if (socket.writableLength === 0) {
    connection.stalledSince = null
    return
  }
  const sentBytes = bytesSent(socket)
  if (connection.stalledSince !== null && sentBytes === connection.sentBytes) return
  connection.sentBytes = sentBytes
  connection.stalledSince = now
}

/** Milliseconds for which nothing of what waits for the reader has left. */
export const stalledFor = ({ stalledSince }: Connection, now: number): number =>
  stalledSince === null ? 0 : now - stalledSince

/** What the operating system has taken. Node itself tells of a whole write only when all of it has been taken. */
function bytesSent({ _handle: handle }: HttpSocket): number {
  return handle ? handle.bytesWritten - handle.writeQueueSize : 0
}

/** Frees what the operating system still holds for the reader too, which an orderly end would go on trying to send. */
export const cutOff = ({ socket }: Connection): void => void socket.resetAndDestroy()
