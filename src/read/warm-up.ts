import type { StoredName } from '../schema/datasets.ts'
import type { Snapshot } from '../snapshot/snapshot.ts'

const collections: readonly StoredName[] = ['bookings', 'invoices']

/**
 * Loads the given clients one after another, so that their first request after a start or a refresh is as fast as any
 * other. Ends when the budget (bytes) is spent. A file that cannot be loaded is the catalogue's to report.
 */
export async function warmUp(
  snapshot: Snapshot,
  clientNumbers: Iterable<string>,
  budget: number,
): Promise<void> {
  let left = budget
  for (const clientNumber of clientNumbers) {
    for (const stored of collections) {
      if (left <= 0) return
      left -= await snapshot.partition(clientNumber, stored).then(
        ({ partition }) => partition.byteLength,
        () => 0,
      )
    }
  }
}
