/**
 * Tells operators of what a refresh published although it may be wrong: a notification for all of them in the control store,
 * whichever process refreshed. What was published stays published when nobody can be told.
 */
import type { RefreshSummary } from '../cycle.ts'
import { CLIENTS_EMPTIED } from '../losses.ts'

/** Who sent it, for readers and the audit trail. */
const SENDER = 'refresh'

/** @returns why they could not be told; null when they were, or when there was nothing to tell */
export async function notifyOperators(
  dataFolder: string,
  { snapshot, warnings }: Pick<RefreshSummary, 'snapshot' | 'warnings'>,
): Promise<Error | null> {
  const emptied = warnings.filter(({ kind }) => kind === CLIENTS_EMPTIED)
  if (emptied.length === 0) return null
  // Not at the top: nearly every refresh does without.
  const { openControlStore } = await import('../../directory/open-stores.ts')
  try {
    const store = await openControlStore(dataFolder)
    try {
      for (const { message, clients = 0 } of emptied) {
        const title = `${clients} ${clients === 1 ? 'client has' : 'clients have'} lost all bookings or invoices`
        const text = `${message}. This was published with snapshot ${snapshot}. If it is not meant, mend the extract and refresh again.`
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
