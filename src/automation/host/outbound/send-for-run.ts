/**
 * Sends a request of a script: with its secrets, its redirects and its retries, within the limits of the run. Everything that
 * is known before is checked before; afterwards a failure is an outcome, which the script can handle.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Problem } from '../../../kernel/problem.ts'
import { refuseOtherHost } from '../../../outbound/allowed-hosts.ts'
import { decodedBody } from '../../../outbound/content-codings.ts'
import { answerTooLarge, targetRedirects } from '../../../outbound/problems.ts'
import { redirectedRequest } from '../../../outbound/redirects.ts'
import { requestHeader } from '../../../outbound/request-headers.ts'
import { isPassingStatus, retryAfterSeconds, retryDelayMs } from '../../../outbound/retries.ts'
import type { OutboundAnswer, OutboundRequest } from '../../../outbound/send-request.ts'
import { hostOf as hostOfUrl, readTarget } from '../../../outbound/target.ts'
import { isCredentialHeader } from '../../redaction/credential-names.ts'
import type { RunHost } from '../run-host.ts'
import { secretMissing, tooManyBytes, tooManyRequests, unreadableCoding } from './problems.ts'
import type { HttpOptions } from './request-options.ts'
import { count, type HttpOutcome, type RunOutbound, timeLeftMs } from './run-outbound.ts'
import { templateParts } from './secret-names.ts'

export type HttpResult =
  | { readonly kind: 'answered'; readonly answer: OutboundAnswer }
  /** The status and the headers are those of an answer that is too large or cannot be read; 0 and none without an answer. */
  | {
      readonly kind: 'failed'
      readonly problem: Problem
      readonly status: number
      readonly headers: OutboundAnswer['headers']
    }

/**
 * @throws Problem OUT101, OUT102, OUT114, OUT116, END180, END181, END182 when the request may not be sent
 * @throws the reason of the signal
 */
export async function sendForRun(
  options: HttpOptions,
  host: RunHost,
  signal: AbortSignal,
): Promise<HttpResult> {
  const { outbound } = host
  refuseTarget(options.url, outbound)
  refuseOverLimit(outbound, sizeOf(options.body))
  const headers = { ...options.headers, ...(await secretHeaders(options.secretHeaders, host)) }
  for (let attempts = 1; ; attempts++) {
    const result = await attempt({ ...options, headers }, host, signal)
    if (attempts > options.retries || !isPassing(result) || !mayRepeat(outbound, options)) return result
    const wishSeconds =
      result.kind === 'answered' ? retryAfterSeconds(result.answer.headers['retry-after'], new Date()) : 0
    const delayMs = retryDelayMs(attempts, wishSeconds, (outbound.random ?? Math.random)())
    if (delayMs >= timeLeftMs(outbound)) return result
    await sleep(delayMs, undefined, { signal })
  }
}

function refuseTarget(text: string, { targets, allowedHosts }: RunOutbound): void {
  refuseOtherHost(readTarget(text, targets), allowedHosts)
}

function refuseOverLimit({ sent, limits }: RunOutbound, bodyBytes: number): void {
  if (sent.httpRequests >= limits.httpRequests) throw tooManyRequests(limits.httpRequests)
  if (bytesOf(sent) + bodyBytes >= limits.httpBytes) throw tooManyBytes(limits.httpBytes)
}

function mayRepeat(outbound: RunOutbound, { body }: HttpOptions): boolean {
  const { sent, limits } = outbound
  return sent.httpRequests < limits.httpRequests && bytesOf(sent) + sizeOf(body) < limits.httpBytes
}

const bytesOf = ({ httpSentBytes, httpReadBytes }: RunOutbound['sent']): number =>
  httpSentBytes + httpReadBytes

const sizeOf = (body: OutboundRequest['body']): number =>
  body === null ? 0 : typeof body === 'string' ? Buffer.byteLength(body) : body.length

/** Puts the values of secrets in the place of their names. A dry run sends nothing, so it reads no secrets. */
async function secretHeaders(
  given: HttpOptions['secretHeaders'],
  { secrets, redaction, outbound }: RunHost,
): Promise<Readonly<Record<string, string>>> {
  if (outbound.held !== null) return given
  const headers: Record<string, string> = {}
  for (const [name, template] of Object.entries(given)) {
    let value = ''
    for (const [index, part] of templateParts(template).entries()) {
      if (index % 2 === 0) {
        value += part
        continue
      }
      const secret = await secrets.read(part)
      if (secret === null) throw secretMissing(part)
      redaction.hide(secret)
      value += secret
    }
    const [key, clean] = requestHeader(name, value)
    headers[key] = clean
  }
  return headers
}

