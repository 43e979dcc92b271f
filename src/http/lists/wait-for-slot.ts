/**
 * Lets a request without a slot to compute in wait in the queue of its account, for a limited time and until its caller leaves.
 * When many requests are refused, refusals are sent late, so that callers that retry at once are slowed down.
 */
import type { ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type { Problem } from '../../kernel/problem.ts'
import type { Admission, AdmissionLimits, Place, Refusal, Slot } from '../../read/admission.ts'
import { accountBusy, serviceBusy, serviceOverloaded } from '../problems.ts'

/**
 * Null when the caller has left.
 *
 * @throws RetryProblem SRV117 when the account has too many requests, SRV118 when other accounts use the slots, SRV119 when
 *   the thread is overloaded
 */
export async function waitForSlot(
  admission: Admission,
  accountId: string,
  response: ServerResponse,
): Promise<Slot | null> {
  const found = await slotOrRefusal(admission, accountId, response)
  return found !== null && 'reason' in found ? refuse(found, admission.limits, response) : found
}

/** A rejection when the request would find neither a slot nor a place in the queue; null if it finds one. */
export function refusedEarly(
  admission: Admission,
  accountId: string,
  response: ServerResponse,
): Promise<never> | null {
  const refusal = admission.refusalNow(accountId)
  return refusal === null ? null : refuse(refusal, admission.limits, response)
}

async function refuse(refusal: Refusal, limits: AdmissionLimits, response: ServerResponse): Promise<never> {
  // A pipelined request has no socket yet and is answered after its predecessor anyway. Node stops reading a connection when
  // enough answers wait on it, but not when thousands of requests are held back here.
  if (refusal.heldMs >= 1 && response.socket !== null) await wait(refusal.heldMs)
  throw problemOf(refusal, limits)
}

function slotOrRefusal(
  admission: Admission,
  accountId: string,
  response: ServerResponse,
): Promise<Slot | Refusal | null> {
  return new Promise((resolve) => {
    const leave = () => settle(null)
    const settle = (outcome: Slot | Refusal | null) => {
      clearTimeout(patience)
      response.off('close', leave)
      if (outcome === null && 'leave' in place) place.leave()
      resolve(outcome)
    }
    const giveUp = () => settle((place as Place).giveUp())
    const patience = setTimeout(giveUp, admission.limits.waitMs)
    const place = admission.queue(accountId, settle)
    if ('reason' in place) settle(place)
    else if (response.destroyed) leave()
    else response.once('close', leave)
  })
}

function problemOf({ reason, retryAfterSeconds }: Refusal, limits: AdmissionLimits): Problem {
  if (reason === 'account') return accountBusy(limits, retryAfterSeconds)
  return reason === 'queue' ? serviceBusy(retryAfterSeconds) : serviceOverloaded(retryAfterSeconds)
}

/** A streamed answer gives its slot to other requests while its reader takes it. */
export function streamFromSlot(slot: Slot, response: ServerResponse): void {
  const end = slot.stream()
  if (response.destroyed) end()
  else response.once('close', end)
}
