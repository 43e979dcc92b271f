/**
 * The webhooks that accounts have registered. Each change is one durable transaction together with its audit entry. A signing
 * secret is returned once, by the operation that made it.
 */
import type { Kysely } from 'kysely'
import type {
  Webhook,
  WebhookDelivery,
  WebhookDraft,
  WebhookWithSecret,
} from '../../schema/webhook-shapes.ts'
import type { Account } from '../accounts/account.ts'
import { changedMembers, recordChange } from '../audit/audit.ts'
import type { ControlTables } from '../control-tables.ts'
import { checkDraft } from '../endpoints/drafts.ts'
import { refuseOtherKey } from '../secrets/key-check.ts'
import { countDeliveries, type DeliveryFilter, listDeliveries, resend, sendTest } from './delivery-log.ts'
import { badWebhookDraft, tooManyWebhooks, webhookWithoutUrl } from './problems.ts'
import { newSigningSecret, openSigningSecret, sealSigningSecret } from './signing-secrets.ts'
import { columnsOf, type Members, membersOf, WEBHOOK_COLUMNS, webhookOf } from './webhook-rows.ts'

/** Ids match without regard to case. Operations on an unknown id return null. `by` is the actor of the audit entry. */
export type Webhooks = {
  /** @param checkUrl throws when requests may not be sent to a URL */
  readonly create: (
    account: Pick<Account, 'id' | 'clientNumber'>,
    draft: WebhookDraft,
    by: string,
  ) => Promise<WebhookWithSecret>
  /** Oldest first; those of one account, or all. */
  readonly list: (accountId?: string) => Promise<readonly Webhook[]>
  readonly find: (id: string) => Promise<Webhook | null>
  /** Members that are left out stay. Resuming a webhook forgets why it was paused. */
  readonly change: (id: string, draft: WebhookDraft, by: string) => Promise<Webhook | null>
  /** The secret before signs as well for another day, so that a receiver can change over. */
  readonly rotateSecret: (id: string, by: string) => Promise<WebhookWithSecret | null>
  /** Removes its deliveries too. */
  readonly remove: (id: string, by: string) => Promise<boolean>
  /** Newest first. */
  readonly deliveries: (id: string, filter?: DeliveryFilter) => Promise<readonly WebhookDelivery[]>
  readonly deliveryCount: (id: string, state?: DeliveryFilter['state']) => Promise<number>
  /** Sends a delivery once more, whatever became of it. Null when the webhook has no such delivery. */
  readonly resend: (id: string, deliveryId: string, by: string) => Promise<WebhookDelivery | null>
  /** Sends a message of the type `webhook.test`. */
  readonly sendTest: (id: string, by: string) => Promise<WebhookDelivery | null>
}

const MOST_PER_ACCOUNT = 20
const OLD_SECRET_MS = 24 * 3_600_000

/** @param openKey is called when a secret is first sealed */
export function createWebhooks(db: Kysely<ControlTables>, openKey: () => Buffer): Webhooks {
  let opened: Buffer | undefined
  const key = () => (opened ??= openKey())
  return {
    create: (account, draft, by) => create(db, key, account, draft, by),
    list: async (accountId) => {
      let found = db.selectFrom('webhooks').select(WEBHOOK_COLUMNS).orderBy('created_at').orderBy('id')
      if (accountId !== undefined) found = found.where('account_id', '=', accountId)
      return (await found.execute()).map(webhookOf)
    },
    find: (id) => find(db, id),
    change: (id, draft, by) => change(db, id, draft, by),
    rotateSecret: (id, by) => rotateSecret(db, key, id, by),
    remove: (id, by) => remove(db, id, by),
    deliveries: (id, filter) => listDeliveries(db, id.toLowerCase(), filter),
    deliveryCount: (id, state) => countDeliveries(db, id.toLowerCase(), state),
    resend: (id, deliveryId, by) => resend(db, id.toLowerCase(), deliveryId, by),
    sendTest: (id, by) => sendTest(db, id.toLowerCase(), by),
  }
}

async function find(db: Kysely<ControlTables>, id: string): Promise<Webhook | null> {
  const found = db.selectFrom('webhooks').select(WEBHOOK_COLUMNS).where('id', '=', id.toLowerCase())
  const row = await found.executeTakeFirst()
  return row === undefined ? null : webhookOf(row)
}

const newMembers = { description: null, lists: null, isActive: true } as const

