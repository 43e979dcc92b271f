/** The deliveries that are due, and what became of each attempt. One node works on the queue. */
import type { Kysely } from 'kysely'
import type { Attempt } from '../../schema/webhook-shapes.ts'
import type { AccountSeals, SealsInTransaction } from '../accounts/account-seals.ts'
import { recordChange } from '../audit/audit.ts'
import type { ControlTables } from '../control-tables.ts'
import { mayReadAt, SEALED_ACCOUNT_COLUMNS } from './accounts-that-read.ts'
import { openSigningSecret } from './signing-secrets.ts'
import { attemptsOf } from './webhook-rows.ts'

export type DueDelivery = {
  readonly id: string
  readonly webhookId: string
  readonly clientNumber: string
  readonly url: string
  readonly body: string
  /** Whether the last attempt of its webhook failed. */
  readonly isFailing: boolean
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
   * The deliveries that are due, those first that are due the longest, of webhooks that work before those that fail; at most
   * `perWebhook` of a webhook and `perClient` of a client, those of clients with few of them first, and none of a webhook that
   * is paused or whose account may not read.
   *
   * @param limitFailing how many may be of webhooks that fail: receivers that hang must not take all places
   * @param sending the deliveries that are being sent, which count
   */
  readonly due: (limits: {
    readonly now: Date
    readonly limit: number
    readonly limitFailing: number
    readonly perWebhook: number
    readonly perClient: number
    readonly sending: readonly Pick<DueDelivery, 'id' | 'webhookId' | 'clientNumber'>[]
  }) => Promise<readonly DueDelivery[]>
  /**
   * A delivery that was given up meanwhile is not made pending again. What an address that was replaced meanwhile answered says
   * nothing about the webhook.
   *
   * @returns since when the webhook has been failing; null when it is not, or when the delivery is gone
   */
  readonly attempted: (
    delivery: Pick<DueDelivery, 'id' | 'url'>,
    attempt: Attempt,
    consequence: Consequence,
  ) => Promise<string | null>
  /**
   * Pauses a webhook with a reason, and gives up its deliveries.
   *
   * @returns false when it was paused already, has another address or is gone
   */
  readonly pause: (delivery: Pick<DueDelivery, 'webhookId' | 'url'>, reason: string) => Promise<boolean>
}

const MOST_ATTEMPTS_LOGGED = 20
/** How many are read at once to choose from. */
const LOOK_AHEAD = 1000

export function createDeliveryQueue(
  db: Kysely<ControlTables>,
  seals: AccountSeals,
  openKey: () => Buffer,
): DeliveryQueue {
  let opened: Buffer | undefined
  const key = () => (opened ??= openKey())
  return {
    due: async ({ now, ...limits }) => {
      const at = now.toISOString()
      const chosen = await chooseDue(db, await seals.within(db), at, limits)
      if (chosen.length === 0) return []
      const rows = await db
        .selectFrom('webhook_deliveries')
        .innerJoin('webhooks', 'webhooks.id', 'webhook_id')
        .select(['webhook_deliveries.id', 'webhook_id', 'client_number', 'url', 'body', 'attempt_count'])
        .select(['secret', 'old_secret', 'old_secret_until', 'failing_since'])
        .where('webhook_deliveries.id', 'in', chosen)
        .execute()
      const place = new Map(chosen.map((id, index) => [id, index]))
      rows.sort((a, b) => Number(place.get(a.id)) - Number(place.get(b.id)))
      return rows.map((row) => ({
        id: row.id,
        webhookId: row.webhook_id,
        clientNumber: row.client_number,
        url: row.url,
        body: row.body,
        isFailing: row.failing_since !== null,
        attemptCount: row.attempt_count,
        secrets: () => {
          const isOldGood = row.old_secret !== null && (row.old_secret_until ?? '') > at
          const sealed = isOldGood ? [row.secret, row.old_secret as Uint8Array] : [row.secret]
          return sealed.map((each) => openSigningSecret(key(), row.webhook_id, each))
        },
      }))
    },
    attempted: (delivery, attempt, consequence) => attempted(db, delivery, attempt, consequence),
    pause: (delivery, reason) => pause(db, delivery, reason),
  }
}

type Limits = Omit<Parameters<DeliveryQueue['due']>[0], 'now'>

async function chooseDue(
  db: Kysely<ControlTables>,
  { faultOf }: SealsInTransaction,
  at: string,
  limits: Limits,
): Promise<readonly string[]> {
  const { limit, limitFailing, sending } = limits
  const shares = new Shares(limits)
  for (const delivery of sending) shares.add(delivery)
  const healthy = await chooseFairly(db, { at, isFailing: false, faultOf, limit }, shares)
  const left = Math.min(limit - healthy.length, limitFailing)
  if (left <= 0) return healthy
  return [...healthy, ...(await chooseFairly(db, { at, isFailing: true, faultOf, limit: left }, shares))]
}

type Candidate = Pick<DueDelivery, 'id' | 'webhookId' | 'clientNumber'>
type Wanted = Pick<SealsInTransaction, 'faultOf'> & {
  readonly at: string
  readonly isFailing: boolean
  readonly limit: number
}

/** How many deliveries each webhook and each client has among those that are being sent, or are chosen. */
class Shares {
  readonly #limits: Pick<Limits, 'perWebhook' | 'perClient'>
  readonly #ids = new Set<string>()
  readonly #webhooks = new Map<string, number>()
  readonly #clients = new Map<string, number>()

  constructor(limits: Pick<Limits, 'perWebhook' | 'perClient'>) {
    this.#limits = limits
  }

