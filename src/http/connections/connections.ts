/**
 * The connections of one thread: accepts them up to the limits and ends those that stand still. Readers that stop are cut
 * off. Beyond the limits only probes are answered. When the server closes, every request that has arrived completely is
 * answered, and a connection that neither sends nor reads does not keep the server open.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate, setTimeout } from 'node:timers/promises'
import type { Observe } from '../../observe/observation.ts'
import { isOutOfFiles } from '../../observe/open-files.ts'
import type { Reader } from '../../snapshot/files/collection-files.ts'
import {
  type Connection,
  connectionOf,
  cutOff,
  hasArrived,
  isAnswering,
  isHeldBack,
  look,
  stalledFor,
} from './connection.ts'
import { type Peer, type Places, peerOf, SPARE_CONNECTIONS } from './connection-places.ts'

export type ConnectionLimits = {
  /** How long a reader may leave an answer unread. */
  readonly readerIdleMs: number
  /** After the server began to close: how long it accepts connections and keeps them for another request. */
  readonly drainMs: number
  /** After the server began to close: when requests that are still being answered are cut off. */
  readonly stopMs: number
}

export const defaultConnectionLimits: ConnectionLimits = {
  readerIdleMs: 60_000,
  drainMs: 0,
  stopMs: 30_000,
}

type ConnectionsOptions = ConnectionLimits & {
  /** Limits the open connections; without it their number is not limited. */
  readonly places?: Places | undefined
  /** Whether an address is a proxy's, which many callers share. */
  readonly isProxy?: (address: string | undefined) => boolean
  readonly observe: Observe
}

const SWEEP_EVERY_MS = 1000
const DRAIN_LOOK_EVERY_MS = 20
/** How long a caller may pause in the middle of sending a request while the server closes. */
const HALF_SENT_PAUSE_MS = 1000
/** How long a probe may take to send its request. */
const SPARE_MS = 2000
/** Finding idle connections takes a millisecond when there are thousands. */
const MAKE_ROOM_EVERY_MS = 100
const ROOM = 16
const REFUSALS_REPORTED_EVERY_MS = 10_000

export class Connections {
  readonly #options: ConnectionsOptions
  readonly #open = new Map<Socket, Connection>()
  readonly #spare = new Set<Connection>()
  readonly #timer: NodeJS.Timeout
  #isDraining = false
  #accepted = 0
  #madeRoomAt = Number.NEGATIVE_INFINITY
  #refused = { total: 0, perAddress: 0 }
  #refusalsReportedAt = Number.NEGATIVE_INFINITY
  /** The error of the operating system when it had no file for a new connection. */
  #outOfFiles: string | null = null

