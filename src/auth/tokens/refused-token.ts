/** Tells the log and the metrics why a token was not accepted. Callers are told only that it was not. */
import type { Observe } from '../../observe/observation.ts'
import type { TokenCheck } from './verifier.ts'

type RefusedRequest = {
  readonly id: string
  /** Set by then when the refusal counts as a failed authentication. */
  readonly refusedCaller: { readonly inSummary: boolean } | null
}

/** Call it after the refusal was built: only then is it known whether a summary in the log includes it. */
export function reportRefusedToken(request: RefusedRequest, check: TokenCheck, observe: Observe): void {
  if (check.kind === 'unknown') {
    observe({ kind: 'token-not-checked', requestId: request.id, reason: check.reason })
  } else if (check.kind === 'invalid') {
    const inSummary = request.refusedCaller?.inSummary === true
    observe({ kind: 'token-refused', requestId: request.id, reason: check.reason, inSummary })
  }
}
