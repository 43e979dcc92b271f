/**
 * What a request does that found no slot to compute in: it waits in the queue of its account, for a time, and leaves it when
 * its caller does. What is refused is told late when many are, so that callers that come back at once are slowed down.
 */
import type { ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type { Problem } from '../../kernel/problem.ts'
import type { Admission, AdmissionLimits, Place, Refusal, Slot } from '../../read/admission.ts'
import { accountBusy, serviceBusy, serviceOverloaded } from '../problems.ts'

/**
 * Null when nobody waits for the answer any more.
 *
 * @throws RetryProblem SRV117 when the account uses all of its share, SRV118 when others are in the way, SRV119 when the
 *   thread is overloaded
 */
export async function waitForSlot(
  admission: Admission,
  accountId: string,
  response: ServerResponse,
): Promise<Slot | null> {
  const found = await slotOrRefusal(admission, accountId, response)
  return found !== null && 'reason' in found ? refuse(found, admission.limits, response) : found
}

/** Rejects in time when the request would find neither a slot nor a place; null if it finds one. */
export function refusedEarly(
  admission: Admission,
  accountId: string,
  response: ServerResponse,
): Promise<never> | null {
  const refusal = admission.refusalNow(accountId)
  return refusal === null ? null : refuse(refusal, admission.limits, response)
}

async function refuse(refusal: Refusal, limits: AdmissionLimits, response: ServerResponse): Promise<never> {
  // What was sent behind another request is told after that one anyway. Node stops reading when enough waits to be told,
  // but not when thousands of requests are held back.
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

/** An answer that goes out as its reader takes it keeps nobody from computing. */
export function streamFromSlot(slot: Slot, response: ServerResponse): void {
  const end = slot.stream()
  if (response.destroyed) end()
  else response.once('close', end)
}
