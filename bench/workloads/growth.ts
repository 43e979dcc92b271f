/**
 * Measures how cost grows with the number of records: the same requests for clients of a thousand to a million bookings, one
 * after another over one connection. k of "grows as n^k" is 0 when cost does not depend on size, 1 when it is proportional.
 */
import type { Server } from '../contenders/server.ts'
import { startTripfolio } from '../contenders/tripfolio.ts'
import { type BenchClient, type Dataset, manyClients, oneClient, prepareDataset } from '../dataset.ts'
import { load } from '../load.ts'
import {
  freshContains,
  freshFilterAndSort,
  freshLabelEquality,
  keyOf,
  listPath,
  type Question,
  wordsOf,
} from '../questions.ts'
import { growthExponent, rounded } from '../statistics.ts'
import type { Bench, Row, WorkloadResult } from '../workload.ts'

/** The client of 100,000 bookings exists already: it is the largest of the common data set. */
const sizes = [oneClient(1000), oneClient(10_000), manyClients, oneClient(1_000_000)]

const kinds = async (
  { address }: Server,
  client: BenchClient,
): Promise<Readonly<Record<string, Question>>> => ({
  'fresh filter and sort': freshFilterAndSort,
  contains: freshContains,
  'equality on a label': freshLabelEquality(await wordsOf(address, client)),
  'page 1': () => listPath('bookings'),
})

type Cost = { readonly size: number; readonly milliseconds: number; readonly cpu: number }

export async function growth(bench: Bench): Promise<WorkloadResult> {
  const costs = new Map<string, Cost[]>()
  for (const size of sizes) {
    for (const [kind, cost] of await costsOf(bench, await prepareDataset(size))) {
      costs.set(kind, [...(costs.get(kind) ?? []), cost])
    }
  }
  return {
    what: 'One caller, one request after another, page of 50 bookings, clients of different sizes',
    tables: [
      {
        title: 'Milliseconds per request (median)',
        rows: growthRows(costs, ({ milliseconds }) => milliseconds),
      },
      {
        title: 'Processor time of the server, microseconds per request',
        rows: growthRows(costs, ({ cpu }) => cpu),
      },
    ],
    notes: ['k of "grows as n^k" is given between neighbouring sizes, and over all sizes.'],
  }
}

async function costsOf({ pace }: Bench, dataset: Dataset): Promise<readonly [string, Cost][]> {
  const { large } = dataset
  const tripfolio = await startTripfolio(dataset)
  try {
    const costs: [string, Cost][] = []
    for (const [kind, path] of Object.entries(await kinds(tripfolio, large))) {
      const traffic = { path, headers: keyOf(large), connections: 1 }
      await load(tripfolio, traffic, pace.warmUpSeconds)
      const { p50, cpu } = await load(tripfolio, traffic, pace.seconds)
      costs.push([kind, { size: large.bookings, milliseconds: p50, cpu }])
    }
    return costs
  } finally {
    await tripfolio.stop()
  }
}

function growthRows(costs: ReadonlyMap<string, readonly Cost[]>, figure: (cost: Cost) => number): Row[] {
  return [...costs].map(([kind, row]) => {
    const points = row.map((cost) => ({ size: cost.size, cost: figure(cost) }))
    const steps = points.slice(1).map((to, index) => exponent(points[index], to))
    return {
      question: kind,
      ...Object.fromEntries(points.map(({ size, cost }) => [`${size} bookings`, rounded(cost)])),
      'k from size to size': steps.join(', '),
      'grows as': `n^${exponent(points[0], points.at(-1))}`,
    }
  })
}

type Point = { readonly size: number; readonly cost: number }

const exponent = (from: Point | undefined, to: Point | undefined): string =>
  from === undefined || to === undefined ? '-' : growthExponent(from, to).toFixed(2)
