/**
 * Reads whole collections in batches. Between two batches no connection is held, however slowly the reader takes them: the rows
 * of a collection never change, so that row numbers are enough to read on.
 */
import type { QueryPlan } from '../../query/plan/plan-nodes.ts'
import type { PlacedData } from '../../snapshot/postgres/placed-data.ts'
import type { FinishedBatch } from '../engine.ts'
import { batchOf } from './batches.ts'
import { type Selection, selectionOf } from './selections.ts'
import {
  numberedStatement,
  type RecordsRow,
  rangeStatement,
  rowNumbersStatement,
  type Statement,
} from './statements.ts'

/** Records per batch. */
export const BATCH_RECORDS = 256

/** Row numbers that are kept for a reader: 4 bytes each. For the next ones the selection is evaluated again. */
const MOST_ROW_NUMBERS = 2 ** 20

type Ask = (statement: Statement) => Promise<RecordsRow>

/** Some records to read. */
type Part = { readonly statement: Statement; readonly count: number }

/** All records in the default order: ranges of row numbers. */
export function inRanges(
  data: PlacedData,
  selection: Pick<Selection, 'json'>,
  ask: Ask,
): AsyncIterable<FinishedBatch> {
  const { rows } = data
  function* ranges(): Generator<Part, void, undefined> {
    for (let from = 0; from < rows; from += BATCH_RECORDS) {
      const to = Math.min(from + BATCH_RECORDS, rows)
      yield { statement: rangeStatement(data, selection, { from, to }), count: to - from }
    }
  }
  return readAhead(ranges(), ask)
}

/** The records of a selection from one place in its order to its end. */
export function remaining(
  plan: QueryPlan,
  data: PlacedData,
  { from, total }: { readonly from: number; readonly total: number },
  ask: Ask,
  mostRowNumbers = MOST_ROW_NUMBERS,
): AsyncIterable<FinishedBatch> {
  async function* parts(): AsyncGenerator<Part, void, undefined> {
    for (let offset = from; offset < total; offset += mostRowNumbers) {
      const limit = Math.min(mostRowNumbers, total - offset)
      const selection = selectionOf(plan, data)
      const { records } = await ask(rowNumbersStatement(selection, { offset, limit }))
      const ordinals = rowNumbersOf(records, limit)
      for (let at = 0; at < limit; at += BATCH_RECORDS) {
        const wanted = Array.from(ordinals.subarray(at, at + BATCH_RECORDS))
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
): AsyncGenerator<FinishedBatch, void, undefined> {
  let next: Promise<FinishedBatch> | null = null
  for await (const part of parts) {
    const ready: FinishedBatch | null = await next
    next = readPart(part, ask)
    // A reader that stops here never looks at it.
    next.catch(() => undefined)
    if (ready !== null) yield ready
  }
  if (next !== null) yield await next
}

/** @throws Error when records are missing, because an answer without them would look complete */
async function readPart({ statement, count }: Part, ask: Ask): Promise<FinishedBatch> {
  const { records } = await ask(statement)
  const batch = records === null ? null : batchOf(records)
  if (batch?.count !== count) throw new Error(`Expected ${count} records, found ${batch?.count ?? 0}`)
  return batch
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
