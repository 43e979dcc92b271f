/**
 * Which clients have other records in one published snapshot than in another, and how many records of each list were added,
 * changed and removed. Clients whose files are the same cost one comparison; only for the others steps are read.
 */
import type { ListName, Version2Stored } from '../../schema/datasets.ts'
import type { Manifest } from '../manifest-shape.ts'
import { EMPTY_VERSION } from './step.ts'
import type { StepSource } from './step-store.ts'
import { isAdded, isBookingChanged, isRemoved, type NetChange, walkSteps } from './walk-steps.ts'

type ChangeCounts = { readonly added: number; readonly changed: number; readonly removed: number }

export type ChangedClient = {
  readonly clientNumber: string
  /** Only the lists that changed. Null when it is not known how: the list has to be read as a whole. */
  readonly lists: { readonly [List in ListName]?: ChangeCounts | null }
}

type Steps = Pick<StepSource, 'edges'>

type Published = Pick<Manifest, 'clients'>

const PARALLEL_WALKS = 16

/**
 * @param before null for no records
 * @throws Problem of the kind `unavailable` when the steps cannot be read at the moment
 */
export async function changedClients(
  before: Published | null,
  after: Published,
  source: Steps,
): Promise<readonly ChangedClient[]> {
  const found: ChangedClient[] = []
  const differing = differingClients(before, after)
  for (let from = 0; from < differing.length; from += PARALLEL_WALKS) {
    const some = differing.slice(from, from + PARALLEL_WALKS)
    found.push(...(await Promise.all(some.map((client) => changedClient(client, source)))))
  }
  // Nothing that callers see may have changed, such as when only the file format did.
  return found.filter(({ lists }) => Object.keys(lists).length > 0)
}

type Version = { readonly version: string; readonly rows: number }
type Versions = { readonly [Name in Version2Stored]: Version }
type Differing = { readonly clientNumber: string; readonly before: Versions; readonly after: Versions }

const nothing: Version = { version: EMPTY_VERSION, rows: 0 }
const noVersions: Versions = { bookings: nothing, invoices: nothing }

function differingClients(before: Published | null, after: Published): readonly Differing[] {
  const left = new Map(before?.clients.map((client) => [client.clientNumber, versionsOf(client)]))
  const differing: Differing[] = []
  for (const client of after.clients) {
    const { clientNumber } = client
    const [old, young] = [left.get(clientNumber) ?? noVersions, versionsOf(client)]
    left.delete(clientNumber)
    if (isSame(old, young)) continue
    differing.push({ clientNumber, before: old, after: young })
  }
  for (const [clientNumber, old] of left) differing.push({ clientNumber, before: old, after: noVersions })
  return differing
}

const versionsOf = ({ bookings, invoices }: Manifest['clients'][number]): Versions => ({
  bookings: { version: bookings.sha256, rows: bookings.rows },
  invoices: { version: invoices.sha256, rows: invoices.rows },
})

const isSame = (one: Versions, other: Versions): boolean =>
  one.bookings.version === other.bookings.version && one.invoices.version === other.invoices.version

async function changedClient(client: Differing, source: Steps): Promise<ChangedClient> {
  const bookings = await netChanges(client, 'bookings', source)
  const invoices = await netChanges(client, 'invoices', source)
  const lists: [ListName, ChangeCounts | null][] = [
    ['bookings', counted(bookings, isBookingChanged)],
    ['itineraries', counted(bookings)],
    ['invoices', counted(invoices)],
  ]
  const changed = lists.filter(([, counts]) => counts === null || total(counts) > 0)
  return { clientNumber: client.clientNumber, lists: Object.fromEntries(changed) }
}

/** Counts alone when one version has no records, which needs no walk. */
async function netChanges(
  { clientNumber, before, after }: Differing,
  stored: Version2Stored,
  source: Steps,
): Promise<readonly NetChange[] | ChangeCounts | null> {
  const [old, young] = [before[stored], after[stored]]
  if (old.rows === 0 || young.rows === 0) return { added: young.rows, changed: 0, removed: old.rows }
  return walkSteps({ source, clientNumber, stored, from: old.version, to: young.version })
}

function counted(
  changes: readonly NetChange[] | ChangeCounts | null,
  isChanged: (change: NetChange) => boolean = () => true,
): ChangeCounts | null {
  if (changes === null || 'added' in changes) return changes
  const counts = { added: 0, changed: 0, removed: 0 }
  for (const change of changes) {
    if (isAdded(change)) counts.added++
    else if (isRemoved(change)) counts.removed++
    else if (isChanged(change)) counts.changed++
  }
  return counts
}

const total = ({ added, changed, removed }: ChangeCounts): number => added + changed + removed