/** @throws the reason of the signal */
async function attempt(options: HttpOptions, host: RunHost, signal: AbortSignal): Promise<HttpResult> {
  const { outbound } = host
  const endsAt = performance.now() + Math.min(options.timeoutMs, timeLeftMs(outbound))
  const isCredential = (name: string) =>
    name in options.secretHeaders || isCredentialHeader(name) || name === 'cookie'
  let { method, url, headers, body }: Pick<OutboundRequest, 'method' | 'url' | 'headers' | 'body'> = options
  for (let hops = 0; ; hops++) {
    const request: OutboundRequest = {
      ...{ method, url, headers, body },
      timeoutMs: Math.max(1, Math.floor(endsAt - performance.now())),
      mostBodyBytes: Math.max(0, outbound.limits.httpBytes - bytesOf(outbound.sent) - sizeOf(body)),
      returnsRedirects: true,
    }
    const result = await exchange(request, host, signal)
    if (result.kind === 'failed' || !options.followRedirects) return result
    const next = redirectedRequest(request, result.answer, isCredential)
    if (next === null) return result
    const problem =
      hops === MOST_REDIRECTS
        ? targetRedirects(hostOfUrl(new URL(url)), result.answer.status)
        : redirectProblem(next, outbound)
    if (problem !== null) return failed(problem)
    ;({ method, url, headers, body } = next)
  }
}

const MOST_REDIRECTS = 5

/** Why a redirect is not followed: it leads to where the run may not send requests, or the run has sent enough. */
function redirectProblem({ url, body }: OutboundRequest, outbound: RunOutbound): Problem | null {
  try {
    refuseTarget(url, outbound)
    refuseOverLimit(outbound, sizeOf(body))
    return null
  } catch (cause) {
    if (cause instanceof Problem) return cause
    throw cause
  }
}

const failed = (problem: Problem): HttpResult => ({ kind: 'failed', problem, status: 0, headers: {} })

/** Sends one request, counts it, and writes a line into the log of the run: never with its query, its headers or its body. */
async function exchange(request: OutboundRequest, host: RunHost, signal: AbortSignal): Promise<HttpResult> {
  const { outbound } = host
  const { sent } = outbound
  const began = performance.now()
  sent.httpRequests++
  sent.httpSentBytes += sizeOf(request.body)
  const name = hostOfUrl(new URL(request.url))
  const result = await outbound.send(request, signal).then(
    async (answer) => {
      const { result, readBytes } = await decodedAnswer(answer, name, request.mostBodyBytes)
      sent.httpReadBytes += readBytes
      return result
    },
    (cause): HttpResult => {
      if (cause instanceof Problem) return failed(cause)
      throw cause
    },
  )
  const outcome = outcomeOf(result)
  count(outbound.outcomes.http, outcome)
  const told =
    result.kind === 'answered'
      ? String(result.answer.status)
      : `${result.problem.code} ${result.problem.message}`
  const held = outbound.held === null ? '' : ', held back'
  const milliseconds = Math.round(performance.now() - began)
  const line = `HttpRequest ${request.method} ${name} in ${milliseconds} ms${held}: ${told}`
  host.log.add(result.kind === 'answered' ? 'Debug' : 'Warning', host.redaction.message(line))
  return result
}

type Read = { readonly result: HttpResult; readonly readBytes: number }

/** The answer without its content codings and the headers that speak of them. What they grow to counts as read. */
async function decodedAnswer(answer: OutboundAnswer, name: string, mostBytes: number): Promise<Read> {
  const { status, headers, body, isWholeBody } = answer
  const { 'content-encoding': codings = '', 'content-length': _length, ...others } = headers
  const fail = (problem: Problem, readBytes: number): Read => ({
    result: { kind: 'failed', problem, status, headers },
    readBytes,
  })
  if (!isWholeBody) return fail(answerTooLarge(name, mostBytes), body.length)
  if (codings === '') return { result: { kind: 'answered', answer }, readBytes: body.length }
  const decoded = await decodedBody(codings, body, mostBytes)
  if (decoded.kind === 'too-large') return fail(answerTooLarge(name, mostBytes), mostBytes)
  if (decoded.kind === 'unreadable') {
    return fail(unreadableCoding(name, decoded.coding, decoded.fault), body.length)
  }
  const plain: OutboundAnswer = { status, headers: others, body: decoded.body, isWholeBody }
  return {
    result: { kind: 'answered', answer: plain },
    readBytes: Math.max(body.length, decoded.body.length),
  }
}

const outcomeOf = (result: HttpResult): HttpOutcome =>
  result.kind === 'failed' ? 'failed' : (`${Math.floor(result.answer.status / 100)}xx` as HttpOutcome)

/** Codes of failures that another attempt may change. */
const PASSING: ReadonlySet<string> = new Set(['OUT111', 'OUT112'])

const isPassing = (result: HttpResult): boolean =>
  result.kind === 'failed' ? PASSING.has(result.problem.code) : isPassingStatus(result.answer.status)
