/**
 * The engine on PostgreSQL against a hand-written service on the same server: every question on one client, with the same
 * records and the same settings of the server. Where TRIPFOLIO_TEST_CITUS names a cluster, the same questions on it as well.
 */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { type Comparison, compare } from '../compare.ts'
import { startPeers } from '../contenders/peers.ts'
import { type Postgres, startPostgres } from '../contenders/postgres-process.ts'
import type { Server } from '../contenders/server.ts'
import { type ServedData, startTripfolio } from '../contenders/tripfolio.ts'
import { type Dataset, prepareDataset, prepareExtract, type Size } from '../dataset.ts'
import { measureExports, plainJson } from '../export-measure.ts'
import {
  type ClientWords,
  freshAny,
  freshCaretQuery,
  freshContains,
  freshEquality,
  freshFilterAndSort,
  freshLabelEquality,
  freshPage,
  keyOf,
  listPath,
  version1Page,
  wordsOf,
} from '../questions.ts'
import { median, rounded } from '../statistics.ts'
import { judge, judgementCells } from '../target.ts'
import type { Bench, Table, WorkloadResult } from '../workload.ts'

/** Its largest client has about 100,000 bookings, and labels. */
const size: Size = { clients: 3, bookings: 207_000, seed: 2 }

/**
 * With a database behind it, a server answers few requests per second, and needs thousands until its code is compiled well. The
 * peers run from the first question to the last, and Tripfolio starts anew for each.
 */
const WARM_UPS = 6

const tripfolio = fileURLToPath(new URL('../../bin/tripfolio', import.meta.url))

type Asked = Pick<Comparison, 'what' | 'question' | 'headers' | 'status' | 'connections' | 'withPeers'>

const samePage = (): string => listPath('bookings')

const questionsOf = ({ large }: Dataset, words: ClientWords): readonly Asked[] => [
  { what: 'The same page of 50 bookings', question: () => samePage, withPeers: true },
  {
    what: 'The same page with its entity tag: 304',
    question: () => samePage,
    status: 304,
    headers: async ({ address }) => {
      const response = await fetch(address + samePage(), {
        headers: { ...keyOf(large), 'Accept-Encoding': 'identity' },
      })
      await response.arrayBuffer()
      return { 'If-None-Match': response.headers.get('etag') ?? '' }
    },
  },
  { what: 'A new filter and sort each time', question: () => freshFilterAndSort, withPeers: true },
  {
    what: 'A new equality and range of dates each time',
    question: () => freshEquality(words),
    withPeers: true,
  },
  ...(words.label === 'none'
    ? []
    : [
        {
          what: 'A new equality on a custom label each time',
          question: () => freshLabelEquality(words),
          withPeers: true,
        },
      ]),
  { what: 'Three new characters in the locator each time', question: () => freshContains, withPeers: true },
  { what: 'Any segment of a carrier from a new code on', question: () => freshAny, withPeers: true },
  { what: 'Page 1 of a new filter that matches all', question: () => freshPage(1), withPeers: true },
  { what: 'Page 1000 of a new filter that matches all', question: () => freshPage(1000), withPeers: true },
  { what: 'The same page of version 1', question: () => version1Page },
  { what: 'A new caret query each time', question: () => freshCaretQuery },
]

export async function postgres(bench: Bench): Promise<WorkloadResult> {
  const dataset = await prepareDataset(size)
  const server = await startPostgres()
  const given = process.env.TRIPFOLIO_TEST_POSTGRES
  const url = given || urlOf(server.config)
  try {
    // The peers take the server that this variable names.
    process.env.TRIPFOLIO_TEST_POSTGRES = url
    const data = await publish(dataset, url)
    const peers = await startPeers(dataset)
    try {
      const servers = peers.servers.filter(({ name }) => name === 'fastify + postgresql')
      const onOne = await tablesOf(
        { ...bench, peers: async () => ({ ...peers, servers }) },
        ...([dataset, data, 'PostgreSQL'] as const),
      )
      return {
        what: `Questions on ${dataset.large.bookings} bookings with the engine on PostgreSQL`,
        tables: [
          ...onOne,
          await wholeCollections(bench, dataset, data, servers),
          ...(await onCitus(bench, dataset)),
        ],
        notes: peers.notes,
      }
    } finally {
      await peers.stop()
    }
  } finally {
    if (given === undefined) delete process.env.TRIPFOLIO_TEST_POSTGRES
    else process.env.TRIPFOLIO_TEST_POSTGRES = given
    await server.stop()
  }
}

