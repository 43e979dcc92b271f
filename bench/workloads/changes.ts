/**
 * Measures what a caller gains who asks what changed: a refresh changes 1 % of the bookings of a client, then the changes since
 * the snapshot before are read in turns with the whole list, each over a connection of its own. These changes are less than a
 * megabyte, so the answer is kept after the second request, and the first turn does not count.
 *
 * A caller who comes once a night is measured too: each of its requests comes alone, and that for the changes is the first one
 * after an announcement.
 */
import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { runTripfolio, startTripfolio } from '../contenders/tripfolio.ts'
import { oneClient, prepareDataset, prepareExtract } from '../dataset.ts'
import { type Drained, drain } from '../drain.ts'
import { processorTime } from '../process-usage.ts'
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
    const turns = await measureTurns(folder, headers, tokens, pace.repeats)
    const nights = await measureNights(folder, headers, 2 * pace.repeats)
    return {
      what: `What changed in a list of ${SIZE.bookings} bookings after a refresh that touched 1 % of them, against the whole list`,
      tables: [
        {
          title: `Requests that follow each other: processor time of the service per request, and what a caller waits from opening its connection to the last byte, medians of ${pace.repeats} turns`,
          rows: lists.map((list) => rowOf(list, turns)),
        },
        {
          title: `A caller who comes once after each announcement, over a connection of its own: time from sending a lone request to the last byte, medians of ${nights.length} announcements; /readyz shows what any lone request takes, "connecting" what precedes the changes`,
          rows: lists.map((list) => nightRowOf(list, nights)),
        },
      ],
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

/** Requests of each kind between two looks at the clock of the processor, whose ticks are 10 ms. */
const CHANGES = 100
const WHOLE = 10

type Cost = {
  /** Processor time of the service for one request. */
  readonly processorMs: number
  /** What its caller waits, from opening the connection to the last byte; a median. */
  readonly callerMs: number
  readonly bytes: number
}
type Costs = { readonly whole: Cost; readonly changes: Cost }
type Turn = { readonly [Name in List]: Costs }

async function measureTurns(
  folder: string,
  headers: Headers,
  tokens: Tokens,
  turns: number,
): Promise<readonly Turn[]> {
  const server = await startTripfolio({ folder })
  const costOf = async (path: string, requests: number): Promise<Cost> => {
    const began = processorTime(server.pids)
    const all: Drained[] = []
    for (let i = 0; i < requests; i++) all.push(await drain(server.address, path, headers))
    const processorMs = (processorTime(server.pids) - began) / 1000 / requests
    const callerMs = median(all.map(({ milliseconds }) => milliseconds))
    return { processorMs, callerMs, bytes: all.at(-1)?.bytes ?? 0 }
  }
  const costs = async (list: List): Promise<Costs> => ({
    whole: await costOf(`/api/v2/${list}`, WHOLE),
    changes: await costOf(`/api/v2/${list}/changes?since=${tokens[list]}`, CHANGES),
  })
  try {
    const turn = async (): Promise<Turn> => ({
      bookings: await costs('bookings'),
      itineraries: await costs('itineraries'),
    })
    // Code that has run is faster: the first turn does not count.
    await turn()
    const measured: Turn[] = []
    while (measured.length < turns) measured.push(await turn())
    return measured
  } finally {
    await server.stop()
  }
}

const TARGET: Target = { atMost: 0.05 }

function rowOf(list: List, turns: readonly Turn[]): Row {
  const of = (kind: keyof Costs, figure: keyof Cost) => median(turns.map((turn) => turn[list][kind][figure]))
  const ratioOf = (figure: keyof Cost) => of('changes', figure) / of('whole', figure)
  return {
    list,
    'whole MB': rounded(of('whole', 'bytes') / 1e6),
    'changes MB': rounded(of('changes', 'bytes') / 1e6),
    'processor, whole ms': rounded(of('whole', 'processorMs')),
    'processor, changes ms': rounded(of('changes', 'processorMs')),
    'processor, against whole': rounded(ratioOf('processorMs')),
    'caller, whole ms': rounded(of('whole', 'callerMs')),
    'caller, changes ms': rounded(of('changes', 'callerMs')),
    'caller, against whole': rounded(ratioOf('callerMs')),
    ...judgementCells([judge(TARGET, ratioOf('processorMs')), judge(TARGET, ratioOf('callerMs'))]),
  }
}

/** Milliseconds from sending the request to the last byte. */
type LoneCosts = {
  readonly any: number
  readonly changes: number
  readonly whole: number
  /** What precedes the request for changes. */
  readonly connecting: number
}
type Night = { readonly [Name in List]: LoneCosts }

/** The service warms up for this long after an announcement, and a request is alone for this long. */
const WARM_UP_MS = 4000
const ALONE_MS = 600

/** Pages of half a megabyte that other callers read before each night: answers of the night before last are not kept beside them. */
const OTHER_PAGES = 60

/** The two snapshots become current in turns, by returns to each other. */
async function measureNights(folder: string, headers: Headers, count: number): Promise<readonly Night[]> {
  const ids = (await snapshotIds(folder)).reverse()
  const server = await startTripfolio({ folder })
  const ask = async (path: string): Promise<Drained> => {
    const drained = await drain(server.address, path, headers)
    await wait(ALONE_MS)
    return drained
  }
  const askOtherPages = async (): Promise<void> => {
    for (let page = 1; page <= OTHER_PAGES; page++) {
      // An answer is kept when it is asked for again.
      for (let time = 0; time < 2; time++)
        await drain(server.address, `/api/v2/itineraries?$page=${page}&$pageSize=500`, headers)
    }
  }
  const tokenOf = async (list: List): Promise<string> => {
    const response = await fetch(`${server.address}/api/v2/${list}/changes?pageSize=1`, { headers })
    await response.arrayBuffer()
    return String(response.headers.get('changes-token'))
  }
  const tokens = async (): Promise<Tokens> => ({
    bookings: await tokenOf('bookings'),
    itineraries: await tokenOf('itineraries'),
  })
  const costs = async (list: List, before: Tokens): Promise<LoneCosts> => {
    const changes = await ask(`/api/v2/${list}/changes?since=${before[list]}`)
    const whole = await ask(`/api/v2/${list}`)
    const any = await ask('/readyz')
    const connecting = changes.milliseconds - changes.requestMs
    return { changes: changes.requestMs, whole: whole.requestMs, any: any.requestMs, connecting }
  }
  try {
    let before = await tokens()
    const nights: Night[] = []
    // The first one does not count: nobody has asked for changes before it.
    for (let night = 0; night <= count; night++) {
      await askOtherPages()
      await runTripfolio(['snapshot', 'rollback', ids[night % 2] as string, '--data', folder])
      await wait(WARM_UP_MS)
      const costsOfLists = {
        bookings: await costs('bookings', before),
        itineraries: await costs('itineraries', before),
      }
      if (night > 0) nights.push(costsOfLists)
      before = await tokens()
    }
    return nights
  } finally {
    await server.stop()
  }
}

/** Newest first. */
async function snapshotIds(folder: string): Promise<string[]> {
  const listed = await runTripfolio(['snapshot', 'list', '--json', '--data', folder])
  return (JSON.parse(listed) as readonly { readonly id: string }[]).map(({ id }) => id)
}

function nightRowOf(list: List, nights: readonly Night[]): Row {
  const of = (kind: keyof LoneCosts) => median(nights.map((night) => night[list][kind]))
  // It is the same request for both lists.
  const any = median(nights.flatMap((night) => lists.map((each) => night[each].any)))
  const ratio = of('changes') / of('whole')
  return {
    list,
    'whole ms': rounded(of('whole')),
    'changes ms': rounded(of('changes')),
    '/readyz ms': rounded(any),
    'connecting ms': rounded(of('connecting')),
    'against whole': rounded(ratio),
    ...judgementCells([judge(TARGET, ratio)]),
    'without what any request takes': rounded((of('changes') - any) / (of('whole') - any)),
  }
}