  constructor(server: Server, options: ConnectionsOptions) {
    this.#options = options
    server.on('connection', (socket: Socket) => this.#accept(socket))
    // Without a listener, an error would end the thread.
    server.on('error', (cause) => {
      if (isOutOfFiles(cause)) this.#outOfFiles = cause.message
    })
    this.#timer = setInterval(() => this.sweep(performance.now()), SWEEP_EVERY_MS).unref()
  }

  get isDraining(): boolean {
    return this.#isDraining
  }

  /** To be called for every request, before anything else. @returns whether only a probe may be answered */
  begin({ socket }: IncomingMessage, response: ServerResponse): boolean {
    const connection = this.#open.get(socket)
    if (connection === undefined) return false
    if (this.#isDraining) moveEnd(connection.newest, response)
    connection.newest = response
    connection.hasAsked = true
    if (connection.isSpare) response.setHeader('connection', 'close')
    return connection.isSpare
  }

  /** The reader of a connection, for the code that keeps memory until an answer is read. */
  readerOf(socket: Socket): Reader {
    const connection = this.#open.get(socket)
    if (connection === undefined) return { stalledFor: () => 0, cutOff: () => socket.destroy() }
    return {
      stalledFor: () => stalledFor(connection, performance.now()),
      cutOff: () => {
        const seconds = Math.round(stalledFor(connection, performance.now()) / 1000)
        cutOff(connection)
        this.#forget(connection)
        this.#options.observe({ kind: 'readers-cut-off', readers: 1, seconds, reason: 'memory' })
      },
    }
  }

  /** Ends connections that have stood still for too long. */
  sweep(now: number): void {
    let readers = 0
    for (const connection of this.#open.values()) {
      look(connection, now)
      if (stalledFor(connection, now) >= this.#options.readerIdleMs) {
        readers++
        cutOff(connection)
        this.#forget(connection)
      } else if (connection.isSpare && now - connection.openedAt >= SPARE_MS && !hasArrived(connection)) {
        this.#end(connection)
      }
    }
    if (readers > 0) {
      const seconds = this.#options.readerIdleMs / 1000
      this.#options.observe({ kind: 'readers-cut-off', readers, seconds, reason: 'idle' })
    }
    this.#options.observe({ kind: 'connections-open', connections: this.#open.size })
    this.#reportRefusals(now)
  }

  /**
   * Before the server stops listening: answers for a while longer, so that callers of open connections learn that these close
   * (Connection: close), and connections that the operating system has already accepted are answered.
   */
  async beginDrain(): Promise<void> {
    this.#isDraining = true
    for (const { newest } of this.#open.values()) moveEnd(null, newest)
    await setTimeout(this.#options.drainMs)
    let accepted: number
    do {
      accepted = this.#accepted
      await setImmediate()
      await setImmediate()
    } while (accepted !== this.#accepted)
    void this.#endDrain()
  }

  /** Resolves when no connection is left. */
  async #endDrain(): Promise<void> {
    const deadline = performance.now() + this.#options.stopMs - this.#options.drainMs
    while (this.#open.size > 0) {
      const now = performance.now()
      for (const connection of this.#open.values()) {
        look(connection, now)
        if (this.#isDone(connection, now)) this.#end(connection)
      }
      if (now >= deadline) return this.#cutOffAll()
      await setTimeout(DRAIN_LOOK_EVERY_MS)
      // Reads what arrived while this thread was busy, before a connection counts as quiet.
      await setImmediate()
    }
  }

  #isDone(connection: Connection, now: number): boolean {
    if (isOwed(connection)) return false
    const hasBegun = connection.socket.bytesRead > 0 && !connection.hasAsked
    const isHalfSent = hasBegun || isAnswering(connection)
    const pause = isHalfSent ? HALF_SENT_PAUSE_MS : this.#options.drainMs
    return now - connection.quietSince >= pause
  }

  #cutOffAll(): void {
    const requests = this.#open.values().filter(isOwed).toArray().length
    for (const connection of this.#open.values()) cutOff(connection)
    this.#open.clear()
    const seconds = this.#options.stopMs / 1000
    if (requests > 0) this.#options.observe({ kind: 'requests-cut-off', requests, seconds })
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #accept(socket: Socket): void {
    const now = performance.now()
    const { remoteAddress } = socket
    const peer = this.#options.isProxy?.(remoteAddress) ? null : peerOf(remoteAddress)
    this.#accepted++
    const isSpare = !this.#takePlace(peer, now)
    if (isSpare && !this.#takeSpare()) {
      socket.destroy()
      return
    }
    const connection = connectionOf(socket, { peer, isSpare, now })
    this.#open.set(socket, connection)
    if (isSpare) this.#spare.add(connection)
    socket.once('close', () => this.#forget(connection))
  }

  #end(connection: Connection): void {
    connection.socket.destroy()
    this.#forget(connection)
  }

  /** Called at once, not on node's close event: the next connection needs the place. */
  #forget(connection: Connection): void {
    if (!this.#open.delete(connection.socket)) return
    if (connection.isSpare) this.#spare.delete(connection)
    else this.#options.places?.release(connection.peer)
  }

  #takePlace(peer: Peer, now: number): boolean {
    const { places } = this.#options
    if (places === undefined) return true
    const reached = places.take(peer)
    if (reached === null) return true
    if (this.#makeRoom(places, reached === 'perAddress' ? peer : null, now) && places.take(peer) === null) {
      return true
    }
    this.#refused[reached]++
    return false
  }

  /** Ends the oldest spare connection without a request in favour of a new one: a probe sends its request at once. */
  #takeSpare(): boolean {
    if (this.#spare.size < SPARE_CONNECTIONS) return true
    const oldest = this.#spare.values().find((connection) => !isAnswering(connection))
    if (oldest === undefined) return false
    this.#end(oldest)
    return true
  }

  /**
   * Ends idle connections: first those of the peers with the most connections, then those that have been quiet longest.
   *
   * @param only ends only connections of this peer; null is all peers
   * @returns whether any was ended
   */
  #makeRoom(places: Places, only: Peer, now: number): boolean {
    if (now - this.#madeRoomAt < MAKE_ROOM_EVERY_MS) return false
    this.#madeRoomAt = now
    const counts = new Map<Peer, number>()
    const countOf = (peer: Peer) => {
      if (!counts.has(peer)) counts.set(peer, places.of(peer))
      return counts.get(peer) as number
    }
    const idle = this.#open
      .values()
      .filter((connection) => !(connection.isSpare || isAnswering(connection)))
      .filter(({ peer, quietSince }) => (only ?? peer) === peer && now - quietSince >= SWEEP_EVERY_MS)
      .toArray()
      .sort((a, b) => countOf(b.peer) - countOf(a.peer) || a.quietSince - b.quietSince)
      .slice(0, ROOM)
    for (const connection of idle) this.#end(connection)
    return idle.length > 0
  }

  #reportRefusals(now: number): void {
    const { total, perAddress } = this.#refused
    const found = this.#outOfFiles
    if (total + perAddress === 0 && found === null) return
    if (now - this.#refusalsReportedAt < REFUSALS_REPORTED_EVERY_MS) return
    this.#refusalsReportedAt = now
    if (found !== null) this.#options.observe({ kind: 'files-exhausted', found })
    this.#outOfFiles = null
    if (total + perAddress === 0) return
    this.#refused = { total: 0, perAddress: 0 }
    this.#options.observe({ kind: 'connections-refused', total, perAddress })
  }
}

/** Whether we still owe an answer: ending the connection now would be our fault. */
const isOwed = (connection: Connection): boolean => hasArrived(connection) || isHeldBack(connection)

/** Only the last answer on a connection may say `Connection: close`: callers do not read the answers after it. */
function moveEnd(earlier: ServerResponse | null, later: ServerResponse | null): void {
  if (earlier !== null && !earlier.headersSent) earlier.removeHeader('connection')
  if (later !== null && !later.headersSent) later.setHeader('connection', 'close')
}
