/** Nodes that share snapshots on S3 and a control store on PostgreSQL, against one node with everything in its data folder. */
import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, type ClientConfig } from 'pg'
import { startPostgres } from '../contenders/postgres-process.ts'
import { startS3 } from '../contenders/s3-process.ts'
import type { Server } from '../contenders/server.ts'
import { runTripfolio, startTripfolio } from '../contenders/tripfolio.ts'
import { type BenchClient, type Dataset, prepareDataset, prepareExtract, type Size } from '../dataset.ts'
import { load, type Round } from '../load.ts'
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

/** Some nodes of one installation, and a client with a key there. */
type SetUp = { readonly nodes: string; readonly servers: readonly Server[]; readonly client: BenchClient }

export async function nodes({ pace }: Bench): Promise<WorkloadResult> {
  const dataset = await prepareDataset(SIZE)
  const folder = await mkdtemp(join(tmpdir(), 'tripfolio-bench-nodes-'))
  const stops: (() => Promise<void>)[] = [() => rm(folder, { recursive: true, force: true })]
  try {
    const setUps = await startSetUps(dataset, folder, stops)
    await requireSameRecords(setUps)
    const rows: Row[] = []
    for (const [question, path] of Object.entries(questions)) {
      const measure = ({ servers, client }: SetUp, seconds: number) =>
        Promise.all(servers.map((server) => load(server, { path, headers: keyOf(client) }, seconds)))
      for (const setUp of setUps) await measure(setUp, pace.warmUpSeconds)
      const rounds = new Map<SetUp, (readonly Round[])[]>(setUps.map((setUp) => [setUp, []]))
      for (let round = 0; round < pace.rounds; round++) {
        for (const [setUp, done] of rounds) done.push(await measure(setUp, pace.seconds))
      }
      rows.push(...rowsOf(question, rounds))
    }
    return {
      what: `Pages of the largest of ${SIZE.clients} clients (${dataset.large.bookings} bookings), from nodes that share snapshots on S3 and accounts on PostgreSQL, and from one with both in its data folder`,
      tables: [{ rows }],
      notes: [
        `The load generator and all processes share ${availableParallelism()} cores: the rate of two nodes shows what the machine has left, the processor time what a request costs. It counts the nodes only, not PostgreSQL.`,
      ],
    }
  } finally {
    for (const stop of stops.toReversed()) await stop()
  }
}

/** The first one is what the others are compared with. */
function rowsOf(question: string, measured: ReadonlyMap<SetUp, readonly (readonly Round[])[]>): Row[] {
  const results = [...measured].map(([{ nodes }, rounds]) => ({
    nodes,
    rate: median(rounds.map((servers) => servers.reduce((sum, { rate }) => sum + rate, 0))),
    cpu: median(rounds.flat().map(({ cpu }) => cpu)),
  }))
  const [embedded] = results
  if (embedded === undefined) throw new Error('There is a node to compare with')
  return results.map(({ nodes, rate, cpu }) => {
    const share = cpu / embedded.cpu
    return {
      question,
      nodes,
      'requests/s': Math.round(rate),
      'of embedded': (rate / embedded.rate).toFixed(2),
      'processor µs': Math.round(cpu),
      'processor of embedded': share.toFixed(2),
      ...(nodes === embedded.nodes
        ? { target: '', met: '' }
        : judgementCells([judge({ atMost: 1.2 }, share)])),
    }
  })
}

async function startSetUps(
  dataset: Dataset,
  folder: string,
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
  const store = { TRIPFOLIO_STORE: await emptyDatabase(stops) }

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
async function emptyDatabase(stops: (() => Promise<void>)[]): Promise<string> {
  const postgres = await startPostgres()
  stops.push(postgres.stop)
  const admin = new Client(postgres.config)
  await admin.connect()
  await admin.query(`drop database if exists ${DATABASE} with (force)`)
  await admin.query(`create database ${DATABASE}`)
  await admin.end()
  return urlOf(postgres.config)
}

/** The server listens at a socket in a folder, or is the one of the environment. */
function urlOf(config: ClientConfig): string {
  const url = new URL(config.connectionString ?? `postgres://${config.user}@localhost/`)
  url.pathname = `/${DATABASE}`
  if (config.host !== undefined) url.searchParams.set('host', config.host)
  return url.href
}
