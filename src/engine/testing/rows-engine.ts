/**
 * A second engine, for tests: it holds the records as plain objects, evaluates plans row by row, and returns rows in small
 * batches, each after a wait. It stands for an engine on a database: it has no finished bytes and no columns, and nothing in
 * it is synchronous.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Cancellation } from '../../kernel/cancellation.ts'
import { datasetsByName } from '../../schema/datasets.ts'
import type { Snapshot } from '../../snapshot/snapshot.ts'
import type { Engine, RecordRow } from '../engine.ts'
import { checkGroups, defaultGroupLimits } from '../group-set.ts'
import { watchCancellation } from '../watched-cancellation.ts'
import { evaluateAggregation } from './evaluate-aggregation.ts'
import { evaluatePlan } from './evaluate-plan.ts'
import { type HeldRow, readRows } from './read-rows.ts'

/** Does not divide any of the sizes that writers count in. */
const BATCH_ROWS = 7

export function createRowsEngine(): Engine<Snapshot> {
  return {
    open: async (snapshot, clientNumber, dataset) => {
      const { stored } = datasetsByName[dataset]
      const { partition, snapshotId, extractedAt, hold } = await snapshot.partition(clientNumber, stored)
      const { version, labels } = partition
      const rows = readRows(partition, dataset)
      return {
        version,
        labels,
        snapshotId,
        extractedAt,
        hold,
        remembers: () => false,
        aggregate: async (plan, cancellation) => {
          await nextTurn()
          if (cancellation?.aborted) throw cancellation.reason
          const found = evaluateAggregation(rows, plan)
          checkGroups({ groups: found.total, members: 0, distinct: 0 }, defaultGroupLimits)
          return { dataset, clientNumber, ...found }
        },
        execute: async (plan, cancellation) => {
          const { total, page } = evaluatePlan(rows, plan)
          const batches = () => inBatches(page, cancellation)
          const records = { kind: 'rows', batches } as const
          return { dataset, clientNumber, labels, total, count: page.length, records }
        },
      }
    },
  }
}

async function* inBatches(
  rows: readonly HeldRow[],
  cancellation: Cancellation = new AbortController().signal,
): AsyncGenerator<readonly RecordRow[], void, undefined> {
  const { signal, release } = watchCancellation(cancellation)
  try {
    for (let from = 0; from < rows.length; from += BATCH_ROWS) {
      await nextTurn()
      signal.throwIfAborted()
      yield rows.slice(from, from + BATCH_ROWS).map(({ row }) => row)
    }
  } finally {
    release()
  }
}
