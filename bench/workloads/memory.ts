/**
 * Measures the resident memory that a loaded client adds, compared with the bytes of its whole collections as JSON: after the
 * first page of each list, after the first filters have built their indexes, and with version 1 loaded, too.
 */
import type { Server } from '../contenders/server.ts'
import { startTripfolio } from '../contenders/tripfolio.ts'
import { type BenchClient, type Dataset, manyClients, prepareDataset } from '../dataset.ts'
import { drain } from '../drain.ts'
import { settledBytes } from '../process-usage.ts'
import {
  freshAny,
  freshContains,
  freshEquality,
  freshFilterAndSort,
  freshLabelEquality,
  keyOf,
  listPath,
  version1Page,
  wordsOf,
} from '../questions.ts'
import { rounded } from '../statistics.ts'
import { judge, judgementCells } from '../target.ts'
import type { Bench, Row, WorkloadResult } from '../workload.ts'

const MEBIBYTE = 2 ** 20

export async function memory(_bench: Bench): Promise<WorkloadResult> {
  const dataset = await prepareDataset(manyClients)
  const { large } = dataset
  const jsonBytes = await wholeJsonBytes(dataset)
  // Nothing is loaded before a request needs it.
  const tripfolio = await startTripfolio({ ...dataset, environment: { TRIPFOLIO_WARM_UP: 'none' } })
  try {
    const before = await settledBytes(tripfolio.pids)
    const rows: Row[] = []
    const measure = async (after: string, target: boolean) => {
      const added = (await settledBytes(tripfolio.pids)) - before
      rows.push({
        after,
        'added MiB': rounded(added / MEBIBYTE),
        'JSON MiB': rounded(jsonBytes / MEBIBYTE),
        'times the JSON': rounded(added / jsonBytes),
        ...judgementCells(target ? [judge({ atMost: 1.3 }, added / jsonBytes)] : []),
      })
    }
    for (const list of ['bookings', 'itineraries', 'invoices']) await ask(tripfolio, large, listPath(list))
    await measure('the first page of every list', true)
    for (const question of await filterKinds(tripfolio, large)) await ask(tripfolio, large, question())
    await measure('filters of every kind of the bench, with their indexes', true)
    await ask(tripfolio, large, version1Page())
    await measure('a page of bookings of version 1', false)
    return {
      what: `Resident memory added by the client of ${large.bookings} bookings, compared with its itineraries and invoices as JSON`,
      tables: [{ rows }],
    }
  } finally {
    await tripfolio.stop()
  }
}

/** Exports from another server, because an export would change the memory of the measured one. */
async function wholeJsonBytes(dataset: Dataset): Promise<number> {
  const tripfolio = await startTripfolio(dataset)
  try {
    let bytes = 0
    for (const list of ['itineraries', 'invoices']) {
      bytes += (await drain(tripfolio.address, `/api/v2/${list}`, keyOf(dataset.large))).bytes
    }
    return bytes
  } finally {
    await tripfolio.stop()
  }
}

async function filterKinds(tripfolio: Server, client: BenchClient) {
  const words = await wordsOf(tripfolio.address, client)
  return [freshFilterAndSort, freshEquality(words), freshLabelEquality(words), freshContains, freshAny]
}

async function ask({ address }: Server, client: BenchClient, path: string): Promise<void> {
  const response = await fetch(address + path, { headers: keyOf(client) })
  await response.arrayBuffer()
  if (!response.ok) throw new Error(`${response.status} for ${path}`)
}
