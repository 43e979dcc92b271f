/**
 * The workloads by name. Each compares Tripfolio with a bare node:http server that sends the same bytes with the same
 * headers, in alternating rounds, or measures single requests one after another.
 */
import autocannon from 'autocannon'
import type { BenchClient, Dataset } from './dataset.ts'
import { median, percentile } from './statistics.ts'
import { type Server, startLimit } from './tripfolio.ts'

export type WorkloadResult = {
  readonly name: string
  readonly what: string
  readonly rows: readonly Readonly<Record<string, string | number>>[]
}

type Workload = (tripfolio: Server, dataset: Dataset) => Promise<Omit<WorkloadResult, 'name'>>

const ROUNDS = 5
const SECONDS = 3
const CONNECTIONS = 8

export const workloads: Readonly<Record<string, Workload>> = {
  'warm-page': (tripfolio, { small }) =>
    compare('The same page of 50 bookings again and again, small client', tripfolio, small, () =>
      pageOf('bookings', ''),
    ),

  'warm-page-large': (tripfolio, { large }) =>
    compare('The same page of 50 bookings again and again, large client', tripfolio, large, () =>
      pageOf('bookings', ''),
    ),

  'fresh-filter-small': (tripfolio, { small }) =>
    compare(
      'A filter and sort never asked before, page of 50, small client',
      tripfolio,
      small,
      freshFilterAndSort,
    ),

  'fresh-filter-large': (tripfolio, { large }) =>
    compare(
      'A filter and sort never asked before, page of 50, large client',
      tripfolio,
      large,
      freshFilterAndSort,
    ),

  'version-1-page': (tripfolio, { large }) =>
    compare(
      'The same page of 100 bookings of version 1 again and again, large client',
      tripfolio,
      large,
      () => version1Page('IsTicketed^EQtrue'),
    ),

  'version-1-fresh-query': (tripfolio, { large }) =>
    compare('A caret query never asked before, page of 100, large client', tripfolio, large, freshCaretQuery),

  'cold-filter': async (tripfolio, { large }) => ({
    what: `Single requests one after another on a fresh process, client of ${large.bookings} bookings, page of 50, no filter repeated`,
    rows: await coldFilters(tripfolio, large),
  }),

  'start-up': async (tripfolio, { bookings }) => ({
    what: `From the command to the first 200 of /readyz, snapshot of ${bookings} bookings`,
    rows: [{ milliseconds: Math.round(tripfolio.readyMs) }],
  }),
}

const pageOf = (dataset: string, query: string): string => `/api/v2/${dataset}?$pageSize=50${query}`

const version1Page = (query: string): string =>
  `/api/v1/bookings?fetch=100&query=${encodeURIComponent(query)}`

let counter = 0

/** Never the same literal twice in a run, always a few thousand matches on the large client. */
function freshFilterAndSort(): string {
  counter++
  const from = new Date(Date.UTC(2025, 0, 1 + (counter % 300))).toISOString().slice(0, 10)
  const filter = `bookingDate ge '${from}' and isTicketed eq true and modifiedAt ne '2020-01-01T00:00:${String(counter / 1000).padStart(2, '0')}'`
  return pageOf(
    'bookings',
    `&$filter=${encodeURIComponent(filter)}&$orderby=${encodeURIComponent('originatingAgency desc, tripStartLocal')}`,
  )
}

function freshCaretQuery(): string {
  counter++
  const from = new Date(Date.UTC(2025, 0, 1 + (counter % 300))).toISOString().slice(0, 10)
  return version1Page(`BookingDate^GE${from};IsTicketed^EQtrue;CostCentre^NEnone ${counter}`)
}

