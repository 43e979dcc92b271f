/**
 * Measures what a caller gains who asks what changed: a refresh changes 1 % of the bookings of a client, then the changes since
 * the snapshot before are read in turns with the whole list, each over a connection of its own. The service starts anew for
 * each turn, so that its first answer with the changes has nothing from an earlier one.
 */
import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runTripfolio, startTripfolio } from '../contenders/tripfolio.ts'
import { oneClient, prepareDataset, prepareExtract } from '../dataset.ts'
import { drain } from '../drain.ts'
import { keyOf } from '../questions.ts'
import { median, rounded } from '../statistics.ts'
import { judge, judgementCells, type Target } from '../target.ts'
import type { Bench, Row, WorkloadResult } from '../workload.ts'

const SIZE = oneClient(100_000)

const lists = ['bookings', 'itineraries'] as const
type List = (typeof lists)[number]

export async function changes({ pace }: Bench): Promise<WorkloadResult> {
  const dataset = await prepareDataset(SIZE)
  const extract = await prepareExtract(SIZE)
  const root = await mkdtemp(join(tmpdir(), 'tripfolio-bench-changes-'))
  try {
    const folder = join(root, 'data')
    await cp(dataset.folder, folder, { recursive: true })
    const headers = keyOf(dataset.large)
    const tokens = await tokensOf(folder, headers)
    await runTripfolio(['ingest', '--source', await changedExtract(root, extract), '--data', folder])
    const turns: Turn[] = []
    for (let turn = 0; turn < pace.repeats; turn++) turns.push(await measure(folder, headers, tokens))
    return {
      what: `What changed in a list of ${SIZE.bookings} bookings after a refresh that touched 1 % of them, against the whole list; medians of ${pace.repeats} starts`,
      tables: [{ rows: lists.map((list) => rowOf(list, turns)) }],
    }
  } finally {
    await rm(root, { recursive: true })
  }
}

/** The same extract, with another agency in 1 % of the bookings. */
async function changedExtract(root: string, extract: string): Promise<string> {
  const folder = join(root, 'extract')
  await cp(extract, folder, { recursive: true })
  const file = (await readdir(folder)).find((name) => name.startsWith('bookings'))
  await writeFile(
    join(folder, 'tripfolio.sql'),
    `CREATE VIEW bookings AS SELECT * REPLACE (
       CASE WHEN hash(record_locator) % 100 = 0 THEN 'Another agency' ELSE originating_agency END AS originating_agency)
     FROM '${file}';`,
  )
  return folder
}

type Headers = Readonly<Record<string, string>>
type Tokens = { readonly [Name in List]: string }

async function tokensOf(folder: string, headers: Headers): Promise<Tokens> {
  const server = await startTripfolio({ folder })
  try {
    const tokenOf = async (list: List): Promise<string> => {
      const path = `/api/v2/${list}/changes?pageSize=1`
      const response = await fetch(server.address + path, { headers })
      await response.arrayBuffer()
      return String(response.headers.get('changes-token'))
    }
    return { bookings: await tokenOf('bookings'), itineraries: await tokenOf('itineraries') }
  } finally {
    await server.stop()
  }
}

/** In milliseconds. */
type Times = {
  readonly whole: number
  readonly first: number
  readonly again: number
  readonly bytes: number
}
type Turn = { readonly [Name in List]: Times }

async function measure(folder: string, headers: Headers, tokens: Tokens): Promise<Turn> {
  const server = await startTripfolio({ folder })
  try {
    const read = (path: string) => drain(server.address, path, headers)
    const times = async (list: List): Promise<Times> => {
      const since = `/api/v2/${list}/changes?since=${tokens[list]}`
      const first = await read(since)
      const whole = await read(`/api/v2/${list}`)
      const again = await read(since)
      return {
        whole: whole.milliseconds,
        first: first.milliseconds,
        again: again.milliseconds,
        bytes: first.bytes,
      }
    }
    // Both lists have the same file, and code that has run is faster: every list has a turn that does not count.
    for (const list of lists) await read(`/api/v2/${list}`)
    for (const list of lists) await read(`/api/v2/${list}/changes?pageSize=500`)
    return { bookings: await times('bookings'), itineraries: await times('itineraries') }
  } finally {
    await server.stop()
  }
}

const TARGET: Target = { atMost: 0.05 }

function rowOf(list: List, turns: readonly Turn[]): Row {
  const of = (name: keyof Times) => median(turns.map((turn) => turn[list][name]))
  const ratio = of('first') / of('whole')
  return {
    list,
    'whole ms': rounded(of('whole')),
    'changes ms': rounded(of('first')),
    'again ms': rounded(of('again')),
    'changes KB': rounded(of('bytes') / 1024),
    'against whole': rounded(ratio),
    ...judgementCells([judge(TARGET, ratio)]),
  }
}
