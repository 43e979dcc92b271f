/**
 * Whole collections: throughput, time to the first byte and extra memory, in every format and content coding that the service
 * offers, compared with a bare server that streams the same bytes from memory; and a reader that stops reading.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { startLimit } from '../contenders/limit.ts'
import type { Server } from '../contenders/server.ts'
import { startTripfolio } from '../contenders/tripfolio.ts'
import { type Dataset, manyClients, prepareDataset } from '../dataset.ts'
import { drain, drainSlowly } from '../drain.ts'
import {
  EXPORTED_LIST,
  type Export,
  type Exports,
  exportHeaders,
  exportPath,
  MEBIBYTE,
  measureExports,
  plainJson,
  type Representation,
  recordExport,
  refusalOf,
} from '../export-measure.ts'
import { forgetPeak, peakBytes, settledBytes } from '../process-usage.ts'
import { profileOf } from '../profile.ts'
import { keyOf, listPath } from '../questions.ts'
import { median, rounded } from '../statistics.ts'
import { type Judgement, judge, judgementCells } from '../target.ts'
import type { Bench, Row, WorkloadResult } from '../workload.ts'

const CHUNK_BYTES = 64 * 1024

const formats = ['json', 'ndjson', 'csv', 'arrow'] as const
const codings = ['identity', 'gzip', 'zstd'] as const

export async function exports(bench: Bench): Promise<WorkloadResult> {
  const dataset = await prepareDataset(manyClients)
  const peers = await bench.peers()
  const rows: Row[] = []
  const notes: string[] = [...peers.notes]
  let missed = false
  for (const format of formats) {
    for (const coding of codings) {
      const asked = { format, coding }
      const isPlain = format === 'json' && coding === 'identity'
      const compared = await compareExports(bench, isPlain ? peers.servers : [], dataset, asked)
      if ('refusal' in compared) notes.push(`${format}, ${coding}: skipped, ${compared.refusal}.`)
      else {
        rows.push(...compared.rows)
        missed ||= compared.judgements.some(({ met }) => !met)
      }
    }
  }
  rows.push(await slowReader(dataset))
  const profile = missed || bench.profiling ? await profileExports(dataset) : []
  return {
    what: `All ${EXPORTED_LIST} of the client of ${dataset.large.bookings} bookings in one answer, one reader`,
    tables: [{ rows }, ...profile],
    notes: [
      ...notes,
      'Extra memory: the peak above the memory of the process before its first export, with the client loaded. For the peers it includes shared pages of the database.',
    ],
  }
}

type Compared =
  | { readonly refusal: string }
  | { readonly rows: readonly Row[]; readonly judgements: readonly Judgement[] }

/** Starts a new Tripfolio each time, so that no export affects the memory of the next. */
async function compareExports(
  bench: Bench,
  peers: readonly Server[],
  dataset: Dataset,
  asked: Representation,
): Promise<Compared> {
  const recording = await startLoaded(dataset)
  const refusal = await refusalOf(recording, dataset.large, asked)
  const answer = refusal === null ? await recordExport(recording, dataset.large, asked) : null
  await recording.stop()
  if (answer === null) return { refusal: refusal ?? '' }
  const limit = await startLimit({ ...answer, chunkBytes: CHUNK_BYTES })
  const tripfolio = await startLoaded(dataset)
  try {
    const contenders = [limit, tripfolio, ...peers]
    const exports = await measureExports(contenders, dataset.large, asked, bench.pace.repeats)
    const judgements = judgementsOf(exports, asked)
    const rowFor = ({ name }: Server) => rowOf(name, exports, asked, name === 'tripfolio' ? judgements : [])
    return { rows: contenders.map(rowFor), judgements }
  } finally {
    await Promise.all([limit.stop(), tripfolio.stop()])
  }
}

/** Starts a Tripfolio that has only the exported client in memory. */
async function startLoaded(dataset: Dataset): Promise<Server> {
  const tripfolio = await startTripfolio({ ...dataset, environment: { TRIPFOLIO_WARM_UP: 'none' } })
  const path = listPath(EXPORTED_LIST)
  await (await fetch(tripfolio.address + path, { headers: keyOf(dataset.large) })).arrayBuffer()
  return tripfolio
}

const rateOf = ({ bytes, milliseconds }: Export): number => bytes / MEBIBYTE / (milliseconds / 1000)

function rowOf(name: string, exports: Exports, asked: Representation, judgements: readonly Judgement[]): Row {
  const own = exports.get(name) ?? []
  return {
    ...asked,
    contender: name,
    MiB: rounded((own[0]?.bytes ?? 0) / MEBIBYTE),
    ms: rounded(median(own.map(({ milliseconds }) => milliseconds))),
    'MiB/s': rounded(median(own.map(rateOf))),
    'first byte ms': rounded(median(own.map(({ firstByteMs }) => firstByteMs))),
    'CPU ms': rounded(median(own.map(({ cpu }) => cpu)) / 1000),
    'extra memory MiB': rounded(extraMebibytes(own)),
    'of the limit by rate': rounded(shareOfLimit(exports, name)),
    ...judgementCells(judgements),
  }
}

/** The target for the rate applies to the plain formats that copy finished records, the one for memory to every format. */
const judgementsOf = (exports: Exports, { format, coding }: Representation): readonly Judgement[] => [
  ...(coding === 'identity' && (format === 'json' || format === 'ndjson')
    ? [judge({ atLeast: 0.8 }, shareOfLimit(exports, 'tripfolio'), 'of the limit')]
    : []),
  judge({ atMost: 64 }, extraMebibytes(exports.get('tripfolio') ?? []), 'MiB'),
]

const extraMebibytes = (exports: readonly Export[]): number =>
  Math.max(...exports.map(({ extraBytes }) => extraBytes)) / MEBIBYTE

function shareOfLimit(exports: Exports, name: string): number {
  const limit = exports.get('limit') ?? []
  return median((exports.get(name) ?? []).map((one, i) => (limit[i]?.milliseconds ?? 0) / one.milliseconds))
}

const SLOW_READER_MS = 2000

async function slowReader(dataset: Dataset): Promise<Row> {
  const tripfolio = await startLoaded(dataset)
  try {
    const before = await settledBytes(tripfolio.pids)
    forgetPeak(tripfolio.pids)
    const headers = exportHeaders(dataset.large, plainJson)
    const { release } = await drainSlowly(tripfolio.address, exportPath(plainJson), headers)
    await wait(SLOW_READER_MS)
    const extra = (peakBytes(tripfolio.pids) - before) / MEBIBYTE
    release()
    return {
      ...plainJson,
      contender: `tripfolio, a reader that stops for ${SLOW_READER_MS / 1000} s`,
      'extra memory MiB': rounded(extra),
      ...judgementCells([judge({ atMost: 64 }, extra, 'MiB')]),
    }
  } finally {
    await tripfolio.stop()
  }
}

const PROFILED_EXPORTS = 5

function profileExports(dataset: Dataset) {
  const once = ({ address }: Server) =>
    drain(address, exportPath(plainJson), exportHeaders(dataset.large, plainJson))
  return profileOf(
    dataset,
    async (server) => {
      for (let i = 0; i < PROFILED_EXPORTS; i++) await once(server)
    },
    { prepare: once },
  )
}
