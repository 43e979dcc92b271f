/**
 * Aggregations against SQLite and DuckDB over the same rows, all in one process with one thread each. Every contender must
 * return the same groups first. A question is asked under a new name of its count each time, so that no answer is kept.
 *
 * Each is measured twice: the first runs of the question, where our code is compiled while it runs, and after some hundred
 * runs, as in a service that has run for a while. The first question begins in a process that has just begun.
 */

import { DatabaseSync } from 'node:sqlite'
import { DuckDBDateValue, DuckDBInstance } from '@duckdb/node-api'
import type { ListName } from '../../src/schema/datasets.ts'
import type { ReadServices } from '../../src/service/read-services.ts'
import { oneClient, prepareDataset } from '../dataset.ts'
import { openServices } from '../open-services.ts'
import { median, rounded } from '../statistics.ts'
import { judge, judgementCells } from '../target.ts'
import type { Bench, Row, WorkloadResult } from '../workload.ts'

type Asked = {
  readonly what: string
  readonly list: ListName
  /** @param n name of the count */
  readonly apply: (n: string) => string
  /** Names of SQLite and of DuckDB for the month of a date, which differ. */
  readonly sql: (monthOf: (date: string) => string) => string
  /** Milliseconds that are promised. */
  readonly atMost: number
}

const questions: readonly Asked[] = [
  {
    what: 'bookings by cost centre and month, counted',
    list: 'bookings',
    apply: (n) => `groupby((customDataFields['Cost Centre'],month(bookingDate)),aggregate($count as ${n}))`,
    sql: (monthOf) =>
      `select cost_centre, ${monthOf('booking_date')} as month, count(*) as n from bookings group by 1, 2 order by 1 nulls last, 2`,
    atMost: 3,
  },
  {
    what: 'invoice lines by type and month, counted and summed',
    list: 'invoices',
    apply: (n) =>
      `groupby((lineItems.lineType,month(invoiceDate)),aggregate($count as ${n},lineItems.lineAmountIncGst with sum as spend))`,
    sql: (monthOf) =>
      `select line_type, ${monthOf('invoice_date')} as month, count(*) as n, sum(amount) as spend from lines group by 1, 2 order by 1, 2`,
    atMost: 8,
  },
]

const REPEATS = 40

/** Questions between the two measurements, after which code is compiled as in a service that has run for a while. */
const WARM_UP = 200

export async function apply(_bench: Bench): Promise<WorkloadResult> {
  const dataset = await prepareDataset(oneClient(100_000))
  const { clientNumber } = dataset.large
  const services = await openServices(dataset.folder)
  try {
    const bookings = rowsOf(await recordsOf(services, 'bookings', clientNumber))
    const lines = linesOf(await recordsOf(services, 'invoices', clientNumber))
    const peers = [openSqlite(bookings, lines), await openDuckDb(bookings, lines)]
    const rows: Row[] = []
    for (const asked of questions) rows.push(...(await measured(asked, services, clientNumber, peers)))
    for (const { close } of peers) close()
    return {
      what: `Aggregations in the process, on one thread: ${bookings.length} bookings and ${lines.length} invoice lines of one client; medians of ${REPEATS} runs in milliseconds`,
      tables: [{ rows }],
      notes: [
        'Tripfolio: from the text of the request to the bytes of the JSON answer. "again" is the same request once more. The first question of all does not count.',
        `"after": runs of the question before the first one that counts. After ${WARM_UP}, code is compiled as in a service that has run for a while. The process has just begun with the first row; what the second question shares with the first is compiled by then.`,
        '"processor": of the whole process, so that it includes the compiler, which runs beside the first questions.',
        'SQLite and DuckDB: prepared statements over tables of just these columns, up to the rows as JavaScript values.',
      ],
    }
  } finally {
    await services.close()
  }
}

