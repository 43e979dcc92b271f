/**
 * What stands in front of every change of the admin API: `If-Match`, which refuses a change of something that the caller has
 * not read as it is now, and `Idempotency-Key`, which answers a repeated POST with the first answer. Both are checked in the
 * transaction of the change; the key of work beyond the store, such as a run, is claimed before the work begins.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { KeptAnswers, KeyedRequest } from '../../directory/changes/kept-answers.ts'
import type { ControlStore, StoreInTransaction } from '../../directory/control-store.ts'
import { Problem } from '../../kernel/problem.ts'
import type { User } from '../../kernel/user.ts'
import {
  answerUnknown,
  changedMeanwhile,
  invalidInput,
  keyOfOtherRequest,
  preconditionRequired,
} from '../problems.ts'
import { currentTag, type Resource, tagOf } from './resource.ts'

export type ConditionalStore = Pick<ControlStore, 'changeIf' | 'keptAnswers'>

export type Change = {
  readonly store: ConditionalStore
  readonly resource: Resource<never> | undefined
  /** Whether the request creates the resource, so that there is nothing to match. */
  readonly creates: boolean
  /** Whether the work is something else than a change of the control store, such as a run. */
  readonly isBeyondStore: boolean
  readonly status: number
  readonly params: unknown
  readonly user: User
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

/** @returns what `work` returns, or the first answer to the same request */
export async function changed(change: Change, work: () => unknown): Promise<unknown> {
  const { store, request, reply, resource } = change
  const keyed = keyedRequest(request, change.user)
  if (keyed !== null) {
    const known = await store.keptAnswers.find(keyed)
    if (known.kind === 'other-request') throw keyOfOtherRequest()
    if (known.kind === 'unfinished') throw answerUnknown()
    if (known.kind === 'kept') return replayed(reply, known.answer)
  }
  if (keyed !== null && change.isBeyondStore) {
    const result = await onceBeyondStore(store.keptAnswers, keyed, work)
    await keepAnswer(store.keptAnswers, keyed, result, null)
    return result
  }
  const hasCondition = request.raw.headers['if-match'] !== undefined
  const mustMatch = resource !== undefined && !change.creates && (hasCondition || !namesRevision(request))
  const check = async (inTransaction: StoreInTransaction) => {
    if (mustMatch) await refuseStale(resource, inTransaction, change)
    if (keyed === null) return
    const known = await inTransaction.keptAnswers.find(keyed)
    if (known.kind !== 'none') throw answerUnknown()
    await inTransaction.keptAnswers.claim(keyed)
  }
  const result = await store.changeIf(check, async () => work())
  const etag = resource === undefined || change.status === 204 ? null : tagOf(resource, result)
  if (etag !== null) reply.header('etag', etag)
  if (keyed !== null && !reply.sent) await keepAnswer(store.keptAnswers, keyed, result, etag)
  return result
}

const keepAnswer = (kept: KeptAnswers, keyed: KeyedRequest, result: unknown, etag: string | null) =>
  kept.keep(keyed, JSON.stringify({ result: result ?? null, etag }))

/**
 * No transaction can hold both the claim of the key and such work, so the claim comes first. A refusal takes it back. Any other
 * failure leaves it, because nobody knows how far the work came.
 */
async function onceBeyondStore(
  kept: KeptAnswers,
  keyed: KeyedRequest,
  work: () => unknown,
): Promise<unknown> {
  if (!(await kept.claimAlone(keyed))) throw answerUnknown()
  try {
    return await work()
  } catch (cause) {
    if (cause instanceof Problem) await kept.release(keyed)
    throw cause
  }
}

function replayed(reply: FastifyReply, answer: string): unknown {
  const { result, etag } = JSON.parse(answer)
  reply.header('idempotent-replayed', 'true')
  if (etag !== null) reply.header('etag', etag)
  return result
}

async function refuseStale(
  resource: Resource<never>,
  store: StoreInTransaction,
  { request, params }: Change,
): Promise<void> {
  const given = request.raw.headers['if-match']
  const current = await currentTag(resource, store, params as never)
  if (current === null) {
    // The operation itself tells what does not exist; a caller with a tag means something that did.
    if (given === undefined || given.trim() === '*' || request.method !== 'PUT') return
    throw changedMeanwhile(null)
  }
  if (given === undefined) throw preconditionRequired()
  if (!matches(given, current)) throw changedMeanwhile(current)
}

const TAG = /^(?:W\/)?("[\x21\x23-\x7e]*")$/

/** Weak tags match too: a proxy that compresses answers makes tags weak, and the resource is the same. */
function matches(header: string, current: string): boolean {
  if (header.trim() === '*') return true
  const tags = header.split(',').map((text) => TAG.exec(text.trim())?.[1])
  if (tags.includes(undefined)) {
    throw invalidInput('header If-Match', [{ path: '', message: 'must be `*` or the ETag of an answer' }])
  }
  return tags.includes(current)
}

/** `revision` of endpoints names the version too, so that If-Match may be left out. */
function namesRevision({ raw, body }: FastifyRequest): boolean {
  const inAddress = /[?&]revision=/.test(raw.url ?? '')
  return inAddress || (typeof body === 'object' && body !== null && 'revision' in body)
}

const SHORTEST_KEY = 16
const LONGEST_KEY = 200

function keyedRequest({ method, raw, body }: FastifyRequest, user: User): KeyedRequest | null {
  const key = raw.headers['idempotency-key']
  if (method !== 'POST' || key === undefined) return null
  if (typeof key !== 'string' || key.length < SHORTEST_KEY || key.length > LONGEST_KEY) {
    throw invalidInput('header Idempotency-Key', [
      {
        path: '',
        message: `must be a text of ${SHORTEST_KEY} to ${LONGEST_KEY} characters, such as a random UUID`,
      },
    ])
  }
  return { caller: user.principalId, key, content: `${method} ${raw.url}\n${JSON.stringify(body) ?? ''}` }
}
