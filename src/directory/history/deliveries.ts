/**
 * Records which deliveries of webhooks are handled, so that a repeated delivery does nothing. Each step is one transaction,
 * also across processes: of several claims at once exactly one gets `new`.
 */
import type { Kysely } from 'kysely'
import type { DeliveryState, History } from './history.ts'
import type { HistoryTables } from './history-tables.ts'

/** A claim that is not settled after this time counts as abandoned: a run may wait for one minute and last for five. */
const ABANDONED_AFTER_MS = 7 * 60_000

export const createDeliveries = (db: Kysely<HistoryTables>): History['deliveries'] => ({
  claim: (endpointId, deliveryId, windowSeconds, now) =>
    claim(db, { endpoint_id: endpointId, delivery_id: deliveryId }, windowSeconds, now.getTime()),
  settle: (endpointId, deliveryId, succeeded) =>
    settle(db, { endpoint_id: endpointId, delivery_id: deliveryId }, succeeded),
})

type Delivery = { readonly endpoint_id: string; readonly delivery_id: string }

function claim(
  db: Kysely<HistoryTables>,
  delivery: Delivery,
  windowSeconds: number,
  now: number,
): Promise<DeliveryState> {
  const claimed = {
    state: 'running' as const,
    until: now + ABANDONED_AFTER_MS,
    window_end: now + windowSeconds * 1000,
  }
  return db.transaction().execute(async (transaction) => {
    const known = await transaction
      .selectFrom('deliveries')
      .select(['state', 'until'])
      .where((is) => is.and(delivery))
      .executeTakeFirst()
    if (known !== undefined && known.until > now) return known.state
    await transaction
      .insertInto('deliveries')
      .values({ ...delivery, ...claimed })
      .onConflict((conflict) => conflict.columns(['endpoint_id', 'delivery_id']).doUpdateSet(claimed))
      .execute()
    return 'new'
  })
}

/** A delivery that is done stays done, even if a run that counted as abandoned fails later. */
async function settle(db: Kysely<HistoryTables>, delivery: Delivery, succeeded: boolean): Promise<void> {
  if (succeeded) {
    await db
      .updateTable('deliveries')
      .set(({ ref }) => ({ state: 'done', until: ref('window_end') }))
      .where((is) => is.and(delivery))
      .execute()
  } else {
    await db
      .deleteFrom('deliveries')
      .where((is) => is.and({ ...delivery, state: 'running' }))
      .execute()
  }
}
