/** Nodes that share snapshots on S3 and a control store on PostgreSQL, against one node with everything in its data folder. */
import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, type ClientConfig } from 'pg'
import { type Postgres, startPostgres } from '../contenders/postgres-process.ts'
import { startS3 } from '../contenders/s3-process.ts'
import type { Server } from '../contenders/server.ts'
import { runTripfolio, startTripfolio } from '../contenders/tripfolio.ts'
import { type BenchClient, type Dataset, prepareDataset, prepareExtract, type Size } from '../dataset.ts'
import { load, type Round } from '../load.ts'
import { processorTime } from '../process-usage.ts'
import { freshFilterAndSort, keyOf, listPath } from '../questions.ts'
import { median } from '../statistics.ts'
import { judge, judgementCells } from '../target.ts'
import type { Bench, Row, WorkloadResult } from '../workload.ts'

const SIZE: Size = { clients: 10, bookings: 50_000, seed: 1 }
const DATABASE = 'tripfolio_nodes'

const questions: Readonly<Record<string, () => string>> = {
  'the same page': () => listPath('bookings'),
  'a new filter and sort each time': freshFilterAndSort,
}

/** The processes of other work change the cost of a request from second to second: many short rounds, compared one by one. */
const ROUNDS_FACTOR = 4

/** Some nodes of one installation, and a client with a key there. */
type SetUp = { readonly nodes: string; readonly servers: readonly Server[]; readonly client: BenchClient }

/** One round of load on all nodes of a set-up. */
type Measured = {
  readonly rate: number
  /** Processor time in microseconds per request: of the nodes, and of PostgreSQL. */
  readonly cpu: number
  readonly postgresCpu: number
}

export async function nodes({ pace }: Bench): Promise<WorkloadResult> {
  const dataset = await prepareDataset(SIZE)
  const folder = await mkdtemp(join(tmpdir(), 'tripfolio-bench-nodes-'))
  const stops: (() => Promise<void>)[] = [() => rm(folder, { recursive: true, force: true })]
  try {
    const postgres = await startPostgres()
    stops.push(postgres.stop)
    const setUps = await startSetUps(dataset, folder, postgres, stops)
    await requireSameRecords(setUps)
    const rows: Row[] = []
    for (const [question, path] of Object.entries(questions)) {
      const measure = async ({ servers, client }: SetUp, seconds: number): Promise<Measured> => {
        const spentBefore = processorTime(postgres.pids)
        const loads = servers.map((server) => load(server, { path, headers: keyOf(client) }, seconds))
        return measuredOf(await Promise.all(loads), processorTime(postgres.pids) - spentBefore)
      }
      for (const setUp of setUps) await measure(setUp, pace.warmUpSeconds)
      const rounds = new Map<SetUp, Measured[]>(setUps.map((setUp) => [setUp, []]))
      for (let round = 0; round < pace.rounds * ROUNDS_FACTOR; round++) {
        for (const [setUp, done] of rounds) done.push(await measure(setUp, pace.seconds / 2))
      }
      rows.push(...rowsOf(question, rounds))
    }
    return {
      what: `Pages of the largest of ${SIZE.clients} clients (${dataset.large.bookings} bookings), from nodes that share snapshots on S3 and accounts on PostgreSQL, and from one with both in its data folder`,
      tables: [{ rows }],
      notes: [
        `The load generator and all processes share ${availableParallelism()} cores: the rate of two nodes shows what the machine has left, the processor time what a request costs: that of the nodes, and that of PostgreSQL beside it. Ratios are medians over ${pace.rounds * ROUNDS_FACTOR} rounds of ${pace.seconds / 2} s.`,
      ],
    }
  } finally {
    for (const stop of stops.toReversed()) await stop()
  }
}

function measuredOf(rounds: readonly Round[], postgresMicroseconds: number): Measured {
  const sum = (of: (round: Round) => number) => rounds.reduce((total, round) => total + of(round), 0)
  const requests = sum((round) => round.requests)
  return {
    rate: sum((round) => round.rate),
    cpu: sum((round) => round.cpu * round.requests) / requests,
    postgresCpu: postgresMicroseconds / requests,
  }
}

