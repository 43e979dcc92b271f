/**
 * Reads whole collections in batches. Between two batches no connection is held, however slowly the reader takes them: the rows
 * of a collection never change, so that row numbers are enough to read on.
 */
import type { QueryPlan } from '../../query/plan/plan-nodes.ts'
import type { PlacedData } from '../../snapshot/postgres/placed-data.ts'
import { partsOf } from '../record-members.ts'
import { recordsIn } from './batches.ts'
import { type Selection, selectionOf } from './selections.ts'
import {
  numberedStatement,
  type RecordsRow,
  rangeStatement,
  rowNumbersStatement,
  type Statement,
} from './statements.ts'

/** Records per batch. */
const BATCH_RECORDS = 256

/** Most labels in a batch of selected members: the array of a record has a place for each, whether it has a value or not. */
const BATCH_LABELS = 65_536

export function batchRecords({ dataset, select: shape }: QueryPlan, { labels }: PlacedData): number {
  if (shape === null) return BATCH_RECORDS
  const perRecord = partsOf({ dataset, labels, shape }).labels.length
  return Math.max(1, Math.min(BATCH_RECORDS, Math.floor(BATCH_LABELS / Math.max(1, perRecord))))
}

/** Row numbers that are kept for a reader: 4 bytes each. For the next ones the selection is evaluated again. */
const MOST_ROW_NUMBERS = 2 ** 20

type Ask = (statement: Statement) => Promise<RecordsRow>

/** Some records to read. */
type Part = { readonly statement: Statement; readonly count: number }

/** The texts of all records in the default order: ranges of row numbers. */
export function inRanges(
  plan: QueryPlan,
  data: PlacedData,
  selection: Pick<Selection, 'records'>,
  ask: Ask,
): AsyncIterable<Buffer> {
  const { rows } = data
  const size = batchRecords(plan, data)
  function* ranges(): Generator<Part, void, undefined> {
    for (let from = 0; from < rows; from += size) {
      const to = Math.min(from + size, rows)
      yield { statement: rangeStatement(data, selection, { from, to }), count: to - from }
    }
  }
  return readAhead(ranges(), ask)
}

/** The texts of the records of a selection from one place in its order to its end. */
export function remaining(
  plan: QueryPlan,
  data: PlacedData,
  { from, total }: { readonly from: number; readonly total: number },
  ask: Ask,
  mostRowNumbers = MOST_ROW_NUMBERS,
): AsyncIterable<Buffer> {
  const size = batchRecords(plan, data)
  async function* parts(): AsyncGenerator<Part, void, undefined> {
    for (let offset = from; offset < total; offset += mostRowNumbers) {
      const limit = Math.min(mostRowNumbers, total - offset)
      const selection = selectionOf(plan, data)
      const { records } = await ask(rowNumbersStatement(selection, { offset, limit }))
      const ordinals = rowNumbersOf(records, limit)
      for (let at = 0; at < limit; at += size) {
        const wanted = Array.from(ordinals.subarray(at, at + size))
        yield { statement: numberedStatement(data, selection, wanted), count: wanted.length }
      }
    }
  }
  return readAhead(parts(), ask)
}

/** The server reads the next part while one is being written. */
async function* readAhead(
  parts: Iterable<Part> | AsyncIterable<Part>,
  ask: Ask,
): AsyncGenerator<Buffer, void, undefined> {
  let next: Promise<Buffer> | null = null
  for await (const part of parts) {
    const ready: Buffer | null = await next
    next = readPart(part, ask)
    // A reader that stops here never looks at it.
    next.catch(() => undefined)
    if (ready !== null) yield ready
  }
  if (next !== null) yield await next
}

/** @throws Error when records are missing, because an answer without them would look complete */
async function readPart({ statement, count }: Part, ask: Ask): Promise<Buffer> {
  const { records } = await ask(statement)
  const found = records === null ? 0 : recordsIn(records)
  if (records === null || found !== count) throw new Error(`Expected ${count} records, found ${found}`)
  return records
}

const COMMA = ','.charCodeAt(0)
const ZERO = '0'.charCodeAt(0)

/** @throws Error when there are fewer or more than expected */
function rowNumbersOf(digits: Buffer | null, count: number): Int32Array {
  const numbers = new Int32Array(count)
  let at = 0
  for (const byte of digits ?? []) {
    if (byte === COMMA) at++
    else numbers[at] = (numbers[at] ?? 0) * 10 + byte - ZERO
  }
  if (digits === null || at !== count - 1) throw new Error(`Expected ${count} row numbers, found ${at + 1}`)
  return numbers
}
