/**
 * Measures requests during a refresh: during `tripfolio ingest` of another extract into the same data folder, until the new
 * snapshot is announced, and after that. The callers pause between requests, so that they leave processor time to the refresh.
 */
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Server } from '../contenders/server.ts'
import { runTripfolio, startTripfolio } from '../contenders/tripfolio.ts'
import { type BenchClient, prepareDataset, prepareExtract } from '../dataset.ts'
import { loadWhile, type Round } from '../load.ts'
import { profileOf } from '../profile.ts'
import { freshFilterAndSort, keyOf, listPath } from '../questions.ts'
import { rounded } from '../statistics.ts'
import { judge, judgementCells, type Target } from '../target.ts'
import type { Bench, Row, WorkloadResult } from '../workload.ts'

const SIZE = { clients: 10, bookings: 50_000, seed: 1 }
const CALLERS = 4
const PAUSE_MS = 5

export async function refresh({ pace, profiling }: Bench): Promise<WorkloadResult> {
  const dataset = await prepareDataset(SIZE)
  const extract = await prepareExtract({ ...SIZE, seed: 2 })
  const measured = (folder: string, server: Server) =>
    rowsOf(server, dataset.large, folder, extract, pace.seconds)
  const rows = await withCopy(dataset.folder, async (folder) => {
    const tripfolio = await startTripfolio({ folder })
    return measured(folder, tripfolio).finally(() => tripfolio.stop())
  })
  const isMissed = rows.some(({ met }) => met === '**no**')
  const profiles =
    profiling || isMissed
      ? await withCopy(dataset.folder, (folder) =>
          profileOf({ folder }, (server) => measured(folder, server)),
        )
      : []
  return {
    what: `Fresh pages of the client of ${dataset.large.bookings} bookings for ${CALLERS} callers that pause ${PAUSE_MS} ms, while ${SIZE.bookings} bookings are ingested`,
    tables: [{ rows }, ...profiles],
  }
}

/** Uses a copy, because the refresh changes the data folder. */
async function withCopy<T>(source: string, use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'tripfolio-bench-refresh-'))
  try {
    await cp(source, folder, { recursive: true })
    return await use(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function rowsOf(
  tripfolio: Server,
  client: BenchClient,
  folder: string,
  extract: string,
  seconds: number,
): Promise<readonly Row[]> {
  const during = (work: Promise<unknown>) => pagesDuring(tripfolio, client, work)
  await during(wait(seconds * 1000))
  const quiet = await during(wait(2 * seconds * 1000))
  const first = await snapshotOf(tripfolio, client)
  const ingesting = await during(runTripfolio(['ingest', '--source', extract, '--data', folder]))
  const announcing = await during(untilAnother(first, tripfolio, client))
  const after = await during(wait(2 * seconds * 1000))
  const twice = { atMost: 2 }
  return [
    rowOf('before', quiet, quiet),
    rowOf('during the ingest', ingesting, quiet, twice),
    rowOf('until the new snapshot answers', announcing, quiet, twice),
    rowOf('after it', after, quiet, twice),
  ]
}

async function pagesDuring(server: Server, client: BenchClient, work: Promise<unknown>): Promise<Round> {
  let over = false
  const traffic = {
    path: freshFilterAndSort,
    headers: keyOf(client),
    connections: CALLERS,
    pauseMs: PAUSE_MS,
  }
  const [round] = await Promise.all([
    loadWhile(server, traffic, () => !over),
    work.finally(() => {
      over = true
    }),
  ])
  return round
}

async function snapshotOf({ address }: Server, client: BenchClient): Promise<string | null> {
  const response = await fetch(address + listPath('bookings', { pageSize: 1 }), { headers: keyOf(client) })
  await response.arrayBuffer()
  if (!response.ok) throw new Error(`Expected status 200 during a refresh, found ${response.status}`)
  return response.headers.get('snapshot-id')
}

const MOST_LOOKS = 200

async function untilAnother(snapshot: string | null, server: Server, client: BenchClient): Promise<void> {
  for (let looks = 0; looks < MOST_LOOKS; looks++) {
    if ((await snapshotOf(server, client)) !== snapshot) return
    await wait(50)
  }
  throw new Error('The service did not announce the new snapshot')
}

function rowOf(when: string, round: Round, quiet: Round, target?: Target): Row {
  const ratio = round.p99 / quiet.p99
  return {
    when,
    requests: round.requests,
    'p50 ms': rounded(round.p50),
    'p99 ms': rounded(round.p99),
    'worst ms': rounded(round.worst),
    'p99 against before': rounded(ratio),
    ...judgementCells(target === undefined ? [] : [judge(target, ratio)]),
  }
}
