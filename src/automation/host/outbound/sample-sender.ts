/** Answers the requests of a dry run from its sample, and holds them back. */
import { setTimeout as sleep } from 'node:timers/promises'
import { targetAway, targetTooSlow } from '../../../outbound/problems.ts'
import type { OutboundAnswer, OutboundRequest, SendRequest } from '../../../outbound/send-request.ts'
import type { SampleAnswer } from '../../../schema/sample-request.ts'
import type { DryRunWrite } from '../../runs/run-states.ts'

export function sampleSender(samples: readonly SampleAnswer[], held: DryRunWrite[]): SendRequest {
  const used = new Set<SampleAnswer>()
  return async (request) => {
    // As every real request does, it lets the event loop turn.
    await sleep(0)
    held.push({
      action: 'http.request',
      subjectId: new URL(request.url).host,
      before: null,
      after: shownRequest(request),
    })
    const fitting = samples.filter((sample) => fits(sample, request))
    const sample = fitting.find((one) => !used.has(one)) ?? fitting.at(-1)
    if (sample === undefined) return { status: 202, headers: {}, body: Buffer.alloc(0), isWholeBody: true }
    used.add(sample)
    return answerOf(sample, request)
  }
}

function fits({ method, url }: SampleAnswer, request: OutboundRequest): boolean {
  if (method !== undefined && method.toUpperCase() !== request.method) return false
  const [first = '', ...others] = url.split('*')
  if (others.length === 0) return url === request.url
  return hasParts(request.url, first, others)
}

/** Whether the text begins with the first part, ends with the last, and has the others between them, in order. */
function hasParts(text: string, first: string, others: readonly string[]): boolean {
  if (!text.startsWith(first)) return false
  const last = others.at(-1) as string
  let at = first.length
  for (const part of others.slice(0, -1)) {
    const found = text.indexOf(part, at)
    if (found === -1) return false
    at = found + part.length
  }
  return text.length - last.length >= at && text.endsWith(last)
}

function answerOf(sample: SampleAnswer, { url, timeoutMs, mostBodyBytes }: OutboundRequest): OutboundAnswer {
  const { hostname } = new URL(url)
  if (sample.failure === 'unreachable') throw targetAway(hostname, 'the sample says so')
  if (sample.failure === 'timeout') throw targetTooSlow(hostname, timeoutMs, null)
  const { status = 200, headers = {}, body, rawBody } = sample
  // Samples are written as text, so none has a content coding, although its headers may come from a real answer.
  const given = Object.fromEntries(
    Object.entries(headers)
      .map(([name, value]) => [name.toLowerCase(), value])
      .filter(([name]) => name !== 'content-encoding'),
  )
  const isJson = body !== undefined
  const bytes = Buffer.from(isJson ? JSON.stringify(body) : (rawBody ?? ''))
  return {
    status,
    headers: isJson ? { 'content-type': 'application/json', ...given } : given,
    body: bytes.subarray(0, mostBodyBytes),
    isWholeBody: bytes.length <= mostBodyBytes,
  }
}

function shownRequest({ method, url, headers, body }: OutboundRequest) {
  return { method, url, headers, body: body === null ? null : shownBody(body, headers) }
}

/** JSON as its value, so that a person reads it without escapes. */
function shownBody(body: string | Uint8Array, headers: OutboundRequest['headers']): unknown {
  const text = Buffer.from(body).toString()
  if (!/^application\/(?:[^;]+\+)?json\b/.test(headers['content-type'] ?? '')) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The media type of bodies that the service itself has written as JSON. */
export const JSON_WRITTEN_HERE = 'application/json; charset=utf-8'
