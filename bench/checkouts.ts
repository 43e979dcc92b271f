/**
 * Compares this checkout of the project with others, such as the commit before a change: the same requests to one client of
 * a small demo, in alternating rounds, over several starts of each process, because the speed of a process differs by some
 * percent from start to start. Each checkout ingests the same extract into a data folder of its own.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pathOf, publishEndpoint, trivialEndpoint } from './contenders/published-endpoint.ts'
import type { Server } from './contenders/server.ts'
import { runTripfolio, startTripfolio, withoutLog } from './contenders/tripfolio.ts'
import { load, type Round } from './load.ts'
import {
  freshAny,
  freshCaretQuery,
  freshFilterAndSort,
  freshRangeAndSort,
  listPath,
  type Question,
  version1Page,
} from './questions.ts'
import { reportOf } from './report.ts'
import { median, rounded } from './statistics.ts'
import type { Row } from './workload.ts'

const questions: Readonly<Record<string, Question>> = {
  'warm-page': () => listPath('bookings'),
  'fresh-filter': freshFilterAndSort,
  'fresh-range': freshRangeAndSort,
  'any-segment': freshAny,
  'version-1-page': version1Page,
  'version-1-fresh-query': freshCaretQuery,
  'endpoint-call': () => pathOf(trivialEndpoint),
}

export const checkoutQuestionNames = Object.keys(questions)

/** Small, so that the cost of a request is that of its parts, not of its records. */
const BOOKINGS = 2000

type Checkout = {
  readonly name: string
  readonly binary: string
  readonly data: string
  readonly key: string
  readonly environment?: Readonly<Record<string, string>>
}

type Comparison = {
  /** Folders of other checkouts of the project. */
  readonly against: readonly string[]
  /** The questions to ask; empty for all. */
  readonly names: readonly string[]
  readonly quick: boolean
  /** Measures each checkout a second time, without its request log. */
  readonly withoutLog: boolean
}

/** The report, as Markdown. */
export async function compareCheckouts(options: Comparison): Promise<string> {
  const { against, names, quick } = options
  const folder = await mkdtemp(join(tmpdir(), 'tripfolio-bench-checkouts-'))
  const { starts, seconds } = quick ? { starts: 1, seconds: 1 } : { starts: 5, seconds: 2 }
  try {
    const own = fileURLToPath(new URL('../', import.meta.url))
    const extract = join(folder, 'extract')
    await runTripfolio([
      'demo',
      '--out',
      extract,
      '--clients',
      '1',
      '--bookings',
      `${BOOKINGS}`,
      '--seed',
      '1',
      '--today',
      '2026-01-01',
    ])
    const checkouts: Checkout[] = []
    for (const [index, path] of [...against, own].entries()) {
      const checkout = await prepare(path, extract, join(folder, `${index}`))
      checkouts.push(checkout)
      if (options.withoutLog) {
        checkouts.push({ ...checkout, name: `${checkout.name} without log`, environment: withoutLog })
      }
    }
    const asked = names.length > 0 ? names : checkoutQuestionNames
    const rounds = new Map(asked.map((name) => [name, checkouts.map((): Round[] => [])]))
    for (let start = 0; start < starts; start++) await measure(checkouts, rounds, seconds, start)
    return reportOf(
      [...rounds].map(([name, measured]) => ({
        name,
        what: `One client of ${BOOKINGS} bookings`,
        tables: [{ rows: rowsOf(checkouts, measured) }],
      })),
      `${starts} starts of each, 2 rounds of ${seconds} s. The ratios are those to the first row.`,
    )
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function prepare(path: string, extract: string, data: string): Promise<Checkout> {
  const binary = join(resolve(path), 'bin/tripfolio')
  await runTripfolio(['ingest', '--source', extract, '--data', data], binary)
  const account = ['account', 'create', '--client', 'C00001', '--name', 'bench', '--data', data, '--json']
  const { apiKey } = JSON.parse(await runTripfolio(account, binary)) as { apiKey: string }
  await publishEndpoint(data, trivialEndpoint, binary)
  return { name: basename(resolve(path)), binary, data, key: apiKey }
}

/** One start of each checkout. Odd starts go through the checkouts backwards. */
async function measure(
  checkouts: readonly Checkout[],
  rounds: ReadonlyMap<string, readonly Round[][]>,
  seconds: number,
  start: number,
): Promise<void> {
  const servers: Server[] = []
  try {
    for (const { data: folder, environment = {}, binary } of checkouts) {
      servers.push(await startTripfolio({ folder, environment }, { binary }))
    }
    const order = checkouts.map((_, index) => index)
    if (start % 2 === 1) order.reverse()
    for (const [name, measured] of rounds) {
      const round = (index: number) => {
        const headers = { 'X-API-Key': checkouts[index]?.key ?? '' }
        return load(servers[index] as Server, { path: questions[name] as Question, headers }, seconds)
      }
      for (const index of order) await round(index)
      for (const index of [...order, ...order.toReversed()]) measured[index]?.push(await round(index))
    }
  } finally {
    await Promise.all(servers.map(({ stop }) => stop()))
  }
}

function rowsOf(checkouts: readonly Checkout[], measured: readonly Round[][]): readonly Row[] {
  const of = (index: number, figure: 'cpu' | 'rate') => (measured[index] ?? []).map((round) => round[figure])
  /** The median over the rounds, each divided by that of the first checkout beside it. */
  const ratio = (index: number, figure: 'cpu' | 'rate') => {
    const first = of(0, figure)
    return median(of(index, figure).map((value, round) => value / (first[round] ?? Number.NaN)))
  }
  return checkouts.map(({ name }, index) => ({
    checkout: name,
    'CPU us/request': rounded(median(of(index, 'cpu'))),
    'CPU ratio': rounded(ratio(index, 'cpu')),
    'requests/s': rounded(median(of(index, 'rate'))),
    'rate ratio': rounded(ratio(index, 'rate')),
  }))
}
