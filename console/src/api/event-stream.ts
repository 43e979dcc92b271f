/**
 * Reads server-sent events with a credential in a header, which `EventSource` cannot send. A stream that ends or fails is opened
 * again after the last event that was read, until the caller leaves.
 */
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import type { Credential } from './credential.ts'
import { type ApiProblem, problemOf, unreachable } from './problem.ts'

/** Why a stream gives nothing: it was refused for good, or failed and is opened again by itself. */
export type StreamTrouble = { readonly problem: ApiProblem; readonly isRefused: boolean }

type StreamState = 'connecting' | 'open' | 'waiting'

type StreamOptions = {
  readonly credential: () => Credential | undefined
  readonly signal: AbortSignal
  readonly onEvent: (event: EventSourceMessage) => void
  readonly onState?: (state: StreamState, problem?: ApiProblem) => void
}

const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 15_000

/** Resolves when the caller has left. Rejects with an ApiProblem when the server refuses (any 4xx but 408 and 429). */
export async function readEventStream(path: string, options: StreamOptions): Promise<void> {
  const { signal, onState } = options
  let lastEventId: string | undefined
  let pauseMs = FIRST_PAUSE_MS
  const parser = createParser({
    onEvent: (event) => {
      if (event.id !== undefined) lastEventId = event.id
      options.onEvent(event)
    },
    onRetry: (milliseconds) => (pauseMs = milliseconds),
  })
  while (!signal.aborted) {
    onState?.('connecting')
    const problem = await readOnce(path, options, lastEventId, (text) => {
      pauseMs = FIRST_PAUSE_MS
      parser.feed(text)
    }).catch((cause: unknown) => unreachable(cause))
    parser.reset()
    if (signal.aborted) return
    if (problem !== undefined && isFinal(problem.status)) throw problem
    onState?.('waiting', problem)
    await pause(pauseMs, signal)
    pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)
  }
}

async function readOnce(
  path: string,
  { credential, signal, onState }: StreamOptions,
  lastEventId: string | undefined,
  onText: (text: string) => void,
): Promise<ApiProblem | undefined> {
  const known = credential()
  const response = await fetch(path, {
    headers: {
      accept: 'text/event-stream',
      ...(known !== undefined && { [known.header]: known.value }),
      ...(lastEventId !== undefined && { 'Last-Event-ID': lastEventId }),
    },
    credentials: 'omit',
    cache: 'no-store',
    signal,
  })
  if (response.status === 401) known?.onRefused?.()
  if (!response.ok || response.body === null)
    return problemOf(response, await response.json().catch(() => null))
  onState?.('open')
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  for (let read = await reader.read(); !read.done; read = await reader.read()) onText(read.value)
  return undefined
}

const isFinal = (status: number): boolean => status >= 400 && status < 500 && status !== 408 && status !== 429

const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(done, milliseconds)
    function done() {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    signal.addEventListener('abort', done)
  })
