/**
 * How many records are written at a time, where that shows in the bytes (an Arrow batch) or takes memory (rows on their way
 * to bytes): so many that describing a batch costs little, so few that nobody waits for it. The rule depends on the records
 * alone, so that every engine's answer is cut at the same places.
 */
import { datasetsByName } from '../../schema/datasets.ts'
import type { RecordKind, RecordRow } from '../engine.ts'

export const BATCH_ROWS = 1024

/** A batch has fewer rows where these have many labels or elements, but one at least. */
export const BATCH_CELLS = 24_576

/** Values of a record, those of its elements included: what it costs to write, whatever stands in it. */
export function cellCounter({ dataset, labels }: RecordKind): (elements: number) => number {
  const { fields, nested } = datasetsByName[dataset]
  const own = fields.length + labels.length
  const each = nested?.fields.length ?? 0
  return (elements) => own + each * elements
}

/** The same rows in batches of the size that is written. */
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
