/**
 * Makes the first request of a client after a start or a refresh as fast as any other: loads and checks the files of the
 * client and runs a few queries on them, so that code is compiled and the most expensive indexes exist.
 */
import type { ListName, StoredName, Version2Stored } from '../schema/datasets.ts'
import { hasKeys } from '../snapshot/changes/step.ts'
import type { ServedSnapshot, Snapshot } from '../snapshot/snapshot.ts'
import { type AnswerDeps, answer } from './answer.ts'
import { type ApiVersion, datasetOf, type Parameters } from './languages.ts'

/** A client whose requests are expected, and their versions. */
export type WarmClient = { readonly clientNumber: string; readonly versions: readonly ApiVersion[] }

const collections: { readonly [Version in ApiVersion]: readonly StoredName[] } = {
  1: ['bookings-v1', 'invoices-v1'],
  2: ['bookings', 'invoices'],
}

type Question = readonly [list: ListName, ...parameters: Parameters]

/** One query per way of searching the data. None of them finds a record, so no result is cached. */
const questions: { readonly [Version in ApiVersion]: readonly Question[] } = {
  1: [
    ['bookings', ['query', 'Traveller^CT~~;BookingDate^GE2000-01-01;ModifiedDateTime^LT1900-01-01']],
    ['invoices', ['query', 'TotalAmount^GT1e9;Department^EQ~']],
  ],
  2: [
    asked(
      'itineraries',
      "contains(recordLocator, '~~') or any(segments, vendor eq '~' and code ge '~')",
      'recordLocator',
    ),
    asked('bookings', "originatingAgency eq '~' and bookingDate ge '2000-01-01'", 'originatingAgency desc'),
    asked('bookings', "tripStartLocal lt '1900-01-01T00:00' and isInternational eq true", 'modifiedAt desc'),
    asked('invoices', "any(lineItems, lineType eq '~' and lineAmountIncGst gt 1e9)", 'invoiceDate desc'),
  ],
}

function asked(list: ListName, filter: string, orderBy: string): Question {
  return [list, ['$filter', filter], ['$orderby', orderBy], ['$pageSize', '1']]
}

/** The clients of active accounts; those with a psk are also expected in version 1. */
export function warmClients(
  accounts: readonly {
    readonly clientNumber: string
    readonly active: boolean
    readonly pskIssuedAt: string | null
  }[],
): readonly WarmClient[] {
  const byClient = Map.groupBy(
    accounts.filter(({ active }) => active),
    ({ clientNumber }) => clientNumber,
  )
  return [...byClient].map(([clientNumber, own]) => ({
    clientNumber,
    versions: own.some(({ pskIssuedAt }) => pskIssuedAt !== null) ? [2, 1] : [2],
  }))
}

/** What may be loaded. */
export type WarmBudget = {
  readonly mostBytes: number
  /** Clients whose records are queried. */
  readonly mostClients: number
  /** Bytes that one client's stored collection takes in memory. */
  readonly byteLength: (clientNumber: string, stored: StoredName) => number
}

/** Makes the first request for what changed in a client's stored collection as fast as any other. */
export type WarmChanges<Served extends ServedSnapshot = Snapshot> = (
  clientNumber: string,
  stored: Version2Stored,
  deps: AnswerDeps<Served>,
) => Promise<void>

/**
 * Loads what fits into the budget: more would evict what was loaded first. The catalogue reports files that cannot be
 * loaded.
 */
export async function warmUp<Served extends ServedSnapshot>(
  snapshot: Served,
  clients: Iterable<WarmClient>,
  { mostBytes, mostClients, byteLength }: WarmBudget,
  deps: AnswerDeps<Served>,
  warmChanges?: WarmChanges<Served>,
): Promise<void> {
  const unseen = {
    ...deps,
    catalogue: { current: () => snapshot, retained: () => Promise.resolve(snapshot) },
    observe: () => undefined,
  }
  let left = mostBytes
  let place = 0
  for (const { clientNumber, versions } of clients) {
    const isQueried = place++ < mostClients
    for (const version of versions) {
      for (const stored of collections[version]) {
        // A newer snapshot is current and has its own warm-up.
        if (deps.catalogue.current() !== snapshot) return
        const bytes = byteLength(clientNumber, stored)
        if (bytes > left) continue
        left -= bytes
        if (isQueried) await rehearse(clientNumber, version, stored, unseen)
        if (hasKeys(stored)) await warmChanges?.(clientNumber, stored, unseen).catch(() => undefined)
      }
    }
  }
}

/** The first query loads the collection. The budget of requests applies to these queries too. */
async function rehearse<Served extends ServedSnapshot>(
  clientNumber: string,
  version: ApiVersion,
  stored: StoredName,
  deps: AnswerDeps<Served>,
): Promise<void> {
  const principal = { accountId: '', accountName: 'warm-up', clientNumber }
  for (const [list, ...parameters] of questions[version]) {
    if (datasetOf(version, list).stored !== stored) continue
    const request = { version, list, principal, query: null, parameters: () => parameters }
    await answer(request, deps)
      .then(({ execute }) => execute())
      .catch(() => undefined)
  }
}