/** All bookings in one answer, from one reader. */
async function wholeCollections(
  { pace }: Bench,
  { large }: Dataset,
  data: ServedData,
  peers: readonly Server[],
): Promise<Table> {
  const tripfolio = await startTripfolio(data)
  try {
    const contenders = [tripfolio, ...peers]
    const exports = await measureExports(contenders, large, plainJson, pace.repeats)
    const timesOf = ({ name }: Server) => (exports.get(name) ?? []).map(({ milliseconds }) => milliseconds)
    const times = (of: Server, to: Server) => {
      const base = timesOf(to)
      return median(timesOf(of).map((milliseconds, round) => (base[round] ?? 0) / milliseconds))
    }
    return {
      title: 'The whole collection as plain JSON, engine on PostgreSQL',
      rows: contenders.map((contender) => ({
        contender: contender.name,
        ms: rounded(median(timesOf(contender))),
        'CPU ms': rounded(median((exports.get(contender.name) ?? []).map(({ cpu }) => cpu)) / 1000),
        ...Object.fromEntries(
          peers.map((peer) => ['times PostgreSQL by rate', rounded(times(contender, peer))]),
        ),
        ...(contender === tripfolio && peers[0] !== undefined
          ? judgementCells([judge({ atLeast: 1 }, times(tripfolio, peers[0]), 'times PostgreSQL')])
          : {}),
      })),
    }
  } finally {
    await tripfolio.stop()
  }
}

/** The server of the bench has no TCP port. */
const urlOf = ({ host = '', user = '', database = '' }: Postgres['config']): string =>
  `postgres://${user}@localhost/${database}?host=${encodeURIComponent(host)}`

async function onCitus(bench: Bench, dataset: Dataset): Promise<readonly Table[]> {
  const url = process.env.TRIPFOLIO_TEST_CITUS
  if (!url) return []
  await dropRecords(url)
  try {
    return await tablesOf(bench, dataset, await publish(dataset, url), 'Citus')
  } finally {
    await dropRecords(url)
  }
}

async function dropRecords(url: string): Promise<void> {
  const connection = new Client({ connectionString: url })
  await connection.connect()
  await connection.query('drop schema if exists tripfolio_records cascade').finally(() => connection.end())
}

/** Runs a refresh into the database. */
async function publish({ folder }: Dataset, url: string): Promise<ServedData> {
  const environment = { TRIPFOLIO_ENGINE: 'postgres', TRIPFOLIO_ENGINE_URL: url }
  const source = await prepareExtract(size)
  const env = { ...process.env, ...environment }
  await promisify(execFile)(tripfolio, ['ingest', '--source', source, '--data', folder], { env })
  return { folder, environment }
}

async function wordsOfLarge(data: ServedData, { large }: Dataset): Promise<ClientWords> {
  const server = await startTripfolio(data)
  return wordsOf(server.address, large).finally(server.stop)
}

async function tablesOf(
  bench: Bench,
  dataset: Dataset,
  data: ServedData,
  engine: string,
): Promise<readonly Table[]> {
  const tables: Table[] = []
  for (const asked of questionsOf(dataset, await wordsOfLarge(data, dataset))) {
    const withPeers = engine === 'PostgreSQL' && asked.withPeers === true
    const { tables: found } = await compare(bench, {
      ...asked,
      data,
      client: dataset.large,
      withPeers,
      warmUpSeconds: bench.pace.warmUpSeconds * WARM_UPS,
      ...(withPeers ? { ofPostgres: { atLeast: 1 } } : {}),
    })
    tables.push(
      ...found.slice(0, 1).map(({ rows }) => ({ title: `${asked.what}, engine on ${engine}`, rows })),
    )
  }
  return tables
}
