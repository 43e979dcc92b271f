/**
 * Makes the first request of a client after a start or a refresh as fast as any other: its files are loaded and checked, and
 * a few questions are asked of them, so that code is compiled and the dearest indexes are there.
 */
import type { DatasetName, StoredName } from '../schema/datasets.ts'
import type { Snapshot } from '../snapshot/snapshot.ts'
import { type AnswerDeps, answer } from './answer.ts'

const collections: readonly StoredName[] = ['bookings', 'invoices']

/** One question per way of looking at the data. None of them has an answer, so that nothing is kept of them. */
const questions: readonly (readonly [dataset: DatasetName, filter: string, orderBy: string])[] = [
  [
    'itineraries',
    "contains(recordLocator, '~~') or any(segments, vendor eq '~' and code ge '~')",
    'recordLocator',
  ],
  ['bookings', "originatingAgency eq '~' and bookingDate ge '2000-01-01'", 'originatingAgency desc'],
  ['bookings', "tripStartLocal lt '1900-01-01T00:00' and isInternational eq true", 'modifiedAt desc'],
  ['invoices', "any(lineItems, lineType eq '~' and lineAmountIncGst gt 1e9)", 'invoiceDate desc'],
]

/** Ends when the budget (bytes) is spent. A file that cannot be loaded is the catalogue's to report. */
export async function warmUp(
  snapshot: Snapshot,
  clientNumbers: Iterable<string>,
  budget: number,
  deps: AnswerDeps,
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
    await rehearse(clientNumber, {
      ...deps,
      catalogue: { current: () => snapshot },
      observe: () => undefined,
    })
  }
}

async function rehearse(clientNumber: string, deps: AnswerDeps): Promise<void> {
  const principal = { accountId: '', accountName: 'warm-up', clientNumber }
  for (const [dataset, filter, orderBy] of questions) {
    const parameters = [
      ['$filter', filter],
      ['$orderby', orderBy],
      ['$pageSize', '1'],
    ] as const
    await answer({ dataset, principal, parameters }, deps).then(
      ({ execute }) => execute(),
      () => undefined,
    )
  }
}
