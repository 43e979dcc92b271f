/**
 * Notifies all operators, through the control store, that a refresh has published a snapshot in which clients have lost their
 * bookings or invoices. Works from any process. The snapshot stays published when the notification fails.
 */
import type { StorePlace } from '../../directory/open-stores.ts'
import type { RefreshSummary } from '../cycle.ts'
import { CLIENTS_EMPTIED } from '../losses.ts'

/** The sender, for readers and the audit trail. */
const SENDER = 'refresh'

/** @returns the error when the notification failed; null when it was sent, or when none was needed */
export async function notifyOperators(
  place: StorePlace,
  { snapshot, warnings }: Pick<RefreshSummary, 'snapshot' | 'warnings'>,
): Promise<Error | null> {
  const emptied = warnings.filter(({ kind }) => kind === CLIENTS_EMPTIED)
  if (emptied.length === 0) return null
  // Loaded here, because most refreshes do not need it.
  const { openControlStore } = await import('../../directory/open-stores.ts')
  try {
    const store = await openControlStore(place)
    try {
      for (const { message, clients = 0 } of emptied) {
        const title = `${clients} ${clients === 1 ? 'client has' : 'clients have'} lost all bookings or invoices`
        const text = `${message}. This was published with snapshot ${snapshot}. If it is not intended, correct the extract and refresh again.`
        const draft = { title, message: text, type: 'Warning', link: null, audience: null } as const
        await store.notifications.send(draft, SENDER)
      }
    } finally {
      await store.close()
    }
    return null
  } catch (cause) {
    return cause as Error
  }
}
