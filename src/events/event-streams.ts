/**
 * Sends numbered events of the store as server-sent events (WHATWG HTML, section 9.2) to all streams of this thread. The store
 * is polled once per interval for all streams together, and only while a stream is open. A stream ends when its reader
 * disconnects or stops reading, when the reader's credential expires, and when the server closes.
 */
import type { ServerResponse } from 'node:http'
import { PassThrough } from 'node:stream'

/** Events in the order of their numbers, which grow in the order in which readers see them. */
export type EventSource<Event extends { readonly sequence: number }> = {
  /** Events for this reader after a number, oldest first. */
  readonly after: (reader: string, sequence: number, limit: number) => Promise<readonly Event[]>
  /** Grows with every event for any reader; 0 before the first. */
  readonly newestSequence: () => Promise<number>
  /**
   * The number of the newest event for this reader, where each reader's events are numbered on their own and tell nothing of those
   * of others. Without it all readers share the numbers of `newestSequence`.
   */
  readonly newestOf?: (reader: string) => Promise<number>
}

/** Writes the number of an event as its id. */
export type WriteId = (sequence: number) => string

export type StreamPace = {
  /** How often the store is polled for new events. */
  readonly lookMs: number
  /** How often a comment and the reader's position show that the stream is alive; also how long a reader may leave sent data unread. */
  readonly heartbeatMs: number
  /** How long a reader that lost its stream waits before it reconnects. */
  readonly retryMs: number
}

const servicePace: StreamPace = {
  lookMs: 400,
  heartbeatMs: 15_000,
  retryMs: 3000,
}

export type Listener = {
  /** Who reads, as the source names readers. */
  readonly reader: string
  /** Number of the last event that the reader has; null to send only new ones. */
  readonly last: number | null
  /** Events to send first, in the form of the protocol. */
  readonly opening?: string
  /** When the credential expires, in milliseconds since 1970. */
  readonly expiresAt: number
  /** The response of the stream. When it closes, the stream is removed. */
  readonly response: ServerResponse
  /** Called when the store fails. The stream then ends, and the reader reconnects. */
  readonly onFailure: (cause: unknown) => void
}

/** Timers count milliseconds in 32 bits. A stream that reaches this ends, and its reader reconnects. */
const LONGEST_TIMER = 2 ** 31 - 1
/** The most missed events that are read from the store at once. */
const BATCH = 100
/** The time for the last bytes of a stream when the server closes. */
const FAREWELL_MILLISECONDS = 1000

type Stream = Listener & {
  readonly output: PassThrough
  readonly expiry: NodeJS.Timeout
  /** All events for the reader up to this number have been written. The reader sees it. */
  sequence: number
  /** The newest event of any reader when they were read. Nobody sees it. */
  lookedAt: number
  isWriting: boolean
  /** Since when nothing is written, because the reader does not read or the stream has ended; null while writing. */
  haltedSince: number | null
}

export class EventStreams<Event extends { readonly sequence: number }> {
  readonly #source: EventSource<Event>
  readonly #encode: (event: Event) => string
  readonly #pace: StreamPace
  readonly #streams = new Set<Stream>()
  #newest = 0
  #look: NodeJS.Timeout | undefined
  #heartbeat: NodeJS.Timeout | undefined
  #isClosed = false

  readonly #writeId: WriteId

  /** @param encode writes an event in the form of the protocol, see {@link eventText} */
  constructor(
    source: EventSource<Event>,
    encode: (event: Event) => string,
    { writeId = String, ...pace }: Partial<StreamPace> & { readonly writeId?: WriteId } = {},
  ) {
    this.#source = source
    this.#encode = encode
    this.#writeId = writeId
    this.#pace = { ...servicePace, ...pace }
  }

  /** The number of open streams. */
  get size(): number {
    return this.#streams.size
  }

