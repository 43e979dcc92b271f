/**
 * Dynamic endpoints: the cost of a call compared with the bare server, the effect of endless scripts on callers of pages, and
 * the answers to a burst of calls of a slow endpoint. The endpoints are published in the control store of the data set.
 */

import { openControlStore } from '../../src/directory/open-stores.ts'
import type { EndpointDefinition } from '../../src/schema/endpoint-shapes.ts'
import { compare } from '../compare.ts'
import type { Server } from '../contenders/server.ts'
import { startTripfolio } from '../contenders/tripfolio.ts'
import { manyClients, prepareDataset } from '../dataset.ts'
import { load, type Round, type Traffic } from '../load.ts'
import { forgetPeak, peakBytes, settledBytes } from '../process-usage.ts'
import { freshFilterAndSort, keyOf } from '../questions.ts'
import { median, rounded } from '../statistics.ts'
import { judge, judgementCells } from '../target.ts'
import type { Bench, Row, Workload, WorkloadResult } from '../workload.ts'

/** A script that runs twenty statements: declarations, assignments, a condition, and the rounds of a loop. */
const TWENTY = `
var client = Data.request.query.client or "C00000"
var total = 0
var lines = []
foreach amount in [120.5, 80, 15.25, 42] do
  total = total + amount
  lines.add({ "amount": amount, "running": total })
end
var label = client + "-" + Length(lines)
var isLarge = false
if total > 200 then
  isLarge = true
end
Data._statusCode = 200
Data._payload = { "client": client, "label": label, "total": total, "isLarge": isLarge, "lines": lines }
`

const ENDLESS = 'while true do end'

/** About as long as another system takes for a slow answer. */
const SLOW = `
var until = Now()
var n = 0
while n < 60000 do
  n = n + 1
end
Data._payload = { "n": n }
`

const endpoints: Readonly<Record<string, Pick<EndpointDefinition, 'script' | 'limits'>>> = {
  'bench/twenty': { script: TWENTY, limits: { concurrency: 1000 } },
  'bench/endless': { script: ENDLESS, limits: { loops: 1_000_000_000, statements: 1_000_000_000 } },
  'bench/slow': { script: SLOW, limits: { concurrency: 4 } },
}

const pathOf = (name: string): string => `/api/dynamic/v1/${name}`

async function publishEndpoints(folder: string): Promise<void> {
  const store = await openControlStore(folder)
  try {
    for (const { id } of await store.endpoints.list({ text: 'bench/' })) {
      await store.endpoints.remove(id, 'bench')
    }
    for (const [path, { script, limits }] of Object.entries(endpoints)) {
      const { id } = await store.endpoints.create(
        {
          name: path,
          description: '',
          category: 'Utility',
          method: 'GET',
          path,
          requiresAuthentication: false,
          allowedRoles: [],
          allowedHosts: [],
          limits,
          signature: null,
          deduplication: null,
          record: 'full',
          maskedFields: [],
          schedules: [],
          script,
        },
        'bench',
      )
      await store.endpoints.publish(id, 'bench')
    }
  } finally {
    await store.close()
  }
}

/** Settings with which the service refuses none of the runs and keeps their records. */
const environment = { TRIPFOLIO_SCRIPT_CONCURRENCY: '1000', TRIPFOLIO_HISTORY_COUNT: '100000' }

/** Calls go from thread to thread and back: with few callers, most time would be spent waking threads. */
const CALLERS = 32

/** Three threads must compile their code before they reach their full speed. */
const WARM_UP_SECONDS = 12

const call: Workload = async (bench) => {
  const dataset = await prepareDataset(manyClients)
  await publishEndpoints(dataset.folder)
  let n = 0
  return compare(bench, {
    what: `An endpoint of 20 statements for ${CALLERS} callers, after a warm-up of ${WARM_UP_SECONDS} s`,
    connections: CALLERS,
    warmUpSeconds: WARM_UP_SECONDS,
    data: { ...dataset, environment: { ...dataset.environment, ...environment } },
    client: dataset.small,
    question: () => () => `${pathOf('bench/twenty')}?client=C${n++ % 1000}`,
    ofLimit: { atLeast: 0.25 },
  })
}

const ENDLESS_CALLERS = 8

