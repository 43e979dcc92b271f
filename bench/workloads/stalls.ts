/**
 * Measures the longest time in which a thread answers no other request: /livez is requested every two milliseconds while one
 * caller sends heavy requests one after another. The first row, without such requests, shows what the machine and the bench add.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { Server } from '../contenders/server.ts'
import { startTripfolio } from '../contenders/tripfolio.ts'
import { type BenchClient, type Dataset, manyClients, oneClient, prepareDataset } from '../dataset.ts'
import { load, loadWhile } from '../load.ts'
import { profileOf } from '../profile.ts'
import {
  freshAny,
  freshCaretQuery,
  freshContains,
  freshFilterAndSort,
  freshTextFunctions,
  keyOf,
  listPath,
  type Question,
} from '../questions.ts'
import { percentile, rounded } from '../statistics.ts'
import { type Judgement, judge, judgementCells } from '../target.ts'
import type { Bench, Row, Table, WorkloadResult } from '../workload.ts'

const PROBE_EVERY_MS = 2
const MOST_MS = 10

const kinds: Readonly<Record<string, Question>> = {
  'filter and sort': freshFilterAndSort,
  contains: freshContains,
  'any segment': freshAny,
  'startswith and endswith': freshTextFunctions,
  'version 1': freshCaretQuery,
}

export async function stalls(bench: Bench): Promise<WorkloadResult> {
  const rows: Row[] = []
  const profiles: Table[] = []
  for (const size of [manyClients, oneClient(1_000_000)]) {
    const dataset = await prepareDataset(size)
    const measured = await measureClient(bench, dataset)
    rows.push(...measured.rows)
    if (bench.profiling || measured.judgements.some(({ met }) => !met)) {
      profiles.push(...(await profileQuestions(bench, dataset)))
    }
  }
  const asInstalled = await pagesAsInstalled(bench, await prepareDataset(oneClient(1_000_000)))
  return {
    what: `Latency of /livez, requested every ${PROBE_EVERY_MS} ms, while one caller sends heavy requests one after another, without repeating one`,
    tables: [
      { rows },
      {
        title: 'The same page repeatedly, right after the start, with default settings',
        rows: [asInstalled],
      },
      ...profiles,
    ],
    notes: [
      'The first requests of each kind build the indexes they need; the row includes them.',
      `If the row without requests exceeds ${MOST_MS} ms, the machine is too busy to judge longer waits.`,
    ],
  }
}

async function measureClient(
  { pace }: Bench,
  dataset: Dataset,
): Promise<{ readonly rows: readonly Row[]; readonly judgements: readonly Judgement[] }> {
  const client = dataset.large
  const tripfolio = await startTripfolio(dataset)
  const judgements: Judgement[] = []
  const rows: Row[] = []
  try {
    await loadClient(tripfolio, client)
    const idle = await probeWhile(tripfolio, wait(2 * pace.seconds * 1000))
    rows.push(rowOf('nothing', client, idle, []))
    const noise = percentile(idle, 1)
    for (const [kind, path] of Object.entries(kinds)) {
      const times = await probeWhile(tripfolio, askFor(tripfolio, client, path, pace.seconds))
      const judgement = judge({ atMost: MOST_MS }, percentile(times, 1), 'ms')
      const clear = judgement.met || noise <= MOST_MS
      if (clear) judgements.push(judgement)
      const row = rowOf(kind, client, times, [judgement])
      rows.push(clear ? row : { ...row, met: 'not judged' })
    }
  } finally {
    await tripfolio.stop()
  }
  return { rows, judgements }
}

const askFor = (server: Server, client: BenchClient, path: Question, seconds: number) => {
  const deadline = performance.now() + seconds * 1000
  const traffic = { path, headers: keyOf(client), connections: 1 }
  return loadWhile(server, traffic, () => performance.now() < deadline)
}

/**
 * The client of a million bookings with the default settings: its files together exceed the memory budget. The figure is how
 * long its caller waits, because a thread that reads files answers other requests meanwhile.
 */
async function pagesAsInstalled({ pace }: Bench, { folder, large }: Dataset): Promise<Row> {
  const tripfolio = await startTripfolio({ folder })
  try {
    const traffic = { path: () => listPath('bookings'), headers: keyOf(large), connections: 1 }
    const { requests, p50, p99, worst } = await load(tripfolio, traffic, 4 * pace.seconds)
    return {
      bookings: large.bookings,
      pages: requests,
      'p50 ms': rounded(p50),
      'p99 ms': rounded(p99),
      'longest ms': rounded(worst),
    }
  } finally {
    await tripfolio.stop()
  }
}

const profileQuestions = ({ pace }: Bench, dataset: Dataset) =>
  profileOf(dataset, (server) => askEverything(server, dataset.large, pace.seconds), {
    prepare: (server) => loadClient(server, dataset.large),
  })

async function askEverything(server: Server, client: BenchClient, seconds: number): Promise<void> {
  for (const path of Object.values(kinds)) await askFor(server, client, path, seconds)
}

/** Loads the client first, because loading does not count as a stall. */
async function loadClient({ address }: Server, client: BenchClient): Promise<void> {
  for (const path of [freshFilterAndSort(), freshCaretQuery()]) {
    await (await fetch(address + path, { headers: keyOf(client) })).arrayBuffer()
  }
}

/** The time of each probe, in milliseconds. */
async function probeWhile(server: Server, work: Promise<unknown>): Promise<readonly number[]> {
  let over = false
  const times: number[] = []
  const probing = (async () => {
    while (!over) {
      const asked = performance.now()
      await (await fetch(`${server.address}/livez`)).arrayBuffer()
      times.push(performance.now() - asked)
      await wait(PROBE_EVERY_MS)
    }
  })()
  await work.finally(() => {
    over = true
  })
  await probing
  return times
}

const rowOf = (
  kind: string,
  { bookings }: BenchClient,
  times: readonly number[],
  judgements: readonly Judgement[],
): Row => ({
  bookings,
  questions: kind,
  probes: times.length,
  'p50 ms': rounded(percentile(times, 0.5)),
  'p99 ms': rounded(percentile(times, 0.99)),
  'longest ms': rounded(percentile(times, 1)),
  ...judgementCells(judgements),
})