async function compare(what: string, tripfolio: Server, client: BenchClient, path: () => string) {
  const sample = await fetch(tripfolio.address + path(), { headers: { 'X-API-Key': client.apiKey } })
  const body = new Uint8Array(await sample.arrayBuffer())
  if (!sample.ok) throw new Error(`${sample.status} ${Buffer.from(body).toString()}`)
  const {
    date: _date,
    connection: _connection,
    'keep-alive': _keepAlive,
    ...headers
  } = Object.fromEntries(sample.headers)
  const limit = await startLimit(body, headers)
  const rounds = await alternate({ limit, tripfolio }, client, path).finally(limit.stop)
  const ratios = rounds.tripfolio.map(({ rate }, i) => rate / (rounds.limit[i] as Round).rate)
  return {
    what: `${what} (${client.bookings} bookings, ${body.byteLength} bytes an answer)`,
    rows: Object.entries(rounds).map(([contender, measured]) => ({
      contender,
      'requests/s (median)': Math.round(median(measured.map(({ rate }) => rate))),
      'p99 ms (median)': median(measured.map(({ p99 }) => p99)),
      'ratio to the limit (median)': contender === 'limit' ? 1 : Number(median(ratios).toFixed(2)),
    })),
  }
}

/** Contenders take turns, so that a slow spell of the machine hits all of them. */
async function alternate(
  contenders: Readonly<Record<'limit' | 'tripfolio', Server>>,
  client: BenchClient,
  path: () => string,
) {
  const rounds: Record<keyof typeof contenders, Round[]> = { limit: [], tripfolio: [] }
  for (const server of Object.values(contenders)) await load(server, client, path, 1)
  for (let round = 0; round < ROUNDS; round++) {
    rounds.limit.push(await load(contenders.limit, client, path, SECONDS))
    rounds.tripfolio.push(await load(contenders.tripfolio, client, path, SECONDS))
  }
  return rounds
}

type Round = { readonly rate: number; readonly p99: number }

async function load(
  server: Server,
  client: BenchClient,
  path: () => string,
  seconds: number,
): Promise<Round> {
  const result = await autocannon({
    url: server.address,
    connections: CONNECTIONS,
    duration: seconds,
    headers: { 'X-API-Key': client.apiKey },
    requests: [{ setupRequest: (request) => ({ ...request, path: path() }) }],
  })
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${result.non2xx} answers were no success, ${result.errors} failed`)
  return { rate: result.requests.average, p99: result.latency.p99 }
}

/** Filters of different kinds, each asked once; the time is that of the whole request as the caller sees it. */
async function coldFilters(tripfolio: Server, client: BenchClient) {
  const kinds: Readonly<Record<string, (i: number) => string>> = {
    'first request (loads the client)': () => '',
    'first request of invoices': () => '',
    'equality on text': (i) => `originatingAgency eq 'agency ${i}'`,
    'range of dates': (i) => `bookingDate ge '2025-0${1 + (i % 9)}-${10 + (i % 18)}'`,
    'range of times and a boolean': (i) =>
      `tripStartLocal gt '2025-03-${10 + i}T06:30' and isInternational eq true`,
    contains: (i) => `contains(recordLocator, '${String.fromCharCode(65 + i)}A')`,
    'any segment': (i) => `any(segments, vendor eq 'QF' and code ge 'QF${i}')`,
    'any line item': (i) => `any(lineItems, lineType eq 'FARE' and lineAmountIncGst gt ${100 + i})`,
  }
  const rows = []
  for (const [kind, filter] of Object.entries(kinds)) {
    const dataset = kind === 'any line item' || kind.endsWith('invoices') ? 'invoices' : 'itineraries'
    const times: number[] = []
    for (let i = 0; i < (filter(0) === '' ? 1 : 15); i++) {
      const query = filter(i) === '' ? '' : `&$filter=${encodeURIComponent(filter(i))}`
      const started = performance.now()
      const response = await fetch(tripfolio.address + pageOf(dataset, query), {
        headers: { 'X-API-Key': client.apiKey },
      })
      await response.arrayBuffer()
      if (!response.ok) throw new Error(`${response.status} for ${filter(i)}`)
      times.push(performance.now() - started)
    }
    rows.push({
      filter: kind,
      'first ms': Number((times[0] as number).toFixed(1)),
      'median ms': Number(median(times).toFixed(1)),
      'largest ms': Number(percentile(times, 1).toFixed(1)),
    })
  }
  return rows
}