async function besideEndlessScripts({ pace }: Bench): Promise<WorkloadResult> {
  const dataset = await prepareDataset(manyClients)
  await publishEndpoints(dataset.folder)
  const tripfolio = await startTripfolio(dataset)
  const pages: Traffic = { path: freshFilterAndSort, headers: keyOf(dataset.small), connections: 2 }
  const endless = pathOf('bench/endless')
  const rounds: { readonly alone: Round; readonly beside: Round }[] = []
  let answered: ReadonlyMap<number, number> = new Map()
  try {
    await load(tripfolio, pages, 5 * pace.warmUpSeconds)
    for (let round = 0; round < Math.max(pace.rounds, 1) + 1; round++) {
      const alone = await load(tripfolio, pages, 2 * pace.seconds)
      const callers = endlessCallers(tripfolio, endless)
      await load(tripfolio, pages, pace.warmUpSeconds)
      const beside = await load(tripfolio, pages, 2 * pace.seconds)
      answered = await callers.stop()
      rounds.push({ alone, beside })
    }
  } finally {
    await tripfolio.stop()
  }
  const ratio = median(rounds.map(({ alone, beside }) => beside.p99 / alone.p99))
  const row = (what: 'alone' | 'beside'): Row => {
    const of = (figure: 'rate' | 'p50' | 'p99' | 'worst') =>
      rounded(median(rounds.map((round) => round[what][figure])))
    return { what, 'pages/s': of('rate'), 'p50 ms': of('p50'), 'p99 ms': of('p99'), 'worst ms': of('worst') }
  }
  return {
    what: `Fresh pages of the client of ${dataset.small.bookings} bookings for 2 callers, while ${ENDLESS_CALLERS} others call an endless script; medians of ${rounds.length} rounds`,
    tables: [
      {
        rows: [
          row('alone'),
          {
            ...row('beside'),
            'p99 / alone': rounded(ratio),
            ...judgementCells([judge({ atMost: 2 }, ratio)]),
          },
        ],
      },
    ],
    notes: [`Answers to the calls of the endless script, by status: ${statuses(answered)}.`],
  }
}

/** Calls the endpoint repeatedly, each caller as soon as its last call is answered. */
function endlessCallers({ address }: Server, path: string) {
  const answered = new Map<number, number>()
  let goesOn = true
  const callers = Array.from({ length: ENDLESS_CALLERS }, async () => {
    while (goesOn) {
      const response = await fetch(address + path)
      await response.arrayBuffer()
      answered.set(response.status, (answered.get(response.status) ?? 0) + 1)
    }
  })
  return {
    stop: async () => {
      goesOn = false
      await Promise.all(callers)
      return answered
    },
  }
}

const statuses = (answered: ReadonlyMap<number, number>): string =>
  [...answered].map(([status, count]) => `${status}: ${count}`).join(', ')

const BURST = 1000

async function burst(): Promise<WorkloadResult> {
  const dataset = await prepareDataset(manyClients)
  await publishEndpoints(dataset.folder)
  const tripfolio = await startTripfolio(dataset)
  const path = pathOf('bench/slow')
  const rows: Row[] = []
  try {
    await (await fetch(tripfolio.address + path)).arrayBuffer()
    for (let round = 1; round <= 3; round++) {
      const before = await settledBytes(tripfolio.pids)
      forgetPeak(tripfolio.pids)
      const began = performance.now()
      const answered = new Map<number, number>()
      await Promise.all(
        Array.from({ length: BURST }, async () => {
          const response = await fetch(tripfolio.address + path)
          await response.arrayBuffer()
          answered.set(response.status, (answered.get(response.status) ?? 0) + 1)
        }),
      )
      rows.push({
        round,
        answers: statuses(answered),
        'seconds until all': rounded((performance.now() - began) / 1000),
        'more memory MiB': rounded((peakBytes(tripfolio.pids) - before) / 2 ** 20),
      })
    }
  } finally {
    await tripfolio.stop()
  }
  return { what: `${BURST} concurrent calls of an endpoint that runs four at a time`, tables: [{ rows }] }
}

export const endpointWorkloads: Readonly<Record<string, Workload>> = {
  endpoint: call,
  'endpoints-beside-pages': besideEndlessScripts,
  'endpoint-burst': burst,
}
