/** What is recorded when the snapshot before is gone: nobody knows what changed, so everybody who may be concerned is told. */
import type { ClientChange } from './record-changes.ts'

type Client = { readonly clientNumber: string }

/**
 * @param current the clients of the snapshot that is current
 * @param accounts the accounts of clients: a client without records now may have had some before
 * @returns each client once, with lists whose counts are not known
 */
export const unknownChanges = (
  current: readonly Client[],
  accounts: readonly Client[],
): readonly ClientChange[] =>
  [...new Set([...current, ...accounts].map(({ clientNumber }) => clientNumber))].map((clientNumber) => ({
    clientNumber,
    lists: { bookings: null, itineraries: null, invoices: null },
  }))