async function measured(
  asked: Asked,
  services: ReadServices,
  clientNumber: string,
  peers: readonly Peer[],
): Promise<readonly Row[]> {
  let asks = 0
  const fresh = () => groupsOf(services, asked, clientNumber, `n${asks++}`)
  const again = () => groupsOf(services, asked, clientNumber, 'n')
  const wanted = JSON.stringify(comparable(recordsIn(await again())))
  for (const { name, run, monthOf } of peers) {
    const found = JSON.stringify(await run(asked.sql(monthOf)))
    if (found !== wanted) throw new Error(differenceOf(name, found, wanted))
  }
  const contenders: readonly Contender[] = [
    ['Tripfolio', fresh],
    ['Tripfolio again', again],
    ...peers.map(({ name, run, monthOf }) => [name, () => run(asked.sql(monthOf))] as const),
  ]
  const young = await mediansOf(contenders)
  while (asks < WARM_UP) await fresh()
  const common = { question: asked.what, groups: (JSON.parse(wanted) as unknown[]).length }
  return [
    { ...common, after: 1, ...cellsOf(asked, young, peers) },
    { ...common, after: WARM_UP, ...cellsOf(asked, await mediansOf(contenders), peers) },
  ]
}

type Contender = readonly [name: string, run: () => Promise<unknown>]
type Cost = { readonly milliseconds: number; readonly processorMs: number }
type Costs = ReadonlyMap<string, Cost>

/** All in turns. */
async function mediansOf(contenders: readonly Contender[]): Promise<Costs> {
  const costs = new Map<string, Cost[]>(contenders.map(([name]) => [name, []]))
  for (let repeat = 0; repeat < REPEATS; repeat++)
    for (const [name, run] of contenders) costs.get(name)?.push(await costOf(run))
  return new Map(
    Array.from(costs, ([name, all]) => [
      name,
      {
        milliseconds: median(all.map(({ milliseconds }) => milliseconds)),
        processorMs: median(all.map(({ processorMs }) => processorMs)),
      },
    ]),
  )
}

const AT_LEAST: Readonly<Record<string, number>> = { SQLite: 30, DuckDB: 10 }

function cellsOf({ atMost }: Asked, costs: Costs, peers: readonly Peer[]): Row {
  const of = (name: string, figure: keyof Cost): number => costs.get(name)?.[figure] ?? Number.NaN
  const ratio = (name: string, figure: keyof Cost) => of(name, figure) / of('Tripfolio', figure)
  const judgements = [
    judge({ atMost }, of('Tripfolio', 'milliseconds'), 'ms'),
    ...peers.map(({ name }) => judge({ atLeast: AT_LEAST[name] ?? 1 }, ratio(name, 'milliseconds'), name)),
  ]
  return {
    ...Object.fromEntries(Array.from(costs, ([name, cost]) => [name, rounded(cost.milliseconds)])),
    ...Object.fromEntries(
      peers.map(({ name }) => [`${name} / Tripfolio`, rounded(ratio(name, 'milliseconds'))]),
    ),
    ...judgementCells(judgements),
    processor: rounded(of('Tripfolio', 'processorMs')),
    ...Object.fromEntries(
      peers.map(({ name }) => [`${name} / Tripfolio, processor`, rounded(ratio(name, 'processorMs'))]),
    ),
  }
}

/** Where two answers begin to differ. */
function differenceOf(name: string, found: string, wanted: string): string {
  const at = [...wanted].findIndex((character, i) => character !== found[i])
  const around = (text: string) => text.slice(Math.max(0, at - 60), at + 60)
  return `${name} answers ${around(found)}, not ${around(wanted)}`
}

/** The processor time is that of the process, in which nothing else runs. */
async function costOf(run: () => Promise<unknown>): Promise<Cost> {
  const [began, processor] = [performance.now(), process.cpuUsage()]
  await run()
  const milliseconds = performance.now() - began
  const { user, system } = process.cpuUsage(processor)
  return { milliseconds, processorMs: (user + system) / 1000 }
}

/** The records or groups, without the brackets around them. */
async function jsonOf(
  services: ReadServices,
  list: ListName,
  clientNumber: string,
  parameters: readonly (readonly [string, string])[],
): Promise<readonly Uint8Array[]> {
  const question = { list, clientNumber, parameters }
  const { chunks } = await services.records().query(question, new AbortController().signal)
  const parts: Uint8Array[] = []
  for await (const chunk of chunks(1 << 16)) parts.push(chunk)
  return parts
}

