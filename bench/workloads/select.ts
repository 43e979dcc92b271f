/**
 * Exports with `$select` compared with exports of whole records of the same list, by one reader, in every format: three fields, all
 * labels, and more than the whole record. Each turn reads both, so that the ratios are those of one run.
 */
import type { Server } from '../contenders/server.ts'
import { startTripfolio } from '../contenders/tripfolio.ts'
import { type BenchClient, oneClient, prepareDataset } from '../dataset.ts'
import { drain } from '../drain.ts'
import { MEBIBYTE } from '../export-measure.ts'
import { processorTime } from '../process-usage.ts'
import { keyOf } from '../questions.ts'
import { median, rounded } from '../statistics.ts'
import { judge, judgementCells } from '../target.ts'
import type { Bench, Row, WorkloadResult } from '../workload.ts'

const BOOKINGS = 100_000

/** Exports per turn: the processor time of one is only a few ticks of the clock. */
const EXPORTS = 5

const formats = ['json', 'ndjson', 'csv', 'arrow'] as const

const selections = [
  { list: 'bookings', select: 'recordLocator,bookingDate,originatingAgency', keeps: 'three' },
  { list: 'bookings', select: 'recordLocator,customDataFields', keeps: 'less' },
  { list: 'itineraries', select: 'recordLocator,segments.origin,segments.destination', keeps: 'three' },
  { list: 'invoices', select: 'invoiceNumber,dueDate,totalAmount', keeps: 'three' },
  { list: 'invoices', select: 'invoiceNumber,lineItems.lineType,lineItems.lineAmountIncGst', keeps: 'three' },
  { list: 'invoices', select: '*,currencyCode', keeps: 'more' },
] as const

export async function select({ pace }: Bench): Promise<WorkloadResult> {
  const dataset = await prepareDataset(oneClient(BOOKINGS))
  const tripfolio = await startTripfolio({ ...dataset, environment: { TRIPFOLIO_WARM_UP: 'none' } })
  try {
    const rows: Row[] = []
    for (const format of formats) {
      for (const selection of selections) {
        rows.push(await compare(tripfolio, dataset.large, { ...selection, format }, pace.repeats))
      }
    }
    return {
      what: `Whole lists of a client of ${BOOKINGS} bookings with $select, compared with the same lists without it, uncompressed, one reader`,
      tables: [{ rows }],
      notes: [
        'The targets are for the time of the reader. `*,currencyCode` is more than the whole record, so no target applies.',
      ],
    }
  } finally {
    await tripfolio.stop()
  }
}

type Asked = (typeof selections)[number] & { readonly format: (typeof formats)[number] }

async function compare(
  server: Server,
  client: BenchClient,
  { list, select: fields, keeps, format }: Asked,
  turns: number,
): Promise<Row> {
  const whole = `/api/v2/${list}?$format=${format}`
  const chosen = `${whole}&$select=${encodeURIComponent(fields)}`
  await exported(server, client, whole)
  await exported(server, client, chosen)
  const pairs: { readonly of: Exported; readonly from: Exported }[] = []
  for (let turn = 0; turn < turns; turn++) {
    pairs.push({ from: await exported(server, client, whole), of: await exported(server, client, chosen) })
  }
  const ratio = (figure: (of: Exported) => number) =>
    median(pairs.map(({ of, from }) => figure(from) / figure(of)))
  const time = ratio(({ milliseconds }) => milliseconds)
  const asJson = format === 'json' || format === 'ndjson'
  const target = keeps === 'more' ? null : keeps === 'three' && asJson ? 2 : 1
  return {
    format,
    list,
    select: fields,
    'MiB whole': rounded((pairs[0]?.from.bytes ?? 0) / MEBIBYTE),
    MiB: rounded((pairs[0]?.of.bytes ?? 0) / MEBIBYTE),
    'CPU ms whole': rounded(median(pairs.map(({ from }) => from.cpuMs))),
    'CPU ms': rounded(median(pairs.map(({ of }) => of.cpuMs))),
    'times faster by CPU': rounded(ratio(({ cpuMs }) => cpuMs)),
    'times faster by time': rounded(time),
    ...judgementCells(target === null ? [] : [judge({ atLeast: target }, time)]),
  }
}

type Exported = { readonly bytes: number; readonly milliseconds: number; readonly cpuMs: number }

/** The figures of one export, on average over several. */
async function exported(server: Server, client: BenchClient, path: string): Promise<Exported> {
  const before = processorTime(server.pids)
  let [bytes, milliseconds] = [0, 0]
  for (let i = 0; i < EXPORTS; i++) {
    const drained = await drain(server.address, path, { ...keyOf(client), 'Accept-Encoding': 'identity' })
    bytes += drained.bytes
    milliseconds += drained.milliseconds
  }
  const cpuMs = (processorTime(server.pids) - before) / 1000
  return { bytes: bytes / EXPORTS, milliseconds: milliseconds / EXPORTS, cpuMs: cpuMs / EXPORTS }
}
