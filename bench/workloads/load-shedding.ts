/**
 * Measures the pages of an account while another account floods the service: 1,000 connections with heavy requests that never
 * repeat, from a caller that ignores Retry-After.
 */
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { type Started, startScript } from '../contenders/child.ts'
import type { Server } from '../contenders/server.ts'
import { startTripfolio } from '../contenders/tripfolio.ts'
import { type BenchClient, type Dataset, manyClients, prepareDataset } from '../dataset.ts'
import { load, type Traffic } from '../load.ts'
import { freshFilterAndSort, freshLines, keyOf, listPath, type Question } from '../questions.ts'
import { rounded } from '../statistics.ts'
import { judge, judgementCells } from '../target.ts'
import type { Bench, Row, WorkloadResult } from '../workload.ts'
import type { Flood, FloodAnswers } from './flood.ts'

/** About as many as an account may have running and waiting in one thread, so that few requests are refused. */
const SHARE_CONNECTIONS = 64

const MOST_TIMES = 2

type Page = { readonly name: string; readonly client: BenchClient; readonly path: Question }

/** The pages of the other accounts, requested by one caller one after another. */
const pagesOf = ({ small, largeToo }: Dataset): readonly Page[] => [
  { name: 'heavy page', client: largeToo, path: freshLines(60) },
  { name: 'fresh page', client: small, path: freshFilterAndSort },
  { name: 'same page', client: small, path: () => listPath('bookings') },
]

export async function loadShedding({ pace }: Bench): Promise<WorkloadResult> {
  const dataset = await prepareDataset(manyClients)
  const { large, small } = dataset
  const tripfolio = await startTripfolio(dataset)
  const pages: Row[] = []
  const floods: Row[] = []
  const p99s = new Map<string, number>()
  try {
    await (await fetch(tripfolio.address + listPath('invoices'), { headers: keyOf(large) })).arrayBuffer()
    for (const connections of [0, 1, SHARE_CONNECTIONS, pace.floodConnections]) {
      const flood = connections === 0 ? null : startFlood(tripfolio, keyOf(large), connections)
      if (flood !== null) await wait(3000)
      for (const { name, client, path } of pagesOf(dataset)) {
        const traffic: Traffic = { path, headers: keyOf(client), connections: 1, pauseMs: 2 }
        await load(tripfolio, traffic, pace.warmUpSeconds)
        const { requests, p50, p99, worst } = await load(tripfolio, traffic, 5 * pace.seconds)
        p99s.set(`${name} ${connections}`, p99)
        const timesOf = (beside: number) => p99 / (p99s.get(`${name} ${beside}`) ?? Number.NaN)
        const judged = connections === pace.floodConnections
        pages.push({
          page: name,
          beside: connections === 0 ? 'nothing' : `${connections} connections`,
          pages: requests,
          'p50 ms': rounded(p50),
          'p99 ms': rounded(p99),
          'worst ms': rounded(worst),
          'p99 / alone': rounded(timesOf(0)),
          'p99 / beside 1': connections === 0 ? '' : rounded(timesOf(1)),
          ...(judged && judgementCells([judge({ atMost: MOST_TIMES }, timesOf(1), 'beside 1')])),
        })
      }
      if (flood !== null) floods.push(floodRow(connections, await endFlood(flood)))
    }
  } finally {
    await tripfolio.stop()
  }
  return {
    what: `Pages for one caller, heavy pages of a client of ${large.bookings} bookings and other pages of a client of ${small.bookings} bookings, while another account sends heavy requests for the larger client over many connections, without repeating one and without regard to Retry-After; one thread`,
    tables: [{ rows: pages }, { title: 'Answers to the other account', rows: floods }],
    notes: [
      'One connection with heavy requests already keeps the thread busy, so every page waits for a turn. A page that takes less than a millisecond alone cannot stay within a multiple of that.',
    ],
  }
}

function startFlood({ address }: Server, headers: Flood['headers'], connections: number): Started {
  const flood: Flood = { address, headers, connections }
  return startScript(new URL('flood.ts', import.meta.url), [], flood)
}

async function endFlood({ child, stop }: Started): Promise<FloodAnswers> {
  if (child.stdout === null) throw new Error('The flood has no standard output')
  const lines = createInterface({ input: child.stdout })
  const stopping = stop()
  let last = ''
  for await (const line of lines) last = line
  await stopping
  return JSON.parse(last) as FloodAnswers
}

function floodRow(connections: number, { seconds, statuses }: FloodAnswers): Row {
  const total = Object.values(statuses).reduce((sum, { count }) => sum + count, 0)
  const answered = statuses['200']
  return {
    connections,
    'answered/s': rounded((answered?.count ?? 0) / seconds),
    'answered p50 ms': rounded(answered?.p50 ?? Number.NaN),
    'answered p99 ms': rounded(answered?.p99 ?? Number.NaN),
    'refused/s': rounded((total - (answered?.count ?? 0)) / seconds),
    'refused %': rounded((100 * (total - (answered?.count ?? 0))) / total),
    statuses: Object.entries(statuses)
      .map(([status, { count }]) => `${status}: ${count}`)
      .join(', '),
  }
}
