/**
 * What a run may send to others, and what it has sent. In a dry run nothing is sent: requests and messages are held back and
 * listed, and requests get the answers of the sample.
 */
import { CALL_DEPTH_HEADER, callDepthOf } from '../../../outbound/call-depth.ts'
import type { MailMessage, SendMail } from '../../../outbound/send-mail.ts'
import type { SendRequest } from '../../../outbound/send-request.ts'
import type { TargetRules } from '../../../outbound/target.ts'
import { nothingSent, type SentByRun, TRIAL } from '../../../schema/execution-shapes.ts'
import type { Limits } from '../../../script/problems.ts'
import type { NativeContext } from '../../../script/values.ts'
import type { DryRunWrite, RunJob } from '../../runs/run-states.ts'
import { sampleSender } from './sample-sender.ts'

/** What the service offers to all runs. */
export type OutboundServices = {
  readonly targets: TargetRules
  readonly send: SendRequest
  /** Null without a mail server. */
  readonly mail: SendMail | null
  /** Domains to which mail may go; undefined: all. */
  readonly mailDomains: string | undefined
  readonly limits: {
    readonly httpRequests: number
    readonly httpBytes: number
    readonly mailRecipients: number
    readonly mailBytes: number
  }
  /** From 0 up to 1, for the delays of retries. */
  readonly random?: () => number
}

/** How a request ended: the class of its status, or without an answer. */
export type HttpOutcome = '2xx' | '3xx' | '4xx' | '5xx' | 'failed'

export type RunOutbound = OutboundServices & {
  readonly allowedHosts: readonly string[]
  /** By `performance.now()`: until when the run may wait for others. What is left then is for the script to answer. */
  readonly waitsUntil: number
  readonly sent: { -readonly [Member in keyof SentByRun]: SentByRun[Member] }
  readonly mailBytes: { sent: number }
  readonly outcomes: {
    readonly http: Map<HttpOutcome, number>
    readonly mail: Map<'sent' | 'failed', number>
  }
  /** What a dry run held back; null for other runs. */
  readonly held: DryRunWrite[] | null
}

export function openOutbound(
  {
    type,
    endpoint,
    request,
    sampleAnswers = [],
  }: Pick<RunJob, 'type' | 'endpoint' | 'request' | 'sampleAnswers'>,
  services: OutboundServices,
  { milliseconds }: Pick<Limits, 'milliseconds'>,
): RunOutbound {
  const held: DryRunWrite[] | null = type === TRIAL ? [] : null
  return {
    ...services,
    ...(held === null
      ? { send: sendBelow(request, services.send) }
      : { send: sampleSender(sampleAnswers, held), mail: holdMail(held) }),
    allowedHosts: endpoint.allowedHosts,
    waitsUntil: performance.now() + milliseconds - Math.min(MOST_RESERVE_MS, milliseconds / 10),
    sent: { ...nothingSent },
    mailBytes: { sent: 0 },
    outcomes: { http: new Map(), mail: new Map() },
    held,
  }
}

/** Every request says how deep it is, whoever answers it: the service may have many addresses, and proxies before them. */
function sendBelow({ headers }: RunJob['request'], send: SendRequest): SendRequest {
  const depth = (callDepthOf(headers[CALL_DEPTH_HEADER]) ?? 0) + 1
  return (request, signal) =>
    send({ ...request, headers: { ...request.headers, [CALL_DEPTH_HEADER]: `${depth}` } }, signal)
}

const holdMail =
  (held: DryRunWrite[]): SendMail =>
  async (message) => {
    held.push({ action: 'mail.send', subjectId: message.subject, before: null, after: shownMail(message) })
    return { messageId: '', refused: [] }
  }

const shownMail = ({ attachments, ...parts }: MailMessage) => ({
  ...parts,
  attachments: attachments.map(({ filename, contentType, content }) => ({
    ...{ filename, contentType },
    sizeBytes: content.length,
  })),
})

/** Time of the run that is kept for its script, at most a tenth of it. */
const MOST_RESERVE_MS = 250

/** How long the run may still wait for others, in whole milliseconds of at least one. */
export const timeLeftMs = ({ waitsUntil }: RunOutbound): number =>
  Math.max(1, Math.floor(waitsUntil - performance.now()))

export const count = <Key>(counts: Map<Key, number>, key: Key): void =>
  void counts.set(key, (counts.get(key) ?? 0) + 1)

const LOOK_EVERY_MS = 50

/** Works with a signal that is raised when the run no longer waits: it was cancelled, or its time is over. */
export async function whileWaited<T>(
  { cancellation }: NativeContext,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const over = new AbortController()
  const timer = setInterval(() => {
    if (cancellation.aborted) over.abort(cancellation.reason)
  }, LOOK_EVERY_MS)
  try {
    return await work(over.signal)
  } finally {
    clearInterval(timer)
  }
}
