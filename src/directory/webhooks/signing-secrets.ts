/**
 * The secrets that sign deliveries (Standard Webhooks 1.0, https://www.standardwebhooks.com): 24 random bytes, shown as
 * `whsec_` and base64, stored sealed and bound to their webhook.
 */
import { randomBytes } from 'node:crypto'
import { seal, unseal } from '../secrets/sealed-box.ts'
import { signingSecretName } from '../secrets/sealed-names.ts'
import { webhookSecretCannotBeOpened } from './problems.ts'

const SECRET_BYTES = 24

export const newSigningSecret = (): string => `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`

export const sealSigningSecret = (key: Buffer, webhookId: string, secret: string): Uint8Array =>
  seal(key, signingSecretName(webhookId), secret)

/** @throws Problem DIR652 when it was sealed with another key */
export function openSigningSecret(key: Buffer, webhookId: string, sealed: Uint8Array): string {
  const secret = unseal(key, signingSecretName(webhookId), sealed)
  if (secret === undefined) throw webhookSecretCannotBeOpened(webhookId)
  return secret
}
