/**
 * Records requests that were refused before their script ran: callers without a valid token or role, deliveries with a bad signature
 * or that were processed before, bodies that are too long, runs that found no place. An attacker must not be able to fill the
 * history: of one endpoint the first twenty refusals leave a row each, and then one in a minute; the others are counted, and leave
 * one row for each reason and minute. Nothing here is called for an admitted request.
 */
import type { PublishedEndpoint } from '../../directory/endpoints/published-endpoints.ts'
import { createRedaction } from '../redaction/redaction.ts'
import { newExecutionId } from '../runs/execution-id.ts'
import { recordingOf } from '../runs/run-states.ts'
import { type Refusal, refusedRecord } from './refused-record.ts'
import type { HistoryWriter } from './writer.ts'

export type RefusedCall = {
  readonly endpoint: Omit<PublishedEndpoint, 'script'>
  readonly method: string
  /** Decoded. */
  readonly path: string
  readonly requestId: string | null
  /** Null while the caller is not known. */
  readonly principalId: string | null
}

export type Refusals = {
  readonly note: (call: RefusedCall, refusal: Refusal) => void
  /** Records the counts that are a minute old; to be called every few seconds. */
  readonly tellPast: () => void
  /** Records all counts. */
  readonly tellAll: () => void
}

type Options = {
  readonly writer: Pick<HistoryWriter, 'add'>
  readonly cardNumbers?: 'mask' | 'keep'
  /** Milliseconds since 1970; by default the clock of the machine. */
  readonly now?: () => number
}

/** Rows of one endpoint at once, and how soon there is another one. */
const BURST = 20
const REFILL_MS = 60_000

/** How long refusals without a row of their own are counted together. */
const COUNTED_MS = 60_000

type Counted = RefusedCall & Refusal & { readonly first: number; last: number; count: number }

export function createRefusals({ writer, cardNumbers, now = Date.now }: Options): Refusals {
  const allowances = new Map<string, Allowance>()
  const counted = new Map<string, Counted>()

  function record(
    call: RefusedCall,
    refusal: Refusal,
    times: { from: number; to: number; count: number },
  ): void {
    const { endpoint, method, path, requestId, principalId } = call
    const redaction = createRedaction([], { maskedFields: endpoint.maskedFields, cardNumbers })
    const refused = {
      executionId: newExecutionId(times.from),
      ...{ endpoint, version: endpoint.version, ...recordingOf(endpoint) },
      ...{ request: { method, path }, requestId, principalId },
    }
    writer.add(refusedRecord(refused, refusal, times, redaction))
  }
  function tell(isDue: (count: Counted) => boolean): void {
    for (const [key, each] of counted) {
      if (!isDue(each)) continue
      counted.delete(key)
      record(each, each, { from: each.first, to: each.last, count: each.count })
    }
  }

  return {
    note: (call, refusal) => {
      const at = now()
      const { id } = call.endpoint
      const allowance = allowances.get(id) ?? new Allowance(at)
      allowances.set(id, allowance)
      if (allowance.take(at)) {
        record(call, refusal, { from: at, to: at, count: 1 })
        return
      }
      const key = `${id} ${refusal.code} ${refusal.status}`
      const known = counted.get(key)
      if (known === undefined) {
        // The row stands for requests of several callers.
        const shared = { requestId: null, principalId: null }
        counted.set(key, { ...call, ...shared, ...refusal, first: at, last: at, count: 1 })
      } else {
        known.count++
        known.last = at
      }
    },
    tellPast: () => {
      const at = now()
      tell(({ first }) => first + COUNTED_MS <= at)
      for (const [id, allowance] of allowances) if (allowance.isFull(at)) allowances.delete(id)
    },
    tellAll: () => tell(() => true),
  }
}

/** A bucket of rows that fills slowly. */
class Allowance {
  #left = BURST
  #at: number

  constructor(at: number) {
    this.#at = at
  }

  take(at: number): boolean {
    this.#refill(at)
    if (this.#left < 1) return false
    this.#left--
    return true
  }

  isFull(at: number): boolean {
    this.#refill(at)
    return this.#left >= BURST
  }

  #refill(at: number): void {
    this.#left = Math.min(BURST, this.#left + Math.max(0, at - this.#at) / REFILL_MS)
    this.#at = at
  }
}
