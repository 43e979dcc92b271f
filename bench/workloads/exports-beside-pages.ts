/** Measures small pages while ten readers export whole collections. */
import { addressOf, startScript } from '../contenders/child.ts'
import type { Server } from '../contenders/server.ts'
import { startTripfolio } from '../contenders/tripfolio.ts'
import { manyClients, prepareDataset } from '../dataset.ts'
import { load, type Traffic } from '../load.ts'
import { freshFilterAndSort, keyOf } from '../questions.ts'
import { rounded } from '../statistics.ts'
import type { Bench, Row, WorkloadResult } from '../workload.ts'
import type { ExportReaders } from './export-readers.ts'

const READERS = 10
const CALLERS = 2

export async function exportsBesidePages({ pace }: Bench): Promise<WorkloadResult> {
  const dataset = await prepareDataset(manyClients)
  const { large, small } = dataset
  const tripfolio = await startTripfolio(dataset)
  const traffic: Traffic = { path: freshFilterAndSort, headers: keyOf(small), connections: CALLERS }
  try {
    await load(tripfolio, traffic, pace.warmUpSeconds)
    const rows = [await pagesRow('alone', tripfolio, traffic, pace.seconds)]
    for (const coding of ['identity', 'gzip', 'zstd']) {
      const headers = { ...keyOf(large), 'Accept-Encoding': coding }
      const given: ExportReaders = {
        address: tripfolio.address,
        path: '/api/v2/bookings',
        headers,
        readers: READERS,
      }
      const readers = startScript(new URL('export-readers.ts', import.meta.url), [], given)
      try {
        await addressOf(readers)
        await load(tripfolio, traffic, pace.warmUpSeconds)
        rows.push(await pagesRow(`${READERS} exports, ${coding}`, tripfolio, traffic, 2 * pace.seconds))
      } finally {
        await readers.stop()
      }
    }
    return {
      what: `Fresh pages of the client of ${small.bookings} bookings for ${CALLERS} callers, while ${READERS} readers export the ${large.bookings} bookings of another client repeatedly`,
      tables: [{ rows }],
      notes: ['A server that does not offer a coding answers without one.'],
    }
  } finally {
    await tripfolio.stop()
  }
}

async function pagesRow(beside: string, server: Server, traffic: Traffic, seconds: number): Promise<Row> {
  const { rate, p50, p99, worst } = await load(server, traffic, seconds)
  return {
    beside,
    'pages/s': rounded(rate),
    'p50 ms': rounded(p50),
    'p99 ms': rounded(p99),
    'worst ms': rounded(worst),
  }
}
