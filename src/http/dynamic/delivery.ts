/**
 * Checks of deliveries (webhooks) before the script runs: a valid signature, and an id that was not processed before.
 */
import type { FastifyRequest } from 'fastify'
import type { RecordedRun, ScriptRequest } from '../../automation/runs/run-states.ts'
import { deliveryIdIn } from '../../automation/webhooks/delivery-id.ts'
import { type Delivery, verifySignature } from '../../automation/webhooks/signature.ts'
import type { PublishedEndpoint } from '../../directory/endpoints/published-endpoints.ts'
import type { History } from '../../directory/history/history.ts'
import type { Observe } from '../../observe/observation.ts'
import type { Deduplication } from '../../schema/endpoint-shapes.ts'
import { type RefuseCaller, refuseEach } from '../refuse-caller.ts'
import {
  deliveryIdExpected,
  deliveryRunning,
  signatureNotAccepted,
  signatureNotCheckable,
} from './problems.ts'

export type DeliveryDeps = {
  /** The value of a secret; null when it is unknown, inactive or expired. */
  readonly readSecret: (name: string) => Promise<string | null>
  readonly claimDelivery: History['deliveries']['claim']
  readonly settleDelivery: History['deliveries']['settle']
  readonly observe: Observe
  readonly refuseCaller?: RefuseCaller | undefined
}

/**
 * Does nothing when the endpoint does not require signatures.
 *
 * @throws Problem SRV128 or SRV132 for a bad signature, SRV133 when the secret is not available
 */
export async function checkSignature(
  { id, name, signature }: PublishedEndpoint,
  delivery: Delivery,
  request: FastifyRequest,
  { readSecret, observe, refuseCaller = refuseEach }: DeliveryDeps,
): Promise<void> {
  if (signature === null) return
  const secret = await readSecret(signature.secret)
  const where = { requestId: request.id, endpointId: id, endpointName: name }
  // The previous secret may be gone already.
  const previous = signature.previousSecret === undefined ? null : await readSecret(signature.previousSecret)
  if (secret === null) {
    observe({ kind: 'signing-secret-missing', ...where, secret: signature.secret })
    throw signatureNotCheckable()
  }
  const verdict = verifySignature(signature, previous === null ? [secret] : [secret, previous], delivery)
  if (verdict.good) {
    if (signature.previousSecret === undefined) return
    const by = verdict.secretIndex === 0 ? 'current' : 'previous'
    observe({ kind: 'rotated-signature', endpointName: name, by })
    return
  }
  const refusal = refuseCaller(request, 'dynamic', undefined, signatureNotAccepted)
  const inSummary = request.refusedCaller?.inSummary === true
  observe({ kind: 'delivery-refused', ...where, reason: verdict.reason, inSummary })
  throw refusal
}

/** In characters. A longer text is not an id. */
const MOST_ID_LENGTH = 256

/**
 * Runs the script once per delivery. Null when the delivery was processed before.
 *
 * @throws Problem SRV129 or SRV141 without an id, SRV130 while another call processes the same delivery
 */
export async function runOnce(
  { id: endpointId }: PublishedEndpoint,
  { header, field, windowSeconds }: Deduplication,
  { headers, rawBody, bodyKind }: Pick<ScriptRequest, 'headers' | 'rawBody' | 'bodyKind'>,
  run: () => Promise<RecordedRun>,
  { claimDelivery, settleDelivery, observe }: DeliveryDeps,
  requestId: string,
): Promise<RecordedRun | null> {
  const inHeader = header === undefined ? '' : (headers[header.toLowerCase()]?.trim() ?? '')
  const deliveryId =
    inHeader === '' && field !== undefined ? deliveryIdIn(rawBody, bodyKind, field) : inHeader
  if (deliveryId === '' || deliveryId.length > MOST_ID_LENGTH) {
    throw deliveryIdExpected({ header, field }, MOST_ID_LENGTH)
  }
  const state = await claimDelivery(endpointId, deliveryId, windowSeconds, new Date())
  if (state === 'done') return null
  if (state === 'running') throw deliveryRunning()
  let succeeded = false
  try {
    const report = await run()
    succeeded = report.response.status < 500
    return report
  } finally {
    // The run has happened: its answer must not be lost, even if this record cannot be written.
    await settleDelivery(endpointId, deliveryId, succeeded).catch((cause: unknown) =>
      observe({ kind: 'request-failed', requestId, cause }),
    )
  }
}
