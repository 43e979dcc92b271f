/**
 * Records, while a refresh builds a snapshot, how each client's collections differ from the snapshot that was current before. The
 * steps are stored before the snapshot is published. A collection whose old version cannot be read any more gets no step:
 * callers then have to read it as a whole, and the snapshot keeps a warning that says so.
 */
import type { StoredName, Version2Stored } from '../../schema/datasets.ts'
import type { RefreshWarning } from '../manifest-shape.ts'
import type { Partition } from '../partition.ts'
import { isUnavailable } from '../problems.ts'
import {
  compareCollections,
  type KeyedRows,
  noRows,
  rowsOfPartition,
  sameBytes,
} from './compare-collections.ts'
import { EMPTY_VERSION, hasKeys, type RecordChange, versionName } from './step.ts'
import type { StepSink } from './step-store.ts'

/** The old version of a collection: in memory, or as keys and hashes when it is in a database. */
type OldCollection = { readonly partition: Partition } | { readonly rows: KeyedRows }

/** The snapshot that was current before. */
export type Before = {
  /** The full version of a collection; undefined for a client that the snapshot does not know. */
  readonly version: (clientNumber: string, stored: Version2Stored) => string | undefined
  readonly clientNumbers: () => Iterable<string>
  /** @throws Error when the collection cannot be read */
  readonly load: (clientNumber: string, stored: Version2Stored) => Promise<OldCollection>
}

export type StepRecorder = {
  /** Notes a collection of the new snapshot, which is opened only if it differs from before. */
  readonly note: (
    collection: { readonly clientNumber: string; readonly stored: StoredName; readonly version: string },
    open: () => Partition,
  ) => Promise<void>
  /** To be called when all collections are noted. */
  readonly finish: (clientNumbers: Iterable<string>) => Promise<RecordedSteps>
  readonly abandon: () => Promise<void>
}

type RecordedSteps = {
  /** For the snapshot. */
  readonly warnings: readonly RefreshWarning[]
  /** How many steps were stored. */
  readonly steps: number
  /** The clients that may have changed without a step. */
  readonly unknown: readonly string[]
}

/** @param before null when there is no snapshot to compare with: then there are no steps */
export function createStepRecorder(before: Before | null, sink: StepSink): StepRecorder {
  const unknown = new Set<string>()
  let steps = 0

  async function record(
    clientNumber: string,
    stored: Version2Stored,
    version: string,
    open: () => Partition | null,
  ): Promise<void> {
    const old = before?.version(clientNumber, stored)
    if (before === null || (old ?? EMPTY_VERSION) === version) return
    let collection: OldCollection | null = null
    try {
      if (old !== undefined) collection = await before.load(clientNumber, stored)
    } catch (error) {
      if (isUnavailable(error)) throw error
      unknown.add(clientNumber)
      return
    }
    const [from, to] = [versionName(old ?? EMPTY_VERSION), versionName(version)]
    steps++
    await sink.add({ clientNumber, stored, from, to, changes: changesBetween(collection, open()) })
  }

  return {
    note: async ({ clientNumber, stored, version }, open) => {
      if (hasKeys(stored)) await record(clientNumber, stored, version, open)
    },
    finish: async (clientNumbers) => {
      const left = new Set(before?.clientNumbers())
      for (const clientNumber of clientNumbers) left.delete(clientNumber)
      for (const clientNumber of left) {
        for (const stored of ['bookings', 'invoices'] as const) {
          await record(clientNumber, stored, EMPTY_VERSION, () => null)
        }
      }
      await sink.stored()
      const warnings = unknown.size === 0 ? [] : [changesUnknown(unknown.size)]
      return { warnings, steps, unknown: [...unknown] }
    },
    abandon: () => sink.abandon(),
  }
}

function changesBetween(old: OldCollection | null, young: Partition | null): readonly RecordChange[] {
  const after = young === null ? noRows : rowsOfPartition(young)
  if (old === null) return compareCollections(noRows, after, () => false)
  if ('rows' in old) return compareCollections(old.rows, after, sameHashes(old.rows, after))
  const isSame = young === null ? () => false : sameBytes(old.partition, young)
  return compareCollections(rowsOfPartition(old.partition), after, isSame)
}

const sameHashes =
  (before: KeyedRows, after: KeyedRows) =>
  (row: number, other: number): boolean =>
    before.hashes(row).join(' ') === after.hashes(other).join(' ')

const changesUnknown = (clients: number): RefreshWarning => ({
  kind: 'changes-unknown',
  message:
    'What changed for some clients is not known, because their old records could not be read. Callers who ask for changes since then are told to read the whole list again',
  clients,
})
