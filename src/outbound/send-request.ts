/**
 * Sends one HTTP request to a target that somebody else has chosen: no redirects, no proxy, bounded in time and in bytes, and
 * only to addresses that the rules allow.
 */

import type { IncomingMessage } from 'node:http'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { Problem } from '../kernel/problem.ts'
import { targetAway, targetRedirects, targetTooSlow } from './problems.ts'
import { checkedLookup, hostOf, readTarget, type TargetRules } from './target.ts'

export type OutboundRequest = {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | null
  /** From the look-up of the name to the last byte that is read. */
  readonly timeoutMs: number
  /** The rest of a longer body is not read. */
  readonly mostBodyBytes: number
  /** Returns an answer that redirects instead of refusing it; it is not followed in either case. */
  readonly returnsRedirects?: boolean
}

export type OutboundAnswer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  readonly isWholeBody: boolean
}

export type SendRequest = (request: OutboundRequest, signal?: AbortSignal) => Promise<OutboundAnswer>

/**
 * @returns a function that sends requests under these rules. It rejects with Problem OUT1xx, or with the reason of the signal
 * @param lookup replaces the look-up of names
 */
export function openSender(rules: TargetRules, lookup = checkedLookup(rules)): SendRequest {
  return async (request, signal) => {
    const url = readTarget(request.url, rules)
    const host = hostOf(url)
    const time = AbortSignal.timeout(request.timeoutMs)
    const ended = signal === undefined ? time : AbortSignal.any([time, signal])
    try {
      const answer = await send(url, request, { lookup, ended })
      const isRedirect = answer.status >= 300 && answer.status < 400
      if (isRedirect && request.returnsRedirects !== true) throw targetRedirects(host, answer.status)
      return answer
    } catch (cause) {
      if (signal?.aborted) throw signal.reason
      if (time.aborted) throw targetTooSlow(host, request.timeoutMs, cause)
      throw cause instanceof Problem ? cause : targetAway(host, cause)
    }
  }
}

type Way = { readonly lookup: ReturnType<typeof checkedLookup>; readonly ended: AbortSignal }

function send(url: URL, request: OutboundRequest, { lookup, ended }: Way): Promise<OutboundAnswer> {
  const { method, headers, body, mostBodyBytes } = request
  const { promise, resolve, reject } = Promise.withResolvers<OutboundAnswer>()
  const bytes = body === null ? undefined : Buffer.from(body)
  // Without an agent: each request opens a connection of its own, whose address was checked.
  const options = {
    method,
    lookup,
    signal: ended,
    agent: false as const,
    // Also where the environment switches checks off for everything (NODE_TLS_REJECT_UNAUTHORIZED): secrets go out here.
    rejectUnauthorized: true,
    headers: {
      ...headers,
      'accept-encoding': 'identity',
      ...(bytes === undefined ? {} : { 'content-length': `${bytes.length}` }),
    },
  }
  const sent = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, options)
  sent.on('error', reject)
  // Nobody asked for another protocol. Node gives the connection away then, and reports nothing else.
  sent.on('upgrade', (_response, socket) => {
    socket.destroy()
    reject(new Error('it changes to another protocol (101)'))
  })
  sent.on('response', (response) => {
    readBody(response, mostBodyBytes).then(({ read, isWhole }) => {
      resolve({
        status: response.statusCode as number,
        headers: singleHeaders(response),
        body: read,
        isWholeBody: isWhole,
      })
      sent.destroy()
    }, reject)
  })
  sent.end(bytes)
  return promise
}

async function readBody(
  response: IncomingMessage,
  mostBytes: number,
): Promise<{ readonly read: Buffer; readonly isWhole: boolean }> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    length += chunk.length
    if (length > mostBytes) return { read: Buffer.concat(chunks).subarray(0, mostBytes), isWhole: false }
  }
  return { read: Buffer.concat(chunks), isWhole: true }
}

/** Names in lower case; the values of a repeated name are joined (RFC 9110, section 5.3). */
const singleHeaders = ({ headers }: IncomingMessage): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  )