/** The first one is what the others are compared with, in each round. */
function rowsOf(question: string, measured: ReadonlyMap<SetUp, readonly Measured[]>): Row[] {
  const [embedded] = measured.values()
  if (embedded === undefined) throw new Error('There is a node to compare with')
  return [...measured].map(([{ nodes }, rounds]) => {
    const medianOf = (of: (round: Measured, embedded: Measured) => number) =>
      median(rounds.map((round, index) => of(round, embedded[index] ?? round)))
    const share = medianOf((round, base) => round.cpu / base.cpu)
    return {
      question,
      nodes,
      'requests/s': Math.round(medianOf(({ rate }) => rate)),
      'of embedded': medianOf((round, base) => round.rate / base.rate).toFixed(2),
      'processor µs': Math.round(medianOf(({ cpu }) => cpu)),
      'processor of embedded': share.toFixed(2),
      'PostgreSQL µs': medianOf(({ postgresCpu }) => postgresCpu).toFixed(1),
      ...(rounds === embedded ? { target: '', met: '' } : judgementCells([judge({ atMost: 1.2 }, share)])),
    }
  })
}

async function startSetUps(
  dataset: Dataset,
  folder: string,
  postgres: Postgres,
  stops: (() => Promise<void>)[],
): Promise<readonly SetUp[]> {
  const start = async (data: string, settings: Readonly<Record<string, string>>) => {
    const server = await startTripfolio({ folder: data, environment: settings })
    stops.push(server.stop)
    return server
  }
  const extract = await prepareExtract(SIZE)
  const s3 = await startS3()
  stops.push(s3.stop)
  const store = { TRIPFOLIO_STORE: await emptyDatabase(postgres) }

  /** Publishes the extract and makes an account, from the data folder of the first node. */
  const startShared = async (nodes: string, names: readonly string[], settings: Record<string, string>) => {
    const environment = { ...s3.environment, ...settings }
    const [data = ''] = names.map((name) => join(folder, name))
    await runTripfolio(['ingest', '--source', extract, '--data', data], undefined, environment)
    const { clientNumber } = dataset.large
    const account = ['--client', clientNumber, '--name', 'bench', '--json', '--data', data]
    const created = await runTripfolio(['account', 'create', ...account], undefined, environment)
    const client = { ...dataset.large, apiKey: (JSON.parse(created) as { apiKey: string }).apiKey }
    const servers: Server[] = []
    for (const name of names) servers.push(await start(join(folder, name), environment))
    return { nodes, servers, client }
  }

  const embedded = await start(dataset.folder, dataset.environment)
  const onlyS3 = await startShared('one, snapshots on S3', ['only-s3'], {})
  const both = await startShared('two, S3 and PostgreSQL', ['node-1', 'node-2'], store)
  return [
    { nodes: 'one, embedded', servers: [embedded], client: dataset.large },
    onlyS3,
    { ...both, nodes: 'one, S3 and PostgreSQL', servers: both.servers.slice(0, 1) },
    both,
  ]
}

async function requireSameRecords(setUps: readonly SetUp[]): Promise<void> {
  const path = listPath('bookings', { pageSize: 500 })
  const bodies = new Set<string>()
  for (const { servers, client } of setUps) {
    for (const { address } of servers) {
      bodies.add(await (await fetch(address + path, { headers: keyOf(client) })).text())
    }
  }
  if (bodies.size !== 1) throw new Error('The nodes answer with different records')
}

/** @returns its URL */
async function emptyDatabase({ config }: Postgres): Promise<string> {
  const admin = new Client(config)
  await admin.connect()
  await admin.query(`drop database if exists ${DATABASE} with (force)`)
  await admin.query(`create database ${DATABASE}`)
  await admin.end()
  return urlOf(config)
}

/** The server listens at a socket in a folder, or is the one of the environment. */
function urlOf(config: ClientConfig): string {
  const url = new URL(config.connectionString ?? `postgres://${config.user}@localhost/`)
  url.pathname = `/${DATABASE}`
  if (config.host !== undefined) url.searchParams.set('host', config.host)
  return url.href
}