const groupsOf = (services: ReadServices, { list, apply }: Asked, clientNumber: string, n: string) =>
  jsonOf(services, list, clientNumber, [['$apply', apply(n)]])

type JsonRow = Readonly<Record<string, unknown>>

const recordsIn = (json: readonly Uint8Array[]): JsonRow[] => JSON.parse(`[${Buffer.concat(json)}]`)

const recordsOf = async (services: ReadServices, list: ListName, clientNumber: string): Promise<JsonRow[]> =>
  recordsIn(await jsonOf(services, list, clientNumber, []))

const rowsOf = (records: readonly JsonRow[]) =>
  records.map(({ bookingDate, customDataFields }) => ({
    date: String(bookingDate),
    costCentre: (customDataFields as Readonly<Record<string, string>>)['Cost Centre'] ?? null,
  }))

const linesOf = (records: readonly JsonRow[]) =>
  records.flatMap(({ invoiceDate, lineItems }) =>
    (lineItems as readonly JsonRow[]).map(({ lineType, lineAmountIncGst }) => ({
      date: String(invoiceDate),
      type: String(lineType),
      // Peers add whole numbers, which is faster than decimals.
      amount: lineAmountIncGst === null ? null : Math.round(Number(lineAmountIncGst) * 100_000),
    })),
  )

/** Groups as rows of values, with sums as whole numbers. */
const comparable = (groups: readonly JsonRow[]): unknown =>
  groups.map((group) =>
    Object.entries(group).map(([name, value]) =>
      name === 'spend' && value !== null ? Math.round(Number(value) * 100_000) : value,
    ),
  )

type Peer = {
  readonly name: string
  readonly monthOf: (date: string) => string
  readonly run: (sql: string) => Promise<unknown>
  readonly close: () => void
}

type Bookings = ReturnType<typeof rowsOf>
type Lines = ReturnType<typeof linesOf>

function openSqlite(bookings: Bookings, lines: Lines): Peer {
  const database = new DatabaseSync(':memory:')
  database.exec(
    'create table bookings (booking_date text, cost_centre text); create table lines (invoice_date text, line_type text, amount integer); begin',
  )
  const booking = database.prepare('insert into bookings values (?, ?)')
  for (const { date, costCentre } of bookings) booking.run(date, costCentre)
  const line = database.prepare('insert into lines values (?, ?, ?)')
  for (const { date, type, amount } of lines) line.run(date, type, amount)
  database.exec('commit')
  return {
    name: 'SQLite',
    monthOf: (date) => `substr(${date}, 1, 7)`,
    run: async (sql) => database.prepare(sql).all().map(Object.values),
    close: () => database.close(),
  }
}

async function openDuckDb(bookings: Bookings, lines: Lines): Promise<Peer> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  const connection = await instance.connect()
  await connection.run(
    'create table bookings (booking_date date, cost_centre varchar); create table lines (invoice_date date, line_type varchar, amount bigint)',
  )
  const days = (date: string) => Math.round(Date.parse(date) / 86_400_000)
  const dateFromDays = (count: number) => new DuckDBDateValue(count)
  const booking = await connection.createAppender('bookings')
  for (const { date, costCentre } of bookings) {
    booking.appendDate(dateFromDays(days(date)))
    if (costCentre === null) booking.appendNull()
    else booking.appendVarchar(costCentre)
    booking.endRow()
  }
  booking.closeSync()
  const line = await connection.createAppender('lines')
  for (const { date, type, amount } of lines) {
    line.appendDate(dateFromDays(days(date)))
    line.appendVarchar(type)
    if (amount === null) line.appendNull()
    else line.appendBigInt(BigInt(amount))
    line.endRow()
  }
  line.closeSync()
  return {
    name: 'DuckDB',
    monthOf: (date) => `strftime(${date}, '%Y-%m')`,
    run: async (sql) => {
      const result = await connection.runAndReadAll(sql)
      return result
        .getRowsJS()
        .map((row) => row.map((value) => (typeof value === 'bigint' ? Number(value) : value)))
    },
    close: () => {
      connection.closeSync()
      instance.closeSync()
    },
  }
}