  add({ id, webhookId, clientNumber }: Candidate): void {
    this.#ids.add(id)
    this.#webhooks.set(webhookId, (this.#webhooks.get(webhookId) ?? 0) + 1)
    this.#clients.set(clientNumber, (this.#clients.get(clientNumber) ?? 0) + 1)
  }

  /** Chooses no more of a webhook. */
  refuse(webhookId: string): void {
    this.#webhooks.set(webhookId, this.#limits.perWebhook)
  }

  get fullWebhooks(): readonly string[] {
    return [...this.#webhooks].flatMap(([id, share]) => (share >= this.#limits.perWebhook ? [id] : []))
  }

  get fullClients(): readonly string[] {
    return [...this.#clients].flatMap(([number, share]) => (share >= this.#limits.perClient ? [number] : []))
  }

  /** Of the client with the fewest, the first that may be added. */
  next(candidates: readonly Candidate[]): Candidate | undefined {
    let found: Candidate | undefined
    let least = this.#limits.perClient
    for (const candidate of candidates) {
      const share = this.#clients.get(candidate.clientNumber) ?? 0
      if (share >= least || this.#ids.has(candidate.id)) continue
      if ((this.#webhooks.get(candidate.webhookId) ?? 0) >= this.#limits.perWebhook) continue
      found = candidate
      least = share
      if (share === 0) break
    }
    return found
  }
}

/** Reads on past webhooks and clients that have their share already, however many of their deliveries are due. */
async function chooseFairly(
  db: Kysely<ControlTables>,
  wanted: Wanted,
  shares: Shares,
): Promise<readonly string[]> {
  const seen = new Set<string>()
  const chosen: string[] = []
  for (;;) {
    const candidates = await candidatesBeside(db, wanted, shares)
    const fresh = candidates.filter(({ id }) => !seen.has(id))
    for (const { id, webhookId, account } of fresh) {
      seen.add(id)
      if (wanted.faultOf(account) !== null) shares.refuse(webhookId)
    }
    while (chosen.length < wanted.limit) {
      const next = shares.next(fresh)
      if (next === undefined) break
      shares.add(next)
      chosen.push(next.id)
    }
    if (chosen.length >= wanted.limit || candidates.length < LOOK_AHEAD || fresh.length === 0) return chosen
  }
}

/** Those that are due the longest, of all webhooks and clients but those that are full. */
async function candidatesBeside(
  db: Kysely<ControlTables>,
  { at, isFailing }: Wanted,
  { fullWebhooks, fullClients }: Shares,
) {
  const rows = await db
    .selectFrom('webhook_deliveries')
    .innerJoin('webhooks', 'webhooks.id', 'webhook_id')
    .innerJoin('accounts', 'accounts.id', 'webhooks.account_id')
    .select(['webhook_deliveries.id as delivery_id', 'webhook_id', 'webhooks.client_number as of_client'])
    .select(SEALED_ACCOUNT_COLUMNS)
    .where('next_attempt_at', '<=', at)
    .where('webhooks.active', '=', 1)
    .where('webhooks.failing_since', isFailing ? 'is not' : 'is', null)
    .where(mayReadAt(at))
    .$if(fullWebhooks.length > 0, (found) => found.where('webhook_id', 'not in', fullWebhooks))
    .$if(fullClients.length > 0, (found) => found.where('webhooks.client_number', 'not in', fullClients))
    .orderBy('next_attempt_at')
    .limit(LOOK_AHEAD)
    .execute()
  return rows.map(({ delivery_id: id, webhook_id: webhookId, of_client: clientNumber, ...account }) => ({
    ...{ id, webhookId, clientNumber, account },
  }))
}

function attempted(
  db: Kysely<ControlTables>,
  { id, url }: Pick<DueDelivery, 'id' | 'url'>,
  attempt: Attempt,
  consequence: Consequence,
): Promise<string | null> {
  return db.transaction().execute(async (transaction) => {
    const row = await transaction
      .selectFrom('webhook_deliveries')
      .innerJoin('webhooks', 'webhooks.id', 'webhook_id')
      .select(['state', 'url', 'webhook_id', 'attempts', 'attempt_count', 'failing_since'])
      .where('webhook_deliveries.id', '=', id)
      .executeTakeFirst()
    if (row === undefined) return null
    const isDelivered = consequence.kind === 'delivered'
    const isRetried = consequence.kind === 'retry' && row.state === 'pending'
    await transaction
      .updateTable('webhook_deliveries')
      .set({
        state: isDelivered ? 'delivered' : isRetried ? 'pending' : 'failed',
        next_attempt_at: isRetried ? consequence.at.toISOString() : null,
        attempts: JSON.stringify([...attemptsOf(row), attempt].slice(-MOST_ATTEMPTS_LOGGED)),
        attempt_count: row.attempt_count + 1,
      })
      .where('id', '=', id)
      .execute()
    if (row.url !== url) return row.failing_since
    const failingSince = isDelivered ? null : (row.failing_since ?? attempt.at)
    if (failingSince !== row.failing_since) {
      const state = { failing_since: failingSince }
      await transaction.updateTable('webhooks').set(state).where('id', '=', row.webhook_id).execute()
    }
    return failingSince
  })
}

function pause(
  db: Kysely<ControlTables>,
  { webhookId, url }: Pick<DueDelivery, 'webhookId' | 'url'>,
  reason: string,
): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    const paused = await transaction
      .updateTable('webhooks')
      .set({ active: 0, paused_reason: reason })
      .where('id', '=', webhookId)
      .where('url', '=', url)
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
    await recordChange(transaction, {
      at: new Date().toISOString(),
      actor: 'service:webhooks',
      action: 'webhook.pause',
      subjectId: webhookId,
      before: { isActive: true },
      after: { isActive: false, pausedReason: reason },
    })
    return true
  })
}
