/** The log of deliveries of a webhook: the list, sending one again, and sending a test. */
import { randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import type {
  DataChange,
  DeliveryState,
  WebhookDelivery,
  WebhookMessage,
} from '../../schema/webhook-shapes.ts'
import { recordDeed } from '../audit/audit.ts'
import type { ControlTables, WebhookDeliveryRow } from '../control-tables.ts'
import { tooManyTests } from './problems.ts'
import { deliveryOf } from './webhook-rows.ts'

export type DeliveryFilter = {
  readonly state?: DeliveryState | undefined
  /** 50 by default. */
  readonly limit?: number
  /** The id of the last delivery of the page before. */
  readonly after?: string | undefined
}

const USUAL_LIMIT = 50

/** Newest first. */
export async function listDeliveries(
  db: Kysely<ControlTables>,
  webhookId: string,
  { state, limit = USUAL_LIMIT, after }: DeliveryFilter = {},
): Promise<readonly WebhookDelivery[]> {
  let found = db.selectFrom('webhook_deliveries').selectAll().where('webhook_id', '=', webhookId)
  if (state !== undefined) found = found.where('state', '=', state)
  if (after !== undefined) {
    const last = await delivery(db, webhookId, after)
    if (last === undefined) return []
    found = found.where((is) =>
      is.or([
        is('created_at', '<', last.created_at),
        is.and([is('created_at', '=', last.created_at), is('id', '<', last.id)]),
      ]),
    )
  }
  const newestFirst = found.orderBy('created_at', 'desc').orderBy('id', 'desc')
  return (await newestFirst.limit(limit).execute()).map(deliveryOf)
}

export async function countDeliveries(
  db: Kysely<ControlTables>,
  webhookId: string,
  state: DeliveryState | undefined,
): Promise<number> {
  const all = db.selectFrom('webhook_deliveries').where('webhook_id', '=', webhookId)
  const these = state === undefined ? all : all.where('state', '=', state)
  const counted = these.select((of) => of.fn.countAll<number>().as('count'))
  return Number((await counted.executeTakeFirstOrThrow()).count)
}

const delivery = (db: Kysely<ControlTables>, webhookId: string, id: string) =>
  db
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('webhook_id', '=', webhookId)
    .where('id', '=', id)
    .executeTakeFirst()

export function resend(
  db: Kysely<ControlTables>,
  webhookId: string,
  id: string,
  by: string,
): Promise<WebhookDelivery | null> {
  return db.transaction().execute(async (transaction) => {
    const row = await delivery(transaction, webhookId, id)
    if (row === undefined) return null
    // The attempts begin anew, and the log keeps those before.
    const again = { state: 'pending', attempt_count: 0, next_attempt_at: new Date().toISOString() }
    await transaction.updateTable('webhook_deliveries').set(again).where('id', '=', row.id).execute()
    await recordDeed(transaction, {
      actor: by,
      action: 'webhook.resend',
      subjectId: webhookId,
      after: { deliveryId: id },
    })
    return deliveryOf({ ...row, ...again })
  })
}

const TEST = 'webhook.test'
/** Of one webhook: each is a row of the store, and takes a place from others when it is sent. */
const MOST_WAITING_TESTS = 10

/** @throws Problem DIR658 while too many tests of the webhook wait */
export function sendTest(
  db: Kysely<ControlTables>,
  webhookId: string,
  by: string,
): Promise<WebhookDelivery | null> {
  return db.transaction().execute(async (transaction) => {
    const webhook = await transaction
      .selectFrom('webhooks')
      .select('client_number')
      .where('id', '=', webhookId)
      .executeTakeFirst()
    if (webhook === undefined) return null
    const { waiting } = await transaction
      .selectFrom('webhook_deliveries')
      .select((of) => of.fn.countAll<number>().as('waiting'))
      .where('webhook_id', '=', webhookId)
      .where('state', '=', 'pending')
      .where('body', 'like', `{"type":"${TEST}"%`)
      .executeTakeFirstOrThrow()
    if (waiting >= MOST_WAITING_TESTS) throw tooManyTests(MOST_WAITING_TESTS)
    const data: DataChange = { clientNumber: webhook.client_number, snapshotId: '', lists: {} }
    const row = newDelivery(webhookId, { type: TEST, timestamp: new Date().toISOString(), data })
    await transaction.insertInto('webhook_deliveries').values(row).execute()
    await recordDeed(transaction, {
      actor: by,
      action: 'webhook.test',
      subjectId: webhookId,
      after: { deliveryId: row.id },
    })
    return deliveryOf(row)
  })
}

/** A delivery that is to be sent at once. Its id is random, so that nobody can guess one. */
export function newDelivery(webhookId: string, message: WebhookMessage): WebhookDeliveryRow {
  return {
    id: `msg_${randomBytes(15).toString('base64url')}`,
    webhook_id: webhookId,
    state: 'pending',
    body: JSON.stringify(message),
    attempts: '[]',
    attempt_count: 0,
    next_attempt_at: message.timestamp,
    created_at: message.timestamp,
  }
}
