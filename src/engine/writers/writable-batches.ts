/**
 * Decides how many records are written at a time, when that shows in the bytes (an Arrow batch) or takes memory (rows that are
 * being encoded): enough that describing a batch costs little, few enough that no request waits for it. The rule depends only
 * on the records, so that the answers of all engines are cut at the same places.
 */
import type { RecordKind, RecordRow } from '../engine.ts'
import { partsOf } from '../record-members.ts'

export const BATCH_ROWS = 1024

/** A batch has fewer rows when these have many labels or elements, but at least one. */
export const BATCH_CELLS = 24_576

/** Given the number of elements of each collection by its place, counts the values of a record. */
export type CellCounter = (elementsIn: (collection: number) => number) => number

/** Counts the values of a record, including those of its elements: the cost of writing it, whatever the values are. */
export function cellCounter(of: RecordKind): CellCounter {
  const { fields, labels, collections } = partsOf(of)
  const own = fields.length + labels.length
  const each = collections.map((collection) => collection.fields.length)
  return (elementsIn) => {
    let cells = own
    for (let i = 0; i < each.length; i++) cells += each[i]! * elementsIn(i)
    return cells
  }
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
      const more = cellsOf((at) => row.collections[at]?.length ?? 0)
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
