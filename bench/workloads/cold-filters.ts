/** Filters of different kinds on a fresh process, without repeated literals; the first of a kind builds the indexes it needs. */
import { startTripfolio } from '../contenders/tripfolio.ts'
import { type BenchClient, manyClients, prepareDataset } from '../dataset.ts'
import { keyOf, listPath } from '../questions.ts'
import { median, percentile, rounded } from '../statistics.ts'
import type { Bench, Row, WorkloadResult } from '../workload.ts'

type Kind = { readonly list: string; readonly filter?: (i: number) => string }

const kinds: Readonly<Record<string, Kind>> = {
  'first request (loads the client)': { list: 'itineraries' },
  'first request of invoices': { list: 'invoices' },
  'equality on text': { list: 'itineraries', filter: (i) => `originatingAgency eq 'agency ${i}'` },
  'range of dates': {
    list: 'itineraries',
    filter: (i) => `bookingDate ge '2025-0${1 + (i % 9)}-${10 + (i % 18)}'`,
  },
  'range of times and a boolean': {
    list: 'itineraries',
    filter: (i) => `tripStartLocal gt '2025-03-${10 + i}T06:30' and isInternational eq true`,
  },
  contains: {
    list: 'itineraries',
    filter: (i) => `contains(recordLocator, '${String.fromCharCode(65 + i)}A')`,
  },
  'any segment': {
    list: 'itineraries',
    filter: (i) => `any(segments, vendor eq 'QF' and code ge 'QF${i}')`,
  },
  'any line item': {
    list: 'invoices',
    filter: (i) => `any(lineItems, lineType eq 'FARE' and lineAmountIncGst gt ${100 + i})`,
  },
}

const FILTERS_OF_A_KIND = 15

export async function coldFilters(_bench: Bench): Promise<WorkloadResult> {
  const dataset = await prepareDataset(manyClients)
  const { large } = dataset
  const rows: Row[] = []
  // Warming up in the background would be measured, too.
  const tripfolio = await startTripfolio({ ...dataset, environment: { TRIPFOLIO_WARM_UP: 'none' } })
  try {
    for (const [name, kind] of Object.entries(kinds)) {
      const times = await timesOf(tripfolio.address, large, kind)
      rows.push({
        filter: name,
        'first ms': rounded(times[0] ?? Number.NaN),
        'median ms': rounded(median(times)),
        'largest ms': rounded(percentile(times, 1)),
      })
    }
  } finally {
    await tripfolio.stop()
  }
  return {
    what: `Single requests one after another on a fresh process, client of ${large.bookings} bookings, page of 50, no filter repeated`,
    tables: [{ rows }],
  }
}

/** Times the whole request, as the caller sees it. */
async function timesOf(
  address: string,
  client: BenchClient,
  { list, filter }: Kind,
): Promise<readonly number[]> {
  const times: number[] = []
  for (let i = 0; i < (filter === undefined ? 1 : FILTERS_OF_A_KIND); i++) {
    const path = listPath(list, filter === undefined ? {} : { filter: filter(i) })
    const started = performance.now()
    const response = await fetch(address + path, { headers: keyOf(client) })
    await response.arrayBuffer()
    if (!response.ok) throw new Error(`${response.status} for ${path}`)
    times.push(performance.now() - started)
  }
  return times
}
