/** The deliveries that are due, and what became of each attempt. One node works on the queue. */
import type { Kysely } from 'kysely'
import type { Attempt } from '../../schema/webhook-shapes.ts'
import type { ControlTables } from '../control-tables.ts'
import { openSigningSecret } from './signing-secrets.ts'
import { attemptsOf } from './webhook-rows.ts'

export type DueDelivery = {
  readonly id: string
  readonly webhookId: string
  readonly url: string
  readonly body: string
  /** Attempts since the delivery was made, or since somebody sent it again. */
  readonly attemptCount: number
  /**
   * One secret or, within a day of a rotation, the new one and the one before. Opened on demand.
   *
   * @throws Problem DIR652
   */
  readonly secrets: () => readonly string[]
}

/** What follows an attempt. */
type Consequence =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'retry'; readonly at: Date }
  | { readonly kind: 'failed' }

export type DeliveryQueue = {
  /**
   * The deliveries that are due, those first that are due the longest; at most `perWebhook` of a webhook, and none of a webhook
   * that is paused.
   *
   * @param without the ids of deliveries that are being sent
   */
  readonly due: (limits: {
    readonly now: Date
    readonly limit: number
    readonly perWebhook: number
    readonly without: readonly string[]
  }) => Promise<readonly DueDelivery[]>
  /** @returns since when the webhook has been failing; null when it is not, or when the delivery is gone */
  readonly attempted: (id: string, attempt: Attempt, consequence: Consequence) => Promise<string | null>
  /** Pauses a webhook with a reason, and gives up its deliveries. @returns false when it was paused already or is gone */
  readonly pause: (webhookId: string, reason: string) => Promise<boolean>
}

const MOST_ATTEMPTS_LOGGED = 20
/** The limit of look-ahead: a webhook with a long queue must not hide those behind it. */
const LOOK_AHEAD = 1000

export function createDeliveryQueue(db: Kysely<ControlTables>, openKey: () => Buffer): DeliveryQueue {
  let opened: Buffer | undefined
  const key = () => (opened ??= openKey())
  return {
    due: async ({ now, limit, perWebhook, without }) => {
      const at = now.toISOString()
      const ids = await db
        .selectFrom('webhook_deliveries')
        .innerJoin('webhooks', 'webhooks.id', 'webhook_id')
        .select(['webhook_deliveries.id', 'webhook_id'])
        .where('next_attempt_at', '<=', at)
        .where('webhooks.active', '=', 1)
        .orderBy('next_attempt_at')
        .limit(LOOK_AHEAD)
        .execute()
      const chosen = chooseFairly(ids, { limit, perWebhook, without: new Set(without) })
      if (chosen.length === 0) return []
      const rows = await db
        .selectFrom('webhook_deliveries')
        .innerJoin('webhooks', 'webhooks.id', 'webhook_id')
        .select(['webhook_deliveries.id', 'webhook_id', 'url', 'body', 'attempt_count'])
        .select(['secret', 'old_secret', 'old_secret_until'])
        .where('webhook_deliveries.id', 'in', chosen)
        .execute()
      return rows.map((row) => ({
        id: row.id,
        webhookId: row.webhook_id,
        url: row.url,
        body: row.body,
        attemptCount: row.attempt_count,
        secrets: () => {
          const isOldGood = row.old_secret !== null && (row.old_secret_until ?? '') > at
          const sealed = isOldGood ? [row.secret, row.old_secret as Uint8Array] : [row.secret]
          return sealed.map((each) => openSigningSecret(key(), row.webhook_id, each))
        },
      }))
    },
    attempted: (id, attempt, consequence) => attempted(db, id, attempt, consequence),
    pause: (webhookId, reason) => pause(db, webhookId, reason),
  }
}

type Candidate = { readonly id: string; readonly webhook_id: string }

/** Those that are being sent count for their webhook. */
function chooseFairly(
  candidates: readonly Candidate[],
  { limit, perWebhook, without }: { limit: number; perWebhook: number; without: ReadonlySet<string> },
): readonly string[] {
  const perId = new Map<string, number>()
  for (const { id, webhook_id } of candidates) {
    if (without.has(id)) perId.set(webhook_id, (perId.get(webhook_id) ?? 0) + 1)
  }
  const chosen: string[] = []
  for (const { id, webhook_id } of candidates) {
    const taken = perId.get(webhook_id) ?? 0
    if (without.has(id) || taken >= perWebhook || chosen.length >= limit) continue
    perId.set(webhook_id, taken + 1)
    chosen.push(id)
  }
  return chosen
}

function attempted(
  db: Kysely<ControlTables>,
  id: string,
  attempt: Attempt,
  consequence: Consequence,
): Promise<string | null> {
  return db.transaction().execute(async (transaction) => {
    const row = await transaction
      .selectFrom('webhook_deliveries')
      .innerJoin('webhooks', 'webhooks.id', 'webhook_id')
      .select(['webhook_id', 'attempts', 'attempt_count', 'failing_since'])
      .where('webhook_deliveries.id', '=', id)
      .executeTakeFirst()
    if (row === undefined) return null
    const isDelivered = consequence.kind === 'delivered'
    await transaction
      .updateTable('webhook_deliveries')
      .set({
        state: consequence.kind === 'retry' ? 'pending' : consequence.kind,
        next_attempt_at: consequence.kind === 'retry' ? consequence.at.toISOString() : null,
        attempts: JSON.stringify([...attemptsOf(row), attempt].slice(-MOST_ATTEMPTS_LOGGED)),
        attempt_count: row.attempt_count + 1,
      })
      .where('id', '=', id)
      .execute()
    const failingSince = isDelivered ? null : (row.failing_since ?? attempt.at)
    if (failingSince !== row.failing_since) {
      const state = { failing_since: failingSince }
      await transaction.updateTable('webhooks').set(state).where('id', '=', row.webhook_id).execute()
    }
    return failingSince
  })
}

function pause(db: Kysely<ControlTables>, webhookId: string, reason: string): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    const paused = await transaction
      .updateTable('webhooks')
      .set({ active: 0, paused_reason: reason })
      .where('id', '=', webhookId)
      .where('active', '=', 1)
      .returning('id')
      .executeTakeFirst()
    if (paused === undefined) return false
    await transaction
      .updateTable('webhook_deliveries')
      .set({ state: 'failed', next_attempt_at: null })
      .where('webhook_id', '=', webhookId)
      .where('state', '=', 'pending')
      .execute()
    return true
  })
}
