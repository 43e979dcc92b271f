/**
 * What an account notices of another one that floods the service: 1,000 connections of heavy questions that are never
 * repeated, whose caller does not wait as it is told.
 */
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { type Started, startScript } from '../contenders/child.ts'
import type { Server } from '../contenders/server.ts'
import { startTripfolio } from '../contenders/tripfolio.ts'
import { manyClients, prepareDataset } from '../dataset.ts'
import { load, type Traffic } from '../load.ts'
import { freshFilterAndSort, keyOf, listPath } from '../questions.ts'
import { rounded } from '../statistics.ts'
import { judge, judgementCells } from '../target.ts'
import type { Bench, Row, WorkloadResult } from '../workload.ts'
import type { Flood, FloodAnswers } from './flood.ts'

/** As many as one account may have computed and waiting: nothing is refused. */
const ADMITTED = 68

const TIMES_ALONE = 2

/** Of the other account: one caller that asks, reads and asks again. */
const pages: Readonly<Record<string, () => string>> = {
  'fresh page': freshFilterAndSort,
  'same page': () => listPath('bookings'),
}

export async function loadShedding({ pace }: Bench): Promise<WorkloadResult> {
  const dataset = await prepareDataset(manyClients)
  const { large, small } = dataset
  const tripfolio = await startTripfolio(dataset)
  const victims: Row[] = []
  const floods: Row[] = []
  const alone = new Map<string, number>()
  try {
    await (await fetch(tripfolio.address + listPath('invoices'), { headers: keyOf(large) })).arrayBuffer()
    for (const connections of [0, ADMITTED, pace.floodConnections]) {
      const flood = connections === 0 ? null : startFlood(tripfolio, keyOf(large), connections)
      if (flood !== null) await wait(3000)
      for (const [page, path] of Object.entries(pages)) {
        const traffic: Traffic = { path, headers: keyOf(small), connections: 1, pauseMs: 2 }
        await load(tripfolio, traffic, pace.warmUpSeconds)
        const { requests, p50, p99, worst } = await load(tripfolio, traffic, 4 * pace.seconds)
        if (connections === 0) alone.set(page, p99)
        const times = p99 / (alone.get(page) ?? Number.NaN)
        victims.push({
          page,
          beside: connections === 0 ? 'nothing' : `${connections} connections`,
          pages: requests,
          'p50 ms': rounded(p50),
          'p99 ms': rounded(p99),
          'worst ms': rounded(worst),
          'p99 / alone': rounded(times),
          ...(connections > 0 && judgementCells([judge({ atMost: TIMES_ALONE }, times)])),
        })
      }
      if (flood !== null) floods.push(floodRow(connections, await endFlood(flood)))
    }
  } finally {
    await tripfolio.stop()
  }
  return {
    what: `Pages of the client of ${small.bookings} bookings for one caller, while another account asks heavy questions about ${large.bookings} bookings, never the same, over many connections and without waiting as it is told; one thread`,
    tables: [{ rows: victims }, { title: 'What the other account is answered', rows: floods }],
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
