/** Webhooks and their deliveries as rows of tables, and as callers see them. */
import type {
  Attempt,
  DeliveryState,
  Webhook,
  WebhookDelivery,
  WebhookMessage,
} from '../../schema/webhook-shapes.ts'
import type { WebhookDeliveryRow, WebhookRow } from '../control-tables.ts'

export type WebhookColumns = Omit<WebhookRow, 'secret' | 'old_secret'>

/** Everything but the secrets. */
export const WEBHOOK_COLUMNS = [
  'id',
  'account_id',
  'client_number',
  'url',
  'description',
  'lists',
  'old_secret_until',
  'active',
  'paused_reason',
  'failing_since',
  'created_at',
  'created_by',
  'updated_at',
] as const satisfies readonly (keyof WebhookColumns)[]

export const webhookOf = (row: WebhookColumns): Webhook => ({
  id: row.id,
  accountId: row.account_id,
  clientNumber: row.client_number,
  url: row.url,
  description: row.description,
  lists: row.lists === null ? null : JSON.parse(row.lists),
  isActive: row.active === 1,
  pausedReason: row.paused_reason,
  failingSince: row.failing_since,
  oldSecretUntil: row.old_secret_until,
  createdAt: row.created_at,
  createdBy: row.created_by,
  updatedAt: row.updated_at,
})

/** The members of a webhook that its owner gives. */
export type Members = Pick<Webhook, 'url' | 'description' | 'lists' | 'isActive'>

export const membersOf = ({ url, description, lists, isActive }: Webhook): Members => ({
  url,
  description,
  lists,
  isActive,
})

export const columnsOf = ({ url, description, lists, isActive }: Members) => ({
  url,
  description,
  lists: lists === null ? null : JSON.stringify(lists),
  active: isActive ? 1 : 0,
})

export const attemptsOf = (row: Pick<WebhookDeliveryRow, 'attempts'>): Attempt[] => JSON.parse(row.attempts)

export const deliveryOf = (row: WebhookDeliveryRow): WebhookDelivery => ({
  id: row.id,
  webhookId: row.webhook_id,
  state: row.state as DeliveryState,
  message: JSON.parse(row.body) as WebhookMessage,
  attempts: attemptsOf(row),
  nextAttemptAt: row.next_attempt_at,
  createdAt: row.created_at,
})
