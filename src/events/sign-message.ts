/**
 * The headers of a delivery: its id, the second in which it is sent, and a signature for each secret that is valid (Standard
 * Webhooks 1.0, https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md).
 */
import { createHmac } from 'node:crypto'

export type SignedMessage = {
  readonly id: string
  readonly body: string
  /** As they are shown: `whsec_` and base64. */
  readonly secrets: readonly string[]
}

export function signedHeaders({ id, body, secrets }: SignedMessage, now: Date): Record<string, string> {
  const seconds = `${Math.floor(now.getTime() / 1000)}`
  const content = `${id}.${seconds}.${body}`
  return {
    'webhook-id': id,
    'webhook-timestamp': seconds,
    'webhook-signature': secrets.map((secret) => `v1,${signature(secret, content)}`).join(' '),
  }
}

const signature = (secret: string, content: string): string =>
  createHmac('sha256', Buffer.from(secret.replace(/^whsec_/, ''), 'base64'))
    .update(content)
    .digest('base64')
