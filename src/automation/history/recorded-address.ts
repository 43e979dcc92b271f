/**
 * What may be kept or shown of the address and the caller of a run that has not ended: never more than its record will have. Without
 * credentials, masked fields and numbers of cards.
 */
import { maskCardNumbers } from '../redaction/card-numbers.ts'
import { hideCredentials, hideFields } from '../redaction/hide-credentials.ts'
import { createRedaction, type RedactionOptions } from '../redaction/redaction.ts'
import type { RunJob } from '../runs/run-states.ts'
import { bareRequest, shownRequestId } from './execution-record.ts'

export type RecordedAddress = Pick<RunJob['request'], 'path' | 'queryString'> & {
  readonly principalId: string | null
  readonly requestId: string | null
}

export function recordedAddress(job: RunJob, cardNumbers: RedactionOptions['cardNumbers']): RecordedAddress {
  const { request, requestId, recording, signatureHeaders } = job
  const { path, queryString, params, user } = request
  if (recording?.record === 'none') {
    return { path: recording.pattern, queryString: '', principalId: null, requestId: null }
  }
  const principalId = user.principalId || null
  // Redacting takes longer than all else that is done with the address. A path without parameters is the one of the definition.
  if (queryString === '' && Object.keys(params).length === 0) {
    const shown = requestId !== null && cardNumbers !== 'keep' ? maskCardNumbers(requestId) : requestId
    return { path, queryString, principalId, requestId: shown }
  }
  const redaction = createRedaction(signatureHeaders, { maskedFields: recording?.maskedFields, cardNumbers })
  hideCredentials({ ...request, rawBody: null }, redaction)
  hideFields(request, redaction)
  const address =
    recording?.record !== 'metadata'
      ? { path: redaction.text(path), queryString: redaction.queryString(queryString) }
      : { path: bareRequest(job, redaction).path, queryString: '' }
  return { ...address, principalId, requestId: shownRequestId(job, redaction) }
}
