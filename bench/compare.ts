/**
 * Sends the same traffic to the limit, Tripfolio and, where they support it, the peers, in alternating rounds, so that slow
 * spells of the machine affect all of them. Refuses peers that return other records than Tripfolio.
 */
import { type FixedAnswer, recordAnswer, startLimit } from './contenders/limit.ts'
import type { Server } from './contenders/server.ts'
import { type ServedData, startTripfolio, withoutLog } from './contenders/tripfolio.ts'
import type { BenchClient } from './dataset.ts'
import { load, type Round, type Traffic } from './load.ts'
import { profileOf } from './profile.ts'
import { keyOf, type Question } from './questions.ts'
import { checkSameRecords } from './same-records.ts'
import { median, rounded } from './statistics.ts'
import { type Judgement, judge, judgementCells, type Target } from './target.ts'
import type { Bench, Row, WorkloadResult } from './workload.ts'

export type Comparison = {
  readonly what: string
  readonly data: ServedData
  readonly client: BenchClient
  /** Created for every run of Tripfolio; it may first request records to choose its literals from. */
  readonly question: (tripfolio: Server) => Question | Promise<Question>
  readonly headers?: (tripfolio: Server) => Promise<Readonly<Record<string, string>>>
  readonly status?: number
  /** Concurrent callers of each contender. */
  readonly connections?: number
  /** Set for servers that need longer to reach their full speed. */
  readonly warmUpSeconds?: number
  readonly withPeers?: boolean
  /** Adds a Tripfolio that logs no requests; the other one is as installed. */
  readonly alsoWithoutLog?: boolean
  /** Targets for the rate of Tripfolio: as a share of the limit's rate, and as a multiple of the rate of Fastify + PostgreSQL. */
  readonly ofLimit?: Target
  readonly ofPostgres?: Target
}

export async function compare(bench: Bench, comparison: Comparison): Promise<WorkloadResult> {
  const { data, client, withPeers = false } = comparison
  const peers = withPeers ? await bench.peers() : { servers: [], notes: [] }
  const tripfolio = await startTripfolio(data)
  const quiet: Server[] = []
  try {
    if (comparison.alsoWithoutLog) quiet.push(await startWithoutLog(data))
    const traffic = await trafficOf(comparison, tripfolio)
    const answer = await typicalAnswer(tripfolio, traffic)
    for (const peer of peers.servers) await checkSameRecords(tripfolio, peer, traffic)
    const limit = await startLimit(answer)
    const contenders = { own: [limit, tripfolio, ...quiet], peers: peers.servers }
    const rounds = await alternate(bench, contenders, traffic, comparison).finally(limit.stop)
    const judgements = judgementsOf(comparison, rounds)
    const missed = judgements.some(({ met }) => !met)
    await Promise.all([tripfolio, ...quiet].map(({ stop }) => stop()))
    return {
      what: `${comparison.what} (${client.bookings} bookings, ${answer.body.byteLength} bytes per answer)`,
      tables: [
        {
          rows: [...rounds.keys()].map((name) => rowOf(name, rounds, name === 'tripfolio' ? judgements : [])),
        },
        ...(missed || bench.profiling ? await profileTraffic(bench, comparison) : []),
      ],
      notes: peers.notes,
    }
  } finally {
    await Promise.all([tripfolio, ...quiet].map(({ stop }) => stop()))
  }
}

async function startWithoutLog({ folder, environment }: ServedData): Promise<Server> {
  const server = await startTripfolio({ folder, environment: { ...environment, ...withoutLog } })
  return { ...server, name: 'tripfolio without log' }
}

async function trafficOf(comparison: Comparison, tripfolio: Server): Promise<Traffic> {
  return {
    path: await comparison.question(tripfolio),
    headers: { ...keyOf(comparison.client), ...(await comparison.headers?.(tripfolio)) },
    status: comparison.status ?? 200,
    ...(comparison.connections !== undefined && { connections: comparison.connections }),
  }
}

const SAMPLES = 9

/** The answer of median length, for the limit to send. */
async function typicalAnswer(tripfolio: Server, { path, headers }: Traffic): Promise<FixedAnswer> {
  const answers: FixedAnswer[] = []
  for (let i = 0; i < SAMPLES; i++) answers.push(await recordAnswer(tripfolio, path(), headers))
  answers.sort((a, b) => a.body.byteLength - b.body.byteLength)
  return answers[Math.floor(SAMPLES / 2)] as FixedAnswer
}

type Rounds = ReadonlyMap<string, Round[]>

/** The limit comes first. Peers are slower and get fewer rounds. */
type Contenders = { readonly own: readonly Server[]; readonly peers: readonly Server[] }

async function alternate(
  { pace }: Bench,
  { own, peers }: Contenders,
  traffic: Traffic,
  { warmUpSeconds = pace.warmUpSeconds }: Pick<Comparison, 'warmUpSeconds'>,
): Promise<Rounds> {
  const { rounds, peerRounds, seconds } = pace
  const contenders = [...own, ...peers]
  const measured = new Map(contenders.map(({ name }): [string, Round[]] => [name, []]))
  for (const server of contenders) await load(server, traffic, warmUpSeconds)
  for (let round = 0; round < rounds; round++) {
    for (const [index, server] of contenders.entries()) {
      if (index >= own.length && round >= peerRounds) continue
      measured.get(server.name)?.push(await load(server, traffic, seconds))
    }
  }
  return measured
}

function rowOf(name: string, rounds: Rounds, judgements: readonly Judgement[]): Row {
  const own = rounds.get(name) ?? []
  return {
    contender: name,
    'requests/s': rounded(median(own.map(({ rate }) => rate))),
    'p50 ms': rounded(median(own.map(({ p50 }) => p50))),
    'p99 ms': rounded(median(own.map(({ p99 }) => p99))),
    'CPU us/request': rounded(median(own.map(({ cpu }) => cpu))),
    'of the limit by rate': rounded(rateRatio(rounds, name, 'limit')),
    'of the limit by CPU': rounded(
      median((rounds.get('limit') ?? []).map(({ cpu }) => cpu)) / median(own.map(({ cpu }) => cpu)),
    ),
    ...(rounds.has(POSTGRES)
      ? { 'times PostgreSQL by rate': rounded(rateRatio(rounds, name, POSTGRES)) }
      : {}),
    ...judgementCells(judgements),
  }
}

const POSTGRES = 'fastify + postgresql'

function judgementsOf({ ofLimit, ofPostgres }: Comparison, rounds: Rounds): readonly Judgement[] {
  return [
    ...(ofLimit === undefined
      ? []
      : [judge(ofLimit, rateRatio(rounds, 'tripfolio', 'limit'), 'of the limit')]),
    ...(ofPostgres === undefined || !rounds.has(POSTGRES)
      ? []
      : [judge(ofPostgres, rateRatio(rounds, 'tripfolio', POSTGRES), 'times PostgreSQL')]),
  ]
}

/** Median of the ratios of neighbouring rounds. */
function rateRatio(rounds: Rounds, name: string, to: string): number {
  const base = rounds.get(to) ?? []
  return median(
    (rounds.get(name) ?? []).slice(0, base.length).map(({ rate }, i) => rate / (base[i]?.rate ?? 0)),
  )
}

const PROFILED_SECONDS = 3

const profileTraffic = ({ pace }: Bench, comparison: Comparison) =>
  profileOf(
    comparison.data,
    async (server) =>
      load(server, await trafficOf(comparison, server), Math.min(PROFILED_SECONDS, 2 * pace.seconds)),
    { prepare: async (server) => typicalAnswer(server, await trafficOf(comparison, server)) },
  )