  /** Opens a stream and returns what is to be sent to the reader. */
  async open(listener: Listener): Promise<PassThrough> {
    const newest = await this.#source.newestSequence()
    // In this order: events that come in between are looked for later.
    const own = (await this.#source.newestOf?.(listener.reader)) ?? newest
    const output = new PassThrough()
    // A number beyond the newest comes from a former store. Keeping it would hide new events.
    const sequence = Math.min(listener.last ?? own, own)
    const lookedAt = sequence === own ? newest : -1
    output.write(`retry: ${this.#pace.retryMs}\nid: ${this.#writeId(sequence)}\n\n${listener.opening ?? ''}`)
    // A reader may have gone meanwhile: nothing would ever remove its stream.
    if (this.#isClosed || listener.response.closed) return output.end()
    const remaining = Math.min(Math.max(listener.expiresAt - Date.now(), 0), LONGEST_TIMER)
    const expiry = setTimeout(() => end(stream), remaining)
    const stream: Stream = {
      ...listener,
      output,
      expiry,
      sequence,
      lookedAt,
      isWriting: false,
      haltedSince: null,
    }
    output.on('drain', () => {
      stream.haltedSince = null
      void this.#write(stream)
    })
    listener.response.once('close', () => this.#remove(stream))
    this.#add(stream)
    this.#notice(newest)
    void this.#write(stream)
    return output
  }

  /** Ends all streams. Streams that are opened later end at once. */
  close(): void {
    this.#isClosed = true
    for (const stream of this.#streams) end(stream)
    // A reader that does not read would otherwise keep the server open.
    setTimeout(() => {
      for (const { response } of this.#streams) response.destroy()
    }, FAREWELL_MILLISECONDS).unref()
  }

  #add(stream: Stream): void {
    this.#streams.add(stream)
    if (this.#streams.size > 1) return
    this.#lookSoon()
    this.#heartbeat = setInterval(() => this.#beat(), this.#pace.heartbeatMs)
  }

  #remove(stream: Stream): void {
    clearTimeout(stream.expiry)
    stream.output.destroy()
    this.#streams.delete(stream)
    if (this.#streams.size > 0) return
    clearTimeout(this.#look)
    clearInterval(this.#heartbeat)
  }

  #lookSoon(): void {
    clearTimeout(this.#look)
    this.#look = setTimeout(() => this.#lookNow(), this.#pace.lookMs)
  }

  async #lookNow(): Promise<void> {
    try {
      this.#notice(await this.#source.newestSequence())
    } catch (cause) {
      for (const stream of this.#streams) fail(stream, cause)
    }
    if (this.#streams.size > 0) this.#lookSoon()
  }

  #notice(newest: number): void {
    if (newest <= this.#newest) return
    this.#newest = newest
    for (const stream of this.#streams) void this.#write(stream)
  }

  /** Writes the events that the reader lacks, until its buffer is full. */
  async #write(stream: Stream): Promise<void> {
    if (stream.isWriting) return
    stream.isWriting = true
    try {
      while (stream.lookedAt < this.#newest && isOpen(stream)) {
        const newest = this.#newest
        const missed = await this.#source.after(stream.reader, stream.sequence, BATCH)
        for (const event of missed) {
          if (!isOpen(stream)) return
          stream.sequence = event.sequence
          write(stream, this.#encode(event))
        }
        if (missed.length === BATCH || !isOpen(stream)) continue
        stream.lookedAt = newest
        // A reader without news reconnects from here, and does not seem to have missed what was for others and is removed.
        if (this.#source.newestOf === undefined) stream.sequence = Math.max(stream.sequence, newest)
      }
    } catch (cause) {
      fail(stream, cause)
    } finally {
      stream.isWriting = false
    }
  }

  #beat(): void {
    const patience = Date.now() - this.#pace.heartbeatMs
    for (const stream of this.#streams) {
      if (stream.haltedSince === null) write(stream, `:\nid: ${this.#writeId(stream.sequence)}\n\n`)
      else if (stream.haltedSince <= patience) stream.response.destroy()
    }
  }
}

const isOpen = ({ haltedSince }: Stream): boolean => haltedSince === null

function write(stream: Stream, text: string): void {
  if (!stream.output.write(text)) stream.haltedSince = Date.now()
}

function end(stream: Stream): void {
  stream.output.end()
  stream.haltedSince ??= Date.now()
}

/** Ends the stream properly, so that the reader gets no error in the middle of an event. */
function fail(stream: Stream, cause: unknown): void {
  stream.onFailure(cause)
  end(stream)
}

/** JSON fits on one line: line breaks in it are escaped. */
export const eventText = (name: string, id: number | string, data: unknown): string =>
  `id: ${id}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`
