/**
 * What runs of one endpoint that keep the processors busy leave for another endpoint; and whether the first call after
 * `/readyz` is as fast as the tenth. The data is a small demo of its own: scripts that query nothing need no records.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathOf, publishEndpoint, trivialEndpoint } from '../contenders/published-endpoint.ts'
import type { Server } from '../contenders/server.ts'
import { runTripfolio, startTripfolio } from '../contenders/tripfolio.ts'
import { load, type Round, type Traffic } from '../load.ts'
import { median, rounded } from '../statistics.ts'
import { judge, judgementCells } from '../target.ts'
import type { Bench, Row, Table, WorkloadResult } from '../workload.ts'

/** Ends by its time limit, like a script that its author got wrong. */
const burning = {
  path: 'bench/burning',
  script: 'while true do end',
  limits: { loops: 1_000_000_000, statements: 1_000_000_000 },
}

/** The default limit of one endpoint. */
const BURNING_RUNS = 16

const CALLERS = 8

/** Three threads must compile their code before they reach their full speed. */
const WARM_UP_SECONDS = 6

/** Settings with which no record of a run is removed during the measurement. */
const environment = { TRIPFOLIO_HISTORY_COUNT: '1000000' }

export async function endpointFairness({ pace }: Bench): Promise<WorkloadResult> {
  const folder = await mkdtemp(join(tmpdir(), 'tripfolio-bench-fairness-'))
  try {
    const extract = join(folder, 'extract')
    const data = join(folder, 'data')
    await runTripfolio(['demo', '--out', extract, '--clients', '1', '--bookings', '200', '--seed', '1'])
    await runTripfolio(['ingest', '--source', extract, '--data', data])
    for (const endpoint of [trivialEndpoint, burning]) await publishEndpoint(data, endpoint)
    return {
      what: `A trivial endpoint for ${CALLERS} callers, alone and while ${BURNING_RUNS} runs of another endpoint keep the processors busy; one thread that answers requests`,
      tables: [await besideBurning(data, pace), await firstCalls(data, pace)],
    }
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function besideBurning(folder: string, pace: Bench['pace']): Promise<Table> {
  const tripfolio = await startTripfolio({ folder, environment })
  const calls: Traffic = { path: () => pathOf(trivialEndpoint), headers: {}, connections: CALLERS }
  const rounds: { readonly alone: Round; readonly beside: Round }[] = []
  try {
    await load(tripfolio, calls, pace.rounds > 1 ? WARM_UP_SECONDS : pace.warmUpSeconds)
    for (let round = 0; round < pace.rounds; round++) {
      const alone = await load(tripfolio, calls, pace.seconds)
      const end = burn(tripfolio)
      await load(tripfolio, calls, pace.warmUpSeconds)
      const beside = await load(tripfolio, calls, pace.seconds)
      await end()
      rounds.push({ alone, beside })
    }
  } finally {
    await tripfolio.stop()
  }
  const share = median(rounds.map(({ alone, beside }) => beside.rate / alone.rate))
  const p99 = median(rounds.map(({ beside }) => beside.p99))
  const row = (what: 'alone' | 'beside'): Row => {
    const of = (figure: 'rate' | 'p50' | 'p99' | 'worst' | 'cpu') =>
      rounded(median(rounds.map((round) => round[what][figure])))
    return {
      calls: what === 'alone' ? 'alone' : `beside ${BURNING_RUNS} burning runs`,
      'calls/s': of('rate'),
      'p50 ms': of('p50'),
      'p99 ms': of('p99'),
      'worst ms': of('worst'),
      'CPU us/call': what === 'alone' ? of('cpu') : '',
    }
  }
  const judgements = [judge({ atLeast: 0.5 }, share, 'of alone'), judge({ atMost: 50 }, p99, 'ms p99')]
  return {
    title: 'Beside burning runs, medians of the rounds',
    rows: [row('alone'), { ...row('beside'), 'rate / alone': rounded(share), ...judgementCells(judgements) }],
  }
}

/** Keeps the number of burning runs up: each caller calls again when its run has reached its time limit. */
function burn({ address }: Server): () => Promise<void> {
  const leaving = new AbortController()
  const callers = Array.from({ length: BURNING_RUNS }, async () => {
    while (!leaving.signal.aborted) {
      await get(address + pathOf(burning))
    }
  })
  return async () => {
    leaving.abort()
    await Promise.all(callers)
  }
}

const CALLS = 10

/** One caller after a start. */
async function firstCalls(folder: string, pace: Bench['pace']): Promise<Table> {
  const starts: number[][] = []
  for (let start = 0; start < 2 * pace.rounds + 1; start++) {
    const tripfolio = await startTripfolio({ folder, environment })
    try {
      const times: number[] = []
      // The client opens its connection, and both sides load what any request needs.
      for (let call = 0; call < CALLS; call++) await get(`${tripfolio.address}/livez`)
      for (let call = 0; call < CALLS; call++) {
        const began = performance.now()
        await get(tripfolio.address + pathOf(trivialEndpoint))
        times.push(performance.now() - began)
      }
      starts.push([...times, tripfolio.readyMs ?? Number.NaN])
    } finally {
      await tripfolio.stop()
    }
  }
  const of = (column: number) => rounded(median(starts.map((times) => times[column] ?? Number.NaN)))
  return {
    title: `First calls after a start, medians of ${starts.length} starts`,
    rows: [
      {
        'ready ms': of(CALLS),
        'first ms': of(0),
        'second ms': of(1),
        'third ms': of(2),
        'tenth ms': of(CALLS - 1),
      },
    ],
  }
}

const get = async (address: string): Promise<void> => void (await (await fetch(address)).arrayBuffer())
