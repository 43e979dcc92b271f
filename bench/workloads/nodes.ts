/** Nodes that share snapshots on S3 and a control store on PostgreSQL, against one node with everything in its data folder. */
import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, type ClientConfig } from 'pg'
import { startPostgres } from '../contenders/postgres-process.ts'
import { startS3 } from '../contenders/s3-process.ts'
import type { Server } from '../contenders/server.ts'
import { runTripfolio, startTripfolio } from '../contenders/tripfolio.ts'
import { type BenchClient, prepareDataset, prepareExtract, type Size } from '../dataset.ts'
import { load, type Round, type Traffic } from '../load.ts'
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

export async function nodes({ pace }: Bench): Promise<WorkloadResult> {
  const dataset = await prepareDataset(SIZE)
  const folder = await mkdtemp(join(tmpdir(), 'tripfolio-bench-nodes-'))
  const stops: (() => Promise<void>)[] = [() => rm(folder, { recursive: true, force: true })]
  try {
    const environment = await prepareShared(folder, stops)
    const client = await sharedClient(folder, environment, dataset.large)
    const start = async (data: string, settings: Readonly<Record<string, string>>) => {
      const server = await startTripfolio({ folder: data, environment: settings })
      stops.push(server.stop)
      return server
    }
    const embedded = await start(dataset.folder, dataset.environment)
    const shared = [
      await start(join(folder, 'node-1'), environment),
      await start(join(folder, 'node-2'), environment),
    ]
    for (const node of shared) await requireSameRecords([embedded, dataset.large], [node, client])

    const rows: Row[] = []
    for (const [question, path] of Object.entries(questions)) {
      const ask = (of: BenchClient): Traffic => ({ path, headers: keyOf(of) })
      const measure = async (servers: readonly Server[], traffic: Traffic, seconds = pace.seconds) =>
        Promise.all(servers.map((server) => load(server, traffic, seconds)))
      for (const servers of [[embedded], shared]) {
        await measure(servers, ask(servers[0] === embedded ? dataset.large : client), pace.warmUpSeconds)
      }
      const [one, first, both]: [Round[], Round[], (readonly Round[])[]] = [[], [], []]
      for (let round = 0; round < pace.rounds; round++) {
        one.push(...(await measure([embedded], ask(dataset.large))))
        first.push(...(await measure(shared.slice(0, 1), ask(client))))
        both.push(await measure(shared, ask(client)))
      }
      rows.push(...rowsOf(question, one, first, both))
    }
    return {
      what: `Pages of the largest of ${SIZE.clients} clients (${dataset.large.bookings} bookings): two nodes with snapshots on S3 and accounts on PostgreSQL, against one node with both in its data folder`,
      tables: [{ rows }],
      notes: [
        `The load generator and ${availableParallelism()} cores are shared by all processes: the rate of two nodes shows what the machine has left, the processor time what a request costs.`,
      ],
    }
  } finally {
    for (const stop of stops.toReversed()) await stop()
  }
}

function rowsOf(
  question: string,
  one: readonly Round[],
  first: readonly Round[],
  both: readonly (readonly Round[])[],
): Row[] {
  const rateOf = (rounds: readonly Round[]) => median(rounds.map(({ rate }) => rate))
  const cpuOf = (rounds: readonly Round[]) => median(rounds.map(({ cpu }) => cpu))
  const total = median(both.map((rounds) => rounds.reduce((sum, { rate }) => sum + rate, 0)))
  const row = (nodes: string, rate: number, cpu: number, more: Row = {}): Row => ({
    question,
    nodes,
    'requests/s': Math.round(rate),
    'of one embedded': (rate / rateOf(one)).toFixed(2),
    'processor µs': Math.round(cpu),
    'processor of embedded': (cpu / cpuOf(one)).toFixed(2),
    ...more,
  })
  const cost = judge({ atMost: 1.2 }, cpuOf(first) / cpuOf(one))
  return [
    row('one, embedded', rateOf(one), cpuOf(one), { target: '', met: '' }),
    row('one, shared', rateOf(first), cpuOf(first), judgementCells([cost])),
    row('two, shared', total, cpuOf(both.flat()), { target: '', met: '' }),
  ]
}

/** Starts the database and the storage, and publishes the extract there. @returns the settings of a node */
async function prepareShared(
  folder: string,
  stops: (() => Promise<void>)[],
): Promise<Readonly<Record<string, string>>> {
  const extract = await prepareExtract(SIZE)
  const postgres = await startPostgres()
  stops.push(postgres.stop)
  const s3 = await startS3()
  stops.push(s3.stop)
  const admin = new Client(postgres.config)
  await admin.connect()
  await admin.query(`drop database if exists ${DATABASE} with (force)`)
  await admin.query(`create database ${DATABASE}`)
  await admin.end()
  const environment = { ...s3.environment, TRIPFOLIO_STORE: urlOf(postgres.config) }
  await runTripfolio(['ingest', '--source', extract, ...publisher(folder)], undefined, environment)
  return environment
}

const publisher = (folder: string): readonly string[] => ['--data', join(folder, 'publisher')]

/** The same client with the key of an account in the shared store. */
async function sharedClient(
  folder: string,
  environment: Readonly<Record<string, string>>,
  client: BenchClient,
): Promise<BenchClient> {
  const account = ['--client', client.clientNumber, '--name', 'bench', '--json', ...publisher(folder)]
  const created = await runTripfolio(['account', 'create', ...account], undefined, environment)
  const { apiKey } = JSON.parse(created) as { apiKey: string }
  return { ...client, apiKey }
}

async function requireSameRecords(...asked: readonly (readonly [Server, BenchClient])[]): Promise<void> {
  const bodies = await Promise.all(
    asked.map(async ([{ address }, client]) => {
      const response = await fetch(address + listPath('bookings', { pageSize: 500 }), {
        headers: keyOf(client),
      })
      return response.text()
    }),
  )
  if (new Set(bodies).size !== 1) throw new Error('The nodes answer with other records than the embedded one')
}

/** The server listens at a socket in a folder, or is the one of the environment. */
function urlOf(config: ClientConfig): string {
  const url = new URL(config.connectionString ?? `postgres://${config.user}@localhost/`)
  url.pathname = `/${DATABASE}`
  if (config.host !== undefined) url.searchParams.set('host', config.host)
  return url.href
}
