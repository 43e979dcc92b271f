/**
 * Compares what is counted for the values of scripts with what they take in the heap, for every kind of value. Fails when a kind
 * is counted outside of the bounds.
 */
import { chargedAndTaken, LEAST_RATIO, MOST_RATIO } from '../../src/script/testing/charged-and-taken.ts'
import { kindsOfValues } from '../../src/script/testing/kinds-of-values.ts'
import { median, rounded } from '../statistics.ts'
import { judge, judgementCells } from '../target.ts'
import type { Bench, Row, WorkloadResult } from '../workload.ts'

/** So many values that what is the same for any number of them disappears. */
const VALUES = 100_000

export async function scriptMemory({ pace }: Bench): Promise<WorkloadResult> {
  const rows: Row[] = []
  const outside: string[] = []
  const count = pace.repeats === 1 ? VALUES / 10 : VALUES
  for (const kind of kindsOfValues) {
    await chargedAndTaken(kind, 300)
    const measured = [await chargedAndTaken(kind, count), await chargedAndTaken(kind, count)]
    const ratio = median(measured.map((each) => each.ratio))
    const judgements = [judge({ atLeast: LEAST_RATIO }, ratio), judge({ atMost: MOST_RATIO }, ratio)]
    if (judgements.some(({ met }) => !met)) outside.push(kind.name)
    rows.push({
      values: kind.name,
      'bytes counted': rounded(median(measured.map(({ charged }) => charged))),
      'bytes in the heap': rounded(median(measured.map(({ taken }) => taken))),
      ratio: rounded(ratio),
      ...judgementCells(judgements),
    })
  }
  if (outside.length > 0) process.exitCode = 1
  return {
    what: `What is counted for ${count.toLocaleString('en')} values of a script, and what the heap takes for them, per value`,
    tables: [{ rows }],
    ...(outside.length > 0 && { notes: [`Counted outside of the bounds: ${outside.join(', ')}.`] }),
  }
}
