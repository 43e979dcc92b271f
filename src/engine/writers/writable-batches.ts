/**
 * Decides how many records are written at a time, when that shows in the bytes (an Arrow batch) or takes memory (rows that are
 * being encoded): enough that describing a batch costs little, few enough that no request waits for it. The rule depends only
 * on the records, so that the answers of all engines are cut at the same places.
 */
import { datasetsByName } from '../../schema/datasets.ts'
import type { RecordKind, RecordRow } from '../engine.ts'

export const BATCH_ROWS = 1024

/** A batch has fewer rows when these have many labels or elements, but at least one. */
export const BATCH_CELLS = 24_576

/** Counts the values of a record, including those of its elements: the cost of writing it, whatever the values are. */
export function cellCounter({ dataset, labels }: RecordKind): (elements: number) => number {
  const { fields, nested } = datasetsByName[dataset]
  const own = fields.length + labels.length
  const each = nested?.fields.length ?? 0
  return (elements) => own + each * elements
}

/** The same rows, in batches of the size to write. */
export async function* writableBatches(
  batches: AsyncIterable<readonly RecordRow[]>,
  of: RecordKind,
): AsyncGenerator<readonly RecordRow[], void, undefined> {
  const cellsOf = cellCounter(of)
  let pending: RecordRow[] = []
  let cells = 0
  for await (const rows of batches) {
    for (const row of rows) {
      const more = cellsOf(row.elements.length)
      if (pending.length === BATCH_ROWS || (cells + more > BATCH_CELLS && pending.length > 0)) {
        yield pending
        pending = []
        cells = 0
      }
      pending.push(row)
      cells += more
    }
  }
  if (pending.length > 0) yield pending
}
