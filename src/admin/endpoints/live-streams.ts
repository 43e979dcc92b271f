/**
 * Streams of live runs as server-sent events (WHATWG HTML, section 9.2): first the list, then what happens. Each stream asks for
 * the next events when its reader has taken the ones before, so nothing piles up here. A reader that was too slow for the events
 * that the service keeps is told how many it has missed, and gets the list again; one that stops reading is cut off.
 */
import type { ServerResponse } from 'node:http'
import { PassThrough } from 'node:stream'
import type { LiveControl, LiveSnapshot } from '../../automation/live/live-control.ts'
import type { LiveEvent } from '../../schema/execution-shapes.ts'

type Listener = {
  /** Only runs of this endpoint; all runs by default. */
  readonly endpointId: string | undefined
  /** When the credential expires, in milliseconds since 1970. */
  readonly expiresAt: number
  /** When it closes, the stream is removed. */
  readonly response: ServerResponse
  /** Called when the events cannot be read. The stream then ends, and its reader reconnects. */
  readonly onFailure: (cause: unknown) => void
}

type Pace = {
  /** How often a comment shows that the stream is alive; also how long a reader may leave sent data unread. */
  readonly heartbeatMs: number
  /** How long a reader that lost its stream waits before it reconnects. */
  readonly retryMs: number
}

const servicePace: Pace = { heartbeatMs: 15_000, retryMs: 3000 }

/** Timers count milliseconds in 32 bits. A stream that reaches this ends, and its reader reconnects. */
const LONGEST_TIMER = 2 ** 31 - 1
/** The time for the last bytes of a stream when the server closes. */
const FAREWELL_MS = 1000

type Stream = Listener & { readonly output: PassThrough; sequence: number; writtenAt: number }

export class LiveStreams {
  readonly #live: Pick<LiveControl, 'open' | 'events'>
  readonly #pace: Pace
  readonly #streams = new Set<Stream>()

  constructor(live: Pick<LiveControl, 'open' | 'events'>, pace: Pace = servicePace) {
    this.#live = live
    this.#pace = pace
  }

  /** The number of open streams. */
  get size(): number {
    return this.#streams.size
  }

  /** Returns what is to be sent to the reader. */
  open(listener: Listener): PassThrough {
    const output = new PassThrough()
    const stream: Stream = { ...listener, output, sequence: 0, writtenAt: performance.now() }
    this.#streams.add(stream)
    const remaining = Math.min(Math.max(listener.expiresAt - Date.now(), 0), LONGEST_TIMER)
    const expiry = setTimeout(() => output.end(), remaining)
    const remove = () => {
      clearTimeout(expiry)
      this.#streams.delete(stream)
      output.destroy()
    }
    if (listener.response.closed) remove()
    else listener.response.once('close', remove)
    void this.#send(stream).catch((cause: unknown) => {
      listener.onFailure(cause)
      output.end()
    })
    return output
  }

  /** Ends all streams. */
  close(): void {
    for (const { output } of this.#streams) output.end()
    // A reader that does not read would otherwise keep the server open.
    setTimeout(() => {
      for (const { response } of this.#streams) response.destroy()
    }, FAREWELL_MS).unref()
  }

  async #send(stream: Stream): Promise<void> {
    // With the list, so that nothing that happens after the head of the answer is missed.
    await this.#sendList(stream, `retry: ${this.#pace.retryMs}\n\n`)
    while (stream.output.writable) {
      const { events, dropped, sequence } = await this.#live.events(stream.sequence)
      if (dropped > 0) {
        await this.#write(stream, eventText('missed', { events: dropped }))
        await this.#sendList(stream)
        continue
      }
      stream.sequence = sequence
      for (const event of events) {
        if (concerns(event, stream)) await this.#write(stream, textOf(event))
      }
      if (performance.now() - stream.writtenAt > this.#pace.heartbeatMs) await this.#write(stream, ':\n\n')
    }
  }

  async #sendList(stream: Stream, before = ''): Promise<void> {
    const { node, sequence, runs }: LiveSnapshot = await this.#live.open()
    stream.sequence = sequence
    const shown = runs.filter(({ endpointId }) => endpointId === (stream.endpointId ?? endpointId))
    await this.#write(stream, before + eventText('list', { node, runs: shown }))
  }

  /** Resolves when the reader can take more, or is gone. */
  async #write(stream: Stream, text: string): Promise<void> {
    const { output, response } = stream
    if (!output.writable) return
    stream.writtenAt = performance.now()
    if (output.write(text)) return
    const taken = Promise.withResolvers<void>()
    for (const event of ['drain', 'close', 'finish']) output.once(event, taken.resolve)
    const patience = setTimeout(() => response.destroy(), this.#pace.heartbeatMs)
    await taken.promise
    clearTimeout(patience)
    for (const event of ['drain', 'close', 'finish']) output.off(event, taken.resolve)
  }
}

const concerns = (event: LiveEvent, { endpointId }: Stream): boolean =>
  endpointId === undefined ||
  endpointId === (event.event === 'queued' ? event.run.endpointId : event.endpointId)

function textOf({ event, ...data }: LiveEvent): string {
  return eventText(event, 'run' in data ? data.run : data)
}

/** JSON fits on one line: line breaks in it are escaped. */
const eventText = (name: string, data: unknown): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