async function create(
  db: Kysely<ControlTables>,
  key: () => Buffer,
  { id: accountId, clientNumber }: Pick<Account, 'id' | 'clientNumber'>,
  draft: WebhookDraft,
  by: string,
): Promise<WebhookWithSecret> {
  const { url, ...given } = await checkedDraft(draft)
  if (url === undefined) throw webhookWithoutUrl()
  const members: Members = { ...newMembers, ...given, url }
  const [id, secret, at] = [crypto.randomUUID(), newSigningSecret(), new Date().toISOString()]
  const sealed = sealSigningSecret(key(), id, secret)
  const row = {
    id,
    account_id: accountId,
    client_number: clientNumber,
    ...columnsOf(members),
    old_secret_until: null,
    paused_reason: null,
    failing_since: null,
    created_at: at,
    created_by: by,
    updated_at: at,
  }
  await db.transaction().execute(async (transaction) => {
    await refuseOtherKey(transaction, key(), `webhook ${id}`)
    const { count } = await transaction
      .selectFrom('webhooks')
      .select((of) => of.fn.countAll<number>().as('count'))
      .where('account_id', '=', accountId)
      .executeTakeFirstOrThrow()
    if (count >= MOST_PER_ACCOUNT) throw tooManyWebhooks(MOST_PER_ACCOUNT)
    await transaction
      .insertInto('webhooks')
      .values({ ...row, secret: sealed, old_secret: null })
      .execute()
    const after = { accountId, ...members }
    await recordChange(transaction, {
      at,
      actor: by,
      action: 'webhook.create',
      subjectId: id,
      before: null,
      after,
    })
  })
  return { webhook: webhookOf(row), secret }
}

async function change(
  db: Kysely<ControlTables>,
  id: string,
  draft: WebhookDraft,
  by: string,
): Promise<Webhook | null> {
  const given = await checkedDraft(draft)
  return db.transaction().execute(async (transaction) => {
    const before = await find(transaction, id)
    if (before === null) return null
    const members: Members = { ...membersOf(before), ...given }
    const changed = changedMembers(membersOf(before), members)
    // Whoever says that it is active resumes it, or means another address.
    const isFresh = members.isActive && (!before.isActive || members.url !== before.url)
    if (changed === undefined && !isFresh) return before
    const at = new Date().toISOString()
    const state = isFresh ? { paused_reason: null, failing_since: null } : {}
    await transaction
      .updateTable('webhooks')
      .set({ ...columnsOf(members), ...state, updated_at: at })
      .where('id', '=', before.id)
      .execute()
    await recordChange(transaction, {
      at,
      actor: by,
      action: 'webhook.update',
      subjectId: before.id,
      before: changed?.before ?? {},
      after: changed?.after ?? {},
    })
    return find(transaction, id)
  })
}

function rotateSecret(
  db: Kysely<ControlTables>,
  key: () => Buffer,
  id: string,
  by: string,
): Promise<WebhookWithSecret | null> {
  return db.transaction().execute(async (transaction) => {
    const found = transaction.selectFrom('webhooks').selectAll().where('id', '=', id.toLowerCase())
    const row = await found.executeTakeFirst()
    if (row === undefined) return null
    await refuseOtherKey(transaction, key(), `webhook ${row.id}`)
    const [secret, now] = [newSigningSecret(), Date.now()]
    const at = new Date(now).toISOString()
    const until = new Date(now + OLD_SECRET_MS).toISOString()
    const isOldReadable = isOpenedBy(key(), row.id, row.secret)
    const columns = {
      secret: sealSigningSecret(key(), row.id, secret),
      old_secret: isOldReadable ? row.secret : null,
      old_secret_until: isOldReadable ? until : null,
      updated_at: at,
    }
    await transaction.updateTable('webhooks').set(columns).where('id', '=', row.id).execute()
    await recordChange(transaction, {
      at,
      actor: by,
      action: 'webhook.rotate-secret',
      subjectId: row.id,
      before: null,
      after: { oldSecretUntil: columns.old_secret_until },
    })
    return { webhook: webhookOf({ ...row, ...columns }), secret }
  })
}

function isOpenedBy(key: Buffer, id: string, sealed: Uint8Array): boolean {
  try {
    openSigningSecret(key, id, sealed)
    return true
  } catch {
    return false
  }
}

function remove(db: Kysely<ControlTables>, id: string, by: string): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    const before = await find(transaction, id)
    if (before === null) return false
    await transaction.deleteFrom('webhooks').where('id', '=', before.id).execute()
    await recordChange(transaction, {
      at: new Date().toISOString(),
      actor: by,
      action: 'webhook.delete',
      subjectId: before.id,
      before: { accountId: before.accountId, ...membersOf(before) },
      after: null,
    })
    return true
  })
}

/** Texts without blanks at their ends. @throws DetailedProblem DIR650 */
const checkedDraft = (draft: WebhookDraft): Promise<WebhookDraft> =>
  checkDraft('WebhookDraft', draft, badWebhookDraft)
